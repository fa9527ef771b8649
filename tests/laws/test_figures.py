"""What every figure over columns owes: merge = fold, no order, no data are no data, and a test of its own."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sightline.core.interfaces import Task
from sightline.core.records import Estimate
from sightline.core.registry import names
from sightline.scoring.evaluator_codec import pack, pack_target_statistics, unpack, unpack_target_statistics
from sightline.scoring.resolve import find_metric
from sightline.scoring.task_evaluator import TaskEvaluator
from sightline.stats.influence import plain_estimate
from tests.support.evaluators import fit_texts, make_evaluator, score_texts
from tests.support.worlds import ROOT

Pair = tuple[str, str]
WORDS = "a ship boat near the green pier and two small grey tanks on water".split()  # noqa: SIM905


def number(chance: random.Random) -> Pair:
    return str(chance.randrange(9)), chance.choice([str(chance.randrange(9)), "many", ""])


def labels(chance: random.Random) -> Pair:
    truth = chance.sample(WORDS[:5], chance.randint(1, 2))
    return ";".join(truth), ";".join(chance.sample(WORDS[:7], chance.randint(0, 3)))


def indices(chance: random.Random) -> Pair:
    one, two = (",".join(map(str, chance.sample(range(5), chance.randint(1, 3)))) for _ in range(2))
    return one, chance.choice([one, two, "none of them"])


def boxes(chance: random.Random) -> Pair:
    def some() -> str:
        corners = [
            (chance.randrange(60), chance.randrange(60), chance.randint(5, 40)) for _ in range(chance.randrange(5))
        ]
        return f"{len(corners)} " + "".join(f"<box><{x}><{y}><{x + w}><{y + w}></box>" for x, y, w in corners)

    truth = some()
    return truth, chance.choice([truth, some(), "<box><1></box>"])


def labelled_boxes(chance: random.Random) -> Pair:
    return label(chance, boxes(chance))


def labelled_polygons(chance: random.Random) -> Pair:
    return label(chance, polygons(chance))


def label(chance: random.Random, pair: Pair) -> Pair:
    truth, reply = (
        re.sub("</(?:box|poly)>", lambda tag: f"{tag[0]}<label>{chance.choice(WORDS[:3])}</label>", text)
        for text in pair
    )
    return truth, truth if chance.random() < 0.4 else reply


def polygons_or_none(chance: random.Random) -> Pair:
    truth, reply = polygons(chance)
    return (truth, reply) if chance.random() < 0.6 else ("0", chance.choice(["0", reply]))


def polygons(chance: random.Random) -> Pair:
    def some() -> str:
        corners = [
            (chance.randrange(60), chance.randrange(60), chance.randint(5, 40)) for _ in range(chance.randint(1, 3))
        ]
        return "".join(f"<poly><{x}><{y}><{x + w}><{y}><{x}><{y + w}></poly>" for x, y, w in corners)

    truth = some()
    return truth, chance.choice([truth, some(), ""])


def captions(chance: random.Random) -> Pair:
    one, two = (" ".join(chance.choices(WORDS, k=chance.randint(3, 9))) for _ in range(2))
    return one, chance.choice([one, two, ""])


WORLDS: dict[str, tuple[str, Callable[[random.Random], Pair]]] = {
    "numbers": ("number", number),
    "labels": ("labels", labels),
    "ranks": ("indices", indices),
    "shapes": ("boxes", boxes),
    "polygons": ("polygons", polygons),
    "texts": ("text", captions),
    "any": ("number", number),
}
SLOW_TO_START = {"meteor"}  # large tables: its laws are in tests/scoring/metrics/test_captions_meteor.py
SINGLE_LABEL = {"kappa"}
FIGURES = [
    name for name in names("metrics") if name not in SLOW_TO_START and find_metric(name).state.input_kind != "any"
] + ["accuracy", "mean_score"]


def evaluator_of(name: str, pairs: list[Pair]) -> TaskEvaluator:
    parser, _ = WORLDS[find_metric(name).state.input_kind]
    task = Task(name="t", parser=parser, metrics=(name,), options={"words": [4, 7]})
    return fit_texts(make_evaluator(task), [truth for truth, _ in pairs])


def scored(evaluator: TaskEvaluator, pairs: list[Pair], clusters: list[int]) -> TaskEvaluator:
    if pairs:
        score_texts(evaluator, [truth for truth, _ in pairs], [reply for _, reply in pairs], clusters=clusters)
    return evaluator


def result(evaluator: TaskEvaluator) -> Estimate:
    group = evaluator.open().strict
    return plain_estimate(group.estimate(group.metrics[0]))  # a figure that is left out of reports has its laws too


def world(name: str, seed: int, size: int) -> list[Pair]:
    chance = random.Random(seed)
    _, make = WORLDS[find_metric(name).state.input_kind]
    if name.startswith(("class_", "tide_")):
        make = labelled_boxes if find_metric(name).state.input_kind == "shapes" else labelled_polygons
    if name == "mask_true_negative_rate":
        make = polygons_or_none
    pairs = [make(chance) for _ in range(size)]
    return [(truth.split(";")[0], reply.split(";")[0]) for truth, reply in pairs] if name in SINGLE_LABEL else pairs


@pytest.mark.parametrize("name", FIGURES)
@settings(max_examples=12, deadline=None)
@given(seed=st.integers(0, 2**32), size=st.integers(2, 30), cut=st.integers(0, 30))
def test_neither_order_nor_splitting_changes_a_digit(name: str, seed: int, size: int, cut: int) -> None:
    pairs = world(name, seed, size)
    clusters = [number % 5 + 1 for number in range(size)]
    whole = result(scored(evaluator_of(name, pairs), pairs, clusters))
    order = list(range(size))
    random.Random(seed).shuffle(order)
    first, second = order[: cut % size], order[cut % size :]
    parts = evaluator_of(name, pairs)
    other = scored(parts.empty_copy(), [pairs[k] for k in second], [clusters[k] for k in second])
    scored(parts, [pairs[k] for k in first], [clusters[k] for k in first]).merge(other)
    assert result(parts) == whole


@pytest.mark.parametrize("name", FIGURES)
@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 2**32), size=st.integers(0, 30))
def test_a_packed_state_is_the_state_to_the_last_digit(name: str, seed: int, size: int) -> None:
    pairs = world(name, seed, size)
    evaluator = scored(evaluator_of(name, pairs), pairs, [number % 5 + 1 for number in range(size)])
    elsewhere = evaluator_of(
        name, []
    )  # an evaluator of another process: it knows the task, and the target statistics by their bytes
    if evaluator.needs_fit:
        unpack_target_statistics(pack_target_statistics(evaluator), elsewhere)
    back = unpack(pack(evaluator), elsewhere)
    assert back.rows() == evaluator.rows() and back.breakdowns() == evaluator.breakdowns()
    assert (back.remarks(), back.counts) == (evaluator.remarks(), evaluator.counts)
    assert pack(back) == pack(evaluator)
    evaluator.merge(back)
    whole = scored(evaluator_of(name, pairs), pairs, [number % 5 + 1 for number in range(size)])
    whole.merge(scored(whole.empty_copy(), pairs, [number % 5 + 1 for number in range(size)]))
    assert evaluator.rows() == whole.rows()
    for one in (evaluator, back, whole):
        one.close()


@pytest.mark.parametrize("name", FIGURES)
def test_no_data_are_no_data(name: str) -> None:
    assert result(evaluator_of(name, [])).value is None


@pytest.mark.parametrize("name", FIGURES)
def test_the_truth_itself_is_the_best_reply(name: str) -> None:
    pairs = [(truth, truth) for truth, _ in world(name, 7, 40)]
    estimate = result(scored(evaluator_of(name, pairs), pairs, list(range(40))))
    assert estimate.value is not None
    if name not in {"length_in_range", "mean_words", "cider"}:
        assert estimate.value == pytest.approx(1.0 if find_metric(name).higher_is_better else 0.0)


def test_every_figure_has_a_test_against_a_reference() -> None:
    tests = "\n".join(
        path.read_text(encoding="utf-8") for path in Path(ROOT / "tests" / "scoring" / "metrics").glob("*.py")
    )
    for name in FIGURES:
        if name not in {"accuracy", "mean_score"}:
            home = find_metric(name)
            assert name in tests or name.upper() in tests, f"{name} ({home.title}) is not tested"
