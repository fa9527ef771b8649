"""Grading of tasks whose samples are graded in columns: one sample, or many with their figures."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline.books.book import TaskBook
from sightline.books.rows import INVALID, STATES, Graded, TaskRows
from sightline.columns import TextColumn
from sightline.contracts import ColumnSuite, Reading
from sightline.grading.columns.figures import rows_of
from sightline.language import say
from sightline.records import Remark
from sightline.score_config import ScoreConfig
from sightline.scoring.rules import column_suite
from sightline.serve.answers import ManyScored, SampleGrade, Scored
from sightline.serve.figures import figure_of, plain_values
from sightline.serve.requests import TaskPair, TaskScore, TaskScores
from sightline.sources.lines.hashing import ALONE, hash_texts


@lru_cache(maxsize=256)
def _suite(task: str) -> ColumnSuite:
    """The suite that has a task."""
    return column_suite(ScoreConfig(), task=task)


def score_task(asked: TaskScore) -> Scored:
    """Every metric of the task on this one sample."""
    book = _book(asked)
    try:
        graded = _graded(book, _rows([TaskPair(gt=asked.gt, output=asked.output, size=asked.size)]))
        figures = {found.figure.name: found.estimate.value for found in book.findings()}
    finally:
        book.close()
    grade = _grade(graded, 0, book.task.name, "")
    return Scored(
        suite=_suite(asked.task).name,
        task=grade.task,
        state=grade.state,
        score=grade.score,
        scores=figures,
        values=grade.values,
        reason=grade.reason,
    )


def score_tasks(asked: TaskScores) -> ManyScored:
    """The task's figures over all samples, and the grade of each."""
    book = _book(asked)
    rows = _rows(asked.samples)
    try:
        graded = _graded(book, rows)
        figures = [figure_of(row) for row in rows_of(book)]
        notes = [
            str(Remark("{where}: {what}: {count}", {"where": book.task.name, "what": what, "count": count}))
            for what, count in book.remarks().items()
        ]
    finally:
        book.close()
    return ManyScored(
        suite=_suite(asked.task).name,
        samples=len(asked.samples),
        states=dict(book.states),
        figures=figures,
        grades=[_grade(graded, row, book.task.name, one.id) for row, one in enumerate(asked.samples)],
        notes=notes,
    )


def _book(asked: TaskScore | TaskScores) -> TaskBook:
    reading = Reading(labels=asked.labels, coords=asked.coords or asked.truth_coords, truth_coords=asked.truth_coords)
    return TaskBook(_suite(asked.task).table.find(asked.task), reading, asked.auxiliary)


def _graded(book: TaskBook, rows: TaskRows) -> Graded:
    """Grade samples that are all there are of their task."""
    if book.needs_survey:
        book.survey(rows.truth, rows.key)
    return book.grade(rows)


def _rows(pairs: Sequence[TaskPair]) -> TaskRows:
    sized = any(one.size is not None for one in pairs)
    return TaskRows(
        truth=TextColumn.of([str(one.gt) for one in pairs]),
        reply=TextColumn.of([one.output or "" for one in pairs]),
        replied=np.array([one.output is not None for one in pairs]),
        clusters=_clusters(pairs),
        key=0,
        sizes=np.array([one.size or (np.nan, np.nan) for one in pairs], float) if sized else None,
    )


def _clusters(pairs: Sequence[TaskPair]) -> NDArray[np.uint64]:
    alone = np.arange(1, len(pairs) + 1, dtype=np.uint64) * ALONE
    named = np.array([bool(one.source) for one in pairs])
    return np.where(named, hash_texts(TextColumn.of([one.source for one in pairs])), alone)


def _grade(graded: Graded, row: int, task: str, name: str) -> SampleGrade:
    values: dict[str, Any] = {key: column[row] for key, column in graded.values.items()}
    return SampleGrade(
        id=name,
        task=task,
        state=STATES[graded.states[row]],
        score=None if graded.states[row] == INVALID else float(graded.scores[row]),
        values=plain_values(values),
        reason=say(graded.reasons[graded.notes[row]]),
    )
