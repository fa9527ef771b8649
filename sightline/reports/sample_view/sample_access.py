"""Random access to the samples of a run: by the dataset itself, or by a position index that is stored with the run.

Where a run has no index, as earlier versions left it, one is built beside the page and kept.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from threading import Event, Thread

from sightline.core.errors import DataError
from sightline.core.interfaces import Dataset
from sightline.core.records import Invalid, Sample
from sightline.data.dataset import IndexedDataset
from sightline.data.position_index import PositionIndex
from sightline.runs.folder import RunFolder


class SampleAccess:
    """Finds a sample by its position without reading those before it, if the dataset allows it."""

    def __init__(self, dataset: Dataset, folder: RunFolder, is_scored: bool) -> None:
        self._dataset, self._path, self._is_scored = dataset, folder.sample_index, is_scored
        self._index: PositionIndex | None = None
        self._builder: _IndexBuilder | None = None
        if isinstance(dataset, IndexedDataset) and self._path.is_file() and not self._path.is_symlink():
            self._index = PositionIndex.load(self._path)

    def find(self, position: int, patience: float) -> Sample | Invalid | None:
        """The sample; None if it has to be looked for by reading. Raises while an index is being built."""
        if not isinstance(self._dataset, IndexedDataset):
            has_sample = self._dataset.has_random_access and 0 <= position < len(self._dataset)
            return self._dataset[position] if has_sample else None
        if self._index is not None:
            sample = self._dataset.load_sample(self._index, position)
            if sample is not None or position >= len(self._index):
                return sample
        if self._builder is None:
            self._builder = _IndexBuilder(self._dataset, self._path, self._is_scored)
        self._index = self._builder.wait(patience) or self._index
        return None if self._index is None else self._dataset.load_sample(self._index, position)


class _IndexBuilder:
    """Builds the position index of a dataset in a thread, and saves it."""

    def __init__(self, dataset: IndexedDataset, path: Path, is_scored: bool) -> None:
        self._dataset, self._path, self._is_scored = dataset, path, is_scored
        self._index: PositionIndex | None = None
        self._error: Exception | None = None
        self._bytes = 0
        self._done = Event()
        Thread(target=self._run, daemon=True, name="sample index").start()

    def _run(self) -> None:
        try:
            # positions of scored files count the rows of all tasks
            self._index = self._dataset.make_index(self._set_progress, all_rows=self._is_scored)
            if self._index is not None:
                with suppress(OSError):  # a read-only folder: the index lasts as long as the page
                    self._index.save(self._path)
        except Exception as error:  # raised to whoever waits for the sample
            self._error = error
        finally:
            self._done.set()

    def _set_progress(self, size: int) -> None:
        self._bytes = size

    def wait(self, patience: float) -> PositionIndex | None:
        """The index; raises `DataError` if it is not complete in time."""
        if not self._done.wait(patience):
            raise DataError(
                "The data set is being indexed, {size} MB so far. Reload the page in a moment.",
                size=self._bytes // 1_000_000,
            )
        if self._error is not None:
            raise self._error
        return self._index
