"""Detection without scores: no order shows, every count is explained, and what is hardly a shape never raises."""

from __future__ import annotations

import random
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sightline.data.columns import Batch, Shapes
from sightline.scoring.metrics import detection
from sightline.scoring.metrics.detection import (
    DetectionState,
    as_shapes,
    calculate_detection_ap,
    calculate_detection_f1,
    calculate_detection_map,
)
from sightline.scoring.metrics.matching import THRESHOLDS, match, shape_sides
from sightline.scoring.metrics.state import Metric, Values
from tests.scoring.geometry.references import rotated_boxes
from tests.scoring.metrics.detection_worlds import World, most_hits, random_world, tallied

SQUARE, AWAY = [0.0, 0, 10, 10], [50.0, 50, 60, 60]
FIGURES = {one.name: one for one in vars(detection).values() if isinstance(one, Metric)}
NONE = np.zeros((0, 4))
FINITE = st.floats(allow_nan=False, allow_infinity=False)


def graded(said: list[Any], true: list[Any], **extra: Any) -> tuple[DetectionState, Values]:
    """Images that were answered, unless told otherwise."""
    reply, truth = as_shapes(said), as_shapes(true)
    unstated = [np.nan] * len(said)
    reply = Shapes(reply.offsets, reply.coords, np.array(extra.get("counts", unstated), float))
    truth = Shapes(truth.offsets, truth.coords, np.array(extra.get("true_counts", unstated), float))
    answered = np.array(extra.get("answered", [True] * len(said)), bool)
    state = DetectionState()
    return state, state.count(Batch(truth, reply, answered, np.arange(len(said), dtype=np.uint64)))


def of(said: list[Any], true: list[Any], **extra: Any) -> DetectionState:
    return graded(said, true, **extra)[0]


def told(state: DetectionState, *names: str) -> list[float | None]:
    return [FIGURES[name].compute(state).value for name in names]


def everything(state: DetectionState) -> Any:
    return [figure.compute(state) for figure in FIGURES.values()], state.breakdowns(), state.remarks()


def test_the_names_are_those_of_the_contract() -> None:
    assert set(FIGURES) == {
        *("ap50", "ap75", "ap25", "map", "precision50", "recall50", "f1_50", "f1_75", "mean_iou"),
        *("count_accuracy", "count_mae", "count_rmse"),
    }
    assert all(getattr(detection, name.upper()) is figure for name, figure in FIGURES.items())


@pytest.mark.parametrize("seed", [11, 12])
def test_as_many_pairs_as_any_matching_could_make(seed: int) -> None:
    world = random_world(seed, 60, grid=True)
    world = world._replace(said=[a[:6] for a in world.said], true=[b[:5] for b in world.true])
    batch = world.batch()
    matched = match(*shape_sides(batch.reply, batch.truth), THRESHOLDS)
    expected = [[most_hits(a, b, t) for t in THRESHOLDS] for a, b in zip(world.said, world.true, strict=True)]
    assert matched.hits.tolist() == expected


@pytest.mark.parametrize("seed", range(3))
def test_crowded_images_are_matched_as_scipy_does(seed: int) -> None:
    """Many boxes upon each other: long chains of re-pairing."""
    csgraph = pytest.importorskip("scipy.sparse.csgraph")
    sparse = pytest.importorskip("scipy.sparse")
    from sightline.scoring.metrics.detection import iou

    rng = np.random.default_rng(seed)
    sides = []
    for size in (150, 130):
        corner = rng.uniform(0, 60, (size, 2))
        sides.append(np.concatenate((corner, corner + rng.uniform(8, 16, (size, 2))), axis=1))
    table = iou(*sides)
    matched = match(*shape_sides(as_shapes([sides[0]]), as_shapes([sides[1]])), THRESHOLDS)
    for k, threshold in enumerate(THRESHOLDS):
        graph = sparse.csr_matrix(table >= threshold)
        assert matched.hits[0, k] == (csgraph.maximum_bipartite_matching(graph) >= 0).sum()
        assert (matched.predicted_bits >> k & 1).sum() == matched.hits[0, k] == (matched.true_bits >> k & 1).sum()


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 2**32), quads=st.booleans())
def test_shuffling_changes_no_digit(seed: int, quads: bool) -> None:
    world = random_world(seed, 12, grid=True)
    world = world.quads() if quads else world
    mixed = world.shuffled(random.Random(seed))
    assert everything(tallied(world)) == everything(tallied(mixed))


def test_upright_quads_are_as_boxes() -> None:
    world = random_world(13, 60)
    names = [name for name in FIGURES if name != "mean_iou"]
    assert told(tallied(world), *names) == told(tallied(world.quads()), *names)
    mixed = world._replace(said=world.quads().said)
    assert told(tallied(mixed), *names) == told(tallied(world), *names)


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 2**32), cuts=st.lists(st.integers(0, 20), max_size=3))
def test_merging_any_split_in_any_order_is_folding(seed: int, cuts: list[int]) -> None:
    world, chance = random_world(seed, 20), random.Random(seed)
    images = chance.sample(range(20), 20)
    edges = [0, *sorted(cuts), 20]
    shards = [tallied(world.part(images[a:b])) for a, b in pairwise(edges)]
    merged = DetectionState()
    for shard in chance.sample(shards, len(shards)):
        merged.merge(shard)
    assert everything(merged) == everything(tallied(world))


def test_the_rules_of_the_field() -> None:
    few, many = of([[SQUARE]], [[SQUARE, AWAY]]), of([[SQUARE, AWAY]], [[SQUARE]])
    assert told(few, "precision50", "recall50", "ap50", "count_mae") == [1, 0.5, 51 / 101, 1]
    assert told(many, "precision50", "recall50", "ap75", "map") == [0.5, 1, 0.5, 0.5]
    assert told(few, "f1_50") == told(many, "f1_75") == [pytest.approx(2 / 3)]
    nothing, right = graded([[SQUARE], NONE], [[SQUARE], NONE])
    assert told(nothing, "ap25", "map", "mean_iou", "count_accuracy") == [1, 1, 1, 1]
    assert right["score"].tolist() == [1, 1]
    invented, values = graded([[SQUARE], [AWAY]], [[SQUARE], NONE])
    assert told(invented, "ap50", "precision50", "recall50") == [0.5, 0.5, 1]
    assert values["score"].tolist() == [1, 0]
    missed = of([NONE], [[SQUARE]])
    assert told(missed, "ap50", "precision50", "recall50", "f1_50", "mean_iou") == [0, None, 0, 0, None]


def test_no_truths_are_no_data() -> None:
    for empty in (DetectionState(), of([], []), of([NONE], [NONE])):
        assert told(empty, "ap50", "map", "f1_50", "recall50") == [None] * 4
    assert told(DetectionState(), *FIGURES) == [None] * 12
    assert told(of([[SQUARE]], [NONE]), "ap50", "precision50", "f1_50") == [None, 0, 0]
    assert calculate_detection_ap([], []) is None
    assert calculate_detection_map([NONE], [[SQUARE]]) is None


def test_counts_stated_and_counted() -> None:
    """Stated right; stated wrong; not stated; unread; a truth that states its own."""
    state, values = graded(
        [[SQUARE], [SQUARE], [SQUARE, AWAY], NONE, [SQUARE]],
        [[SQUARE], [SQUARE], [SQUARE], [SQUARE, AWAY], [SQUARE]],
        counts=[1, 4, np.nan, np.nan, 1],
        true_counts=[np.nan, np.nan, np.nan, np.nan, 3],
        answered=[True, True, True, False, True],
    )
    assert values["count_error"].tolist() == [0, 3, 1, 2, 2]
    assert told(state, "count_accuracy", "count_mae") == [0.2, 8 / 5]
    assert told(state, "count_rmse") == [pytest.approx((18 / 5) ** 0.5)]
    assert state.remarks() == {"stated count differs from the number of shapes": 1}
    assert FIGURES["count_accuracy"].compute(state).method == "wilson"
    absurd = of([[SQUARE]], [[SQUARE]], counts=[1e300])
    assert told(absurd, "count_mae", "count_rmse") == [1e9, 1e9]


def test_an_unread_reply_misses_everything_and_earns_nothing() -> None:
    state, values = graded([NONE, NONE], [[SQUARE], NONE], answered=[False, False])
    assert values["score"].tolist() == [0, 0]
    assert told(state, "recall50", "count_accuracy", "count_mae") == [0, 0, 0.5]


def test_values_of_each_sample() -> None:
    _, values = graded([[SQUARE, AWAY], NONE, NONE], [[SQUARE], [SQUARE, AWAY], NONE])
    assert values["score"] == pytest.approx([2 / 3, 0, 1])
    assert (values["tp50"].tolist(), values["predicted"].tolist(), values["true"].tolist()) == (
        [1, 0, 0],
        [2, 0, 0],
        [1, 2, 0],
    )
    assert values["ap50"] == pytest.approx([0.5, 0, np.nan], nan_ok=True)


def test_tables() -> None:
    small, medium, large = [0.0, 0, 31, 31], [100.0, 0, 132, 32], [300.0, 0, 396, 96]
    state = of([[small, large], [medium]], [[small, medium], NONE])
    by_size, by_count = state.breakdowns()
    assert [row[:3] for row in by_size.rows] == [("small", 1, 1), ("medium", 1, 0), ("large", 0, 0)]
    assert [row[3:] for row in by_size.rows] == [(1, 1, 1, 1), (0, 1, 0, 0), (None, 1, 0, 0)]
    assert by_count.rows[0] == ("0", 1, 0, None, 0)
    assert by_count.rows[2] == ("2–5", 1, 0.5, 0.5, 0.5)
    crowd = [[10.0 * k, 0, 10.0 * k + 9, 9] for k in range(101)]
    assert [row[1] for row in of([crowd], [crowd]).breakdowns()[1].rows] == [0, 0, 0, 0, 0, 1]


def test_intervals_are_drawn_by_clusters() -> None:
    world = random_world(15, 60)
    found = FIGURES["map"].compute(tallied(world))
    assert (found.n, found.clusters) == (60, len(set(world.clusters)))
    assert found.low is not None and found.value is not None and found.high is not None
    assert 0 < found.low < found.value < found.high < 1


@settings(max_examples=25, deadline=None)
@given(
    numbers=st.lists(st.floats(allow_nan=False, allow_infinity=False) | st.integers(-9, 9), min_size=16, max_size=64)
)
@pytest.mark.parametrize("width", [4, 8])
def test_hostile_numbers_never_raise_and_never_spoil_another_image(width: int, numbers: list[float]) -> None:
    wild = np.array(numbers[: len(numbers) // 16 * 16], float).reshape(-1, width)
    fine = [SQUARE] if width == 4 else [[0.0, 0, 10, 0, 10, 10, 0, 10]]
    state, values = graded([wild, fine], [wild[::-1], fine])
    assert values["score"][1] == 1
    assert values["predicted"].tolist() == [len(wild), 1]
    everything(state)


def test_bow_ties_find_themselves() -> None:
    tie = [[0.0, 0, 2, 2, 2, 0, 0, 2], [9.0, 9, 12, 9, 10, 10, 9, 12]]
    assert told(of([tie[::-1]], [tie]), "ap50", "map") == [1, 1]


@pytest.mark.slow
def test_many_equal_boxes_are_quickly_told() -> None:
    state = of([[SQUARE] * 100_000], [[SQUARE] * 3])
    assert told(state, "recall50", "precision50") == [1, 3 / 100_000]
    crowd = of([[SQUARE] * 20_000], [[SQUARE] * 19_000])
    assert told(crowd, "recall50", "precision50", "mean_iou") == [1, 0.95, 1]
    assert crowd.remarks() == {}


def test_a_hundred_thousand_boxes_against_as_many() -> None:
    corner = np.random.default_rng(0).uniform(0, 5000, (100_000, 2))
    boxes = np.concatenate((corner, corner + 9), axis=1)
    state = of([boxes[::-1]], [boxes])
    assert told(state, "recall50", "map") == [1, 1]
    assert state.remarks() == {}


def test_rotated_boxes_find_themselves() -> None:
    quads = rotated_boxes(np.random.default_rng(1), 30, reach=500).reshape(-1, 8)
    assert told(of([quads[::-1]], [quads]), "map", "recall50") == [1, 1]


def test_plain_functions() -> None:
    world = random_world(17, 30)
    state = tallied(world)
    assert calculate_detection_ap(world.true, world.said) == told(state, "ap50")[0]
    assert calculate_detection_map(world.true, world.said) == told(state, "map")[0]
    found = calculate_detection_f1(world.true, world.said, threshold=0.75)
    assert found["f1"] == told(state, "f1_75")[0]
    assert np.isnan(calculate_detection_f1([NONE], [NONE])["recall"])
    voc = calculate_detection_ap(world.true, world.said, rule="voc")
    assert voc == told(tallied(world, ap="voc"), "ap50")[0] == found_voc(world)
    for wrong in ([[[1, 2, 3]]], [[SQUARE], [[0.0] * 8]], [[[np.nan] * 4]]):
        with pytest.raises(ValueError, match=r"boxes of 4|finite"):
            as_shapes(wrong)
    with pytest.raises(ValueError, match="images of truths"):
        calculate_detection_ap([NONE], [])
    with pytest.raises(ValueError, match="as many scores"):
        calculate_detection_ap([[SQUARE]], [[SQUARE]], scores=[[]])


def found_voc(world: World) -> Any:
    """One step: precision times recall."""
    plain = calculate_detection_f1(world.true, world.said)
    return pytest.approx(plain["precision"] * plain["recall"])
