"""Polygons in tags, `<poly><x><y>…</poly>…`, and changed areas, `<dot><x><y>…</dot>…`; both are rings of points.

Numbers, counts, scores (in a `<score>` tag only) and all that is forgiven are as for boxes; a ring has three points
or more.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, ClassVar

import numpy as np

from sightline.data.columns import Polygons, Read, TextColumn
from sightline.scoring.parsers.base import ColumnParser
from sightline.scoring.parsers.columns.reasons import FEW_POINTS, REASONS
from sightline.scoring.parsers.columns.shape_reader import scan_shapes
from sightline.scoring.parsers.columns.shapes import shapes_as_dict


class PolygonParser(ColumnParser, frozen=True, kw_only=True):
    """Rings of any number of points."""

    kind: ClassVar[str] = "polygons"
    tag: str

    def read(self, texts: TextColumn) -> Read:
        """See `ColumnParser`."""
        scanned = scan_shapes(texts, self.tag, (0, FEW_POINTS))
        rings = np.concatenate((np.zeros(1, np.int64), scanned.ends // 2))
        points = scanned.numbers.reshape(-1, 2)
        return Read(Polygons(scanned.offsets, rings, points, scanned.counts, scanned.scores), scanned.errors, REASONS)

    def value(self, values: Any) -> Any:
        """`count` (None where none is stated), `shapes` as lists of points, and `scores` where there are any."""
        points, ends = values.points.tolist(), values.rings.tolist()
        return shapes_as_dict(values, [points[a:b] for a, b in pairwise(ends)])


POLYGONS = PolygonParser(tag="poly")
DOTS = PolygonParser(tag="dot")
