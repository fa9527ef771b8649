"""Where work is done: here one by one, in processes of this machine, or on a Dask cluster.

All engines do the same with the same jobs: each job is tried up to three times, a worker that dies costs only the job
it was at, and a job that fails for good is told while the others go on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Generic, Protocol, TypeVar

from msgspec import Struct

from sightline.core.errors import UsageError
from sightline.core.score_config import ENGINES

TRIES = 3
DIED = "the worker died"
ONE_THREAD = dict.fromkeys(("NUMBA_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
"""Environment of a worker: the cores are shared out among the workers, not among the threads of each."""
A = TypeVar("A")
B = TypeVar("B")


class Done(Struct, Generic[B], frozen=True):
    """A job that came to an end: what it gave, or why it gave nothing."""

    number: int
    value: B | None = None
    why: str = ""


class Engine(Protocol):
    """Runs jobs on some workers."""

    def run(self, work: Callable[[A], B], jobs: Iterable[A]) -> Iterator[Done[B]]:
        """Do `work`, a function of a module, on every job; the ends come in any order. Jobs are drawn as needed."""

    def close(self) -> None:
        """Let the workers go."""


def open_engine(name: str, workers: int, scheduler: str = "", module: str = "") -> Engine:
    """The engine of that name; `module` is where the work is that it will be given."""
    if name == "serial":
        from sightline.scoring.engines.serial import SerialEngine

        return SerialEngine()
    if name == "processes":
        from sightline.scoring.engines.processes import ProcessEngine

        return ProcessEngine(workers, module)
    if name == "dask":
        try:
            from sightline.scoring.engines.cluster import DaskEngine
        except ImportError:
            raise UsageError("The engine dask is not installed.", hint='pip install "sightline[dask]"') from None
        return DaskEngine(workers, scheduler)
    raise UsageError("There is no engine '{name}'.", hint=", ".join(ENGINES), name=name)


def said(error: BaseException) -> str:
    """An error as one line for a report."""
    return f"{type(error).__name__}: {error}".splitlines()[0][:300]


def tried(work: Callable[[Any], Any], job: Any, number: int) -> Done[Any]:
    """Do a job here, again where it fails."""
    why = ""
    for _ in range(TRIES):
        try:
            return Done(number, work(job))
        except Exception as error:  # whatever it is, it must cost this job only
            why = said(error)
    return Done(number, why=why)
