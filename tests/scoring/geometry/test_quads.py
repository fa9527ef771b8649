"""Quads against shapely, with the laws of IoU, bow-ties, and values that are no quads."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sightline.scoring.geometry.quads import quad_rows
from sightline.scoring.metrics.detection import iou
from tests.scoring.geometry.references import plain_polygon_iou, quad_iou, rotated_boxes

BOW_TIE = (0, 0, 2, 2, 2, 0, 0, 2)
ARROW = (0, 0, 4, 0, 1, 1, 0, 4)


def test_rotated_boxes_equal_shapely() -> None:
    rng = np.random.default_rng(3)
    a, b = rotated_boxes(rng, 300), rotated_boxes(rng, 300)
    expected = [plain_polygon_iou(one, other) for one, other in zip(a, b, strict=True)]
    assert np.count_nonzero(expected) > 30
    assert quad_iou(a, b) == pytest.approx(expected, abs=1e-12)


def test_any_four_corners_equal_shapely() -> None:
    rng = np.random.default_rng(4)
    a, b = rng.integers(0, 8, (300, 8)).astype(float), rng.integers(0, 8, (300, 8)).astype(float)
    expected = [plain_polygon_iou(one, other) for one, other in zip(a, b, strict=True)]
    assert quad_iou(a, b) == pytest.approx(expected, abs=1e-12)


def test_the_matrix_holds_the_pairs() -> None:
    rng = np.random.default_rng(5)
    a, b = rotated_boxes(rng, 12).reshape(-1, 8), rng.uniform(0, 20, (9, 8))
    found = iou(a, b)
    rows, columns = np.indices(found.shape)
    assert np.array_equal(found.ravel(), quad_iou(a[rows.ravel()], b[columns.ravel()]))


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 2**32), angle=st.floats(0, 6.3), scale=st.floats(0.01, 100), shift=st.floats(-1e4, 1e4))
def test_moving_turning_and_scaling_change_nothing(seed: int, angle: float, scale: float, shift: float) -> None:
    rng = np.random.default_rng(seed)
    a, b = rotated_boxes(rng, 12), rotated_boxes(rng, 12)
    found = quad_iou(a, b)
    assert ((found >= 0) & (found <= 1)).all()
    assert np.array_equal(quad_iou(b, a), found)
    turn = scale * np.array([(np.cos(angle), np.sin(angle)), (-np.sin(angle), np.cos(angle))])
    assert quad_iou(a @ turn + shift, b @ turn + shift) == pytest.approx(found, abs=1e-8)
    mirrored = np.array([(-1, 0), (0, 1)])
    assert quad_iou(a @ mirrored, b @ mirrored) == pytest.approx(found, abs=1e-12)


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 2**32), start=st.integers(0, 3), backwards=st.booleans())
def test_the_order_of_corners_changes_no_bit(seed: int, start: int, backwards: bool) -> None:
    rng = np.random.default_rng(seed)
    a = np.concatenate((rotated_boxes(rng, 8), rng.integers(0, 12, (8, 4, 2))))
    b = np.concatenate((rotated_boxes(rng, 8), rng.integers(0, 12, (8, 4, 2))))
    listed = np.roll(a[:, ::-1] if backwards else a, start, axis=1)
    assert np.array_equal(quad_iou(a, b), quad_iou(listed, b))
    area = quad_rows(a)[:, 4]
    assert np.array_equal(quad_iou(a, listed), (area > 0).astype(float))


def test_a_bow_tie_is_what_an_even_odd_fill_paints() -> None:
    assert quad_iou([BOW_TIE], [BOW_TIE]).tolist() == [1]
    assert quad_rows([BOW_TIE, ARROW])[:, 4].tolist() == [2, 4]
    square = (0, 0, 2, 0, 2, 2, 0, 2)
    assert quad_iou([BOW_TIE, ARROW], [square, ARROW]) == pytest.approx([0.5, 1])


def test_what_is_no_quad_is_empty() -> None:
    square = [0.0, 0, 2, 0, 2, 2, 0, 2]
    hostile = [
        [1, 1] * 4,
        [0, 0, 1, 1, 2, 2, 3, 3],
        [0, 0, 5, 0, 0, 0, 5, 0],
        [value * 1e307 for value in square],
        [value * 1e-320 for value in square],
    ]
    whole = [*hostile, square]
    found = iou(whole, whole)
    assert found[-1, -1] == 1
    assert found.sum() == 1
    assert quad_rows(whole)[:, 4].tolist() == [0.0] * len(hostile) + [4.0]


def test_a_needle_that_is_hollow_by_a_hair_is_not_taken_for_convex() -> None:
    needle, other = (0, 4, 3, 6, 6, 0, 0, 1e7), (6, 0, 6, 1, -1, 0, 0, 1e7)
    expected = plain_polygon_iou(needle, other)
    assert quad_iou([needle, other], [other, needle]) == pytest.approx([expected] * 2, abs=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_numbers_of_all_sizes_stay_symmetric_and_between_0_and_1(seed: int) -> None:
    sizes = [0, 1, -1, 2, 3, 1e-300, 1e-12, 1e12, -1e12, 1e6, 5e-324, 0.1, 1 / 3]
    rng = np.random.default_rng(seed)
    a, b = rng.choice(sizes[: 13 - 3 * (seed % 2)], (2, 40, 8))
    found = iou(a, b)
    assert ((found >= 0) & (found <= 1)).all()
    assert np.array_equal(iou(b, a).T, found)
