"""Asks all samples of a run: as many conversations at once as the pace allows, none held longer than it takes."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

from msgspec import Struct

from sightline.asking.cache import CachingModel, WireModel, default_cache_path
from sightline.asking.conversation import Conversation, Desk, GradeAttempt
from sightline.asking.pace import Pace
from sightline.asking.patience import Breaker, Budget
from sightline.asking.tally import Tally
from sightline.config import RunConfig
from sightline.contracts import Model, Suite
from sightline.errors import BudgetError, RunStoppedError
from sightline.records import Invalid, Sample
from sightline.runs.history import History
from sightline.runs.journal import Journal

Watcher = Callable[[Tally], None]


class Job(Struct, kw_only=True):
    """What is to be asked, and where it is written."""

    suite: Suite
    model: Model
    config: RunConfig
    samples: Iterator[tuple[int, Sample | Invalid]]
    journal: Journal
    history: History
    grade: GradeAttempt
    watch: Watcher = lambda tally: None


class InterruptedRun(RunStoppedError):  # noqa: N818  # what the user did, not an error
    """Ctrl-C."""


def ask_all(job: Job) -> tuple[Tally, RunStoppedError | None]:
    """Ask until all is asked or the run is stopped; the tally is right in both cases."""
    tally = Tally()
    asker = _Asker(job, tally)
    try:
        _run_anywhere(asker.run)
    except RunStoppedError as stopped:
        return tally, stopped
    except KeyboardInterrupt:  # where the loop can't take signals (Windows)
        return tally, _interrupted()
    return tally, None


def _run_anywhere(work: Callable[[], Coroutine[None, None, None]]) -> None:
    """Run to the end; inside a notebook, whose own loop is running already, on a thread of its own."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        asyncio.run(work())
        return
    with ThreadPoolExecutor(1) as thread:
        thread.submit(lambda: asyncio.run(work())).result()


def _interrupted() -> RunStoppedError:
    return InterruptedRun("Stopped by the user.", hint="The same command goes on from here.")


class _Asker:
    def __init__(self, job: Job, tally: Tally) -> None:
        config = job.config
        self._job = job
        self._tally = tally
        self._stopped: RunStoppedError | None = None
        self._workers: list[asyncio.Task[None]] = []
        history = job.history
        self._desk = Desk(
            suite=job.suite,
            model=_cached(job.model, config),
            config=config,
            journal=job.journal,
            pace=Pace(config.concurrency, config.requests_per_minute, config.tokens_per_minute),
            budget=Budget(config, history.requests, history.tokens_in, history.tokens_out),
            breaker=Breaker(),
            tally=tally,
            grade=job.grade,
        )

    async def run(self) -> None:
        self._workers = [asyncio.create_task(self._work()) for _ in range(self._job.config.concurrency)]
        restore = self._on_interrupt()
        try:
            await asyncio.gather(*self._workers)
        except asyncio.CancelledError:
            self._stopped = self._stopped or _interrupted()
        finally:
            self._stop(None)
            await asyncio.gather(*self._workers, return_exceptions=True)
            restore()
            await self._desk.model.close()
            self._watch()
        if self._stopped is not None:
            raise self._stopped

    async def _work(self) -> None:
        job, tally = self._job, self._tally
        for position, sample in job.samples:
            if isinstance(sample, Invalid):
                tally.invalid += 1
            else:
                past = job.history.of(position, sample.id)
                try:
                    await Conversation(self._desk, position, sample, past).run()
                except BudgetError as spent:
                    self._stopped = spent  # nothing new is begun, but what is in flight has been paid for
                except RunStoppedError as error:
                    self._stop(error)
            self._watch()
            if self._stopped is not None:
                return
            await asyncio.sleep(0)  # a model without a network never waits: let signals and others have their turn

    def _watch(self) -> None:
        self._tally.in_flight = self._desk.pace.in_flight
        self._job.watch(self._tally)

    def _stop(self, why: RunStoppedError | None) -> None:
        """Let go of everything in flight, before anyone takes the place that came free."""
        self._stopped = self._stopped or why
        current = asyncio.current_task()
        for worker in self._workers:
            if worker is not current:
                worker.cancel()

    def _on_interrupt(self) -> Callable[[], object]:
        """The first Ctrl-C ends cleanly; afterwards Ctrl-C is as it was."""
        loop = asyncio.get_running_loop()
        before = signal.getsignal(signal.SIGINT)

        def restore() -> None:
            loop.remove_signal_handler(signal.SIGINT)
            signal.signal(signal.SIGINT, before)

        with suppress(NotImplementedError, RuntimeError, ValueError):  # Windows, or not the main thread
            loop.add_signal_handler(signal.SIGINT, lambda: self._stop(_interrupted()))
            return restore
        return lambda: None


def _cached(model: Model, config: RunConfig) -> Model:
    if not config.cache or not isinstance(model, WireModel):
        return model
    return CachingModel(model, Path(config.cache_path) if config.cache_path else default_cache_path())
