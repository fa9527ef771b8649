"""Axis-aligned boxes: plain arithmetic as the reference, laws, and values that are hardly boxes."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sightline.scoring.geometry.arrays import image_of_rows, offsets_of, sums
from sightline.scoring.geometry.boxes import box_overlaps, box_rows, row_order
from sightline.scoring.metrics.detection import iou
from tests.scoring.geometry.references import flatten, plain_box_iou


def random_boxes(seed: int, n: int) -> Any:
    rng = np.random.default_rng(seed)
    corner = rng.integers(0, 20, (n, 2)).astype(float)
    return np.concatenate((corner, corner + rng.integers(1, 12, (n, 2))), axis=1)


def test_the_matrix_equals_plain_arithmetic() -> None:
    a, b = random_boxes(1, 40), random_boxes(2, 50)
    expected = np.array([[plain_box_iou(one, other) for other in b] for one in a])
    assert np.array_equal(iou(a, b), expected)
    assert np.array_equal(box_rows(a)[:, 4], (a[:, 2] - a[:, 0]) * (a[:, 3] - a[:, 1]))


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 2**32), shift=st.integers(-999, 999), scale=st.sampled_from([0.25, 2.0, 1024.0]))
def test_laws(seed: int, shift: int, scale: float) -> None:
    a, b = random_boxes(seed, 20), random_boxes(seed + 1, 20)
    found = iou(a, b)
    assert ((found >= 0) & (found <= 1)).all()
    assert np.array_equal(found, iou(b, a).T)
    assert np.array_equal(found, iou((a + shift) * scale, (b + shift) * scale))
    assert (np.diag(iou(a, a)) == 1).all()


def test_swapped_corners_are_put_right() -> None:
    assert iou([(5, 6, 1, 2)], [(1, 2, 5, 6), (5, 2, 1, 6)]).tolist() == [[1, 1]]


def test_what_is_no_box_is_empty() -> None:
    hostile = [(1, 1, 1, 9), (3, 3, 3, 3), (1e308, 1e308, 1.7e308, 1.7e308), (0, 0, 1e-320, 1e-320), (0, 0, 2e12, 1)]
    whole = [*hostile, (0, 0, 10, 10)]
    found = iou(whole, whole)
    assert found[-1, -1] == 1
    assert found.sum() == 1
    assert box_rows([(-1e308, 0, 1e308, 1), (np.inf, 0, 1, 1), (np.nan, 0, 1, 1)]).sum() == 0


def test_nothing_gives_nothing() -> None:
    assert iou([], []).shape == (0, 0)
    assert iou([], [(0, 0, 1, 1)]).shape == (0, 1)


def test_ragged_batches() -> None:
    flat, at = flatten([[(0, 0, 1, 1)], [], [(0, 0, 1, 1), (2, 2, 3, 3)]], 4)
    assert flat.shape == (3, 4)
    assert at.tolist() == [0, 1, 1, 3] == offsets_of([1, 0, 2]).tolist()
    assert image_of_rows(at).tolist() == [0, 2, 2]
    assert sums(np.array([5, 1, 2]), at).tolist() == [5, 0, 3]


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_rows_are_sorted_within_their_image(seed: int) -> None:
    rng = np.random.default_rng(seed)
    at = offsets_of(rng.integers(0, 40, 5))
    rows = rng.integers(0, 4, (at[-1], 5)).astype(float)
    order = row_order(rows, at)
    for low, high in pairwise(at):
        assert rows[order[low:high]].tolist() == sorted(rows[low:high].tolist())


@pytest.mark.parametrize("most", [1, 30, 10**6])
def test_an_image_with_too_many_pairs_is_cut_off_and_told(most: int) -> None:
    rows, at = box_rows([(0, 0, 9, 9)] * 20 + [(0, 0, 1, 1)]), np.array([0, 20, 21])
    found = box_overlaps(rows, at, rows, at, 0.5, most)
    assert found.skipped.tolist() == [{1: 19, 30: 18, 10**6: 0}[most], 0]
    assert len(found.iou) == (20 - found.skipped[0]) * 20 + 1


def test_an_image_that_takes_too_many_looks_is_cut_off_and_told() -> None:
    wide, apart = box_rows([(0, 0, 99, 1)] * 10), box_rows([(k, 5, k + 1, 6) for k in range(40)])
    found = box_overlaps(wide, np.array([0, 10]), apart, np.array([0, 40]), 0.0, 1)
    assert (len(found.iou), found.skipped.tolist()) == (0, [8])
