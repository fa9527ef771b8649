"""Detection with scores: the digits of pycocotools and faster-coco-eval, VOC's rule, quads by a slow way round."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sightline.scoring.metrics.detection import (
    AP50,
    AP75,
    F1_50,
    MAP,
    MEAN_IOU,
    DetectionState,
    calculate_detection_ap,
    calculate_detection_map,
)
from sightline.scoring.metrics.matching import THRESHOLDS
from tests.scoring.geometry.references import plain_box_iou, plain_polygon_iou, rotated_boxes
from tests.scoring.metrics.detection_coco import coco_ap, coco_rows, coco_work
from tests.scoring.metrics.detection_worlds import World, plain_ap, random_world, tallied


def aps(state: DetectionState) -> list[float | None]:
    return [state.state.average_precision(threshold).value for threshold in THRESHOLDS]


@pytest.mark.parametrize("library", ["pycocotools", "faster_coco_eval"])
@pytest.mark.parametrize(("seed", "grid"), [(1, False), (3, True)])
def test_ap_equals_the_official_programs(library: str, seed: int, grid: bool) -> None:
    pytest.importorskip(library)
    world = random_world(seed, 120, grid)
    assert any(len(a) == 0 for a in world.said) and any(len(b) == 0 for b in world.true)
    expected = coco_ap(*coco_rows(world), library)
    state = tallied(world, scored=True)
    assert aps(state) == pytest.approx(expected, abs=1e-9)
    assert MAP.compute(state).value == pytest.approx(expected[1:].mean(), abs=1e-9)
    assert AP75.compute(state).value == pytest.approx(expected[6], abs=1e-9)
    plain = calculate_detection_map(world.true, world.said, scores=world.scores)
    assert plain == pytest.approx(expected[1:].mean(), abs=1e-9)


def test_equal_scores_within_an_image_are_matched_as_in_pycocotools() -> None:
    """One image alone: there the order of equal scores is the only one that there is, and decides who is matched."""
    pytest.importorskip("pycocotools")
    for seed in range(12):
        world = random_world(seed, 1, grid=True)
        if not len(world.said[0]) or not len(world.true[0]):
            continue
        world = world._replace(scores=[np.full(len(world.said[0]), 0.5)])
        work = coco_work(*coco_rows(world), "pycocotools", "bbox")
        expected = (work.evalImgs[0]["dtMatches"] > 0).sum(axis=1)
        assert tallied(world, scored=True).state.sums.totals()[:11].tolist() == expected.tolist()


@pytest.mark.parametrize("rule", ["voc", "coco"])
def test_both_rules_equal_plain_python(rule: str) -> None:
    world = random_world(5, 60)
    expected = [plain_ap(world, threshold, plain_box_iou, rule) for threshold in THRESHOLDS]
    assert aps(tallied(world, scored=True, ap=rule)) == pytest.approx(expected, abs=1e-9)


def random_quads(seed: int) -> World:
    """Rotated boxes that moved a little, and quads of any four corners."""
    rng, world = np.random.default_rng(seed), World([], [], [], [])
    for image in range(12):
        true = rotated_boxes(rng, int(rng.integers(0, 6)), reach=30).reshape(-1, 8)
        odd = rng.uniform(0, 30, (2, 8))
        said = np.concatenate((true + rng.normal(0, 0.3, true.shape), odd + rng.normal(0, 0.1, odd.shape)))
        world.true.append(np.concatenate((true, odd)))
        world.said.append(said[rng.permutation(len(said))[: rng.integers(1, 9)]])
        world.scores.append(rng.random(len(world.said[-1])))
        world.clusters.append(image)
    return world


@pytest.mark.parametrize("rule", ["voc", "coco"])
def test_quads_equal_a_slow_way_round_by_shapely(rule: str) -> None:
    world = random_quads(6)
    expected = [plain_ap(world, threshold, plain_polygon_iou, rule) for threshold in THRESHOLDS]
    assert 0.2 < expected[1] < 0.99
    assert aps(tallied(world, scored=True, ap=rule)) == pytest.approx(expected, abs=1e-9)
    plain = calculate_detection_ap(world.true, world.said, threshold=0.65, scores=world.scores, rule=rule)
    assert plain == pytest.approx(expected[4], abs=1e-9)


def test_quads_and_boxes_agree_on_upright_boxes() -> None:
    world = random_world(9, 40, grid=True)
    assert aps(tallied(world.quads(), scored=True)) == pytest.approx(aps(tallied(world, scored=True)), abs=1e-12)


def test_an_iou_on_the_threshold_is_a_hit() -> None:
    world = World([np.array([[0.0, 0, 1, 1]])], [np.array([[0.0, 0, 1, 2]])], [np.ones(1)], [0])
    assert aps(tallied(world, scored=True))[:3] == [1, 1, 0]
    assert aps(tallied(world))[:3] == [1, 1, 0]


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 2**32), steps=st.sampled_from([2, 5, 1000]))
def test_merging_any_split_in_any_order_is_folding(seed: int, steps: int) -> None:
    """With few steps many scores tie over images: they enter the curve together."""
    world, chance = random_world(seed, 20), random.Random(seed)
    world = world._replace(scores=[np.floor(one * steps) / steps for one in world.scores])
    images = chance.sample(range(20), 20)
    cut = chance.randrange(21)
    merged, whole = DetectionState(), tallied(world, scored=True)
    for part in (images[cut:], images[:cut]):
        merged.merge(tallied(world.part(part), scored=True))
    assert aps(merged) == aps(whole)
    assert merged.breakdowns() == whole.breakdowns()


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 2**32), grid=st.booleans())
def test_with_different_scores_no_order_shows(seed: int, grid: bool) -> None:
    world = random_world(seed, 15, grid)
    mixed = world.shuffled(random.Random(seed))
    one, other = tallied(world, scored=True), tallied(mixed, scored=True)
    if not grid:  # on a grid one box may overlap two others equally: there pycocotools goes by their order
        assert aps(one) == aps(other)
        assert one.breakdowns() == other.breakdowns()
    assert one.state.sums.totals()[11:13].tolist() == other.state.sums.totals()[11:13].tolist()


def test_a_merged_shard_is_not_changed_by_what_is_merged_into_the_other() -> None:
    shard, merged = tallied(random_world(8, 10), scored=True), DetectionState()
    before = aps(shard)
    merged.merge(shard)
    merged.merge(shard)
    assert aps(merged) != [None] * 11
    assert aps(shard) == before


def test_one_shape_without_a_score_makes_a_task_without_scores() -> None:
    """In whichever batch or shard it comes; and the report tells it."""
    scored, plain = random_world(21, 30), random_world(22, 4)
    world = World(*(one + other for one, other in zip(scored, plain, strict=True)))
    bare = [np.full(len(one), np.nan) for one in plain.scores]
    mixed = world._replace(scores=scored.scores + bare)
    unscored, folded, merged = tallied(world), tallied(scored, scored=True), tallied(plain)
    folded.count(plain.batch())
    merged.merge(tallied(scored, scored=True))
    told = {"shapes without a score, so that all were counted as if they had none": sum(map(len, plain.said))}
    for state in (tallied(mixed, scored=True), folded, merged):
        assert [figure.compute(state) for figure in (AP50, AP75, MAP, F1_50, MEAN_IOU)] == [
            figure.compute(unscored) for figure in (AP50, AP75, MAP, F1_50, MEAN_IOU)
        ]
        assert AP50.compute(state).low is not None
        assert state.breakdowns() == unscored.breakdowns()
        assert state.remarks() == told
    assert aps(unscored) != aps(tallied(world, scored=True))
    assert unscored.remarks() == {}


def test_replies_without_shapes_need_no_score() -> None:
    scored, empty = random_world(24, 20), random_world(25, 10)
    empty = empty._replace(said=[np.zeros((0, 4))] * 10, scores=[np.zeros(0)] * 10)
    whole = tallied(World(*(one + other for one, other in zip(scored, empty, strict=True))), scored=True)
    merged = tallied(empty)
    merged.merge(tallied(scored, scored=True))
    assert aps(merged) == aps(whole)
    assert AP50.compute(merged) == AP50.compute(whole)
    assert AP50.compute(merged).low is not None
    assert merged.breakdowns() == whole.breakdowns()
    assert merged.remarks() == {}


def test_each_sample_goes_by_its_own_scores() -> None:
    scored, plain = random_world(26, 12), random_world(27, 12)
    bare = [np.full(len(one), np.nan) for one in plain.scores]
    both = World(*(one + other for one, other in zip(scored, plain._replace(scores=bare), strict=True)))
    values = DetectionState().count(both.batch(scored=True))
    apart = DetectionState().count(scored.batch(scored=True)), DetectionState().count(plain.batch())
    for name in ("score", "tp50", "ap50"):
        assert np.array_equal(values[name], np.concatenate([one[name] for one in apart]), equal_nan=True)


def test_scores_that_all_tie_give_the_figure_of_no_scores() -> None:
    world = World(
        [np.array([[0, 0, 10, 10], [50, 50, 60, 60.0]]), np.zeros((0, 4))],
        [np.array([[0, 0, 10, 10.0]]), np.array([[0, 0, 5, 5.0]])],
        [np.ones(2), np.zeros(0)],
        [0, 1],
    )
    assert AP50.compute(tallied(world, scored=True)).value == pytest.approx(0.5 * 51 / 101)
    assert AP50.compute(tallied(world, scored=True, ap="voc")).value == 0.25
    assert AP50.compute(tallied(world)).value == pytest.approx(0.5 * 51 / 101)


def test_the_curve_and_each_image_by_itself() -> None:
    world = random_world(23, 25)
    state = DetectionState()
    values = state.count(world.batch(scored=True))
    curve = state.breakdowns()[2]
    assert (curve.name, len(curve.rows)) == ("pr_curve", 101)
    assert np.mean([row[1] for row in curve.rows]) == pytest.approx(AP50.compute(state).value)
    for image in range(25):
        alone = calculate_detection_ap(
            world.true[image : image + 1], world.said[image : image + 1], scores=world.scores[image : image + 1]
        )
        assert values["ap50"][image] == pytest.approx(float("nan") if alone is None else alone, nan_ok=True)
