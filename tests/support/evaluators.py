"""Evaluators of single tasks, fed with texts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sightline.core.interfaces import Reading, Task
from sightline.core.records import Estimate, Grade
from sightline.data.columns import TextColumn
from sightline.scoring.batch import ReplyBatch, SampleBatch, ScoreBatch, batch_grades
from sightline.scoring.metric_group import MetricGroup
from sightline.scoring.resolve import find_metric
from sightline.scoring.task_evaluator import TaskEvaluator, plan_column_task


def make_evaluator(task: Task, reading: Reading | None = None) -> TaskEvaluator:
    """An evaluator of a task whose replies are scored as columns."""
    return TaskEvaluator(plan_column_task(task, reading or Reading()))


def score_texts(
    evaluator: TaskEvaluator,
    truths: Sequence[str],
    replies: Sequence[str],
    *,
    clusters: Sequence[int] | None = None,
    weights: Any = None,
    sizes: Any = None,
    endings: Any = None,
    messages: Sequence[str] = (),
) -> ScoreBatch:
    """Score one batch; each sample is a cluster by itself unless clusters are given."""
    count = len(truths)
    samples = SampleBatch(
        task=evaluator.task,
        positions=np.arange(count, dtype=np.int64),
        clusters=np.arange(1, count + 1, dtype=np.uint64) if clusters is None else np.array(clusters, np.uint64),
        targets=TextColumn.of(truths),
        weights=None if weights is None else np.array(weights, np.float64),
        sizes=sizes,
    )
    found = ReplyBatch(
        texts=TextColumn.of(replies),
        endings=None if endings is None else np.array(endings, np.uint8),
        messages=messages,
    )
    return evaluator.update(samples, found)


def fit_texts(evaluator: TaskEvaluator, truths: Sequence[str]) -> TaskEvaluator:
    """Show all truths to the metrics that must know them first."""
    if evaluator.needs_fit:
        evaluator.fit(TextColumn.of(truths), 0)
    return evaluator


def estimates(evaluator: TaskEvaluator) -> dict[str, Estimate]:
    """Every figure of the task, by metric."""
    return {row.metric: row.estimate for row in evaluator.rows()}


def group_of_grades(name: str, grades: Sequence[Grade]) -> MetricGroup:
    """The state of one metric over grades."""
    group = MetricGroup.of([find_metric(name)])
    if grades:
        group.update(batch_grades(grades))
    return group


def estimate_grades(name: str, grades: Sequence[Grade]) -> Estimate:
    """The figure of one metric over grades."""
    group = group_of_grades(name, grades)
    return group.estimate(group.metrics[0])
