"""Linear buckling: the factor by which the stress must grow until the body has a second equilibrium."""

from __future__ import annotations

import numpy as np
from scipy.sparse.linalg import LinearOperator, eigsh  # type: ignore[import-untyped, unused-ignore] # no types

from sightline.suites.simulation.solvers.solids.blocks import Array
from sightline.suites.simulation.solvers.solids.linear import factorize
from sightline.suites.simulation.solvers.solids.matrices import Matrix, assemble_matrix
from sightline.suites.simulation.solvers.solids.space import ElementSpace


def geometric_stiffness(space: ElementSpace, thickness: float, stress: Array) -> Matrix:
    """The work of a stress xx, yy, xy at the Gauss points on the rotations that a displacement brings."""
    sx, sy, txy = np.moveaxis(stress, -1, 0)
    tensor = np.stack([np.stack([sx, txy], axis=-1), np.stack([txy, sy], axis=-1)], axis=-2)
    slopes = space.gradients
    weighted = (thickness * space.weights)[:, :, None, None] * (tensor @ slopes)
    scalar = (slopes.transpose(0, 1, 3, 2) @ weighted).sum(axis=1)
    both = np.zeros((len(scalar), 18, 18))
    both[:, 0::2, 0::2] = both[:, 1::2, 1::2] = scalar
    return assemble_matrix(both, space.unknowns, space.size)


def buckling_factor(stiffness: Matrix, geometric: Matrix) -> float:
    """The lowest positive factor; infinite where no growth of this stress ever buckles the body.

    Both matrices are of the free unknowns. The start of the iteration is fixed, so the result is the same again.
    """
    size = stiffness.shape[0]
    inverse = LinearOperator((size, size), matvec=factorize(stiffness), dtype=np.float64)
    start = np.cos(1.7 * np.arange(size)) + 0.3
    (largest,) = eigsh(
        -geometric, k=1, M=stiffness, Minv=inverse, which="LA", v0=start, tol=1e-9, return_eigenvectors=False
    )
    return float(1 / largest) if largest > 0 else float(np.inf)
