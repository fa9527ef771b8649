"""Execution engines: serial, local worker processes, or a Dask cluster.

All engines give the same results: each job is tried up to three times, a worker that dies affects only its current job,
and a job that fails permanently is reported while the others continue.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Generic, Protocol, TypeVar

from msgspec import Struct

from sightline.core.errors import UsageError
from sightline.core.score_config import ENGINES

MAX_TRIES = 3
WORKER_DIED = "the worker died"
SINGLE_THREAD_ENVIRONMENT = dict.fromkeys(
    ("NUMBA_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"
)
"""Environment of a worker: one thread each, since the cores are divided among the workers."""
A = TypeVar("A")
B = TypeVar("B")


class JobResult(Struct, Generic[B], frozen=True):
    """Result of a job: its value, or the reason why it failed."""

    number: int
    value: B | None = None
    why: str = ""


class Engine(Protocol):
    """Runs jobs on workers."""

    def run(self, work: Callable[[A], B], jobs: Iterable[A]) -> Iterator[JobResult[B]]:
        """Apply `work`, a module-level function, to every job. Results come in any order; jobs are consumed lazily."""

    def close(self) -> None:
        """Shut the workers down."""


def open_engine(name: str, workers: int, scheduler: str = "", module: str = "") -> Engine:
    """Open the engine of a name; `module` is imported by its workers in advance."""
    if name == "serial":
        return SerialEngine()
    if name == "processes":
        from sightline.scoring.engines.process_engine import ProcessEngine

        return ProcessEngine(workers, module)
    if name == "dask":
        try:
            from sightline.scoring.engines.dask_engine import DaskEngine
        except ImportError:
            raise UsageError("The engine dask is not installed.", hint='pip install "sightline[dask]"') from None
        return DaskEngine(workers, scheduler)
    raise UsageError("Unknown engine '{name}'.", hint=", ".join(ENGINES), name=name)


def format_error(error: BaseException) -> str:
    """Format an error as a single line."""
    return f"{type(error).__name__}: {error}".splitlines()[0][:300]


def run_with_retries(work: Callable[[Any], Any], job: Any, number: int) -> JobResult[Any]:
    """Run a job in this process, with retries."""
    why = ""
    for _ in range(MAX_TRIES):
        try:
            return JobResult(number, work(job))
        except Exception as error:  # any error must affect this job only
            why = format_error(error)
    return JobResult(number, why=why)


class SerialEngine:
    """The reference engine: one job after the other, in this process."""

    def run(self, work: Callable[[A], B], jobs: Iterable[A]) -> Iterator[JobResult[B]]:
        """See `Engine`."""
        for number, job in enumerate(jobs):
            yield run_with_retries(work, job, number)

    def close(self) -> None:
        """Do nothing: there are no workers."""
