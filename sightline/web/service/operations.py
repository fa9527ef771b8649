"""Operations behind the endpoints: score one or many samples, list suites, tasks and metrics."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Any

import numpy as np
from msgspec import UnsetType, structs

from sightline.core.errors import DataError, SightlineError, UsageError
from sightline.core.interfaces import ColumnSuite, Reading, ServiceProvider, Suite, TruthSampler
from sightline.core.records import Answer, Attempt, Grade, Sample
from sightline.core.registry import load_suite, names, unknown
from sightline.core.remarks import Remark, format_remark
from sightline.core.reply_formats import parse_reply_formats
from sightline.core.score_config import ScoreConfig
from sightline.data.columns import TextColumn
from sightline.i18n import tr
from sightline.i18n.chinese import CHINESE
from sightline.scoring.batch import ReplyBatch, SampleBatch, ScoreBatch, batch_samples, hash_clusters, to_plain
from sightline.scoring.column_scorer import ColumnScorer
from sightline.scoring.evaluator import Evaluator
from sightline.scoring.files.suite_lookup import column_suite
from sightline.scoring.parsers.lenient.deviations import DEVIATIONS
from sightline.scoring.parsers.references import format_target
from sightline.scoring.resolve import find_metric
from sightline.scoring.summary import Row
from sightline.scoring.task_evaluator import TaskEvaluator, plan_column_task
from sightline.web.service import schemas


def score(request: schemas.TaskScore | schemas.SuiteScore) -> schemas.Scored:
    """Score one reply."""
    return score_task(request) if isinstance(request, schemas.TaskScore) else score_truth(request)


def score_many(request: schemas.TaskScores | schemas.SuiteScores) -> schemas.ManyScored:
    """Score many replies."""
    return score_tasks(request) if isinstance(request, schemas.TaskScores) else score_truths(request)


@lru_cache(maxsize=256)
def _task_suite(task: str) -> ColumnSuite:
    """The suite that has a task."""
    return column_suite(ScoreConfig(), task=task)


def score_task(request: schemas.TaskScore) -> schemas.Scored:
    """Score one sample with every metric of the task."""
    evaluator = _evaluator(request)
    try:
        scores = _score_pairs(evaluator, [schemas.TaskPair(gt=request.gt, output=request.output, size=request.size)])
        figures = {row.metric: row.estimate.value for row in evaluator.rows()}
    finally:
        evaluator.close()
    return _scored(_task_suite(request.task).name, _sample_grade(scores, 0, ""), figures)


def score_tasks(request: schemas.TaskScores) -> schemas.ManyScored:
    """Score many samples: the task's metrics over all of them, and the grade of each."""
    evaluator = _evaluator(request)
    try:
        scores = _score_pairs(evaluator, request.samples)
        figures = [figure_from_row(row) for row in evaluator.rows()]
        notes = [
            str(
                Remark(
                    "{where}: {what}: {count}", {"where": evaluator.display_name, "what": Remark(what), "count": count}
                )
            )
            for what, count in evaluator.remarks().items()
        ]
    finally:
        evaluator.close()
    return schemas.ManyScored(
        suite=_task_suite(request.task).name,
        samples=len(request.samples),
        statuses=dict(evaluator.counts),
        figures=figures,
        grades=[_sample_grade(scores, row, pair.id) for row, pair in enumerate(request.samples)],
        notes=notes,
    )


def _evaluator(request: schemas.TaskScore | schemas.TaskScores) -> TaskEvaluator:
    suite = _task_suite(request.task)
    reading = Reading(
        labels=request.labels,
        coords=request.coords or request.truth_coords,
        truth_coords=request.truth_coords,
        is_declared=request.coords is not None,
        reply_formats=parse_reply_formats([request.reply_format], "reply_format"),
    )
    return TaskEvaluator(plan_column_task(suite.table.find(request.task), reading, request.auxiliary))


def _score_pairs(evaluator: TaskEvaluator, pairs: Sequence[schemas.TaskPair]) -> ScoreBatch:
    """Score a complete set of samples of one task."""
    positions = np.arange(len(pairs), dtype=np.int64)
    sized = any(pair.size is not None for pair in pairs)
    targets = TextColumn.of([format_target(pair.gt) for pair in pairs])
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
    if len(pairs) == 1 and isinstance(evaluator.scorer, ColumnScorer):
        evaluator.scorer.uses_vocabulary = False  # of one truth it would be its answer
    return evaluator.update(samples, replies)


def _sample_grade(scores: ScoreBatch, row: int, name: str) -> schemas.SampleGrade:
    status = scores.status(row)
    lenient = scores.scores if scores.lenient_scores is None else scores.lenient_scores
    return schemas.SampleGrade(
        id=name,
        task=scores.samples.task.name,
        status=status,
        score=None if status == "invalid" else float(scores.scores[row]),
        values={key: to_plain(column[row]) for key, column in scores.details.items()},
        reason=format_remark(scores.message(row)),
        lenient_score=None if status == "invalid" else float(lenient[row]),
        deviation="" if scores.deviations is None else tr(DEVIATIONS[scores.deviations[row]]),
    )


def _grade_response(grade: Grade, name: str) -> schemas.SampleGrade:
    return schemas.SampleGrade(
        id=name,
        task=grade.task,
        status=grade.status,
        score=grade.score,
        values=grade.values,
        reason=format_remark(grade.message),
    )


_SHARED = ("task", "status", "score", "values", "reason", "lenient_score", "deviation")


def _scored(suite: str, grade: schemas.SampleGrade, scores: dict[str, float | None]) -> schemas.Scored:
    shared = {name: getattr(grade, name) for name in _SHARED}
    return schemas.Scored(suite=suite, scores=scores, **shared)


def score_truth(request: schemas.SuiteScore) -> schemas.Scored:
    """Score one reply, with the suite's metrics on this sample."""
    suite = _truth_suite(request.suite)
    evaluator = Evaluator(suite)
    (grade,) = _score_samples(evaluator, [_sample_from_truth(suite, request.truth)], [request.output])
    figures = {row.metric: row.estimate.value for row in evaluator.rows() if row.scope == "task"}
    return _scored(suite.name, _grade_response(grade, ""), figures)


def score_truths(request: schemas.SuiteScores) -> schemas.ManyScored:
    """Score many replies: the suite's metrics over all samples, and the grade of each."""
    suite = _truth_suite(request.suite)
    evaluator = Evaluator(suite)
    samples = [_make_sample(suite, pair, index) for index, pair in enumerate(request.samples)]
    grades = _score_samples(evaluator, samples, [pair.output for pair in request.samples])
    return schemas.ManyScored(
        suite=suite.name,
        samples=len(grades),
        statuses=evaluator.counts,
        figures=[figure_from_row(row) for row in evaluator.rows()],
        grades=[_grade_response(grade, pair.id) for pair, grade in zip(request.samples, grades, strict=True)],
        notes=[],
    )


def _sample_from_truth(suite: Suite, truth: Any) -> Sample:
    if not isinstance(suite, TruthSampler):
        raise UsageError("The suite '{suite}' cannot create samples from a truth alone.", suite=suite.name)
    return suite.sample_from_truth(truth)


@cache
def _truth_suite(name: str) -> Suite:
    if name not in names("suites"):  # a request must not be able to import a module by name
        raise unknown("suite", name, names("suites"))
    return load_suite(name)


def _make_sample(suite: Suite, pair: schemas.TruthPair, index: int) -> Sample:
    try:
        sample = _sample_from_truth(suite, pair.truth)
    except SightlineError as error:
        raise DataError("samples[{index}]: {why}", index=index, why=error) from None
    return Sample(
        id=f"{index}", task=sample.task, question="", target=sample.target, tags=sample.tags, weight=sample.weight
    )


def _score_samples(evaluator: Evaluator, samples: Sequence[Sample], outputs: Sequence[str]) -> list[Grade]:
    """Score all samples task by task; returns the grades in the order of the samples."""
    by_task: dict[str, list[int]] = {}
    for index, sample in enumerate(samples):
        by_task.setdefault(sample.task, []).append(index)
    grades: dict[int, Grade] = {}
    for task, indices in by_task.items():
        batch = batch_samples(evaluator.suite.tasks()[task], indices, [samples[index] for index in indices])
        answers = [Answer(position=index, sample=samples[index].id, text=outputs[index]) for index in indices]
        scores = evaluator.update(batch, ReplyBatch(attempts=[[Attempt([answer])] for answer in answers]))
        grades.update(zip(indices, scores.grades, strict=True))
    return [grades[index] for index in range(len(samples))]


def figure_from_row(row: Row) -> schemas.Figure:
    """Convert a summary row to a flat response object."""
    baseline = row.baseline
    estimate = structs.asdict(row.estimate)
    return schemas.Figure(
        scope=row.scope,
        name=row.name,
        metric=row.metric,
        title=tr(row.title),
        core=row.core,
        unit=row.unit,
        higher_is_better=row.higher_is_better,
        baseline=baseline.name if baseline else "",
        baseline_value=baseline.value if baseline else None,
        skill=baseline.skill if baseline else None,
        **_lenient_values(row),
        **{**estimate, "reason": format_remark(row.estimate.reason)},
    )


def _lenient_values(row: Row) -> dict[str, Any]:
    """The figure with replies read leniently; the strict one where no reply is read otherwise."""
    lenient = row.estimate if isinstance(row.lenient, UnsetType) else row.lenient
    return {"lenient_value": lenient.value, "lenient_low": lenient.low, "lenient_high": lenient.high}


def list_tasks() -> schemas.TaskList:
    """All tasks of all suites."""
    return schemas.TaskList(
        [
            schemas.TaskEntry(
                suite=suite.name,
                name=task.name,
                title=_titles(task.title or task.name),
                aliases=list(task.aliases),
                level=task.level,
                parser=task.parser,
                metrics=list(task.metrics),
                auxiliary=list(task.auxiliary),
            )
            for suite in map(load_suite, names("suites"))
            for task in suite.tasks().values()
        ]
    )


def list_metrics() -> schemas.MetricList:
    """All metrics, by name."""
    found = {name: find_metric(name) for name in names("metrics")}
    return schemas.MetricList(
        [
            schemas.MetricEntry(
                name=name, title=_titles(metric.title), unit=metric.unit, higher_is_better=metric.higher_is_better
            )
            for name, metric in sorted(found.items())
        ]
    )


def list_suites() -> schemas.SuiteList:
    """All suites."""
    return schemas.SuiteList([_suite_entry(load_suite(name)) for name in names("suites")])


def _suite_entry(suite: Suite) -> schemas.SuiteEntry:
    return schemas.SuiteEntry(
        name=suite.name,
        version=suite.version,
        title=_titles(suite.title),
        tasks=list(suite.tasks()),
        graded_by="task" if isinstance(suite, ColumnSuite) else "truth" if isinstance(suite, TruthSampler) else "files",
        services=[f"/v1/{name}" for name in suite.services()] if isinstance(suite, ServiceProvider) else [],
    )


def _titles(text: str) -> schemas.Titles:
    return schemas.Titles(en=text, zh=CHINESE.get(text, text))
