"""Scoring endpoints for suites whose samples can be created from a target alone."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from sightline.core.errors import DataError, SightlineError, UsageError
from sightline.core.interfaces import Suite
from sightline.core.records import Answer, Attempt, Grade, Sample, format_remark
from sightline.core.registry import load_suite, names, unknown
from sightline.scoring.batch import ReplyBatch, batch_samples
from sightline.scoring.evaluator import Evaluator
from sightline.web.service.requests import SuiteScore, SuiteScores, TruthPair
from sightline.web.service.responses import ManyScored, SampleGrade, Scored
from sightline.web.service.serialization import figure_from_row


def takes_truth(suite: Suite) -> bool:
    """Whether the suite can create samples from targets."""
    return type(suite).sample_from_truth is not Suite.sample_from_truth


def score_truth(request: SuiteScore) -> Scored:
    """Score one reply, with the suite's metrics on this sample."""
    suite = _suite(request.suite)
    evaluator = Evaluator(suite)
    (grade,) = _score(evaluator, [suite.sample_from_truth(request.truth)], [request.output])
    figures = {row.metric: row.estimate.value for row in evaluator.rows() if row.scope == "task"}
    return Scored(
        suite=suite.name,
        task=grade.task,
        status=grade.status,
        score=grade.score,
        scores=figures,
        values=grade.values,
        reason=format_remark(grade.message),
    )


def score_truths(request: SuiteScores) -> ManyScored:
    """Score many replies: the suite's metrics over all samples, and the grade of each."""
    suite = _suite(request.suite)
    evaluator = Evaluator(suite)
    samples = [_sample(suite, pair, index) for index, pair in enumerate(request.samples)]
    grades = _score(evaluator, samples, [pair.output for pair in request.samples])
    return ManyScored(
        suite=suite.name,
        samples=len(grades),
        statuses=evaluator.counts,
        figures=[figure_from_row(row) for row in evaluator.rows()],
        grades=[
            SampleGrade(
                id=pair.id,
                task=grade.task,
                status=grade.status,
                score=grade.score,
                values=grade.values,
                reason=format_remark(grade.message),
            )
            for pair, grade in zip(request.samples, grades, strict=True)
        ],
        notes=[],
    )


@cache
def _suite(name: str) -> Suite:
    if name not in names("suites"):  # a request must not be able to import a module by name
        raise unknown("suite", name, names("suites"))
    suite = load_suite(name)
    if not takes_truth(suite):
        raise UsageError("A sample of the suite '{suite}' cannot be built from its target alone.", suite=name)
    return suite


def _sample(suite: Suite, pair: TruthPair, index: int) -> Sample:
    try:
        sample = suite.sample_from_truth(pair.truth)
    except SightlineError as error:
        raise DataError("samples[{place}]: {why}", place=index, why=error) from None
    return Sample(
        id=f"{index}", task=sample.task, question="", target=sample.target, tags=sample.tags, weight=sample.weight
    )


def _score(evaluator: Evaluator, samples: Sequence[Sample], outputs: Sequence[str]) -> list[Grade]:
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
