"""How finely the polygons of a sample are drawn: on whole pixels, or on a power of two as many where those are coarse.

A scale is decided from the sample alone, for truth and reply together, so that no batch shows in a figure. Areas are
told in units of the space all the same.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from sightline.data.columns import Polygons, take_ragged
from sightline.scoring.geometry.arrays import Floats, Ints, image_of_rows, sums
from sightline.scoring.geometry.masks import CANVAS, ring_costs
from sightline.scoring.parsers.columns.coordinates import RANGES, SPACES, UNIT

FINE = 1024
"""Pixels that the unit square is wide: about as many as a picture."""
FINEST = 2**20
THICK = 64.0
"""Pixels that a polygon too small for any is to be thick on its finer grid."""
FLAT = 1e-9
"""A ring with less area than this share of its squared size is a line: no grid is fine enough for it."""


def declared_scale(space: object) -> int:
    """The scale that a declared space asks for, 0 where none is declared; pixels and 0–1000 are fine as they are."""
    if not isinstance(space, str) or space not in SPACES:
        return 0
    return 2 ** math.ceil(math.log2(1000.0 / RANGES[space])) if space in RANGES else 1


def first_scales(reply: Polygons, truth: Polygons, declared: int, budget: int) -> Ints:
    """The scale of each sample: the declared one, else `FINE` where the truth lies within the unit square, else 1.

    Where there is no truth, the reply decides: it shares nothing, whatever its grid.
    """
    reach = _reach(truth)
    if declared:
        wanted = np.full(len(truth), declared, np.int64)
    else:
        decisive = np.where(np.isnan(reach), _reach(reply), reach)
        wanted = np.where(decisive <= UNIT, FINE, 1)
    return affordable_scales(reply, truth, wanted, budget) if (wanted > 1).any() else wanted


def finer_scales(side: Polygons, empty: NDArray[np.bool_], scale: int) -> Ints:
    """The scale on which every ring of each sample that `scale` has left empty, though it has area, gets pixels."""
    thick = np.full(len(empty), np.inf)
    hollow = np.flatnonzero(empty & (np.diff(side.rings) > 2))
    if len(hollow):
        thick[hollow] = _thickness(side, hollow)
    least = np.full(len(side), np.inf)
    np.minimum.at(least, image_of_rows(side.offsets), thick)
    wanted = np.exp2(np.ceil(np.log2(np.clip(THICK / least, 1.0, FINEST)))).astype(np.int64)
    return np.maximum(wanted, scale)


def affordable_scales(reply: Polygons, truth: Polygons, wanted: Ints, budget: int) -> Ints:
    """The wanted scales, halved until everything lies on the largest canvas and no outline is too long to draw."""
    reach = np.fmax(_reach(reply), _reach(truth))
    room = np.frexp(CANVAS[0] / np.clip(np.nan_to_num(reach), 1.0 / FINEST, CANVAS[0]))[1] - 1
    scales: Ints = np.minimum(wanted, np.left_shift(np.int64(1), room.astype(np.int64)))
    for side in (reply, truth):
        rows = np.flatnonzero(scales > 1)
        while len(rows):
            part = side.take(rows)
            part = part.scaled(np.repeat(scales[rows, None], 2, axis=1).astype(np.float64))
            rows = rows[sums(ring_costs(part.points, part.rings), part.offsets) > budget]
            scales[rows] //= 2
            rows = rows[scales[rows] > 1]
    return scales


def _reach(side: Polygons) -> Floats:
    """The largest coordinate of each sample, either way; NaN where it has none."""
    first, reach = side.rings[side.offsets], np.full(len(side), np.nan)
    filled = np.flatnonzero(np.diff(first))
    if len(filled):
        farthest = np.maximum(np.abs(side.points[:, 0]), np.abs(side.points[:, 1]))
        reach[filled] = np.maximum.reduceat(farthest, first[filled])
    return reach


def _thickness(side: Polygons, which: Ints) -> Floats:
    """Area over length of some rings; infinite where a ring is a line."""
    rings, inner = take_ragged(side.rings, which)
    ring, starts = image_of_rows(rings), rings[:-1]
    points = np.clip(side.points[inner], -1e12, 1e12)
    points = points - points[starts][ring]  # far from the origin the products would lose their digits
    after = np.arange(1, len(points) + 1)
    after[rings[1:] - 1] = starts
    turns = points[:, 0] * points[after, 1] - points[:, 1] * points[after, 0]
    area = np.abs(np.add.reduceat(turns, starts)) / 2
    size = (np.maximum.reduceat(points, starts) - np.minimum.reduceat(points, starts)).max(axis=1)
    thick: Floats = np.divide(area, size, out=np.full(len(which), np.inf), where=area > FLAT * size**2)
    return thick
