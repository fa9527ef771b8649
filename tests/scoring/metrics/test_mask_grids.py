"""Masks of coarse coordinates: what polygons share does not depend on the space that they are written in."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from shapely import Polygon
from shapely.ops import unary_union

from sightline.core.interfaces import Reading, Task
from sightline.data.columns import Batch
from sightline.scoring.metrics import mask_comparison
from sightline.scoring.metrics.masks import MaskState, as_polygons, calculate_dice, calculate_mask_ap, calculate_miou
from sightline.scoring.metrics.state import MetricContext
from tests.support.evaluators import estimates, make_evaluator, score_texts

Ring = Any
SIZE = np.array([640.0, 400.0])
RANGES = {"0-1": 1.0, "0-100": 100.0, "0-1000": 1000.0}
FIGURES = ("miou", "dice", "pixel_f1", "ciou")


def box(x: float, y: float, wide: float, high: float | None = None) -> list[float]:
    high = wide if high is None else high
    return [x, y, x + wide, y, x + wide, y + high, x, y + high]


def blob(chance: np.random.Generator, least: float = 25.0) -> Ring:
    """A ring around a place in the picture, in pixels."""
    angle = np.sort(chance.uniform(0, 2 * np.pi, chance.integers(4, 9)))
    radius = chance.uniform(least, 90, len(angle))
    ring = chance.uniform(100, SIZE - 100) + np.stack((radius * np.cos(angle), radius * np.sin(angle)), axis=1)
    return np.clip(ring, 0, SIZE)


def pictures(seed: int, count: int) -> tuple[list[list[Ring]], list[list[Ring]]]:
    """Truths, and replies that are a little off, lack some, or are there where nothing is."""
    chance = np.random.default_rng(seed)
    true = [[blob(chance) for _ in range(chance.integers(0, 4))] for _ in range(count)]
    said = [[ring + chance.normal(0, 5, 2) for ring in rings if chance.random() < 0.8] for rings in true]
    return true, [rings if chance.random() < 0.9 else [blob(chance)] for rings in said]


def exact_iou(true: list[Ring], said: list[Ring]) -> float:
    a, b = (unary_union([Polygon(np.reshape(ring, (-1, 2))).buffer(0) for ring in side]) for side in (true, said))
    return float(a.intersection(b).area / a.union(b).area) if true or said else 1.0


def text(rings: list[Ring], space: str) -> str:
    scale = np.ones(2) if space == "pixels" else RANGES[space] / SIZE
    written = ["".join(f"<{number!r}>" for number in np.ravel(ring * scale).tolist()) for ring in rings]
    return "".join(f"<poly>{one}</poly>" for one in written) or "none"


def figures(pairs: tuple[list[list[Ring]], list[list[Ring]]], truth: str, reply: str, **options: Any) -> dict[str, Any]:
    """What a task says of pictures whose truths and replies are written in these spaces."""
    names = (*FIGURES, "mask_ap", "mask_ap50")
    task = Task(name="t", parser="polygons", metrics=names, options={**options})
    evaluator, count = make_evaluator(task, Reading(coords=reply, truth_coords=truth)), len(pairs[0])
    truths, replies = [text(rings, truth) for rings in pairs[0]], [text(rings, reply) for rings in pairs[1]]
    score_texts(evaluator, truths, replies, sizes=np.tile(SIZE, (count, 1)))
    assert evaluator.counts == {"answered": count}
    return {name: estimate.value for name, estimate in estimates(evaluator).items()}


@pytest.mark.parametrize("reply", ["pixels", *RANGES])
@pytest.mark.parametrize("truth", ["pixels", *RANGES])
def test_the_same_pictures_earn_the_same_in_every_space(truth: str, reply: str) -> None:
    pairs = pictures(1, 60)
    expected = float(np.mean([exact_iou(*both) for both in zip(*pairs, strict=True)]))
    assert 0.4 < expected < 0.9
    found, pixels = figures(pairs, truth, reply), figures(pairs, "pixels", "pixels")
    near = 0.015 if truth == "0-100" else 0.005  # no finer than a hundred columns, unless the space is declared
    assert found["miou"] == pytest.approx(expected, abs=near)
    assert {name: found[name] for name in FIGURES} == pytest.approx({name: pixels[name] for name in FIGURES}, abs=near)
    assert found["mask_ap50"] == pytest.approx(pixels["mask_ap50"], abs=0.03)


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.filter_too_much])
@given(seed=st.integers(0, 2**32), space=st.sampled_from(["0-1", "0-100", "0-1000"]))
def test_a_declared_space_is_drawn_as_finely_as_a_picture(seed: int, space: str) -> None:
    pairs = pictures(seed, 6)
    rings = [Polygon(np.reshape(ring, (-1, 2))) for side in pairs for image in side for ring in image]
    assume(all(ring.is_valid and ring.area > 1000 for ring in rings))  # of a sliver, pixels are a coarse measure
    found = figures(pairs, space, space, space=space)
    assert found["miou"] == pytest.approx(np.mean([exact_iou(*both) for both in zip(*pairs, strict=True)]), abs=0.02)


@pytest.mark.parametrize(
    ("true", "said"),
    [
        (box(0.1, 0.1, 0.2), box(0.6, 0.6, 0.2)),
        (box(0, 0, 1), box(0, 0, 0.5, 1)),
        (box(0.1, 0.1, 0.8), box(0.1, 0.1, 0.8, 0.4)),
        (box(0.2, 0.2, 0.01), box(0.205, 0.2, 0.01)),
        (box(0.2, 0.2, 1e-4), box(0.2, 0.2, 1e-4, 5e-5)),
        (box(10, 10, 0.4), box(50, 50, 0.4)),
        (box(10, 10, 0.4), box(10, 10, 0.4)),
        (box(10, 10, 0.4), box(10.1, 10, 0.4)),
        (box(1, 400, 300, 0.3), box(1, 400.1, 300, 0.3)),
        ([3, 3, 60, 60, 60, 60.2], [3, 3, 60, 60, 60, 60.2]),
    ],
)
def test_what_is_too_small_for_pixels_is_as_exact_as_shapely(true: list[float], said: list[float]) -> None:
    iou = exact_iou([true], [said])
    assert calculate_miou([[true]], [[said]]) == pytest.approx(iou, abs=0.02)
    assert calculate_dice([[true]], [[said]]) == pytest.approx(2 * iou / (1 + iou), abs=0.02)
    assert calculate_mask_ap([[true]], [[said]], thresholds=[0.25]) == float(iou >= 0.25)


def test_nothing_on_both_sides_is_right_but_polygons_without_pixels_are_not() -> None:
    line, dust = [0, 0, 5, 5, 9, 9], box(60_000, 60_000, 1e-3)
    assert calculate_miou([[]], [[]]) == 1
    for one, other in (([line], [line]), ([dust], [dust]), ([line], []), ([], [dust]), ([box(-9, -9, 4)], [])):
        assert calculate_miou([one], [other]) == 0
        assert calculate_dice([one], [other]) == 0


def test_a_speck_beside_a_field_changes_hardly_anything_and_is_found() -> None:
    field, speck = box(20, 20, 300), box(400, 20, 0.3)
    assert calculate_miou([[field]], [[field, speck]]) == pytest.approx(1, abs=1e-3)
    assert calculate_mask_ap([[field, speck]], [[speck, field]]) == 1
    assert calculate_mask_ap([[field, speck]], [[field]], thresholds=[0.5]) == 51 / 101


def test_areas_are_told_in_units_of_the_space() -> None:
    state = MaskState(MetricContext(options={"instances": True, "width": 30, "height": 30}))
    true, said = [[box(0.25, 0.25, 0.5)], [box(10, 10, 0.25), box(20, 20, 20)]], [[box(0, 0, 0.5)], [box(20, 20, 20)]]
    values = state.count(Batch(as_polygons(true), as_polygons(said), np.ones(2, bool), np.arange(2, dtype=np.uint64)))
    assert values["true_area"] == pytest.approx([0.25, 100.0625], rel=0.01)
    assert values["predicted_area"] == pytest.approx([0.25, 100], rel=0.01)
    assert [row[:3] for row in state.breakdowns()[0].rows] == [("small", 3, 1), ("medium", 0, 0), ("large", 0, 0)]


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 2**32), instances=st.booleans())
def test_samples_on_different_grids_merge_to_the_same_digits(seed: int, instances: bool) -> None:
    chance, plan = random.Random(seed), MetricContext(options={"instances": instances})
    true, said = pictures(seed, 12)
    shrunk = [chance.choice([1.0, 1 / 640, 1 / 300]) for _ in true]  # some of the last kind lie beyond the unit square
    true, said = (
        [[ring * k for ring in rings] for rings, k in zip(side, shrunk, strict=True)] for side in (true, said)
    )
    true = [[*rings, np.reshape(box(3, 3, 0.2), (-1, 2))] if chance.random() < 0.3 else rings for rings in true]

    def tallied(rows: list[int]) -> MaskState:
        state, each = MaskState(plan), [[side[k] for k in rows] for side in (true, said)]
        state.count(Batch(*map(as_polygons, each), np.ones(len(rows), bool), np.array(rows, np.uint64)))
        return state

    def told(state: MaskState) -> Any:
        shares = [
            state.share(0, 2),
            state.share(1, 2),
            state.share(3, 4),
            state.pixel_f1(),
            state.average_precision(0.5),
        ]
        return shares, state.breakdowns(), state.remarks()

    rows, cut = chance.sample(range(12), 12), chance.randrange(13)
    merged = tallied(rows[cut:])
    merged.merge(tallied(rows[:cut]))
    assert told(merged) == told(tallied(list(range(12))))


def test_a_speck_makes_no_long_outline_too_long_to_draw(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mask_comparison, "BUDGET", 20_000)
    comb = np.stack((np.tile([0.0, 300.0], 10), np.arange(20.0)), axis=1)
    state = MaskState()
    said = [[comb, box(5, 40, 0.01)]]
    state.count(Batch(as_polygons(said), as_polygons(said), np.ones(1, bool), np.zeros(1, np.uint64)))
    assert state.remarks() == {}
    assert state.share(0, 2).value == 1
