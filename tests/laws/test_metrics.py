"""What every registered metric owes: a reference, merge = fold, no order, and that no data are no data."""

from __future__ import annotations

import io
import random
from collections.abc import Callable, Sequence
from contextlib import redirect_stdout
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from sightline.core.records import COUNTED, Estimate, Grade
from sightline.core.registry import names
from sightline.scoring.metric_group import MetricGroup
from sightline.scoring.resolve import find_metric
from sightline.scoring.state_codec import dump_state, load_state
from sightline.scoring.value_codec import decode_value
from tests.support.evaluators import estimate_grades, group_of_grades
from tests.support.peers import Peer

OFFICIAL = {name: Peer(f"pycocoevalcap.{name.lower()}.{name.lower()}") for name in ("Bleu", "Cider", "Rouge")}
sklearn_isotonic = Peer("sklearn.isotonic")
sklearn_metrics = Peer("sklearn.metrics")

DIMENSIONS = ("perception", "understanding", "reasoning", "action")
LEVELS = ("l1", "l2", "l3", "l4")
CAPTIONS = ("a ship near the pier", "a ship near the old pier", "two grey tanks on green land", "two tanks", "a road")
CAPTIONS_LATE = ("bleu", "cider", "rouge_l")
"""Metrics whose state over grades holds texts until all are there; it is saved with target statistics only."""
STATUSES = ("answered", "answered", "answered", "answered", "unparsed", "empty", "failed", "invalid")


@st.composite
def worlds(draw: st.DrawFn) -> list[Grade]:
    """Grades of true/false questions, some with partial scores after feedback, in clusters, pairs, and all states."""
    chance = random.Random(draw(st.integers(0, 2**32)))
    return [one for k in range(draw(st.integers(0, 40))) for one in _pair(k, chance)]


def _pair(number: int, chance: random.Random) -> list[Grade]:
    return [_grade(2 * number + side, f"pair{number}", side, chance) for side in (0, 1)]


def _grade(number: int, pair: str, side: int, chance: random.Random) -> Grade:
    state = chance.choice(STATUSES)
    target, predicted = chance.random() < 0.55, chance.random() < 0.5
    values: dict[str, Any] = {"target": target, "predicted": predicted if state == "answered" else None}
    if state in COUNTED:
        values |= {"pair": pair, "side": side}
    values |= {"metric": chance.choice(("cer", "numeric")), "objective": chance.random()}
    if state == "answered":
        values["cer"] = chance.random()
        values |= {"reply": chance.choice(CAPTIONS), "references": [chance.choice(CAPTIONS)]}
    elif state in COUNTED:
        values["references"] = [chance.choice(CAPTIONS)]
    score = float(state == "answered" and predicted is target)
    if state == "answered" and score < 1:
        score = chance.choice((0.0, 0.0, 0.25, 0.5, 0.75))
    return Grade(
        sample=f"s{number}",
        task="t",
        status=state,  # type: ignore[arg-type]
        score=score,
        last_score=chance.choice((score, 0.25, 1.0)),
        best_score=max(score, 0.5),
        values=values,
        tags={
            "dimension": chance.choice(DIMENSIONS),
            "difficulty": chance.choice(LEVELS),
            **({"law": "balance"} if chance.random() < 0.3 else {}),
        },
        cluster=f"c{number % 7}",
        weight=chance.choice((1.0, 2.0, 3.0)),
    )


def answered(grades: Sequence[Grade]) -> list[Grade]:
    return [grade for grade in grades if grade.status in COUNTED]


def weighted(value: Callable[[Grade], float]) -> Callable[[Sequence[Grade]], float | None]:
    def figure(grades: Sequence[Grade]) -> float | None:
        rows = answered(grades)
        weight = sum(g.weight for g in rows)
        return sum(g.weight * value(g) for g in rows) / weight if weight else None

    return figure


def laws_only(grades: Sequence[Grade]) -> float | None:
    return weighted(lambda g: float(g.score >= 1))([g for g in grades if "law" in g.tags])


def balanced(grades: Sequence[Grade]) -> float | None:
    """scikit-learn's, with an unread reply taken as the wrong answer."""
    rows = answered(grades)
    truth = [g.values["target"] for g in rows]
    if len(set(truth)) < 2:
        return None
    said = [not g.values["target"] if g.values["predicted"] is None else g.values["predicted"] for g in rows]
    return float(sklearn_metrics.balanced_accuracy_score(truth, said))


def correlation(grades: Sequence[Grade]) -> float | None:
    rows = answered(grades)
    read = [g for g in rows if g.values["predicted"] is not None]
    if not read:
        return None
    if len({g.values[which] for g in read for which in ("target", "predicted")}) == 1:
        return 0.0  # scikit-learn warns, and says the same
    return float(
        sklearn_metrics.matthews_corrcoef([g.values["target"] for g in read], [g.values["predicted"] for g in read])
    )


def pairs(holds: Callable[[Grade, Grade], bool]) -> Callable[[Sequence[Grade]], float | None]:
    def figure(grades: Sequence[Grade]) -> float | None:
        halves: dict[str, list[Grade]] = {}
        for grade in grades:
            if "pair" in grade.values:
                halves.setdefault(grade.values["pair"], []).append(grade)
        whole = [holds(*two) for two in halves.values() if len(two) == 2]
        return sum(whole) / len(whole) if whole else None

    return figure


def differ(a: Grade, b: Grade, which: str) -> bool:
    one, other = a.values[which], b.values[which]
    return None not in (one, other) and one != other


def same_relation(a: Grade, b: Grade) -> bool:
    read = None not in (a.values["predicted"], b.values["predicted"])
    return read and differ(a, b, "predicted") == differ(a, b, "target")


def reached(rung: float) -> Callable[[Sequence[Grade]], float | None]:
    """Every sample counts alike."""

    def figure(grades: Sequence[Grade]) -> float | None:
        rows = answered(grades)
        return sum(g.score >= rung for g in rows) / len(rows) if rows else None

    return figure


def falls_to_half(dimension: str) -> Callable[[Sequence[Grade]], float | None]:
    """The first point at which scikit-learn's falling fit, drawn as a line over the levels, is at or below one half."""

    def figure(grades: Sequence[Grade]) -> float | None:
        rows = [g for g in answered(grades) if g.tags["dimension"] == dimension]
        means = {
            level: weighted(lambda g: g.score)([g for g in rows if g.tags["difficulty"] == level]) for level in LEVELS
        }
        there = [level for level in LEVELS if means[level] is not None]
        if not there:
            return None
        weights = [sum(g.weight for g in rows if g.tags["difficulty"] == level) for level in there]
        places = [LEVELS.index(level) + 1 for level in there]
        fit = sklearn_isotonic.IsotonicRegression(increasing=False).fit_transform(
            places, [means[x] for x in there], sample_weight=weights
        )
        if fit[0] < 0.5 - 1e-12:
            return 0.0 if places[0] == 1 else None
        below = [k for k in range(len(fit)) if fit[k] < 0.5 - 1e-12]
        if not below:
            return 4.0 if places[-1] == 4 else None
        k = below[0]
        return float(np.interp(-0.5, [-fit[k - 1], -fit[k]], [places[k - 1], places[k]]))

    return figure


def error_rate(grades: Sequence[Grade]) -> float | None:
    return weighted(lambda g: g.values.get("cer", 1.0))([g for g in grades if g.values["metric"] == "cer"])


def agreement(grades: Sequence[Grade]) -> float | None:
    read = [g for g in grades if g.status == "answered"]
    return weighted(lambda g: float((g.score >= 0.5) == (g.values["objective"] >= 0.5)))(read)


def captions(name: str) -> Callable[[Sequence[Grade]], float | None]:
    """The official code on the same texts: plain words, which its tokenizer leaves as they are."""

    def figure(grades: Sequence[Grade]) -> float | None:
        rows = answered(grades)
        if not rows or (name == "Cider" and len(rows) < 2):
            return None
        truths = {k: [g.values["references"][0]] for k, g in enumerate(rows)}
        replies = {k: [g.values.get("reply", "")] for k, g in enumerate(rows)}
        with redirect_stdout(io.StringIO()):
            scorer = getattr(OFFICIAL[name], name)
            score, _ = scorer(*([4] if name == "Bleu" else [])).compute_score(truths, replies)
        return float(score[3] if isinstance(score, list) else score)

    return figure


REFERENCES: dict[str, Callable[[Sequence[Grade]], float | None]] = {
    "mean_score": weighted(lambda g: g.score),
    "accuracy": weighted(lambda g: float(g.score >= 1)),
    "after_feedback": weighted(lambda g: g.last_score),
    "best_attempt": weighted(lambda g: g.best_score),
    "law_accuracy": laws_only,
    "balanced_accuracy": balanced,
    "mcc": correlation,
    "opposed_pairs": pairs(lambda a, b: differ(a, b, "predicted")),
    "key_opposed_pairs": pairs(lambda a, b: differ(a, b, "target")),
    "pair_relation": pairs(same_relation),
    "weighted_score": weighted(lambda g: g.score),
    "geometry_right": reached(0.25),
    "supports_right": reached(0.5),
    "joints_right": reached(0.75),
    "full_marks": reached(1.0),
    "character_error_rate": error_rate,
    "judge_agreement": agreement,
    "bleu": captions("Bleu"),
    "cider": captions("Cider"),
    "rouge_l": captions("Rouge"),
    **{f"boundary_{name}": falls_to_half(name) for name in DIMENSIONS},
}


METRICS = [name for name in names("metrics") if find_metric(name).state.input_kind == "any" or name in REFERENCES]
"""Metrics over grades; those over columns alone have their laws in `test_figures`."""


def fold(name: str, grades: Sequence[Grade]) -> MetricGroup:
    return group_of_grades(name, grades)


def result(group: MetricGroup) -> Estimate:
    return group.estimate(group.metrics[0])


def test_every_metric_has_a_reference() -> None:
    assert set(METRICS) == set(REFERENCES)


@pytest.mark.parametrize("name", METRICS)
@settings(max_examples=25, deadline=None)
@given(grades=worlds())
def test_it_equals_its_reference(name: str, grades: list[Grade]) -> None:
    expected = REFERENCES[name](grades)
    assert estimate_grades(name, grades).value == (None if expected is None else pytest.approx(expected, abs=1e-9))


@pytest.mark.parametrize("name", METRICS)
@settings(max_examples=15, deadline=None)
@given(grades=worlds(), seed=st.integers(0, 2**16))
def test_merging_any_split_in_any_order_is_folding(name: str, grades: list[Grade], seed: int) -> None:
    chance = random.Random(seed)
    shuffled = chance.sample(grades, len(grades))
    shards: list[list[Grade]] = [[] for _ in range(3)]
    for grade in shuffled:
        chance.choice(shards).append(grade)
    merged = fold(name, [])
    for shard in chance.sample(shards, 3):
        merged.merge(fold(name, shard))
    assert result(merged) == estimate_grades(name, grades)


@pytest.mark.parametrize("name", [name for name in METRICS if name not in CAPTIONS_LATE])
@settings(max_examples=15, deadline=None)
@given(grades=worlds())
def test_a_saved_state_is_the_state_to_the_last_digit(name: str, grades: list[Grade]) -> None:
    kind = find_metric(name).state
    made = fold(name, grades).states[kind]
    back = kind()
    load_state(decode_value(bytes(dump_state(made, kind()))), back)
    assert find_metric(name).compute(back) == find_metric(name).compute(made)
    assert bytes(dump_state(back, kind())) == bytes(dump_state(made, kind()))


@pytest.mark.parametrize("name", METRICS)
def test_no_samples_are_no_data(name: str) -> None:
    assert replace(estimate_grades(name, []), reason="") == Estimate(value=None)


@pytest.mark.parametrize("name", METRICS)
@settings(max_examples=15, deadline=None)
@given(grades=worlds())
def test_the_interval_holds_the_value_and_the_bounds_hold_both(name: str, grades: list[Grade]) -> None:
    estimate = estimate_grades(name, grades)
    if estimate.value is not None and estimate.low is not None and estimate.high is not None:
        assert estimate.low <= estimate.value <= estimate.high
    if estimate.value is not None and estimate.floor is not None and estimate.ceiling is not None:
        assert estimate.floor - 1e-12 <= estimate.value <= estimate.ceiling + 1e-12


@pytest.mark.parametrize("name", METRICS)
def test_failed_and_invalid_samples_change_no_value(name: str) -> None:
    chance = random.Random(5)
    grades = [one for k in range(30) for one in _pair(k, chance)]
    heard = [grade for grade in grades if grade.status in COUNTED]
    assert estimate_grades(name, grades).value == estimate_grades(name, heard).value
