"""The samples of a run in shares: those that this process has claimed are asked, the others passed over."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

from sightline.core.records import Invalid, Sample
from sightline.inference.sharing.claims import CHUNK_SIZE, WorkClaims

Samples = Iterator[tuple[int, Sample | Invalid]]


class ClaimedSamples:
    """One way through the data set. A share is finished when it has been passed and all its samples are done with."""

    def __init__(self, samples: Samples, shares: WorkClaims, wants: Callable[[int], bool]) -> None:
        self._shares = shares
        self._wants = wants
        self._under_way: Counter[int] = Counter()
        self._current = -1
        self._mine = False
        self.passed_over = 0
        self.count = 0
        """How many shares there are, once all samples have been seen."""
        self._samples = self._walk(samples)

    def __iter__(self) -> Iterator[tuple[int, int, Sample | Invalid]]:
        return self._samples

    def _walk(self, samples: Samples) -> Iterator[tuple[int, int, Sample | Invalid]]:
        for index, (position, sample) in enumerate(samples):
            if index // CHUNK_SIZE != self._current:
                self._pass()
                self._current = index // CHUNK_SIZE
                self._mine = self._wants(self._current)
                self._under_way[self._current] += self._mine  # the share itself, until it is passed
            if self._mine and self._shares.holds(self._current):
                self._under_way[self._current] += 1
                yield self._current, position, sample
            else:
                self.passed_over += 1
        self._pass()
        self.count = self._current + 1

    def _pass(self) -> None:
        if self._mine:
            self._mine = False
            self.done(self._current)

    def done(self, share: int) -> None:
        """One sample of a share needs no more asking."""
        self._under_way[share] -= 1
        if not self._under_way[share]:
            del self._under_way[share]
            self._shares.finish(share)
