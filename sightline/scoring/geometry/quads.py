"""Quads: rotated boxes as four corners, in either direction and from any corner on, with exact polygon IoU.

One that crosses itself is the area that an even-odd fill would paint. A quad without area has IoU 0 with everything.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from sightline.scoring.geometry.arrays import Floats, Ints, Overlaps
from sightline.scoring.geometry.clip_kernels import quad_pairs
from sightline.scoring.geometry.overlap_kernels import overlaps
from sightline.scoring.geometry.quad_kernels import pack_quads

NEAR = 1 - 1e-9
"""Room for rounding where bounds and areas spare the clipping."""


def quad_rows(quads: ArrayLike) -> Floats:
    """Packed rows (bounds, area, kind, corners) of an array of n × 8 or n × 4 × 2; zeros for quads without area."""
    return pack_quads(np.ascontiguousarray(quads, dtype=np.float64).reshape(-1, 4, 2))


def quad_overlaps(left: Floats, left_at: Ints, right: Floats, right_at: Ints, least: float, most: int) -> Overlaps:
    """Pairs of sorted rows within each image whose IoU is above 0 and at least `least`."""
    near = Overlaps(*overlaps(left, left_at, right, right_at, least * NEAR, most))
    iou = quad_pairs(left, right, near.left, near.right)
    return near._replace(iou=iou).keep((iou > 0) & (iou >= least))


def quad_iou(left: ArrayLike, right: ArrayLike) -> Floats:
    """IoU of quad i on the left with quad i on the right."""
    a, b = quad_rows(left), quad_rows(right)
    indices = np.arange(len(a))
    return quad_pairs(a, b, indices, indices)
