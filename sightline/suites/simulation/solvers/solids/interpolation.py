"""Interpolation of nodal values at arbitrary points, on the original or the deformed mesh.

To locate a point, triangles are sorted into the cells of a grid, and each point searches its cell alone.
"""

from __future__ import annotations

import numpy as np

from sightline.scoring.compiled_kernels import compiled
from sightline.suites.simulation.solvers.solids.mesh import Array, Mesh

_SLACK = 1e-7
"""Points on an edge belong to the triangle, rounding included."""


@compiled
def locate(points, corners, triangles, cells):  # type: ignore[no-untyped-def] # compiled for float64 and int64 arrays
    """Return for each point its triangle (-1 for none) and its barycentric coordinates.

    `cells` is the number of cells along each axis of the grid.
    """
    low_x, low_y = corners[:, 0].min(), corners[:, 1].min()
    size_x = (corners[:, 0].max() - low_x) / cells * (1 + 1e-9) + 1e-300
    size_y = (corners[:, 1].max() - low_y) / cells * (1 + 1e-9) + 1e-300
    starts = np.zeros(cells * cells + 1, dtype=np.int64)
    spans = np.empty((len(triangles), 4), dtype=np.int64)
    for t in range(len(triangles)):
        a, b, c = triangles[t]
        spans[t, 0] = int((min(corners[a, 0], corners[b, 0], corners[c, 0]) - low_x) / size_x)
        spans[t, 1] = int((max(corners[a, 0], corners[b, 0], corners[c, 0]) - low_x) / size_x)
        spans[t, 2] = int((min(corners[a, 1], corners[b, 1], corners[c, 1]) - low_y) / size_y)
        spans[t, 3] = int((max(corners[a, 1], corners[b, 1], corners[c, 1]) - low_y) / size_y)
        for i in range(spans[t, 0], spans[t, 1] + 1):
            for j in range(spans[t, 2], spans[t, 3] + 1):
                starts[i * cells + j + 1] += 1
    starts = np.cumsum(starts)
    filled = starts[:-1].copy()
    members = np.empty(starts[-1], dtype=np.int64)
    for t in range(len(triangles)):
        for i in range(spans[t, 0], spans[t, 1] + 1):
            for j in range(spans[t, 2], spans[t, 3] + 1):
                members[filled[i * cells + j]] = t
                filled[i * cells + j] += 1
    return _locate_points(points, corners, triangles, (low_x, low_y, size_x, size_y), starts, members)


@compiled
def _locate_points(points, corners, triangles, grid, starts, members):  # type: ignore[no-untyped-def] # see above
    low_x, low_y, size_x, size_y = grid
    cells = int(np.sqrt(len(starts) - 1) + 0.5)
    found = np.full(len(points), -1, dtype=np.int64)
    shares = np.zeros((len(points), 3))
    for p in range(len(points)):
        x, y = points[p]
        across, up = (x - low_x) / size_x, (y - low_y) / size_y
        if not (-_SLACK * cells <= across < cells + 1 and -_SLACK * cells <= up < cells + 1):
            continue
        i, j = min(max(int(across), 0), cells - 1), min(max(int(up), 0), cells - 1)
        for k in range(starts[i * cells + j], starts[i * cells + j + 1]):
            a, b, c = triangles[members[k]]
            ax, ay = corners[a, 0] - corners[c, 0], corners[a, 1] - corners[c, 1]
            bx, by = corners[b, 0] - corners[c, 0], corners[b, 1] - corners[c, 1]
            area = ax * by - ay * bx
            px, py = x - corners[c, 0], y - corners[c, 1]
            first, second = (px * by - py * bx) / area, (ax * py - ay * px) / area
            if first >= -_SLACK and second >= -_SLACK and first + second <= 1 + _SLACK:
                found[p] = members[k]
                shares[p, 0], shares[p, 1], shares[p, 2] = first, second, 1 - first - second
                break
    return found, shares


def interpolate(mesh: Mesh, corners: Array, nodal: Array, points: Array) -> Array:
    """Shape (points, …) for values of shape (nodes, …); not a number outside. `corners` are where the nodes are now.

    Linear between neighbouring nodes: an element has eight triangles, so the error is that of a mesh twice as fine.
    """
    triangles = mesh.triangles
    cells = max(1, int(np.sqrt(len(triangles))))
    found, shares = locate(np.ascontiguousarray(points), np.ascontiguousarray(corners), triangles, cells)
    values = nodal.reshape(len(nodal), -1)[triangles[found]]
    mixed = (shares[:, :, None] * values).sum(axis=1)
    mixed[found < 0] = np.nan
    return np.asarray(mixed.reshape(len(points), *nodal.shape[1:]))
