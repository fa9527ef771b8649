"""Interpolation of nodal values at arbitrary points, on the original or the deformed mesh."""

from __future__ import annotations

import numpy as np

from sightline.suites.simulation.solvers.solids.blocks import Array
from sightline.suites.simulation.solvers.solids.locating_kernels import locate
from sightline.suites.simulation.solvers.solids.mesh import Mesh


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
