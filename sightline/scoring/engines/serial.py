"""Serial engine: one job after the other, in this process."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from sightline.scoring.engines import A, B, JobResult, run_with_retries


class SerialEngine:
    """The reference engine."""

    def run(self, work: Callable[[A], B], jobs: Iterable[A]) -> Iterator[JobResult[B]]:
        """See `Engine`."""
        for number, job in enumerate(jobs):
            yield run_with_retries(work, job, number)

    def close(self) -> None:
        """Do nothing: there are no workers."""
