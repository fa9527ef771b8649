"""Intersection over union (IoU) of boxes, rotated boxes (quads) and polygons, as a plain function.

`calculate_iou([[0, 0, 10, 10]], [[0, 0, 10, 5]])` is `[[0.5]]`. A width is x2 − x1: no pixel is added.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from sightline.data.columns import Shapes
from sightline.scoring.geometry.arrays import Floats, Ints
from sightline.scoring.metrics.detection import iou
from sightline.scoring.metrics.matching import PAIRS, shape_sides

ShapeList = Any
"""An array of boxes or quads, or a list of polygons."""
ShapeKind = Literal["auto", "boxes", "quads", "polygons"]
_WIDTHS = {"boxes": 4, "quads": 8}


def calculate_iou(a: ShapeList, b: ShapeList, *, kind: ShapeKind = "auto") -> Floats:
    """IoU of every shape of `a` (rows) with every shape of `b` (columns).

    Boxes are n × 4 (x1 y1 x2 y2), quads n × 8 or n × 4 × 2 (corners in order), polygons a list of rings, each k × 2. By
    default rows of 4 numbers are boxes, of 8 quads, everything else polygons. Boxes and quads may be mixed; a crossed
    outline is filled by the even-odd rule. A shape without area has IoU 0 with everything.
    """
    if kind == "polygons" or (kind == "auto" and not (_is_table(a) and _is_table(b))):
        return _polygon_iou(_rings(a), _rings(b))
    found = iou(a, b)
    for side in (a, b):
        array = np.asarray(side, np.float64)
        if kind in _WIDTHS and array.size and array.reshape(len(array), -1).shape[1] != _WIDTHS[kind]:
            raise ValueError(f"{kind} have {_WIDTHS[kind]} numbers each")
    return found


def paired_iou(left: Shapes, right: Shapes) -> Floats:
    """IoU of the only shape of each sample with the only one of its partner; samples must have one shape each."""
    one, other, overlapping = shape_sides(left, right)
    rows: Ints = np.arange(len(left.coords) + 1, dtype=np.int64)
    found = overlapping(one.rows, rows, other.rows, rows, 0.0, PAIRS)
    values = np.zeros(len(left.coords))
    values[found.left] = found.iou
    return values


def _is_table(shapes: ShapeList) -> bool:
    """Whether shapes are rows of 4 or 8 numbers, or of four corners."""
    try:
        array = np.asarray(shapes, np.float64)
    except ValueError:  # rings of different lengths
        return False
    if array.size == 0:
        return True
    return (array.ndim == 2 and array.shape[1] in (4, 8)) or (array.ndim == 3 and array.shape[1:] == (4, 2))


def _rings(shapes: ShapeList) -> list[Floats]:
    rings = []
    for shape in shapes:
        ring = np.asarray(shape, np.float64)
        if ring.ndim == 1 and len(ring) == 4:  # a box among polygons
            x1, y1, x2, y2 = ring
            ring = np.array([(x1, y1), (x2, y1), (x2, y2), (x1, y2)])
        ring = ring.reshape(-1, 2)
        if len(ring) < 3 or not np.isfinite(ring).all():
            raise ValueError("a polygon needs three points or more, all finite")
        rings.append(ring)
    return rings


def _polygon_iou(left: list[Floats], right: list[Floats]) -> Floats:
    """Exact areas by shapely, pair by pair where bounds overlap."""
    import shapely  # type: ignore[import-untyped]  # it ships no types

    sides = [np.array([shapely.make_valid(shapely.Polygon(ring)) for ring in rings], object) for rings in (left, right)]
    found = np.zeros((len(left), len(right)))
    if not left or not right:
        return found
    areas = [shapely.area(side) for side in sides]
    rows, columns = shapely.STRtree(sides[1]).query(sides[0], predicate="intersects")
    shared = shapely.area(shapely.intersection(sides[0][rows], sides[1][columns]))
    either = areas[0][rows] + areas[1][columns] - shared
    found[rows, columns] = np.divide(shared, either, out=np.zeros(len(shared)), where=either > 0)
    return found
