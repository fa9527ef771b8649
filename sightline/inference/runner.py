"""Inference runner: asks a model for replies to all samples of a run, with many concurrent sessions (asyncio)."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from msgspec import Struct

from sightline.core.config import RunConfig
from sightline.core.errors import BudgetError, RunStoppedError
from sightline.core.interfaces import GradeAttempt, Model, ModelWithDeviations, Suite
from sightline.core.records import Invalid, ServerCount
from sightline.core.remarks import Remark
from sightline.inference.budget import Budget
from sightline.inference.cache import CacheableModel, CachingModel, default_cache_path
from sightline.inference.circuit_breaker import CircuitBreaker
from sightline.inference.journal import JournalReader, JournalWriter
from sightline.inference.limiter import AdaptiveLimiter
from sightline.inference.load_balancer import Backend, LoadBalancer
from sightline.inference.permanent_errors import PermanentErrorDetector
from sightline.inference.repeats import SeededModel
from sightline.inference.run_progress import RunProgress
from sightline.inference.sample_session import SampleSession, SessionContext
from sightline.inference.sharing import ClaimedSamples, Samples, WorkClaims
from sightline.inference.stop_signals import handle_stop_signals, interruption, run_async
from sightline.models.endpoints import MultiServerModel

ProgressCallback = Callable[[RunProgress], None]
POLL_SECONDS = 0.5
"""Seconds between two checks of what the other processes of the run have claimed."""


class InferenceJob(Struct, kw_only=True):
    """The inputs of an inference run: suite, model, samples, and the journal that replies are written to."""

    suite: Suite
    model: Model
    config: RunConfig
    samples: Callable[[], Samples]
    journal: JournalWriter
    open_journal: Callable[[], JournalReader]
    """Opens a reader of all journal files in their current state."""
    claims: WorkClaims
    grade: GradeAttempt
    report: ProgressCallback = lambda progress: None


def run_inference(job: InferenceJob) -> tuple[RunProgress, RunStoppedError | None]:
    """Run inference until every sample is done or the run is stopped; the progress is complete in both cases."""
    progress = RunProgress()
    runner = _InferenceRunner(job, progress)
    try:
        run_async(runner.run)
    except RunStoppedError as stopped:
        return progress, stopped
    except KeyboardInterrupt:  # where the loop can't take signals (Windows)
        return progress, interruption()
    return progress, None


class _InferenceRunner:
    def __init__(self, job: InferenceJob, progress: RunProgress) -> None:
        config = job.config
        self._job = job
        self._progress = progress
        self._stopped: RunStoppedError | None = None
        self._workers: list[asyncio.Task[None]] = []
        self._reader = reader = job.open_journal()
        models = {name or job.model.name: count for name, count in reader.counts.models.items() if count}
        self._backends = make_backends(job.model, config, was_reached=bool(models))
        limit_connections(self._backends, progress.notices.append)
        for backend in self._backends:
            if isinstance(backend.probe_model, ModelWithDeviations):
                backend.probe_model.notify = progress.notices.append
        progress.models = models
        progress.current_model = next(reversed(progress.models), "")
        self._context = SessionContext(
            suite=job.suite,
            config=config,
            journal=job.journal,
            balancer=LoadBalancer(self._backends, progress.notices.append),
            budget=Budget(config, reader.counts),
            progress=progress,
            grade=job.grade,
        )

    async def run(self) -> None:
        try:
            ticker = asyncio.create_task(self._report_regularly())
            with handle_stop_signals(lambda: self._stop(interruption())):
                await self._run_all()
        finally:
            ticker.cancel()
            for backend in self._backends:
                await backend.model.close()
            self._reader.close()
            self._report_progress()
        if self._stopped is not None:
            raise self._stopped

    async def _run_all(self) -> None:
        job = self._job
        try:
            claimed = ClaimedSamples(job.samples(), job.claims, job.claims.claim, job.config.repeats)
            await self._run_workers(claimed)
            while self._stopped is None and (unfinished := job.claims.unfinished(claimed.chunk_count)):
                await self._take_over_abandoned(unfinished)
        except asyncio.CancelledError:
            self._stopped = self._stopped or interruption()
        finally:
            self._stop(None)
            await asyncio.gather(*self._workers, return_exceptions=True)
            job.claims.release_all()

    async def _run_workers(self, samples: ClaimedSamples) -> None:
        """Process claimed samples with a pool of worker tasks, to the end or until the run is stopped."""
        count = sum(backend.max_concurrency for backend in self._backends)
        self._workers = [asyncio.create_task(self._worker(samples)) for _ in range(count)]
        await asyncio.gather(*self._workers)

    async def _take_over_abandoned(self, unfinished: list[int]) -> None:
        """Take over the claims of processes that have ended; otherwise wait for those still running."""
        job = self._job
        taken_over = job.claims.take_over(unfinished)
        if not taken_over:
            self._workers = [asyncio.create_task(asyncio.sleep(POLL_SECONDS))]  # so that Ctrl-C ends the wait
            await asyncio.gather(*self._workers)
            return
        self._reader.close()
        self._reader = job.open_journal()
        self._progress.claimed_by_others = 0
        self._progress.notices.append(
            Remark("Took over {count} unfinished chunks of a process that has ended.", {"count": len(taken_over)})
        )
        repeats = job.config.repeats
        await self._run_workers(ClaimedSamples(job.samples(), job.claims, taken_over.__contains__, repeats))

    async def _worker(self, samples: ClaimedSamples) -> None:
        progress = self._progress
        for chunk, position, sample, repeat in samples:
            if isinstance(sample, Invalid):
                progress.invalid += 1
            else:
                attempts = self._reader.attempts(position, sample.id, repeat)
                try:
                    await SampleSession(self._context, position, sample, attempts, repeat).run()
                except BudgetError as error:
                    self._stopped = error  # no new request is started, but those in flight are already paid for
                except RunStoppedError as error:
                    self._stop(error)
            progress.claimed_by_others = samples.skipped
            if self._stopped is None:
                samples.finish_sample(chunk)
            self._report_progress()
            if self._stopped is not None:
                return
            await asyncio.sleep(0)  # a model without network access never awaits: let other tasks run
        progress.claimed_by_others = samples.skipped

    async def _report_regularly(self) -> None:
        """Report progress every second, also while no reply arrives: an outage has a duration and a reason."""
        while True:
            await asyncio.sleep(1.0)
            self._report_progress()

    def _report_progress(self) -> None:
        balancer = self._context.balancer
        self._progress.in_flight = balancer.in_flight
        self._progress.outage = balancer.outage
        if balancer.has_multiple:
            self._progress.servers = {
                backend.name: ServerCount(backend.requests, backend.errors) for backend in self._backends
            }
        self._job.report(self._progress)

    def _stop(self, reason: RunStoppedError | None) -> None:
        """Cancel all requests in flight, before another request can occupy a freed slot."""
        self._stopped = self._stopped or reason
        current = asyncio.current_task()
        for worker in self._workers:
            if worker is not current:
                worker.cancel()


def make_backends(model: Model, config: RunConfig, was_reached: bool = False) -> list[Backend]:
    """One backend for each server of the model; `was_reached` is true if an earlier start of the run had replies."""
    models = model.per_endpoint() if isinstance(model, MultiServerModel) else [model]
    return [_make_backend(server_model, config, was_reached) for server_model in models]


def _make_backend(model: Model, config: RunConfig, was_reached: bool) -> Backend:
    breaker = CircuitBreaker(config.max_outage, was_reached=was_reached)
    if isinstance(model, MultiServerModel):
        endpoint = model.endpoint
        max_concurrency, name = endpoint.concurrency or config.concurrency, endpoint.display_address
        limiter = AdaptiveLimiter(
            max_concurrency,
            endpoint.requests_per_minute or config.requests_per_minute,
            endpoint.tokens_per_minute or config.tokens_per_minute,
        )
    else:
        max_concurrency, name = config.concurrency, model.name
        limiter = AdaptiveLimiter(max_concurrency)
    backend = Backend(_wrap_model(model, config), limiter, breaker, max_concurrency, name)
    backend.probe_model = model
    backend.permanent_errors = PermanentErrorDetector(was_reached)
    return backend


def free_file_handles() -> int | None:
    """How many more files and connections this process may open; None if there is no limit."""
    if sys.platform == "win32":
        return None
    import resource

    limit, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if limit == resource.RLIM_INFINITY:
        return None
    used = 0
    for folder in ("/proc/self/fd", "/dev/fd"):
        with suppress(OSError):
            used = len(os.listdir(folder))  # noqa: PTH208  # names are enough
            break
    return max(0, limit - used)


_RESERVED_FILES = 24
"""File handles reserved for images, the journal and the dataset."""


def limit_connections(backends: Sequence[Backend], notify: Callable[[Remark], None]) -> None:
    """Lower the concurrency to the limit on open files of the process (RLIMIT_NOFILE), which counts connections too."""
    files = free_file_handles()
    requested = sum(backend.max_concurrency for backend in backends)
    if files is None or requested <= files - _RESERVED_FILES:
        return
    available = max(len(backends), files - _RESERVED_FILES)
    for backend in backends:
        backend.max_concurrency = max(1, backend.max_concurrency * available // requested)
        backend.limiter.lower_maximum(backend.max_concurrency)
    args = {"wanted": requested, "count": sum(backend.max_concurrency for backend in backends)}
    notify(
        Remark("Concurrency is limited to {count} instead of {wanted} by the number of open files (ulimit -n).", args)
    )


def _wrap_model(model: Model, config: RunConfig) -> Model:
    """The model behind the reply cache, or with a seed for each repeat, where the settings ask for it."""
    if not isinstance(model, CacheableModel):
        return model
    if not config.cache:
        return model if config.repeats == 1 else SeededModel(model)
    return CachingModel(model, Path(config.cache_path) if config.cache_path else default_cache_path())
