"""Numba kernels for quads. Any quad is one convex polygon or two triangles, so clipping convex polygons suffices.

A quad is packed into a row of 14 numbers: bounds (4), area, kind, corners (8). The corners are put into an order of
their own, so that the same shape gives the same bits however its corners were listed:

- convex: counter-clockwise;
- hollow (one corner points inwards): the triangles 0 1 2 and 0 2 3;
- crossed (a bow-tie, as an even-odd fill paints it): the edges 0 1 and 2 3 cross in p; the triangles p 1 2 and p 3 0.
"""

from __future__ import annotations

import numpy as np

from sightline.scoring.geometry.arrays import LIMIT, Floats
from sightline.scoring.geometry.compiled_kernels import compiled

WIDTH = 14
EMPTY, CONVEX, CONCAVE, CROSSED = 0.0, 1.0, 2.0, 3.0
FLAT = 1e-12
"""Four corners whose triangles are all smaller than this share of the squared size lie on a line."""

# Numbers are fetched by row and column: a view of a row costs more than the arithmetic on it.


@compiled
def cross(a: Floats, i: int, j: int, b: Floats, k: int) -> float:
    """Twice the area of the triangle of corners i and j of one polygon and corner k of another."""
    return float((a[j, 0] - a[i, 0]) * (b[k, 1] - a[i, 1]) - (a[j, 1] - a[i, 1]) * (b[k, 0] - a[i, 0]))


@compiled
def twice_area(corners: Floats, n: int) -> float:
    """Twice the area of a polygon, negative where it runs clockwise."""
    total = 0.0
    for k in range(1, n - 1):
        total += cross(corners, 0, k, corners, k + 1)
    return total


@compiled
def _is_smaller(quad: Floats, start: int, step: int, than: Floats) -> bool:
    for k in range(4):
        at = (start + step * k) % 4
        for axis in range(2):
            if quad[at, axis] != than[k, axis]:
                return bool(quad[at, axis] < than[k, axis])
    return False


@compiled
def _canonical(quad: Floats, kind: float) -> Floats:
    """The least of the listings that mean the same: convex ones may begin anywhere, others at two of their corners."""
    best = quad.copy()
    for start in range(0, 4, 1 if kind == CONVEX else 2):
        for way in range(1 if kind == CONVEX else 2):
            # backwards the diagonal 0 2 stays one, the edges 0 1 and 2 3 are 3 2 and 1 0
            begin, step = (start, 1) if way == 0 else (start + (1 if kind == CROSSED else 0), -1)
            if _is_smaller(quad, begin % 4, step, best):
                for k in range(4):
                    at = (begin + step * k) % 4
                    best[k, 0], best[k, 1] = quad[at, 0], quad[at, 1]
    return best


@compiled
def _rotate_start(quad: Floats) -> Floats:
    """The same listing, begun one corner later."""
    later = np.empty((4, 2))
    for k in range(4):
        later[k, 0], later[k, 1] = quad[(k + 1) % 4, 0], quad[(k + 1) % 4, 1]
    return later


@compiled
def _do_cross(quad: Floats) -> bool:
    """Whether the edges 0 1 and 2 3 pass through each other."""
    here = cross(quad, 0, 1, quad, 2), cross(quad, 0, 1, quad, 3)
    there = cross(quad, 2, 3, quad, 0), cross(quad, 2, 3, quad, 1)
    return min(here) < 0 < max(here) and min(there) < 0 < max(there)


@compiled
def _classify(quad: Floats, scale: float) -> tuple[float, Floats]:
    """Kind and corners in their own order of a quad that runs counter-clockwise, if it has a direction at all."""
    least, widest = np.inf, 0.0
    for k in range(4):
        turn = cross(quad, k, (k + 1) % 4, quad, (k + 2) % 4)
        least, widest = min(least, turn), max(widest, abs(turn))
    if widest <= FLAT * scale:
        return EMPTY, quad
    if least >= 0:  # no leeway: a needle that is hollow by a hair would be clipped to something else
        return CONVEX, _canonical(quad, CONVEX)
    later = _rotate_start(quad)
    if _do_cross(quad) or _do_cross(later):
        return CROSSED, _canonical(quad if _do_cross(quad) else later, CROSSED)
    inner = min(cross(quad, 0, 1, quad, 2), cross(quad, 0, 2, quad, 3))
    other = min(cross(later, 0, 1, later, 2), cross(later, 0, 2, later, 3))
    return CONCAVE, _canonical(quad if inner >= other else later, CONCAVE)


@compiled
def _put(part: Floats, k: int, x: float, y: float) -> None:
    part[k, 0], part[k, 1] = x, y


@compiled
def _wind(part: Floats) -> None:
    """A triangle made counter-clockwise."""
    if cross(part, 0, 1, part, 2) < 0:
        x, y = part[1, 0], part[1, 1]
        _put(part, 1, part[2, 0], part[2, 1])
        _put(part, 2, x, y)


@compiled
def convex_parts(rows: Floats, i: int, x: float, y: float, parts: Floats) -> int:
    """Write the convex parts of a packed quad, seen from (x, y); returns how many there are.

    Far from the origin the cross products would lose their digits.
    """
    first = parts[0]
    for k in range(4):
        _put(first, k, rows[i, 6 + 2 * k] - x, rows[i, 7 + 2 * k] - y)
    if rows[i, 5] == CONVEX:
        return 1
    second = parts[1]
    if rows[i, 5] == CONCAVE:
        _put(second, 0, first[0, 0], first[0, 1])
        _put(second, 1, first[2, 0], first[2, 1])
        _put(second, 2, first[3, 0], first[3, 1])
    else:
        before, after = cross(first, 2, 3, first, 0), cross(first, 2, 3, first, 1)
        share = before / (before - after)
        px = first[0, 0] + share * (first[1, 0] - first[0, 0])
        py = first[0, 1] + share * (first[1, 1] - first[0, 1])
        _put(second, 0, px, py)
        _put(second, 1, first[3, 0], first[3, 1])
        _put(second, 2, first[0, 0], first[0, 1])
        _put(first, 0, px, py)
    _wind(first)
    _wind(second)
    return 2


@compiled
def _area(rows: Floats, i: int, parts: Floats) -> float:
    """Area of a packed quad by its parts."""
    count = convex_parts(rows, i, rows[i, 6], rows[i, 7], parts)
    total = 0.0
    for part in range(count):
        total += twice_area(parts[part], 4 if count == 1 else 3) / 2
    return total


@compiled
def pack_quads(raw: Floats) -> Floats:
    """Rows of 14 numbers from an array of n × 4 × 2; a row of zeros where there is no area."""
    rows, parts = np.zeros((len(raw), WIDTH)), np.empty((2, 4, 2))
    for i in range(len(raw)):
        quad = raw[i].copy()
        x1, y1, x2, y2 = np.inf, np.inf, -np.inf, -np.inf
        for k in range(4):
            x1, x2 = min(x1, quad[k, 0]), max(x2, quad[k, 0])
            y1, y2 = min(y1, quad[k, 1]), max(y2, quad[k, 1])
        if not (x2 > x1 >= -LIMIT and y2 > y1 >= -LIMIT and max(x2, y2) <= LIMIT):
            continue
        if twice_area(quad, 4) < 0:
            quad = quad[::-1].copy()
        kind, quad = _classify(quad, max(x2 - x1, y2 - y1) ** 2)
        if kind == EMPTY:
            continue
        rows[i, 0], rows[i, 1], rows[i, 2], rows[i, 3], rows[i, 5] = x1, y1, x2, y2, kind
        for k in range(8):
            rows[i, 6 + k] = quad[k // 2, k % 2]
        rows[i, 4] = _area(rows, i, parts)
        if rows[i, 4] <= 0:
            rows[i, :] = 0.0
    return rows
