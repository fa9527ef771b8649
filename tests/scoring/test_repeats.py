"""Figures of repeats against brute force: every choice of k replies, and everything that failed replies could be."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import combinations, product
from pathlib import Path
from statistics import mean
from typing import Any

import duckdb
import numpy as np
import pytest
from msgspec import Struct

from sightline import evaluate
from sightline.core.records import Estimate
from sightline.reports.tables import headline
from sightline.scoring.repeats import QuestionReplies, RepeatConfig, RepeatState
from sightline.scoring.summary import RepeatSummary, Row, Summary
from sightline.stats.repeats import VarianceSplit
from tests.inference.test_repeats import fail_repeats

REPEATS = 4
RIGHT = "r"
OTHERS = ("a", "b", "new 1", "new 2", "new 3", "new 4")
"""Wrong answers, some of which nobody gave."""


class Reply(Struct, frozen=True):
    """What a reply says; None: it could not be read."""

    answer: str | None
    is_failed: bool = False

    @property
    def score(self) -> float:
        return float(self.answer == RIGHT)


Figure = Callable[[list[Reply]], float]


def pass_figure(k: int) -> Figure:
    return lambda replies: mean(max(one.score for one in some) for some in combinations(replies, min(k, len(replies))))


def vote(replies: list[Reply]) -> float:
    votes = Counter(one.answer for one in replies if one.answer is not None)
    top = [answer for answer in votes if votes[answer] == max(votes.values())]
    return mean(float(answer == RIGHT) for answer in top) if top else 0.0


def agreement(replies: list[Reply]) -> float:
    return mean(float(one.answer == two.answer is not None) for one, two in combinations(replies, 2))


FIGURES: dict[str, Figure] = {
    **{f"pass@{k}": pass_figure(k) for k in range(1, REPEATS + 1)},
    "majority_vote": vote,
    "consistency": agreement,
    "worst_repeat": lambda replies: min(one.score for one in replies),
}


def outcomes(replies: list[Reply], is_open: Callable[[Reply], bool]) -> Iterator[list[Reply]]:
    """All replies that there could have been, where some are not known."""
    choices = [[Reply(text) for text in (RIGHT, *OTHERS)] if is_open(one) else [one] for one in replies]
    for some in product(*choices):
        yield list(some)


def draw_question(rng: np.random.Generator) -> list[Reply]:
    answers = [RIGHT, RIGHT, "a", "b", None]
    return [Reply(answers[rng.integers(5)], bool(rng.random() < 0.3)) for _ in range(REPEATS)]


def add(state: RepeatState, replies: list[Reply], cluster: int) -> None:
    graded = [one for one in replies if not one.is_failed]
    state.add(
        [
            QuestionReplies(
                cluster=cluster,
                weight=1.0,
                scores=[one.score for one in graded],
                answers=[one.answer for one in graded],
                unread=[one.answer is None for one in graded],
                failed=len(replies) - len(graded),
            )
        ]
    )


def overall(**values: Any) -> Row:
    estimate = Estimate(value=None, **values)
    return Row(scope="overall", name="", metric="accuracy", title="Accuracy", core=True, estimate=estimate)


@pytest.mark.parametrize("seed", range(3))
def test_figures_and_bounds_are_those_of_brute_force(seed: int) -> None:
    rng = np.random.default_rng(seed)
    questions = [draw_question(rng) for _ in range(12)]
    state = RepeatState(RepeatConfig(REPEATS))
    for cluster, replies in enumerate(questions):
        add(state, replies, cluster)
    found = {row.metric: row.estimate for row in state.rows(overall(invalid=2))}
    assert found.keys() == FIGURES.keys()
    unread = sum(one.answer is None and not one.is_failed for replies in questions for one in replies)
    assert {(one.unparsed, one.failed, one.invalid) for one in found.values()} == {(unread, state.failed, 2)}
    assert state.failed == sum(one.is_failed for replies in questions for one in replies) > 0
    for name, figure in FIGURES.items():
        graded = [[one for one in replies if not one.is_failed] for replies in questions]
        graded = [replies for replies in graded if len(replies) > (name == "consistency")]
        lowest = [
            min(figure(some) for some in outcomes(replies, lambda reply: reply.is_failed)) for replies in questions
        ]
        highest = [
            max(figure(some) for some in outcomes(replies, lambda reply: reply.is_failed or reply.answer is None))
            for replies in questions
        ]
        assert found[name].n == len(graded)
        assert found[name].value == pytest.approx(mean(map(figure, graded)), abs=1e-11), name
        assert found[name].floor == pytest.approx(mean(lowest), abs=1e-11), name
        assert found[name].ceiling == pytest.approx(mean(highest), abs=1e-11), name


def test_pass_at_k_never_falls_with_k() -> None:
    """As it did where each k had questions of its own: those with k graded replies."""
    state = RepeatState(RepeatConfig(3))
    for cluster in range(10):
        add(state, [Reply(RIGHT), Reply(RIGHT, True), Reply(RIGHT, True)], cluster)
        add(state, [Reply("a"), Reply("a"), Reply("a")], 10 + cluster)
    found = {row.metric: row.estimate for row in state.rows(overall())}
    assert [found[f"pass@{k}"].value for k in (1, 2, 3)] == [0.5, 0.5, 0.5]
    assert [found[f"pass@{k}"].n for k in (1, 2, 3)] == [20, 20, 20]
    assert [found[f"pass@{k}"].floor for k in (1, 2, 3)] == pytest.approx([1 / 6, 1 / 3, 1 / 2])


def test_a_question_of_which_all_repeats_failed_has_bounds_alone() -> None:
    state = RepeatState(RepeatConfig(2))
    add(state, [Reply(RIGHT), Reply(RIGHT)], 0)
    add(state, [Reply(RIGHT, True), Reply(RIGHT, True)], 1)
    for row in state.rows(overall()):
        found = row.estimate
        assert (found.value, found.n, found.floor, found.ceiling) == (1.0, 1, 0.5, 1.0), row.metric


@pytest.mark.slow
def test_metrics_with_weights_of_their_own_average_questions_too(tmp_path: Path) -> None:
    """Drawings count by their difficulty in the score, and equally in the share that reaches a stage."""
    from sightline import generate

    data = generate("structural", tmp_path / "data", count=8)
    run = evaluate(
        "structural", data=str(data), model="baseline/perturbed:0.5", repeats=3, output_dir=str(tmp_path / "runs")
    )
    faulty = fail_repeats(run.folder, lambda position, repeat: repeat > 1 + position % 3)
    rows = duckdb.sql(
        f"SELECT avg(score), avg((score >= 0.25)::INT), any_value(weight), count(*) FROM "
        f"'{faulty.folder / 'grades.parquet'}' WHERE status <> 'failed' GROUP BY sample"
    ).fetchall()
    assert len({count for *_, count in rows}) > 1 and len({weight for *_, weight, _ in rows}) > 1
    found = {row.metric: row.estimate for row in faulty.summary.rows_of("overall")}
    total = sum(weight for *_, weight, _ in rows)
    expected = sum(score * weight for score, _, weight, _ in rows) / total
    assert found["weighted_score"].value == pytest.approx(expected, abs=1e-11)
    stage = next(row.estimate for row in faulty.summary.rows if row.title == "Geometry right")
    assert stage.value == pytest.approx(mean(reached for _, reached, *_ in rows), abs=1e-11)
    assert stage.n == found["weighted_score"].n == len(rows)


@pytest.mark.parametrize(
    ("split", "text"),
    [
        (
            VarianceSplit(error=0.05, error_questions=0.04, error_sampling=0.03, clusters=30),
            "5.00 points (questions 4.00, sampling 3.00: 36 % of the variance)",
        ),
        (
            VarianceSplit(error=0.05, error_questions=0.04, error_sampling=0.03, clusters=6),
            "5.00 points (questions 4.00, sampling 3.00: 36 % of the variance); rough: 6 clusters",
        ),
        (
            VarianceSplit(error=0.03, error_questions=0.0, error_sampling=0.04, clusters=6),
            "3.00 points (sampling alone: 4.00; the part of the questions cannot be told from 0); rough: 6 clusters",
        ),
    ],
)
def test_the_report_says_how_far_the_split_can_be_trusted(split: VarianceSplit, text: str) -> None:
    summary = Summary(suite="s", title="", model="m", repeats=RepeatSummary(count=3, variance=split))
    assert dict(headline(summary))["Standard error"] == text
