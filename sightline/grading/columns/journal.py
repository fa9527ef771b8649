"""Grades a run of a suite that is graded in columns: samples and journal stream by twice, in batches by task.

The first time only the truths are looked at, for metrics that must know all of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from sightline.books.book import TaskBook
from sightline.books.rows import FAILED, INVALID, OK, STATES, Graded, TaskRows
from sightline.columns import TextColumn
from sightline.contracts import ColumnSuite
from sightline.errors import DataError
from sightline.grading.columns.figures import breakdowns_of, notes_of, rows_of, shared_rows
from sightline.grading.columns.ledger import ColumnLedger, Entries
from sightline.grading.conclusion import concluded
from sightline.grading.failures import FailureTally
from sightline.grading.grader import MOST_FAULTS
from sightline.grading.one import usable
from sightline.grading.spending import spent
from sightline.grading.summary import Summary, Usage
from sightline.metrics.tally import MEAN_SCORE
from sightline.records import Invalid, Remark, Sample
from sightline.runs.folder import RunFolder
from sightline.runs.history import Attempt, History
from sightline.runs.manifest import Manifest
from sightline.sources.lines.hashing import ALONE, hash_texts

BATCH = 1000
Samples = Callable[[], Iterable[tuple[int, Sample | Invalid]]]


class _Asked(Struct, frozen=True):
    """A sample with its reply, and the inference status, as a place in `STATES`, with the message of a failure."""

    position: int
    sample: Sample
    text: str
    ending: int
    message: str


class ColumnGrading:
    """Collects samples by task and file, and grades them a batch at a time."""

    def __init__(self, suite: ColumnSuite, folder: RunFolder) -> None:
        self._suite = suite
        self._tasks = suite.tasks()
        self._ledger = ColumnLedger(folder)
        self.order = [task.name for task in suite.table]
        self.books: dict[str, TaskBook] = {}
        self._waiting: dict[tuple[str, str], list[_Asked]] = {}
        self.states: Counter[str] = Counter()
        self.failures = FailureTally()
        self.faults: Counter[str] = Counter()
        """Why samples could not be asked; the first few reasons."""

    def survey(self, samples: Iterable[tuple[int, Sample | Invalid]]) -> None:
        """Look at all truths."""
        waiting: dict[str, list[str]] = {}
        keys: Counter[str] = Counter()
        for _, sample in samples:
            if not isinstance(sample, Sample) or not self._book(sample.task).needs_survey:
                continue
            truths = waiting.setdefault(sample.task, [])
            truths.append(str(sample.target))
            if len(truths) == BATCH:
                self._look(sample.task, waiting.pop(sample.task), keys)
        for task, truths in waiting.items():
            self._look(task, truths, keys)

    def _look(self, task: str, truths: list[str], keys: Counter[str]) -> None:
        self._book(task).survey(TextColumn.of(truths), keys[task])
        keys[task] += 1

    def _book(self, task: str) -> TaskBook:
        if task not in self.books:
            self.books[task] = TaskBook(self._tasks[task], self._suite.reading)
        return self.books[task]

    def refuse(self, position: int, sample: Invalid) -> None:
        """Count a sample that could not be asked."""
        self.states["invalid"] += 1
        if sample.reason in self.faults or len(self.faults) < MOST_FAULTS:
            self.faults[sample.reason] += 1
        source = sample.tags.get("picture", sample.source)
        if sample.task not in self._tasks:
            self._ledger.refuse(source, sample.task, sample.reason, sample.id)
            return
        self._book(sample.task).count_invalid()
        self._ledger.add(
            Entries(
                task=sample.task,
                level=self._tasks[sample.task].level,
                file=sample.tags.get("file", ""),
                positions=np.array([position], np.int64),
                lines=np.zeros(1, np.int64),
                samples=[sample.id],
                sources=[source],
                graded=_invalid(sample.reason),
            )
        )

    def add(self, position: int, sample: Sample, attempt: Attempt) -> None:
        """Take a sample that was asked."""
        key = sample.task, sample.tags.get("file", "")
        waiting = self._waiting.setdefault(key, [])
        waiting.append(_Asked(position, sample, *_reply(self._suite, attempt)))
        if len(waiting) >= BATCH:
            self._grade(key)

    def _grade(self, key: tuple[str, str]) -> None:
        (task, file), asked = key, self._waiting.pop(key)
        # batches need not be those of the survey: tokens are found by their text then
        rows = _rows(asked)
        graded = self._book(task).grade(rows)
        for one in asked:
            if one.ending == FAILED:
                self.failures.add(one.message)
        for state in graded.states.tolist():
            self.states[STATES[state]] += 1
        self._ledger.add(
            Entries(
                task=task,
                level=self._tasks[task].level,
                file=file,
                positions=np.array([one.position for one in asked], np.int64),
                lines=np.zeros(len(asked), np.int64),
                samples=[one.sample.id for one in asked],
                sources=[one.sample.tags.get("picture", one.sample.source) for one in asked],
                clusters=[one.sample.cluster for one in asked],
                weights=rows.weights,
                graded=graded,
            )
        )

    def close(self) -> None:
        """Grade what is waiting, and finish the files."""
        for key in list(self._waiting):
            self._grade(key)
        self._ledger.close()

    def abandon(self) -> None:
        """Let all files and processes go."""
        self._ledger.abandon()
        self._ledger.discard()
        for book in self.books.values():
            book.close()


def grade_in_columns(
    suite: ColumnSuite,
    samples: Samples,
    folder: RunFolder,
    manifest: Manifest,
    watch: Callable[[int], None],
) -> Summary:
    """Grade what a journal holds for the given samples; write grades and logs, return the summary."""
    history = History(folder.journal)
    grading = ColumnGrading(suite, folder)
    usage, count, pending = Usage(), 0, 0
    try:
        grading.survey(samples())
        for count, (position, sample) in enumerate(samples(), 1):
            if isinstance(sample, Invalid):
                grading.refuse(position, sample)
            elif attempts := history.of(position, sample.id):
                usage.cached += sum(answer.cached for answer in attempts[0].answers)
                usage.seconds_in_model += sum(answer.seconds for answer in attempts[0].answers)
                grading.add(position, sample, attempts[0])
            else:
                pending += 1
            watch(count)
        if count == 0:
            raise DataError("No sample is left to grade.", hint="Check --data, --filter and the suite's own options.")
        grading.close()
        used = spent(usage, history, manifest)
        return concluded(suite, _summary(grading, manifest, history, used, (count, pending)))
    finally:
        grading.abandon()
        history.close()


def _summary(
    grading: ColumnGrading, manifest: Manifest, history: History, usage: Usage, counts: tuple[int, int]
) -> Summary:
    books = [book for name in grading.order if (book := grading.books.get(name)) is not None and book.states]
    figures = [row for book in books for row in rows_of(book)]
    overall, *levels = shared_rows(books)
    notes = grading.failures.notes()
    notes += notes_of(books, figures)
    if history.unreadable:
        lines = {"count": history.unreadable}
        notes.append(Remark("{count} lines of the journal can't be read; their samples count as not asked.", lines))
    for reason, times in grading.faults.most_common(3):
        notes.append(Remark("{count} samples could not be asked: {reason}", {"count": times, "reason": reason}))
    return Summary(
        suite=manifest.suite,
        title=manifest.title,
        model=manifest.model,
        params=manifest.params,
        headline=MEAN_SCORE.name,
        samples=counts[0],
        pending=counts[1],
        states=dict(grading.states),
        failures=grading.failures.groups(),
        rows=[overall, *figures, *levels],
        breakdowns=[table for book in books for table in breakdowns_of(book)],
        usage=usage,
        facts=manifest.facts,
        deviations=manifest.deviations,
        notes=notes,
    )


def _reply(suite: ColumnSuite, attempt: Attempt) -> tuple[str, int, str]:
    """The text that is graded, the inference status as a place in `STATES`, and the message of a failure."""
    if attempt.failure is not None:
        return "", FAILED, f"{attempt.failure.kind}: {attempt.failure.message}"
    answer = attempt.answers[-1]
    text = usable(suite, answer).text
    return text, OK if text or answer.stop == "complete" else STATES.index(answer.stop), ""


def _rows(asked: list[_Asked]) -> TaskRows:
    samples = [one.sample for one in asked]
    sizes = [one.size or (np.nan, np.nan) for one in samples] if any(one.size for one in samples) else None
    weights = [one.weight for one in samples] if any(one.weight != 1 for one in samples) else None
    return TaskRows(
        truth=TextColumn.of(str(one.target) for one in samples),
        reply=TextColumn.of(one.text for one in asked),
        replied=np.ones(len(asked), bool),
        clusters=_clusters(asked),
        sizes=None if sizes is None else np.array(sizes, np.float64),
        weights=None if weights is None else np.array(weights, np.float64),
        endings=np.array([one.ending for one in asked], np.uint8),
        messages=tuple(one.message for one in asked),
    )


def _clusters(asked: list[_Asked]) -> NDArray[np.uint64]:
    """Hashes of the clusters as in scoring from files, since the bootstrap draws clusters in the order of hashes."""
    alone = (np.array([one.position for one in asked], np.uint64) + np.uint64(1)) * ALONE
    hashes = hash_texts(TextColumn.of(one.sample.cluster for one in asked))
    return np.where(hashes == 0, alone, hashes)


def _invalid(reason: str) -> Graded:
    return Graded(
        states=np.array([INVALID], np.uint8),
        scores=np.zeros(1),
        values={},
        notes=np.ones(1, np.int64),
        reasons=("", reason),
        mis_scaled=np.zeros(1, bool),
    )
