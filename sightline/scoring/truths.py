"""Truths of a column: parsed as replies are, with rules of their own for shapes, and references of captions.

A truth that is empty means that there is nothing to be found, where a task asks for any number of shapes. A truth with
a number and no shapes, or with a shape without area (a box of no width, a polygon whose points lie on a line), is
invalid: no reply could match it. A mask that is taken as one area is invalid only if none of its rings has area.
"""

from __future__ import annotations

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from sightline.data.columns import Floats, ParsedColumn, Polygons, Shapes, TextColumn, count_without_shapes
from sightline.scoring.geometry.arrays import Ints, image_of_rows
from sightline.scoring.parsers.base import ColumnParser
from sightline.scoring.parsers.columns.reasons import EMPTY, NO_BOX, NO_QUAD, REASONS, SHAPE_WITHOUT_AREA
from sightline.scoring.parsers.references import add_references

_FLAT = 1e-9
"""Points that lie nearer to a line than this share of their extent lie on it."""


def read_truths(parser: ColumnParser, texts: TextColumn, has_instances: bool = False) -> ParsedColumn:
    """Parse truths; `has_instances`: every polygon of a sample is matched by itself."""
    parsed = parser.read(texts)
    if parser.kind in ("shapes", "polygons") and parsed.reasons is REASONS:  # not a parser of the user's own
        parsed = _apply_shape_rules(parsed, parser, has_instances)
    return add_references(parsed, parser, texts)


def _apply_shape_rules(parsed: ParsedColumn, parser: ColumnParser, has_instances: bool) -> ParsedColumn:
    errors, values = parsed.errors.copy(), parsed.values
    if not getattr(parser, "single", False):
        is_empty = errors == EMPTY
        errors[is_empty] = 0
        values = replace(values, counts=np.where(is_empty, 0.0, values.counts)) if is_empty.any() else values
        if isinstance(values, Shapes):
            errors[(errors == 0) & count_without_shapes(values)] = NO_BOX if values.coords.shape[1] == 4 else NO_QUAD
    errors[(errors == 0) & _flat_samples(values, has_instances)] = SHAPE_WITHOUT_AREA
    return ParsedColumn(values, errors, REASONS)


def _flat_samples(values: Shapes | Polygons, has_instances: bool) -> NDArray[np.bool_]:
    """Samples with a shape that has no area; of masks that are united, those with no other ring."""
    found = np.zeros(len(values), bool)
    if isinstance(values, Polygons):
        is_flat, some = _flat_rings(values.points, values.rings), not has_instances
    elif values.coords.shape[1] == 4:
        is_flat, some = (values.coords[:, :2] == values.coords[:, 2:]).any(axis=1), False
    else:
        corners = np.arange(len(values.coords) + 1, dtype=np.int64) * 4
        is_flat, some = _flat_rings(values.coords.reshape(-1, 2), corners), False
    if not is_flat.any():
        return found
    flat = np.bincount(image_of_rows(values.offsets)[is_flat], minlength=len(values))
    sizes = np.diff(values.offsets)
    return (flat > 0) & (flat == sizes) if some else flat > 0


def _flat_rings(points: Floats, rings: Ints) -> NDArray[np.bool_]:
    """Rings whose points lie on one line: no point is off the line from the first to the one farthest from it."""
    if len(rings) < 2 or not len(points):
        return np.zeros(len(rings) - 1, bool)
    ring, starts = image_of_rows(rings), rings[:-1]
    offset = points - points[starts][ring]
    distance = np.hypot(offset[:, 0], offset[:, 1])
    size = np.maximum.reduceat(distance, starts)
    order = np.lexsort((-distance, ring))  # the farthest point of each ring comes first
    direction = offset[order[starts]][ring]
    off_line = np.abs(offset[:, 0] * direction[:, 1] - offset[:, 1] * direction[:, 0])
    is_flat: NDArray[np.bool_] = np.maximum.reduceat(off_line, starts) <= _FLAT * size**2
    return is_flat
