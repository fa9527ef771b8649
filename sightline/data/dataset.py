"""Datasets: samples in memory, read by a function, or found by a position index; and a cache for repeated passes."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice
from pathlib import Path

from sightline.core.errors import UsageError
from sightline.core.interfaces import Dataset, Suite
from sightline.core.records import Invalid, Sample
from sightline.core.remarks import Remark
from sightline.data.position_index import PositionIndex

PositionedSample = tuple[int, Sample | Invalid]
MAX_SAMPLES = 5_000
MAX_INLINE_CHARS = 32 << 20
"""Total characters of media that are stored in the samples themselves."""


def open_dataset(suite: Suite, path: Path) -> Dataset:
    """The dataset of a suite at a path; a list or tuple of samples is wrapped in a `ListDataset`."""
    data = suite.dataset(path)
    if isinstance(data, Dataset):
        return data
    if isinstance(data, Sequence):
        return ListDataset(data)
    raise UsageError(
        "`dataset` of the suite '{suite}' returns neither a Dataset nor a list of samples.",
        hint="A generator function is wrapped by sightline.data.dataset.IterableDataset.",
        suite=suite.name,
    )


def check_sample(sample: Sample | Invalid) -> Sample | Invalid:
    """The sample, or an `Invalid` where its weight or its texts cannot be used; raises for any other object."""
    if not isinstance(sample, Sample | Invalid):
        raise UsageError(
            "A dataset contains an object of type {type} instead of a Sample.",
            hint="Create sightline.core.records.Sample(id=…, task=…, question=…, target=…) for each entry.",
            type=type(sample).__name__,
        )
    if not _is_encodable(sample.id):
        readable_id = sample.id.encode("utf-8", "backslashreplace").decode()
        return Invalid(id=readable_id, task=sample.task, reason=Remark("The id is not valid Unicode text."))
    if isinstance(sample, Invalid):
        return sample
    reason: Remark | None = None
    if not (math.isfinite(sample.weight) and sample.weight > 0):
        reason = Remark("The weight {weight} is not a positive finite number.", {"weight": str(sample.weight)})
    elif not _is_encodable(sample.question):
        reason = Remark("The question is not valid Unicode text.")
    if reason is None:
        return sample
    return Invalid(id=sample.id, task=sample.task, source=sample.source, tags=sample.tags, reason=reason)


def _is_encodable(text: str) -> bool:
    """Whether text can be written as UTF-8, which unpaired surrogates cannot."""
    try:
        return text.isascii() or bool(text.encode())
    except UnicodeEncodeError:
        return False


class ListDataset(Dataset):
    """Dataset of samples in memory."""

    has_random_access = True

    def __init__(self, samples: Iterable[Sample | Invalid]) -> None:
        self._samples = [check_sample(sample) for sample in samples]
        self._positions: dict[str, int] = {}
        for position, sample in enumerate(self._samples):
            self._positions.setdefault(sample.id, position)

    def __iter__(self) -> Iterator[Sample | Invalid]:
        return iter(self._samples)

    def __len__(self) -> int:
        return len(self._samples)

    def __getitem__(self, position: int) -> Sample | Invalid:
        if position < 0:
            raise IndexError(position)
        return self._samples[position]

    def find(self, sample_id: str) -> int | None:
        """The position of a sample."""
        return self._positions.get(sample_id)


class IterableDataset(Dataset):
    """Dataset read by a function that returns a new iterator at each call, such as a generator function.

    Iteration reads lazily. For access by position, the samples are cached if they are few, else read again.
    """

    def __init__(self, read: Callable[[], Iterator[Sample | Invalid]]) -> None:
        self._read = read
        self._cache = SampleCache(lambda: enumerate(self))

    def __iter__(self) -> Iterator[Sample | Invalid]:
        return map(check_sample, self._read())

    def __len__(self) -> int:
        return sum(1 for _ in self._cache())

    def __getitem__(self, position: int) -> Sample | Invalid:
        for number, sample in self._cache() if position >= 0 else ():
            if number == position:
                return sample
        raise IndexError(position)

    def find(self, sample_id: str) -> int | None:
        """The position of the first sample with an id, or None."""
        return next((position for position, sample in self._cache() if sample.id == sample_id), None)


class IndexedDataset(Dataset):
    """Dataset with a position index, which is built in one pass over the files and stored with a run.

    Has random access once the index is built or loaded.
    """

    index: PositionIndex | None = None

    @property
    def has_random_access(self) -> bool:  # type: ignore[override]
        """Whether there is an index."""
        return self.index is not None

    @abstractmethod
    def make_index(self, progress: Callable[[int], None], all_rows: bool = False) -> PositionIndex | None:
        """Build the index; None if the files allow no random access (compressed or remote).

        Positions are those of iteration, or with `all_rows` those of all rows, selected or not, as in scored files.
        `progress` is called with the number of bytes read.
        """

    @abstractmethod
    def load_sample(self, index: PositionIndex, position: int) -> Sample | Invalid | None:
        """The sample at a position of an index; None if there is none, or if the file has changed since."""

    def build_index(self) -> PositionIndex | None:
        """The index, built at the first call."""
        if self.index is None:
            self.index = self.make_index(lambda size: None)
        return self.index

    def __len__(self) -> int:
        index = self.build_index()
        return super().__len__() if index is None else len(index)

    def __getitem__(self, position: int) -> Sample | Invalid:
        index = self.build_index()
        if index is not None and not 0 <= position < len(index):
            raise IndexError(position)
        sample = None if index is None else self.load_sample(index, position)
        return super().__getitem__(position) if sample is None else sample


class SampleCache:
    """A restartable stream of samples; a dataset that is too large to be cached is read again each time."""

    def __init__(self, read: Callable[[], Iterator[PositionedSample]]) -> None:
        self._read = read
        self._samples: list[PositionedSample] = []
        self._source: Iterator[PositionedSample] | None = None
        self.is_complete = False
        """Whether all samples are cached."""
        self._is_too_large = False
        self._rest: Iterator[PositionedSample] | None = None
        """What follows the cached samples, for the iterator that found that there are too many."""
        self._inline = 0

    def __call__(self) -> Iterator[PositionedSample]:
        """Iterate over all samples from the first; several iterators may be active at once, in one thread."""
        index = 0
        while not self._is_too_large:
            if index == len(self._samples) and not self._read_next():
                return
            if index < len(self._samples):
                yield self._samples[index]
                index += 1
        rest, self._rest = self._rest, None  # of the iterator that has read the last cached sample
        yield from rest if rest is not None else islice(self._read(), index, None)

    def _read_next(self) -> bool:
        """Read one more sample into the cache; false at the end."""
        if self.is_complete:
            return False
        if self._source is None:
            self._source = self._read()
        try:
            item = next(self._source, None)
        except BaseException:  # the next iteration starts anew, and meets the error again
            self._is_too_large, self._samples, self._source = True, [], None
            raise
        if item is None:
            self.is_complete, self._source = True, None
            return False
        if isinstance(item[1], Sample):
            self._inline += sum(len(media.data) for media in item[1].media)
        if len(self._samples) == MAX_SAMPLES or self._inline > MAX_INLINE_CHARS:
            # too large to be cached: all samples are streamed from now on
            self._rest = chain([item], self._source)
            self._is_too_large, self._samples, self._source = True, [], None
        else:
            self._samples.append(item)
        return True
