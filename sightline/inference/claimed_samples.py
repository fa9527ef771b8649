"""Iteration over the samples of a run in chunks: only the chunks that this process has claimed are processed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

from sightline.core.records import Invalid, Sample
from sightline.inference.sharing.claims import CHUNK_SIZE, WorkClaims

Samples = Iterator[tuple[int, Sample | Invalid]]


class ClaimedSamples:
    """One pass over the dataset. A chunk is finished when it has been read and all its samples are finished."""

    def __init__(self, samples: Samples, claims: WorkClaims, claim: Callable[[int], bool]) -> None:
        self._claims = claims
        self._claim = claim
        self._in_progress: Counter[int] = Counter()
        self._chunk = -1
        self._is_claimed = False
        self.skipped = 0
        self.chunk_count = 0
        """The number of chunks, known once all samples have been read."""
        self._samples = self._claimed(samples)

    def __iter__(self) -> Iterator[tuple[int, int, Sample | Invalid]]:
        return self._samples

    def _claimed(self, samples: Samples) -> Iterator[tuple[int, int, Sample | Invalid]]:
        for index, (position, sample) in enumerate(samples):
            if index // CHUNK_SIZE != self._chunk:
                self._leave_chunk()
                self._chunk = index // CHUNK_SIZE
                self._is_claimed = self._claim(self._chunk)
                self._in_progress[self._chunk] += self._is_claimed  # the chunk itself, until it has been read
            if self._is_claimed and self._claims.is_held(self._chunk):
                self._in_progress[self._chunk] += 1
                yield self._chunk, position, sample
            else:
                self.skipped += 1
        self._leave_chunk()
        self.chunk_count = self._chunk + 1

    def _leave_chunk(self) -> None:
        if self._is_claimed:
            self._is_claimed = False
            self.finish_sample(self._chunk)

    def finish_sample(self, chunk: int) -> None:
        """Register that one sample of a chunk is finished."""
        self._in_progress[chunk] -= 1
        if not self._in_progress[chunk]:
            del self._in_progress[chunk]
            self._claims.finish(chunk)
