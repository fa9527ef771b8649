"""Samples of a run kept in memory while they are few, so that counting, asking and grading read the data set once."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from sightline.core.records import Invalid, Sample

Numbered = tuple[int, Sample | Invalid]
MOST_SAMPLES = 5_000
MOST_INLINE = 32 << 20
"""Letters of media that lie in the samples themselves."""


class SampleMemory:
    """A stream of samples that can be begun again; a data set too large to be kept is read again each time."""

    def __init__(self, read: Callable[[], Iterator[Numbered]]) -> None:
        self._read = read
        self._kept: list[Numbered] = []
        self._source: Iterator[Numbered] | None = None
        self._is_whole = False
        self._is_full = False
        self._inline = 0

    def __call__(self) -> Iterator[Numbered]:
        """All samples from the first on; several may be under way at once, in one thread."""
        place = 0
        while not self._is_full:
            if place == len(self._kept) and not self._take():
                break
            if place < len(self._kept):
                yield self._kept[place]
                place += 1
        if self._is_whole:
            return
        for number, sample in enumerate(self._read()):
            if number >= place:
                yield sample

    def _take(self) -> bool:
        """Read one more sample; false at the end, or where there is no more room."""
        if self._is_whole:
            return False
        if self._source is None:
            self._source = self._read()
        taken = next(self._source, None)
        if taken is None:
            self._is_whole, self._source = True, None
            return False
        self._kept.append(taken)
        if isinstance(taken[1], Sample):
            self._inline += sum(len(medium.data) for medium in taken[1].media)
        if len(self._kept) > MOST_SAMPLES or self._inline > MOST_INLINE:
            # what was read is of no use any more: all is streamed from now on
            self._is_full, self._kept, self._source = True, [], None
        return True
