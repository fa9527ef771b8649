"""Free torsion of a prismatic bar (Saint-Venant): Prandtl's stress function on the cross-section."""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from sightline.suites.simulation.solvers.solids.elements import ElementSpace, Matrix, assemble_matrix, assemble_vector
from sightline.suites.simulation.solvers.solids.mesh import Array, Integers


class TorsionProblem(Struct, frozen=True):
    """Prandtl's problem: laplace(phi) = -2 G theta, and phi = 0 on the rim of a section without holes."""

    stiffness: Matrix
    """Of the nodes within the rim."""
    load: Array
    """For G theta = 1."""
    inner: Integers
    """Numbers of the nodes within the rim."""


def make_torsion_problem(space: ElementSpace) -> TorsionProblem:
    """Assemble the torsion problem of a cross-section."""
    slopes = space.gradients
    matrices = (slopes.transpose(0, 1, 3, 2) @ (space.weights[:, :, None, None] * slopes)).sum(axis=1)
    nodes, size = space.mesh.elements, len(space.mesh.points)
    load = assemble_vector(2 * space.weights @ space.values.T, nodes, size)
    inner = np.setdiff1d(np.arange(size, dtype=np.int64), space.mesh.rim)
    return TorsionProblem(assemble_matrix(matrices, nodes, size)[inner][:, inner].tocsc(), load[inner], inner)


def shear_at_points(space: ElementSpace, function: Array) -> Array:
    """Shear stresses zx and zy of a stress function, shape (elements, points, 2)."""
    slopes = (space.gradients @ function[space.mesh.elements][:, None, :, None])[..., 0]
    return np.stack([slopes[..., 1], -slopes[..., 0]], axis=-1)


def torque_from_stress_function(space: ElementSpace, function: Array) -> float:
    """Return the torque: twice the integral of the stress function."""
    return float(2 * (space.weights * space.at_points(function)).sum())
