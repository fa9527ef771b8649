"""Scoring of tasks whose replies are scored as columns: one sample, or many with their figures."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from sightline.core.interfaces import ColumnSuite, Reading
from sightline.core.records import Remark
from sightline.core.score_config import ScoreConfig
from sightline.data.columns import TextColumn
from sightline.i18n import say
from sightline.scoring.batch import ReplyBatch, SampleBatch, ScoreBatch, hash_clusters
from sightline.scoring.files.suite_lookup import column_suite
from sightline.scoring.task_evaluator import TaskEvaluator, plan_column_task
from sightline.web.service.figures import figure_of, plain_values
from sightline.web.service.requests import TaskPair, TaskScore, TaskScores
from sightline.web.service.responses import ManyScored, SampleGrade, Scored


@lru_cache(maxsize=256)
def _suite(task: str) -> ColumnSuite:
    """The suite that has a task."""
    return column_suite(ScoreConfig(), task=task)


def score_task(asked: TaskScore) -> Scored:
    """Every metric of the task on this one sample."""
    evaluator = _evaluator(asked)
    try:
        scores = _score(evaluator, [TaskPair(gt=asked.gt, output=asked.output, size=asked.size)])
        figures = {row.metric: row.estimate.value for row in evaluator.rows()}
    finally:
        evaluator.close()
    grade = _grade(scores, 0, "")
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
    evaluator = _evaluator(asked)
    try:
        scores = _score(evaluator, asked.samples)
        figures = [figure_of(row) for row in evaluator.rows()]
        notes = [
            str(Remark("{where}: {what}: {count}", {"where": evaluator.task.name, "what": what, "count": count}))
            for what, count in evaluator.remarks().items()
        ]
    finally:
        evaluator.close()
    return ManyScored(
        suite=_suite(asked.task).name,
        samples=len(asked.samples),
        states=dict(evaluator.counts),
        figures=figures,
        grades=[_grade(scores, row, one.id) for row, one in enumerate(asked.samples)],
        notes=notes,
    )


def _evaluator(asked: TaskScore | TaskScores) -> TaskEvaluator:
    suite = _suite(asked.task)
    reading = Reading(labels=asked.labels, coords=asked.coords or asked.truth_coords, truth_coords=asked.truth_coords)
    return TaskEvaluator(plan_column_task(suite.table.find(asked.task), reading, asked.auxiliary))


def _score(evaluator: TaskEvaluator, pairs: Sequence[TaskPair]) -> ScoreBatch:
    """Score samples that are all there are of their task."""
    positions = np.arange(len(pairs), dtype=np.int64)
    sized = any(one.size is not None for one in pairs)
    targets = TextColumn.of([str(one.gt) for one in pairs])
    samples = SampleBatch(
        task=evaluator.task,
        positions=positions,
        clusters=hash_clusters([one.source for one in pairs], positions, as_in_files=True),
        targets=targets,
        key=0,
        sizes=np.array([one.size or (np.nan, np.nan) for one in pairs], float) if sized else None,
    )
    replies = ReplyBatch(
        texts=TextColumn.of([one.output or "" for one in pairs]),
        replied=np.array([one.output is not None for one in pairs]),
    )
    if evaluator.needs_fit:
        evaluator.fit(targets, samples.key)
    return evaluator.update(samples, replies)


def _grade(scores: ScoreBatch, row: int, name: str) -> SampleGrade:
    state = scores.state(row)
    return SampleGrade(
        id=name,
        task=scores.samples.task.name,
        state=state,
        score=None if state == "invalid" else float(scores.scores[row]),
        values=plain_values({key: column[row] for key, column in scores.details.items()}),
        reason=say(scores.note(row)),
    )
