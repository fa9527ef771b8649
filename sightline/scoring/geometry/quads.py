"""Quads: rotated boxes as four corners, in either direction and from any corner on, with exact polygon IoU.

A quad is packed into a row of 14 numbers: bounds (4), area, kind, corners (8). The corners are put into a canonical
order, so that the same shape gives the same bits however its corners were listed:

- convex: counter-clockwise;
- concave (one corner points inwards): the triangles 0 1 2 and 0 2 3;
- crossed (a bow-tie, as an even-odd fill paints it): the edges 0 1 and 2 3 cross in p; the triangles p 1 2 and p 3 0.

So every quad is one convex polygon or two triangles, and their overlap is found by Sutherland–Hodgman clipping.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from sightline.scoring.compiled_kernels import compiled
from sightline.scoring.geometry.arrays import LIMIT, Floats, Ints, Overlaps
from sightline.scoring.geometry.boxes import overlaps

WIDTH = 14
EMPTY, CONVEX, CONCAVE, CROSSED = 0.0, 1.0, 2.0, 3.0
FLAT = 1e-12
"""Four corners whose triangles are all smaller than this share of the squared size lie on a line."""

# Numbers are fetched by row and column: a view of a row costs more than the arithmetic on it.
NEAR = 1 - 1e-9
"""Room for rounding where bounds and areas spare the clipping."""


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
    """Order the corners of a triangle counter-clockwise."""
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


@compiled
def _clip(subject: Floats, n: int, clip: Floats, edge: tuple[int, int], out: Floats) -> int:
    """Sutherland and Hodgman's step: what of a convex polygon lies to the left of an edge of another."""
    found = 0
    first = cross(clip, edge[0], edge[1], subject, 0)
    inside = first
    for k in range(n):
        after = (k + 1) % n
        next_inside = cross(clip, edge[0], edge[1], subject, after) if after else first
        if inside >= 0:
            out[found, 0], out[found, 1] = subject[k, 0], subject[k, 1]
            found += 1
        if (inside > 0 and next_inside < 0) or (inside < 0 and next_inside > 0):
            share = inside / (inside - next_inside)
            out[found, 0] = subject[k, 0] + share * (subject[after, 0] - subject[k, 0])
            out[found, 1] = subject[k, 1] + share * (subject[after, 1] - subject[k, 1])
            found += 1
        inside = next_inside
    return found


@compiled
def _shared_part(part: Floats, n: int, clip: Floats, m: int, work: Floats) -> float:
    """Area common to two convex polygons of n and m corners."""
    subject, spare = work[0], work[1]
    for k in range(n):
        subject[k, 0], subject[k, 1] = part[k, 0], part[k, 1]
    for k in range(m):
        n = _clip(subject, n, clip, (k, (k + 1) % m), spare)
        if n < 3:
            return 0.0
        subject, spare = spare, subject
    return max(0.0, twice_area(subject, n) / 2)


@compiled
def _shared(left: Floats, i: int, right: Floats, j: int, work: Floats) -> float:
    """Area common to two quads."""
    x, y = left[i, 6], left[i, 7]
    left_parts, right_parts = work[2:4], work[4:6]
    left_count, right_count = convex_parts(left, i, x, y, left_parts), convex_parts(right, j, x, y, right_parts)
    n, m = 4 if left_count == 1 else 3, 4 if right_count == 1 else 3
    total = 0.0
    for a in range(left_count):
        for b in range(right_count):
            total += _shared_part(left_parts[a], n, right_parts[b], m, work)
    return total


@compiled
def _order(left: Floats, i: int, right: Floats, j: int) -> int:
    """−1, 0 or 1: whether the left row comes first, both are the same, or the right row does."""
    for column in range(WIDTH):
        if left[i, column] != right[j, column]:
            return -1 if left[i, column] < right[j, column] else 1
    return 0


@compiled
def quad_pairs(left: Floats, right: Floats, i_of: Ints, j_of: Ints) -> Floats:
    """IoU of the left rows `i_of` with the right rows `j_of`."""
    found, work = np.zeros(len(i_of)), np.empty((6, 16, 2))
    for pair in range(len(i_of)):
        i, j = i_of[pair], j_of[pair]
        if left[i, 4] <= 0 or right[j, 4] <= 0:
            continue
        order = _order(left, i, right, j)
        if order == 0:
            found[pair] = 1.0
            continue
        # the smaller row first, so that both ways round give the same bits
        shared = _shared(left, i, right, j, work) if order < 0 else _shared(right, j, left, i, work)
        both = left[i, 4] + right[j, 4]
        if both > shared:
            found[pair] = min(1.0, shared / (both - shared))
    return found


def quad_rows(quads: ArrayLike) -> Floats:
    """Packed rows (bounds, area, kind, corners) of an array of n × 8 or n × 4 × 2; zeros for quads without area."""
    return pack_quads(np.ascontiguousarray(quads, dtype=np.float64).reshape(-1, 4, 2))


def quad_overlaps(left: Floats, left_at: Ints, right: Floats, right_at: Ints, least: float, most: int) -> Overlaps:
    """Pairs of sorted rows within each image whose IoU is above 0 and at least `least`."""
    near = Overlaps(*overlaps(left, left_at, right, right_at, least * NEAR, most))
    iou = quad_pairs(left, right, near.left, near.right)
    return near._replace(iou=iou).keep((iou > 0) & (iou >= least))
