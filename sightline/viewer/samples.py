"""A sample of a run as it was asked: read again from the data set, with what the journal holds of it."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from pathlib import Path
from threading import Lock
from time import monotonic

from msgspec import Struct

from sightline.asking.feedback import after_feedback, blinded
from sightline.contracts import Suite
from sightline.errors import DataError, SightlineError
from sightline.grading.one import grade_attempt
from sightline.records import Invalid, Media, Prompt, Sample
from sightline.registry import load_suite, names
from sightline.runs.history import Attempt, History
from sightline.viewer.shelf import Entry

PATIENCE = 8.0
"""Seconds that a page waits for a sample far down in a data set; the next look goes on from there."""
_SAMPLES_KEPT, _READERS_KEPT = 32, 4


class Reader:
    """The samples and the journal of one run; one thread at a time."""

    def __init__(self, entry: Entry) -> None:
        manifest = entry.manifest
        if manifest.suite not in names("suites"):  # a manifest must not name code to be loaded
            raise DataError("The suite '{suite}' is not installed.", suite=manifest.suite)
        self.suite: Suite = load_suite(manifest.suite, **manifest.options)
        self.data = _place(Path(manifest.data), entry.folder.path)
        self._blind = bool(manifest.config.get("blind"))
        self._journal = entry.folder.journal if entry.journaled else None
        self._history: tuple[int, History] | None = None
        self._kept: OrderedDict[int, Sample | Invalid] = OrderedDict()
        self._stream: Iterator[Sample | Invalid] | None = None
        self._next = 0
        self._sought = ""
        self._lock = Lock()

    def sample(self, position: int, name: str = "") -> Sample | Invalid | None:
        """The sample at a position; where another is there, the one of the given name; None where there is none."""
        with self._lock:
            found = self._kept.get(position) or self._seek(position, "")
            if not name or (found is not None and found.id == name):
                return found
            # positions of scored files count the samples of all tasks, wanted or not
            return self._seek(position, name)

    def attempts(self, position: int, name: str) -> list[Attempt]:
        """All that was asked and answered."""
        if self._journal is None:
            return []
        with self._lock:
            size = self._journal.stat().st_size
            if self._history is None or self._history[0] != size:
                if self._history is not None:
                    self._history[1].close()
                self._history = size, History(self._journal)
            return self._history[1].of(position, name)

    def prompts(self, sample: Sample, attempts: list[Attempt]) -> list[list[Prompt]]:
        """What was sent, by attempt and turn; what will be sent, where nothing was yet."""
        found: list[list[Prompt]] = []
        for number, attempt in enumerate(attempts or [Attempt()]):
            feedback = self._feedback(sample, attempts[number - 1]) if number else ""
            before = attempts[number - 1].answers if number else []
            turns = []
            for turn in range(max(1, len(attempt.answers) + (attempt.failure is not None))):
                prompt = self.suite.turn(sample, attempt.answers[:turn])
                if prompt is None:
                    break
                prompt = blinded(prompt) if self._blind else prompt
                if feedback:
                    prompt = after_feedback(prompt, before[min(turn, len(before) - 1)].text if before else "", feedback)
                turns.append(prompt)
            found.append(turns)
        return found

    def close(self) -> None:
        """Let all files go."""
        with self._lock:
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
            self._stream, self._sought = iter(self.suite.read(self.data)), name
        deadline = monotonic() + PATIENCE
        for sample in self._stream:
            self._next += 1
            if sample.id == name if name else self._next > position:
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


def _place(data: Path, run: Path) -> Path:
    """Where a data set is: a path without a root began where the run was started, which is mostly above its folder."""
    places = [data, *(parent / data for parent in run.parents[:3])]
    return next((place for place in places if place.exists()), data)


class Readers:
    """The runs that somebody looks into."""

    def __init__(self) -> None:
        self._known: OrderedDict[str, tuple[str, Reader]] = OrderedDict()
        self._lock = Lock()

    def of(self, entry: Entry) -> Reader | SightlineError:
        """The reader of a run, or why there is none."""
        with self._lock:
            stamp = f"{entry.folder.path} {entry.manifest.key} {entry.journaled}"
            if (known := self._known.get(entry.id)) and known[0] == stamp:
                self._known.move_to_end(entry.id)
                return known[1]
            try:
                reader = Reader(entry)
            except SightlineError as error:
                return error
            self._known[entry.id] = stamp, reader
            if len(self._known) > _READERS_KEPT:
                self._known.popitem(last=False)[1][1].close()
            return reader

    def close(self) -> None:
        """Let all files go."""
        with self._lock:
            for _, reader in self._known.values():
                reader.close()
            self._known.clear()


class Shown(Struct, frozen=True):
    """A prompt's part on a page: words, or a medium by its number."""

    role: str
    text: str = ""
    media: int = -1


def all_media(sample: Sample, prompts: list[list[Prompt]]) -> list[Media]:
    """The media of a sample and of its prompts, each once; addresses count in this list."""
    sent = [
        part
        for turns in prompts
        for prompt in turns
        for message in prompt.messages
        for part in message.parts
        if isinstance(part, Media)
    ]
    return list(dict.fromkeys((*sample.media, *sent)))


def shown_prompt(prompt: Prompt, media: list[Media]) -> list[Shown]:
    """The parts of a prompt in their order."""
    return [
        Shown(message.role, media=media.index(part)) if isinstance(part, Media) else Shown(message.role, text=part.text)
        for message in prompt.messages
        for part in message.parts
    ]
