"""Samples of a run kept in memory while they are few, so that counting, asking and grading read the data set once."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from sightline.core.records import Invalid, Sample

PositionedSample = tuple[int, Sample | Invalid]
MAX_SAMPLES = 5_000
MAX_INLINE_CHARS = 32 << 20
"""Letters of media that lie in the samples themselves."""


class SampleCache:
    """A stream of samples that can be begun again; a data set too large to be kept is read again each time."""

    def __init__(self, read: Callable[[], Iterator[PositionedSample]]) -> None:
        self._read = read
        self._samples: list[PositionedSample] = []
        self._source: Iterator[PositionedSample] | None = None
        self._is_complete = False
        self._is_too_large = False
        self._inline = 0

    def __call__(self) -> Iterator[PositionedSample]:
        """All samples from the first on; several may be under way at once, in one thread."""
        index = 0
        while not self._is_too_large:
            if index == len(self._samples) and not self._read_next():
                break
            if index < len(self._samples):
                yield self._samples[index]
                index += 1
        if self._is_complete:
            return
        for number, sample in enumerate(self._read()):
            if number >= index:
                yield sample

    def _read_next(self) -> bool:
        """Read one more sample; false at the end, or where there is no more room."""
        if self._is_complete:
            return False
        if self._source is None:
            self._source = self._read()
        item = next(self._source, None)
        if item is None:
            self._is_complete, self._source = True, None
            return False
        self._samples.append(item)
        if isinstance(item[1], Sample):
            self._inline += sum(len(media.data) for media in item[1].media)
        if len(self._samples) > MAX_SAMPLES or self._inline > MAX_INLINE_CHARS:
            # what was read is of no use any more: all is streamed from now on
            self._is_too_large, self._samples, self._source = True, [], None
        return True
