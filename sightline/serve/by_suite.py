"""Grading of suites whose samples can be made from a truth alone."""

from __future__ import annotations

from functools import cache

from sightline.contracts import Suite
from sightline.errors import DataError, SightlineError, UsageError
from sightline.grading.one import control_scores, grade_sample
from sightline.grading.scoreboard import Scoreboard
from sightline.language import say
from sightline.records import Answer, Grade, Sample
from sightline.registry import load_suite, names, unknown
from sightline.runs.history import Attempt
from sightline.serve.answers import ManyScored, SampleGrade, Scored
from sightline.serve.figures import figure_of
from sightline.serve.requests import SuiteScore, SuiteScores, TruthPair


def takes_truth(suite: Suite) -> bool:
    """Whether the suite makes samples of truths."""
    return type(suite).sample_of is not Suite.sample_of


def score_truth(asked: SuiteScore) -> Scored:
    """The grade of a reply, with the suite's metrics on this one sample."""
    suite = _suite(asked.suite)
    board = Scoreboard(suite)
    grade = _grade(suite, board, suite.sample_of(asked.truth), asked.output)
    figures = {row.metric: row.estimate.value for row in board.rows() if row.scope == "task"}
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
    board = Scoreboard(suite)
    grades = []
    for place, one in enumerate(asked.samples):
        grade = _grade(suite, board, _sample(suite, one, place), one.output)
        grades.append(
            SampleGrade(
                id=one.id,
                task=grade.task,
                state=grade.state,
                score=grade.score,
                values=grade.values,
                reason=say(grade.note),
            )
        )
    return ManyScored(
        suite=suite.name,
        samples=len(grades),
        states=dict(board.states),
        figures=[figure_of(row) for row in board.rows()],
        grades=grades,
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


def _grade(suite: Suite, board: Scoreboard, sample: Sample, output: str) -> Grade:
    answer = Answer(position=0, sample=sample.id, text=output)
    grade = grade_sample(suite, 0, sample, [Attempt([answer])])
    board.add(grade, control_scores(suite, sample))
    return grade
