"""The same geometry said again, plainly: IoU of boxes by hand, of any other shape by shapely, one pair at a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sightline.scoring.geometry.arrays import Floats, Ints, offsets_of
from sightline.scoring.geometry.quads import quad_pairs, quad_rows


def plain_box_iou(a: Sequence[float], b: Sequence[float]) -> float:
    wide, high = min(a[2], b[2]) - max(a[0], b[0]), min(a[3], b[3]) - max(a[1], b[1])
    shared = max(0.0, wide) * max(0.0, high)
    whole = (a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - shared
    return shared / whole if whole > 0 else 0.0


def plain_polygon_iou(a: Any, b: Any) -> float:
    from shapely import Polygon, make_valid

    one, other = make_valid(Polygon(np.reshape(a, (-1, 2)))), make_valid(Polygon(np.reshape(b, (-1, 2))))
    shared = one.intersection(other).area
    whole = one.area + other.area - shared
    return float(shared / whole) if whole > 0 else 0.0


def rotated_boxes(rng: np.random.Generator, n: int, reach: float = 20.0) -> Any:
    """Random rotated boxes, n × 4 × 2, close enough together to overlap often."""
    centre, half = rng.uniform(0, reach, (n, 1, 2)), rng.uniform(0.5, 6, (n, 1, 2))
    angle = rng.uniform(0, 2 * np.pi, n)
    turn = np.stack([np.cos(angle), np.sin(angle), -np.sin(angle), np.cos(angle)], axis=1).reshape(n, 2, 2)
    return centre + (half * np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)])) @ turn


def painted(edges: Any, width: int, height: int) -> Any:
    """The runs of a mask as an array of pixels, rows by columns."""
    flat = np.zeros(width * height, dtype=np.uint8)
    for start, stop in np.reshape(edges, (-1, 2)):
        flat[start:stop] = 1
    return flat.reshape(width, height).T


def flatten(images: Sequence[ArrayLike], width: int) -> tuple[Floats, Ints]:
    """Flat rows and offsets of a list that holds each image's rows."""
    rows = [np.asarray(image, dtype=np.float64).reshape(-1, width) for image in images]
    return np.concatenate([np.empty((0, width)), *rows]), offsets_of([len(one) for one in rows])


def quad_iou(left: ArrayLike, right: ArrayLike) -> Floats:
    """IoU of quad i on the left with quad i on the right."""
    a, b = quad_rows(left), quad_rows(right)
    indices = np.arange(len(a))
    return quad_pairs(a, b, indices, indices)
