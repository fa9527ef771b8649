"""Grades a run of a suite that is graded in columns: samples and journal stream by twice, in batches by task.

The first time only the truths are looked at, for metrics that must know all of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from sightline.books.book import TaskBook
from sightline.books.rows import STATES, Graded, TaskRows
from sightline.columns import TextColumn
from sightline.contracts import ColumnSuite
from sightline.errors import DataError
from sightline.grading.columns.figures import breakdowns_of, rows_of, shared_rows
from sightline.grading.columns.ledger import ColumnLedger, Entries
from sightline.grading.one import usable
from sightline.grading.spending import spent
from sightline.grading.summary import Summary, Usage
from sightline.metrics.tally import MEAN_SCORE
from sightline.records import Invalid, Remark, Sample, State
from sightline.runs.folder import RunFolder
from sightline.runs.history import Attempt, History
from sightline.runs.manifest import Manifest
from sightline.stats.hashing import stable_hash

BATCH = 1000
Samples = Callable[[], Iterable[tuple[int, Sample | Invalid]]]


class _Asked(Struct, frozen=True):
    """A sample with what the model said, and the state that the way of asking gave it, if any."""

    position: int
    sample: Sample
    text: str
    ended: State | None
    note: str


class ColumnGrading:
    """Collects samples by task, and grades them a batch at a time."""

    def __init__(self, suite: ColumnSuite, folder: RunFolder) -> None:
        self._suite = suite
        self._ledger = ColumnLedger(folder)
        self.order = [task.name for task in suite.table]
        self.books: dict[str, TaskBook] = {}
        self._waiting: dict[str, list[_Asked]] = {}
        self._keys: Counter[str] = Counter()
        self.states: Counter[str] = Counter()

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
            self.books[task] = TaskBook(self._suite.tasks()[task], self._suite.reading)
        return self.books[task]

    def refuse(self, sample: Invalid) -> None:
        """A sample that could not be asked."""
        self.states["invalid"] += 1
        self._ledger.refuse(sample.source, sample.task, sample.reason, sample.id)

    def add(self, position: int, sample: Sample, attempt: Attempt) -> None:
        """A sample that was asked."""
        text, ended, note = _said(self._suite, attempt)
        waiting = self._waiting.setdefault(sample.task, [])
        waiting.append(_Asked(position, sample, text, ended, note))
        if len(waiting) >= BATCH:
            self._grade(sample.task)

    def _grade(self, task: str) -> None:
        asked = self._waiting.pop(task)
        book = self._book(task)
        failed = [one for one in asked if one.ended == "failed"]
        answered = [one for one in asked if one.ended != "failed"]
        if answered:
            # batches need not be those of the survey: tokens are found by their text then
            graded = book.grade(_rows(answered))
            self._enter(task, answered, _with_endings(graded, answered))
        if failed:
            self._enter(task, failed, _failures(failed))

    def _enter(self, task: str, asked: list[_Asked], graded: Graded) -> None:
        for state in graded.states.tolist():
            self.states[STATES[state]] += 1
        self._ledger.add(
            Entries(
                task=task,
                level=self._suite.tasks()[task].level,
                file="",
                positions=np.array([one.position for one in asked], np.int64),
                lines=np.zeros(len(asked), np.int64),
                samples=[one.sample.id for one in asked],
                sources=[one.sample.source for one in asked],
                clusters=[one.sample.cluster for one in asked],
                graded=graded,
            )
        )

    def close(self) -> None:
        """Grade what is waiting, and finish the files."""
        for task in list(self._waiting):
            self._grade(task)
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
                grading.refuse(sample)
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
        return _summary(grading, manifest, history, spent(usage, history, manifest), (count, pending))
    finally:
        grading.abandon()
        history.close()


def _summary(
    grading: ColumnGrading, manifest: Manifest, history: History, usage: Usage, counts: tuple[int, int]
) -> Summary:
    books = [book for name in grading.order if (book := grading.books.get(name)) is not None and book.states]
    figures = [row for book in books for row in rows_of(book)]
    overall, *levels = shared_rows(books)
    notes = [
        Remark("{where}: {what}: {count}", {"where": book.task.name, "what": what, "count": count})
        for book in books
        for what, count in book.remarks().items()
    ]
    if history.unreadable:
        lines = {"count": history.unreadable}
        notes.append(Remark("{count} lines of the journal can't be read; their samples count as not asked.", lines))
    return Summary(
        suite=manifest.suite,
        title=manifest.title,
        model=manifest.model,
        params=manifest.params,
        headline=MEAN_SCORE.name,
        samples=counts[0],
        pending=counts[1],
        states=dict(grading.states),
        rows=[overall, *figures, *levels],
        breakdowns=[table for book in books for table in breakdowns_of(book)],
        usage=usage,
        facts=manifest.facts,
        deviations=manifest.deviations,
        notes=notes,
    )


def _said(suite: ColumnSuite, attempt: Attempt) -> tuple[str, State | None, str]:
    """The text that is graded, and the state of an attempt that brought none."""
    if attempt.failure is not None:
        return "", "failed", f"{attempt.failure.kind}: {attempt.failure.message}"
    answer = attempt.answers[-1]
    text = usable(suite, answer).text
    return text, answer.stop if not text and answer.stop != "complete" else None, ""


def _rows(asked: list[_Asked]) -> TaskRows:
    return TaskRows(
        truth=TextColumn.of(str(one.sample.target) for one in asked),
        reply=TextColumn.of(one.text for one in asked),
        replied=np.ones(len(asked), bool),
        clusters=np.array([stable_hash(one.sample.cluster or one.sample.id) for one in asked], np.uint64),
    )


def _with_endings(graded: Graded, asked: list[_Asked]) -> Graded:
    states = graded.states.copy()
    for row, one in enumerate(asked):
        if one.ended is not None:
            states[row] = STATES.index(one.ended)
    return replace(graded, states=states)


def _failures(asked: list[_Asked]) -> Graded:
    reasons = ("", *(one.note for one in asked))
    return Graded(
        states=np.full(len(asked), STATES.index("failed"), np.uint8),
        scores=np.zeros(len(asked)),
        values={},
        notes=np.arange(1, len(asked) + 1),
        reasons=reasons,
        mis_scaled=np.zeros(len(asked), bool),
    )
