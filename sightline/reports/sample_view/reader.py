"""A sample of a run as it was asked: read again from the data set, with what the journal holds of it."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from threading import Lock
from time import monotonic

from sightline.core.errors import DataError
from sightline.core.interfaces import ColumnSuite, Dataset, Suite
from sightline.core.records import Attempt, Invalid, Prompt, Sample
from sightline.data.dataset import open_dataset
from sightline.data.position_index import PositionIndex
from sightline.inference.journal.files import journal_files
from sightline.inference.journal.reader import JournalReader
from sightline.inference.prompt_builder import add_feedback, remove_media
from sightline.reports.sample_view.sample_access import SampleAccess
from sightline.reports.sample_view.saved_replies import SavedReplies
from sightline.runs.folder import RunFolder
from sightline.runs.manifest import Manifest
from sightline.runs.recorded_suite import load_recorded_suite
from sightline.scoring.sample_scorer import grade_attempt

PATIENCE = 8.0
"""Seconds that a page waits for a sample far down in a data set; the next look goes on from there."""
_SAMPLES_KEPT = 32


class Reader:
    """The samples and the journal of one run; one thread at a time."""

    def __init__(self, folder: RunFolder, manifest: Manifest, patience: float = PATIENCE) -> None:
        self.suite: Suite = load_recorded_suite(manifest)
        self.data = _place(Path(manifest.data), folder.path)
        self._blind = bool(manifest.config.get("blind"))
        self._journal = folder.journal if is_plain(folder.journal) else None
        self._patience = patience
        self._folder = folder
        index = PositionIndex.load(folder.reply_index) if is_plain(folder.reply_index) else None
        rename = self.suite.rename if isinstance(self.suite, ColumnSuite) else {}
        self._replies = None if index is None else SavedReplies(index, folder.path, rename)
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
                raise DataError("The run's data set is not at {data}.", data=self.data)
            if found is None and (found := self._access.find(position, self._patience)) is not None:
                self._keep(position, found)
            if self.dataset.has_random_access:
                if name and (found is None or found.id != name):
                    other = self.dataset.find(name)
                    found = None if other is None else self._keep(position, self.dataset[other])
                return found
            # where the last look for this name ran out of patience, it goes on
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

    def attempts(self, position: int, name: str) -> list[Attempt]:
        """All that was asked and answered."""
        if self._journal is None:
            return []
        with self._at_work():
            told = [part.stat() for part in journal_files(self._journal)]
            stamp = tuple(number for part in told for number in (part.st_mtime_ns, part.st_size, part.st_ino))
            if self._history is None or self._history[0] != stamp:
                if self._history is not None:
                    self._history[1].close()
                self._history = stamp, JournalReader(self._journal)
            return self._history[1].attempts(position, name)

    def prompts(self, sample: Sample, attempts: list[Attempt]) -> list[list[Prompt]]:
        """What was sent, by attempt and turn; what will be sent, where nothing was yet."""
        found: list[list[Prompt]] = []
        for number, attempt in enumerate(attempts or [Attempt()]):
            feedback = self._feedback(sample, attempts[number - 1]) if number else ""
            before = attempts[number - 1].answers if number else []
            turns = []
            for turn in range(max(1, len(attempt.answers) + (attempt.failure is not None))):
                prompt = self.suite.next_prompt(sample, attempt.answers[:turn])
                if prompt is None:
                    break
                prompt = remove_media(prompt) if self._blind else prompt
                if feedback:
                    prompt = add_feedback(prompt, before[min(turn, len(before) - 1)].text if before else "", feedback)
                turns.append(prompt)
            found.append(turns)
        return found

    def close(self) -> None:
        """Let all files go. Who still reads may read on, and holds nothing open between two looks."""
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

    def _feedback(self, sample: Sample, attempt: Attempt) -> str:
        return self.suite.feedback(sample, grade_attempt(self.suite, sample, attempt)) or ""

    def _seek(self, position: int, name: str) -> Sample | Invalid | None:
        """Read on to the sample at a position, or to the one of the given name."""
        if not self.data.exists():
            raise DataError("The run's data set is not at {data}.", data=self.data)
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
                raise DataError("The data set is still being read, up to sample {count}. Look again.", count=self._next)
        self._rewind()
        return None

    def _keep(self, position: int, sample: Sample | Invalid) -> Sample | Invalid:
        self._kept[position] = sample
        if len(self._kept) > _SAMPLES_KEPT:
            self._kept.popitem(last=False)
        return sample

    def _rewind(self) -> None:
        close = getattr(self._stream, "close", None)
        if close is not None:
            close()
        self._stream, self._next = None, 0


def is_plain(path: Path) -> bool:
    """A file of the folder itself: a link may lead anywhere."""
    return path.is_file() and not path.is_symlink()


def _place(data: Path, run: Path) -> Path:
    """Where a data set is: a path without a root began where the run was started, which is mostly above its folder."""
    places = [data, *(parent / data for parent in run.parents[:3])]
    return next((place for place in places if place.exists()), data)
