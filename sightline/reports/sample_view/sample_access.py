"""Random access to the samples of a run: by the suite itself, or by an index that is kept with the run.

Where a run has no index, as earlier versions left it, one is built beside the page and kept.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from threading import Event, Thread

from sightline.core.errors import DataError
from sightline.core.interfaces import IndexedSuite, RandomAccessSuite, Suite
from sightline.core.records import Invalid, Sample
from sightline.data.position_index import PositionIndex
from sightline.runs.folder import RunFolder


class SampleAccess:
    """Finds a sample by its position without reading those before it, where the suite can do so."""

    def __init__(self, suite: Suite, data: Path, folder: RunFolder, is_scored: bool) -> None:
        self._suite, self._data, self._folder, self._is_scored = suite, data, folder, is_scored
        self._index: PositionIndex | None = None
        self._building: _Building | None = None
        path = folder.sample_index
        if isinstance(suite, IndexedSuite) and path.is_file() and not path.is_symlink():
            self._index = PositionIndex.load(path)

    def find(self, position: int, patience: float) -> Sample | Invalid | None:
        """The sample; None where it has to be looked for by reading. Raises while an index is being built."""
        if isinstance(self._suite, RandomAccessSuite):
            return self._suite.sample_at(self._data, position)
        if not isinstance(self._suite, IndexedSuite):
            return None
        if self._index is not None:
            found = self._suite.load_sample(self._data, self._index, position)
            if found is not None or position >= len(self._index):
                return found
        if self._building is None:
            self._building = _Building(self._suite, self._data, self._folder.sample_index, self._is_scored)
        self._index = self._building.wait(patience) or self._index
        return None if self._index is None else self._suite.load_sample(self._data, self._index, position)


class _Building:
    """An index that is made in a thread of its own."""

    def __init__(self, suite: IndexedSuite, data: Path, path: Path, is_scored: bool) -> None:
        self._suite, self._data, self._path, self._is_scored = suite, data, path, is_scored
        self._made: PositionIndex | None = None
        self._fault: Exception | None = None
        self._bytes = 0
        self._done = Event()
        Thread(target=self._run, daemon=True, name="sample index").start()

    def _run(self) -> None:
        try:
            self._made = self._suite.index_samples(self._data, self._is_scored, self._watch)
            if self._made is not None:
                with suppress(OSError):  # a folder that can't be written: the index lasts as long as the page
                    self._made.save(self._path)
        except Exception as error:  # told to whoever asked for the sample
            self._fault = error
        finally:
            self._done.set()

    def _watch(self, size: int) -> None:
        self._bytes = size

    def wait(self, patience: float) -> PositionIndex | None:
        """The index; raises while it is not there."""
        if not self._done.wait(patience):
            raise DataError(
                "The data set is being indexed, {size} MB so far. Reload the page in a moment.",
                size=self._bytes // 1_000_000,
            )
        if self._fault is not None:
            raise self._fault
        return self._made
