"""Random access to the samples of a run, with its journal and the saved replies of scored files."""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path
from threading import Event, Lock, Thread
from time import monotonic

import numpy as np

from sightline.core.errors import DataError
from sightline.core.interfaces import ColumnSuite, Dataset, Suite
from sightline.core.records import Attempt, Invalid, Prompt, Sample
from sightline.data.dataset import IndexedDataset, open_dataset
from sightline.data.pairing import SUFFIXES
from sightline.data.position_index import Entry, IndexedFile, PositionIndex
from sightline.inference.journal import JournalReader, journal_files
from sightline.inference.prompts import build_prompt, get_feedback
from sightline.runs.folder import RunFolder
from sightline.runs.manifest import Manifest, load_recorded_suite
from sightline.scoring.sample_scorer import grade_attempt

PATIENCE = 8.0
"""Seconds that a page waits for a sample far down in a data set; the next search continues from there."""
_MAX_CACHED_SAMPLES = 32


class SampleReader:
    """The samples and the journal of one run; one thread at a time."""

    def __init__(self, folder: RunFolder, manifest: Manifest, patience: float = PATIENCE) -> None:
        self.suite: Suite = load_recorded_suite(manifest)
        self.data = _locate_data(Path(manifest.data), folder.path)
        self._blind = bool(manifest.config.get("blind"))
        self._journal = folder.journal if is_regular_file(folder.journal) else None
        self._patience = patience
        self._folder = folder
        index = PositionIndex.load(folder.reply_index) if is_regular_file(folder.reply_index) else None
        rename = self.suite.rename if isinstance(self.suite, ColumnSuite) else {}
        self._replies = None if index is None else ScoredOutputs(index, folder.path, rename)
        self._history: tuple[tuple[int, ...], JournalReader] | None = None
        self._kept: OrderedDict[int, Sample | Invalid] = OrderedDict()
        self._stream: Iterator[Sample | Invalid] | None = None
        self._next = 0
        self._sought = ""
        self._closed = False
        self._lock = Lock()

    @cached_property
    def dataset(self) -> Dataset:
        """The dataset of the run; a suite that returns a list reads its files now."""
        return open_dataset(self.suite, self.data)

    @cached_property
    def _access(self) -> SampleAccess:
        return SampleAccess(self.dataset, self._folder, is_scored=self._journal is None)

    def sample(self, position: int, name: str = "") -> Sample | Invalid | None:
        """The sample at a position; where another is there, the one of the given name; None where there is none."""
        with self._at_work():
            found = self._kept.get(position)
            if found is None and not self.data.exists():
                raise DataError("The data set of the run does not exist at {data}.", data=self.data)
            if found is None and (found := self._access.find(position, self._patience)) is not None:
                self._keep(position, found)
            if self.dataset.has_random_access:
                if name and (found is None or found.id != name):
                    other = self.dataset.find(name)
                    found = None if other is None else self._keep(position, self.dataset[other])
                return found
            # continue where the last search for this name timed out
            if found is None and not (name and name == self._sought and self._stream is not None):
                found = self._seek(position, "")
            if not name or (found is not None and found.id == name):
                return found
            # positions of scored files count the samples of all tasks, wanted or not
            return self._seek(position, name)

    def saved_reply(self, position: int) -> str | None:
        """The reply in the output file that was scored; None where there is none. Raises where the file has changed."""
        with self._at_work():
            return None if self._replies is None else self._replies.find(position)

    def attempts(self, position: int, name: str, repeat: int = 1) -> list[Attempt]:
        """All that was asked and answered in one repeat."""
        if self._journal is None:
            return []
        with self._at_work():
            stats = [part.stat() for part in journal_files(self._journal)]
            stamp = tuple(number for part in stats for number in (part.st_mtime_ns, part.st_size, part.st_ino))
            if self._history is None or self._history[0] != stamp:
                if self._history is not None:
                    self._history[1].close()
                self._history = stamp, JournalReader(self._journal)
            return self._history[1].attempts(position, name, repeat)

    def prompts(self, sample: Sample, attempts: list[Attempt]) -> list[list[Prompt]]:
        """What was sent, by attempt and turn; what will be sent, where nothing was yet."""
        found: list[list[Prompt]] = []
        for number, attempt in enumerate(attempts or [Attempt()]):
            feedback, before = "", []
            if number:
                last = attempts[number - 1]
                feedback = get_feedback(self.suite, sample, grade_attempt(self.suite, sample, last)) or ""
                before = last.answers
            turns = []
            for turn in range(max(1, len(attempt.answers) + (attempt.failure is not None))):
                prompt = self.suite.next_prompt(sample, attempt.answers[:turn])
                if prompt is None:
                    break
                turns.append(build_prompt(prompt, turn + 1, self._blind, feedback, before))
            found.append(turns)
        return found

    def close(self) -> None:
        """Close all files; a later access reopens them."""
        self._closed = True
        with self._at_work():
            pass

    @contextmanager
    def _at_work(self) -> Iterator[None]:
        with self._lock:
            try:
                yield
            finally:
                if self._closed:
                    self._rewind()
                    if self._history is not None:
                        self._history[1].close()
                        self._history = None

    def _seek(self, position: int, name: str) -> Sample | Invalid | None:
        """Read on to the sample at a position, or to the one of the given name."""
        if not self.data.exists():
            raise DataError("The data set of the run does not exist at {data}.", data=self.data)
        if self._stream is None or name != self._sought or (not name and position < self._next):
            self._rewind()
            self._stream, self._sought = iter(self.dataset), name
        deadline = monotonic() + self._patience
        for sample in self._stream:
            self._next += 1
            if sample.id == name if name else self._next > position:
                if name:
                    self._rewind()
                return self._keep(position, sample)
            if self._next % 64 == 0 and monotonic() > deadline:
                raise DataError(
                    "Still reading the data set, up to sample {count}. Reload the page in a moment.", count=self._next
                )
        self._rewind()
        return None

    def _keep(self, position: int, sample: Sample | Invalid) -> Sample | Invalid:
        self._kept[position] = sample
        if len(self._kept) > _MAX_CACHED_SAMPLES:
            self._kept.popitem(last=False)
        return sample

    def _rewind(self) -> None:
        close = getattr(self._stream, "close", None)
        if close is not None:
            close()
        self._stream, self._next = None, 0


def is_regular_file(path: Path) -> bool:
    """A file of the folder itself: a link may lead anywhere."""
    return path.is_file() and not path.is_symlink()


def _locate_data(data: Path, run: Path) -> Path:
    """Where a data set is: a path without a root began where the run was started, which is mostly above its folder."""
    places = [data, *(parent / data for parent in run.parents[:3])]
    return next((place for place in places if place.exists()), data)


class SampleAccess:
    """Finds a sample by its position without reading those before it, if the dataset allows it."""

    def __init__(self, dataset: Dataset, folder: RunFolder, is_scored: bool) -> None:
        self._dataset, self._path, self._is_scored = dataset, folder.sample_index, is_scored
        self._index: PositionIndex | None = None
        self._builder: _IndexBuilder | None = None
        if isinstance(dataset, IndexedDataset) and is_regular_file(self._path):
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
        except Exception as error:  # raised in the thread that waits for the sample
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


_IS_TEXT, _IS_FILLED = 2, 8
"""Flags of a value, as a scan of lines gives them; the module that names them takes a second to import."""
_MAX_REPLY_BYTES = 64 << 20
_LOOK_BACK = 64


class ScoredOutputs:
    """Output files that were scored, by position; one thread at a time."""

    def __init__(self, index: PositionIndex, folder: Path, rename: Mapping[str, str]) -> None:
        self._index, self._folder, self._rename = index, folder, rename

    def find(self, position: int) -> str | None:
        """The reply that was scored; None where there was none. Raises where its file has moved or changed."""
        entry = self._index.find(position)
        if entry is None:
            return None
        path = self._locate(entry.file)
        if not entry.length or not entry.extra & (_IS_TEXT | _IS_FILLED):
            return ""
        return self._read(entry, path) if entry.file.is_plain else self._read_packed(entry, path)

    def _locate(self, file: IndexedFile) -> Path:
        """The file where it was, or at the same place beside the run where both were moved together."""
        if file.size < 0:
            raise DataError("The reply is stored in {path}, which is not read from here.", path=file.path)
        places = [Path(file.path), *([self._folder / file.relative] if file.relative else [])]
        # an index from elsewhere must not show any file of this machine: only such as are scored
        found = [path for path in places if path.name.lower().endswith(SUFFIXES) and path.is_file()]
        if not found:
            raise DataError("The output file is no longer at {path}; its replies cannot be shown.", path=file.path)
        for path in found:
            status = path.stat()
            if (status.st_size, status.st_mtime_ns) == (file.size, file.mtime_ns):
                return path
        raise _changed_error(found[0])

    def _read(self, entry: Entry, path: Path) -> str:
        if entry.length > _MAX_REPLY_BYTES:
            raise DataError("The reply is too long to be shown.")
        before = max(0, entry.offset - _LOOK_BACK)
        with path.open("rb") as file:
            file.seek(before)
            data = file.read(entry.offset - before + entry.length)
        head, raw = data[: entry.offset - before], data[entry.offset - before :].decode("utf-8", "replace")
        try:
            value = json.loads(raw, strict=False)
        except (ValueError, RecursionError):
            raise _changed_error(path) from None
        if not head.rstrip().endswith(b":") or isinstance(value, str) != bool(entry.extra & _IS_TEXT):
            raise _changed_error(path)
        return value if isinstance(value, str) else raw

    def _read_packed(self, entry: Entry, path: Path) -> str:
        from sightline.data.lines import index_file

        with index_file(path, ("model_output",), self._rename) as index:
            if entry.offset >= len(index):
                raise _changed_error(path)
            return index.texts("model_output", np.array([entry.offset]))[0]


def _changed_error(path: Path) -> DataError:
    return DataError("The output file {path} has changed since it was scored; its replies cannot be shown.", path=path)
