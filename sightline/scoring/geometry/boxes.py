"""Axis-aligned boxes as (x1, y1, x2, y2), in COCO's convention: the width is x2 − x1, without a pixel added."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from sightline.scoring.geometry.arrays import Floats, Ints, Overlaps
from sightline.scoring.geometry.overlap_kernels import overlaps, pack_boxes


def box_rows(boxes: ArrayLike) -> Floats:
    """Rows of corners and area, the lesser corner first; zeros for a box that has no area."""
    return pack_boxes(np.ascontiguousarray(boxes, dtype=np.float64).reshape(-1, 4))


def box_overlaps(left: Floats, left_at: Ints, right: Floats, right_at: Ints, least: float, most: int) -> Overlaps:
    """Pairs of sorted rows within each image whose IoU is above 0 and at least `least`."""
    return Overlaps(*overlaps(left, left_at, right, right_at, least, most))


def corners_of(boxes: Floats) -> Floats:
    """Boxes as quads: four corners each."""
    return boxes[:, [0, 1, 2, 1, 2, 3, 0, 3]]
