"""Numba kernels for the IoU of packed quads by Sutherland–Hodgman clipping."""

from __future__ import annotations

import numpy as np

from sightline.scoring.geometry.arrays import Floats, Ints
from sightline.scoring.geometry.compiled_kernels import compiled
from sightline.scoring.geometry.quad_kernels import WIDTH, convex_parts, cross, twice_area


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
