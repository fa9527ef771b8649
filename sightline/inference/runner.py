"""Asks all samples of a run: as many conversations at once as the pace allows, none held longer than it takes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path

from msgspec import Struct

from sightline.core.config import RunConfig
from sightline.core.errors import BudgetError, RunStoppedError
from sightline.core.interfaces import Model, Suite
from sightline.core.records import Invalid, Remark, ServerCount
from sightline.inference.budget import Budget
from sightline.inference.cache import CacheableModel, CachingModel, default_cache_path
from sightline.inference.circuit_breaker import CircuitBreaker
from sightline.inference.claimed_samples import ClaimedSamples, Samples
from sightline.inference.journal.reader import JournalReader
from sightline.inference.journal.writer import JournalWriter
from sightline.inference.limiter import AdaptiveLimiter
from sightline.inference.load_balancer import Backend, LoadBalancer
from sightline.inference.open_files import free_file_handles
from sightline.inference.run_progress import RunProgress
from sightline.inference.sample_session import GradeAttempt, SampleSession, SessionContext
from sightline.inference.sharing.claims import WorkClaims
from sightline.inference.stop_signals import handle_stop_signals, interruption, run_async
from sightline.models.spread import SpreadModel

ProgressCallback = Callable[[RunProgress], None]
POLL_SECONDS = 0.5
"""Seconds between two looks at what other processes are doing."""


class InferenceJob(Struct, kw_only=True):
    """What is to be asked, and where it is written."""

    suite: Suite
    model: Model
    config: RunConfig
    samples: Callable[[], Samples]
    journal: JournalWriter
    history: Callable[[], JournalReader]
    """Reads the journal in all its parts, as they are at that moment."""
    shares: WorkClaims
    grade: GradeAttempt
    watch: ProgressCallback = lambda tally: None


def run_inference(job: InferenceJob) -> tuple[RunProgress, RunStoppedError | None]:
    """Ask until all is asked or the run is stopped; the tally is right in both cases."""
    tally = RunProgress()
    asker = _InferenceRunner(job, tally)
    try:
        run_async(asker.run)
    except RunStoppedError as stopped:
        return tally, stopped
    except KeyboardInterrupt:  # where the loop can't take signals (Windows)
        return tally, interruption()
    return tally, None


class _InferenceRunner:
    def __init__(self, job: InferenceJob, tally: RunProgress) -> None:
        config = job.config
        self._job = job
        self._tally = tally
        self._stopped: RunStoppedError | None = None
        self._workers: list[asyncio.Task[None]] = []
        self._history = history = job.history()
        self._backends = make_backends(job.model, config, was_reached=any(history.models.values()))
        limit_connections(self._backends, tally.notices.append)
        tally.models = {name or job.model.name: count for name, count in history.models.items() if count}
        tally.current_model = next(reversed(tally.models), "")
        self._desk = SessionContext(
            suite=job.suite,
            config=config,
            journal=job.journal,
            balancer=LoadBalancer(self._backends, tally.notices.append),
            budget=Budget(config, history.requests, history.tokens_in, history.tokens_out),
            tally=tally,
            grade=job.grade,
        )

    async def run(self) -> None:
        try:
            ticker = asyncio.create_task(self._report_regularly())
            with handle_stop_signals(lambda: self._stop(interruption())):
                await self._ask_rounds()
        finally:
            ticker.cancel()
            for backend in self._backends:
                await backend.model.close()
            self._history.close()
            self._watch()
        if self._stopped is not None:
            raise self._stopped

    async def _ask_rounds(self) -> None:
        job = self._job
        try:
            first = ClaimedSamples(job.samples(), job.shares, job.shares.claim)
            await self._ask(first)
            while self._stopped is None and (left := job.shares.open_ones(first.count)):
                await self._help_out(left)
        except asyncio.CancelledError:
            self._stopped = self._stopped or interruption()
        finally:
            self._stop(None)
            await asyncio.gather(*self._workers, return_exceptions=True)
            job.shares.give_back()

    async def _ask(self, samples: ClaimedSamples) -> None:
        """Ask one round of samples, to its end or until the run is stopped."""
        count = sum(backend.most for backend in self._backends)
        self._workers = [asyncio.create_task(self._work(samples)) for _ in range(count)]
        await asyncio.gather(*self._workers)

    async def _help_out(self, left: list[int]) -> None:
        """Take over what processes that are gone have left; wait for those that are at work."""
        job = self._job
        taken = job.shares.take_over(left)
        if not taken:
            self._workers = [asyncio.create_task(asyncio.sleep(POLL_SECONDS))]  # so that Ctrl-C ends the wait
            await asyncio.gather(*self._workers)
            return
        self._history.close()
        self._history = job.history()
        self._tally.elsewhere = 0
        self._tally.notices.append(
            Remark("{count} shares of a process that is gone are taken over.", {"count": len(taken)})
        )
        await self._ask(ClaimedSamples(job.samples(), job.shares, taken.__contains__))

    async def _work(self, samples: ClaimedSamples) -> None:
        tally = self._tally
        for share, position, sample in samples:
            if isinstance(sample, Invalid):
                tally.invalid += 1
            else:
                past = self._history.of(position, sample.id)
                try:
                    await SampleSession(self._desk, position, sample, past).run()
                except BudgetError as spent:
                    self._stopped = spent  # nothing new is begun, but what is in flight has been paid for
                except RunStoppedError as error:
                    self._stop(error)
            tally.elsewhere = samples.passed_over
            if self._stopped is None:
                samples.done(share)
            self._watch()
            if self._stopped is not None:
                return
            await asyncio.sleep(0)  # a model without a network never waits: let signals and others have their turn
        tally.elsewhere = samples.passed_over

    async def _report_regularly(self) -> None:
        """Report progress also while nothing comes back: an outage has its time and its reason."""
        while True:
            await asyncio.sleep(1.0)
            self._watch()

    def _watch(self) -> None:
        balancer = self._desk.balancer
        self._tally.in_flight = balancer.in_flight
        self._tally.outage = balancer.outage
        if balancer.has_several:
            self._tally.servers = {one.name: ServerCount(one.requests, one.errors) for one in self._backends}
        self._job.watch(self._tally)

    def _stop(self, why: RunStoppedError | None) -> None:
        """Let go of everything in flight, before anyone takes the place that came free."""
        self._stopped = self._stopped or why
        current = asyncio.current_task()
        for worker in self._workers:
            if worker is not current:
                worker.cancel()


def make_backends(model: Model, config: RunConfig, was_reached: bool = False) -> list[Backend]:
    """One backend for each server that the model is at; `was_reached` says that an earlier start had replies."""
    models = model.everywhere() if isinstance(model, SpreadModel) else [model]
    return [_backend(one, config, was_reached) for one in models]


def _backend(model: Model, config: RunConfig, was_reached: bool) -> Backend:
    breaker = CircuitBreaker(config.max_outage, was_reached=was_reached)
    if isinstance(model, SpreadModel):
        own = model.endpoint
        most, name = own.concurrency or config.concurrency, own.shown
        limiter = AdaptiveLimiter(
            most,
            own.requests_per_minute or config.requests_per_minute,
            own.tokens_per_minute or config.tokens_per_minute,
        )
    else:
        most, name = config.concurrency, model.name
        limiter = AdaptiveLimiter(most)
    backend = Backend(_cached(model, config), limiter, breaker, most, name)
    backend.probe_model = model
    return backend


_RESERVED_FILES = 24
"""File handles that are left for pictures, the journal and the data set."""


def limit_connections(backends: Sequence[Backend], notify: Callable[[Remark], None]) -> None:
    """Lower the concurrency to what the process may open (RLIMIT_NOFILE): connections that are kept open take handles
    from the files that are read."""
    files = free_file_handles()
    wanted = sum(backend.most for backend in backends)
    if files is None or wanted <= files - _RESERVED_FILES:
        return
    room = max(len(backends), files - _RESERVED_FILES)
    for backend in backends:
        backend.most = max(1, backend.most * room // wanted)
        backend.limiter.limit(backend.most)
    facts = {"wanted": wanted, "count": sum(backend.most for backend in backends)}
    notify(
        Remark("{count} requests at once instead of {wanted}: this process may open no more files (ulimit -n).", facts)
    )


def _cached(model: Model, config: RunConfig) -> Model:
    if not config.cache or not isinstance(model, CacheableModel):
        return model
    return CachingModel(model, Path(config.cache_path) if config.cache_path else default_cache_path())
