"""Grading of suites whose samples can be made from a truth alone."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from sightline.core.errors import DataError, SightlineError, UsageError
from sightline.core.interfaces import Suite
from sightline.core.records import Answer, Attempt, Grade, Sample
from sightline.core.registry import load_suite, names, unknown
from sightline.i18n import say
from sightline.scoring.batch import ReplyBatch, batch_samples
from sightline.scoring.evaluator import Evaluator
from sightline.web.service.figures import figure_of
from sightline.web.service.requests import SuiteScore, SuiteScores, TruthPair
from sightline.web.service.responses import ManyScored, SampleGrade, Scored


def takes_truth(suite: Suite) -> bool:
    """Whether the suite makes samples of truths."""
    return type(suite).sample_of is not Suite.sample_of


def score_truth(asked: SuiteScore) -> Scored:
    """The grade of a reply, with the suite's metrics on this one sample."""
    suite = _suite(asked.suite)
    evaluator = Evaluator(suite)
    (grade,) = _score(evaluator, [suite.sample_of(asked.truth)], [asked.output])
    figures = {row.metric: row.estimate.value for row in evaluator.rows() if row.scope == "task"}
    return Scored(
        suite=suite.name,
        task=grade.task,
        state=grade.state,
        score=grade.score,
        scores=figures,
        values=grade.values,
        reason=say(grade.note),
    )


def score_truths(asked: SuiteScores) -> ManyScored:
    """The suite's figures over all samples, and the grade of each."""
    suite = _suite(asked.suite)
    evaluator = Evaluator(suite)
    samples = [_sample(suite, one, place) for place, one in enumerate(asked.samples)]
    grades = _score(evaluator, samples, [one.output for one in asked.samples])
    return ManyScored(
        suite=suite.name,
        samples=len(grades),
        states=evaluator.counts,
        figures=[figure_of(row) for row in evaluator.rows()],
        grades=[
            SampleGrade(
                id=one.id,
                task=grade.task,
                state=grade.state,
                score=grade.score,
                values=grade.values,
                reason=say(grade.note),
            )
            for one, grade in zip(asked.samples, grades, strict=True)
        ],
        notes=[],
    )


@cache
def _suite(name: str) -> Suite:
    if name not in names("suites"):  # a module's address must not be loaded because a request names it
        raise unknown("suite", name, names("suites"))
    suite = load_suite(name)
    if not takes_truth(suite):
        raise UsageError("A truth alone makes no sample of the suite '{suite}'.", suite=name)
    return suite


def _sample(suite: Suite, one: TruthPair, place: int) -> Sample:
    try:
        made = suite.sample_of(one.truth)
    except SightlineError as error:
        raise DataError("samples[{place}]: {why}", place=place, why=error) from None
    return Sample(id=f"{place}", task=made.task, question="", target=made.target, tags=made.tags, weight=made.weight)


def _score(evaluator: Evaluator, samples: Sequence[Sample], outputs: Sequence[str]) -> list[Grade]:
    """The grades of all samples, in their order; they are scored task by task."""
    by_task: dict[str, list[int]] = {}
    for place, sample in enumerate(samples):
        by_task.setdefault(sample.task, []).append(place)
    grades: dict[int, Grade] = {}
    for task, places in by_task.items():
        batch = batch_samples(evaluator.suite.tasks()[task], places, [samples[place] for place in places])
        answers = [Answer(position=place, sample=samples[place].id, text=outputs[place]) for place in places]
        scores = evaluator.update(batch, ReplyBatch(attempts=[[Attempt([answer])] for answer in answers]))
        grades.update(zip(places, scores.grades, strict=True))
    return [grades[place] for place in range(len(samples))]
