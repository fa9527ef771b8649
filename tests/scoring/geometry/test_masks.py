"""Masks: every pixel as pycocotools draws it, unions, and rings that are hardly any."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sightline.scoring.geometry.arrays import offsets_of
from sightline.scoring.geometry.masks import (
    mask_rows,
    ring_costs,
    ring_masks,
    select_affordable,
    shared_pixels,
    union_masks,
)
from tests.scoring.geometry.references import painted

coco = pytest.importorskip("pycocotools.mask")
# pycocotools' arrays are of the time before NumPy 2
pytestmark = pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")


def drawn(*rings: Any, canvas: tuple[int, int] = (65536, 65536)) -> Any:
    points = [np.reshape(ring, (-1, 2)) for ring in rings]
    flat = np.concatenate([np.empty((0, 2)), *points])
    return ring_masks(flat, offsets_of([len(ring) for ring in points]), canvas)


def random_ring(rng: np.random.Generator, canvas: tuple[int, int], kind: str) -> Any:
    n = int(rng.integers(3, 10))
    if kind == "beyond":
        return rng.uniform(-30, 90, (n, 2))
    inside = rng.uniform(0, 1, (n, 2)) * canvas
    return inside.round() if kind == "whole" else inside


@pytest.mark.parametrize("kind", ["inside", "whole", "beyond"])
def test_every_pixel_equals_pycocotools(kind: str) -> None:
    rng = np.random.default_rng(1)
    for _ in range(200):
        canvas = int(rng.integers(1, 60)), int(rng.integers(1, 60))
        rings = [random_ring(rng, canvas, kind) for _ in range(3)]
        codes = coco.frPyObjects([ring.ravel().tolist() for ring in rings], canvas[1], canvas[0])
        masks = drawn(*rings, canvas=canvas)
        for k in range(3):
            edges = masks.edges[masks.at[k] : masks.at[k + 1]]
            assert np.array_equal(painted(edges, *canvas), coco.decode(codes[k]))
        assert masks.areas().tolist() == coco.area(codes).tolist() == mask_rows(masks, canvas)[:, 4].tolist()
        whole = union_masks(masks, np.array([0, 3]))
        assert np.array_equal(painted(whole.edges, *canvas), coco.decode(coco.merge(codes)))


def test_an_unlimited_canvas_changes_no_pixel_of_what_is_inside() -> None:
    rng = np.random.default_rng(2)
    rings = [random_ring(rng, (500, 400), "inside") for _ in range(50)]
    codes = coco.frPyObjects([ring.ravel().tolist() for ring in rings], 402, 502)
    masks = drawn(*rings)
    assert masks.areas().tolist() == coco.area(codes).tolist()
    bounds = mask_rows(masks)[:, :4]
    boxes = coco.toBbox(codes)
    full = masks.areas() > 0
    assert np.array_equal(bounds[full], np.concatenate((boxes[:, :2], boxes[:, :2] + boxes[:, 2:]), axis=1)[full])


def test_shared_pixels() -> None:
    a = drawn([0, 0, 10, 0, 10, 10, 0, 10], [0, 0, 2, 0, 2, 2, 0, 2], [])
    b = drawn([5, 5, 15, 5, 15, 15, 5, 15], [9, 9, 12, 9, 12, 12, 9, 12], [0, 0, 9, 0, 9, 9])
    assert shared_pixels(a, b).tolist() == [25, 0, 0]


def test_points_and_lines_are_their_pixels() -> None:
    masks = drawn([3.7, 2.2], [0, 0, 4, 0], [2.5, 9.9, 2.5, 5.1], [0, 0, 3, 3], [-5, -5], [-2, 1, 2, 1], [7, 7, 7, 7])
    assert masks.areas().tolist() == [1, 5, 5, 4, 0, 3, 1]
    same = drawn([4, 0, 0, 0], [3, 3, 0, 0])
    assert same.edges.tolist() == drawn([0, 0, 4, 0], [0, 0, 3, 3]).edges.tolist()


def test_rings_without_area_and_far_away_never_raise() -> None:
    masks = drawn([], [5, 5] * 6, [0, 0, 9, 9, 4, 4], [1e300, -1e300, -1e300, 1e300, 3, 3], [1e300, 1e300])
    assert masks.areas()[[0, 1, 4]].tolist() == [0, 0, 0]
    assert (mask_rows(masks)[:, 4] >= 0).all()


def test_what_costs_too_much_is_left_out_whatever_its_order() -> None:
    costs = np.array([5, 9, 5, 2, 9, 1, 100, 7])
    at = np.array([0, 5, 5, 8])
    assert select_affordable(costs, at, 20).tolist() == [True, False, True, True, False, True, False, True]
    assert select_affordable(costs, at, 1000).all()
    zigzag = np.stack((np.tile([0.0, 60000.0], 500), np.arange(1000.0)), axis=1)
    assert ring_costs(zigzag, np.array([0, 1000]))[0] >= 60_000_000 - 60_000
