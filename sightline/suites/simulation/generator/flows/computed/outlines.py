"""Signed-distance field of bodies with a polygonal outline."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from sightline.suites.simulation.generator.arrays import Array


def signed_distance(corners: Array, shape: tuple[int, int]) -> Array:
    """Signed distance from a closed polygon at all cells of a framed grid: negative inside, 1 on the frame."""
    row, column = np.indices(shape).astype(float)
    nearest = np.full(shape, np.inf)
    inside = np.zeros(shape, dtype=bool)
    for (x0, y0), (x1, y1) in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        dx, dy = x1 - x0, y1 - y0
        length = dx * dx + dy * dy
        if length == 0:
            continue
        share = np.clip(((column - x0) * dx + (row - y0) * dy) / length, 0, 1)
        nearest = np.minimum(nearest, np.hypot(column - x0 - share * dx, row - y0 - share * dy))
        if y0 != y1:
            inside ^= ((y0 > row) != (y1 > row)) & (column < x0 + (row - y0) * dx / dy)
    distance = np.where(inside, -nearest, nearest)
    distance[0] = distance[-1] = distance[:, 0] = distance[:, -1] = 1.0
    return np.asarray(distance)


def distance_function(distance: Array) -> Callable[[Array, Array], Array]:
    """Return the distance as a function, by linear interpolation between cells."""
    up, across = distance.shape

    def body(x: Array, y: Array) -> Array:
        x, y = np.clip(x, 0, across - 1.001), np.clip(y, 0, up - 1.001)
        c, r = x.astype(int), y.astype(int)
        sx, sy = x - c, y - r
        low = distance[r, c] * (1 - sx) + distance[r, c + 1] * sx
        high = distance[r + 1, c] * (1 - sx) + distance[r + 1, c + 1] * sx
        return np.asarray(low * (1 - sy) + high * sy)

    return body
