"""Polygon masks, rasterized by the rule of pycocotools and stored as run-length encoding (RLE).

The canvas begins at (0, 0); what lies outside is cut off, as in COCO. A ring of one point is its pixel, one of two the
line between them. Coordinates beyond a million are taken as a million.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sightline.scoring.geometry.arrays import Floats, Ints, Overlaps, image_of_rows, sums
from sightline.scoring.geometry.mask_kernels import (
    FAR,
    SHIFT,
    build_runs,
    costs_of,
    count_common_pixels,
    crossings,
    measure_masks,
    unite_runs,
)
from sightline.scoring.geometry.overlap_kernels import overlaps

CANVAS = (65536, 65536)
"""Width and height where none are told, and the most there can be: far beyond any picture that a model is shown."""
NEAR = 1 - 1e-9
"""Room for rounding where bounds and areas spare the counting of pixels."""


class Masks(NamedTuple):
    """The runs of mask i are `edges[at[i]:at[i + 1]]`: start, stop, start, stop …, apart and rising."""

    at: Ints
    edges: Ints

    def areas(self) -> Ints:
        """Pixels of each mask."""
        return sums(self.edges[1::2] - self.edges[::2], self.at // 2)


def ring_masks(points: Floats, rings: Ints, canvas: tuple[int, int] = CANVAS) -> Masks:
    """The mask of each ring."""
    near = np.clip(points, -FAR, FAR)
    size = 2 * int(ring_costs(points, rings, canvas).sum())
    codes = crossings(near, rings, canvas, size)
    codes.sort()
    return Masks(*build_runs(codes, len(rings) - 1, canvas[0] * canvas[1]))


def union_masks(masks: Masks, at: Ints) -> Masks:
    """The union of the masks `at[i]:at[i + 1]` for each i."""
    group = np.repeat(image_of_rows(at), np.diff(masks.at))
    codes = (group << (SHIFT + 1)) + (masks.edges << 1)
    codes[1::2] += 1
    codes.sort()
    return Masks(*unite_runs(codes, len(at) - 1))


def shared_pixels(left: Masks, right: Masks) -> Ints:
    """Pixels that mask i on the left and mask i on the right have in common."""
    indices = np.arange(len(left.at) - 1)
    return count_common_pixels(left.at, left.edges, right.at, right.edges, indices, indices)


def mask_rows(masks: Masks, canvas: tuple[int, int] = CANVAS) -> Floats:
    """Rows for matching: bounds, pixels, what tells masks apart, and the place of the mask."""
    return measure_masks(masks.at, masks.edges, canvas[1])


def mask_overlaps(
    left_masks: Masks, right_masks: Masks
) -> Callable[[Floats, Ints, Floats, Ints, float, int], Overlaps]:
    """What finds the pairs of sorted rows of these masks, as `box_overlaps` does for boxes."""

    def found(left: Floats, left_at: Ints, right: Floats, right_at: Ints, least: float, most: int) -> Overlaps:
        near = Overlaps(*overlaps(left, left_at, right, right_at, least * NEAR, most))
        i_of, j_of = left[near.left, 6].astype(np.int64), right[near.right, 6].astype(np.int64)
        shared = count_common_pixels(left_masks.at, left_masks.edges, right_masks.at, right_masks.edges, i_of, j_of)
        iou = shared / (left[near.left, 4] + right[near.right, 4] - shared)
        return near._replace(iou=iou).keep((iou > 0) & (iou >= least))

    return found


def ring_costs(points: Floats, rings: Ints, canvas: tuple[int, int] = CANVAS) -> Ints:
    """How many columns the outline of each ring crosses at most: what drawing it costs in time and memory."""
    return costs_of(points, rings, float(canvas[0]))


def select_affordable(costs: Ints, at: Ints, budget: int) -> NDArray[np.bool_]:
    """Which rings of each image can be drawn within the budget: the shortest outlines first, all equal ones or none."""
    kept = np.ones(len(costs), bool)
    for image in np.flatnonzero(sums(costs, at) > budget):
        part = slice(at[image], at[image + 1])
        lengths, counts = np.unique(costs[part], return_counts=True)
        kept[part] = costs[part] <= lengths[np.cumsum(lengths * counts) <= budget].max(initial=0)
    return kept
