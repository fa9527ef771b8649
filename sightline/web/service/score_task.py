"""Scoring endpoints for tasks of columnar suites: one sample, or many with their metrics."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from sightline.core.interfaces import ColumnSuite, Reading
from sightline.core.records import Remark, format_remark
from sightline.core.score_config import ScoreConfig
from sightline.data.columns import TextColumn
from sightline.scoring.batch import ReplyBatch, SampleBatch, ScoreBatch, hash_clusters
from sightline.scoring.files.suite_lookup import column_suite
from sightline.scoring.task_evaluator import TaskEvaluator, plan_column_task
from sightline.web.service.requests import TaskPair, TaskScore, TaskScores
from sightline.web.service.responses import ManyScored, SampleGrade, Scored
from sightline.web.service.serialization import figure_from_row, to_json_values


@lru_cache(maxsize=256)
def _suite(task: str) -> ColumnSuite:
    """The suite that has a task."""
    return column_suite(ScoreConfig(), task=task)


def score_task(request: TaskScore) -> Scored:
    """Score one sample with every metric of the task."""
    evaluator = _evaluator(request)
    try:
        scores = _score(evaluator, [TaskPair(gt=request.gt, output=request.output, size=request.size)])
        figures = {row.metric: row.estimate.value for row in evaluator.rows()}
    finally:
        evaluator.close()
    grade = _grade(scores, 0, "")
    return Scored(
        suite=_suite(request.task).name,
        task=grade.task,
        status=grade.status,
        score=grade.score,
        scores=figures,
        values=grade.values,
        reason=grade.reason,
    )


def score_tasks(request: TaskScores) -> ManyScored:
    """Score many samples: the task's metrics over all of them, and the grade of each."""
    evaluator = _evaluator(request)
    try:
        scores = _score(evaluator, request.samples)
        figures = [figure_from_row(row) for row in evaluator.rows()]
        notes = [
            str(
                Remark("{where}: {what}: {count}", {"where": evaluator.task.name, "what": Remark(what), "count": count})
            )
            for what, count in evaluator.remarks().items()
        ]
    finally:
        evaluator.close()
    return ManyScored(
        suite=_suite(request.task).name,
        samples=len(request.samples),
        statuses=dict(evaluator.counts),
        figures=figures,
        grades=[_grade(scores, row, pair.id) for row, pair in enumerate(request.samples)],
        notes=notes,
    )


def _evaluator(request: TaskScore | TaskScores) -> TaskEvaluator:
    suite = _suite(request.task)
    reading = Reading(
        labels=request.labels, coords=request.coords or request.truth_coords, truth_coords=request.truth_coords
    )
    return TaskEvaluator(plan_column_task(suite.table.find(request.task), reading, request.auxiliary))


def _score(evaluator: TaskEvaluator, pairs: Sequence[TaskPair]) -> ScoreBatch:
    """Score a complete set of samples of one task."""
    positions = np.arange(len(pairs), dtype=np.int64)
    sized = any(pair.size is not None for pair in pairs)
    targets = TextColumn.of([str(pair.gt) for pair in pairs])
    samples = SampleBatch(
        task=evaluator.task,
        positions=positions,
        clusters=hash_clusters([pair.source for pair in pairs], positions, as_in_files=True),
        targets=targets,
        key=0,
        sizes=np.array([pair.size or (np.nan, np.nan) for pair in pairs], float) if sized else None,
    )
    replies = ReplyBatch(
        texts=TextColumn.of([pair.output or "" for pair in pairs]),
        replied=np.array([pair.output is not None for pair in pairs]),
    )
    if evaluator.needs_fit:
        evaluator.fit(targets, samples.key)
    return evaluator.update(samples, replies)


def _grade(scores: ScoreBatch, row: int, name: str) -> SampleGrade:
    status = scores.status(row)
    return SampleGrade(
        id=name,
        task=scores.samples.task.name,
        status=status,
        score=None if status == "invalid" else float(scores.scores[row]),
        values=to_json_values({key: column[row] for key, column in scores.details.items()}),
        reason=format_remark(scores.message(row)),
    )
