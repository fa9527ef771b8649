"""In-memory cache of the samples of a small dataset, so that counting, inference and grading read it once."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from sightline.core.records import Invalid, Sample

PositionedSample = tuple[int, Sample | Invalid]
MAX_SAMPLES = 5_000
MAX_INLINE_CHARS = 32 << 20
"""Total characters of media that are stored in the samples themselves."""


class SampleCache:
    """A restartable stream of samples; a dataset that is too large to be cached is read again each time."""

    def __init__(self, read: Callable[[], Iterator[PositionedSample]]) -> None:
        self._read = read
        self._samples: list[PositionedSample] = []
        self._source: Iterator[PositionedSample] | None = None
        self._is_complete = False
        self._is_too_large = False
        self._inline = 0

    def __call__(self) -> Iterator[PositionedSample]:
        """Iterate over all samples from the first; several iterators may be active at once, in one thread."""
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
        """Read one more sample into the cache; false at the end."""
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
            # too large to be cached: all samples are streamed from now on
            self._is_too_large, self._samples, self._source = True, [], None
        return True
