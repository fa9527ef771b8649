"""One job after the other, in this process."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from sightline.scoring.engines import A, B, Done, tried


class SerialEngine:
    """What every other engine is measured by."""

    def run(self, work: Callable[[A], B], jobs: Iterable[A]) -> Iterator[Done[B]]:
        """See `Engine`."""
        for number, job in enumerate(jobs):
            yield tried(work, job, number)

    def close(self) -> None:
        """Nothing to let go."""
