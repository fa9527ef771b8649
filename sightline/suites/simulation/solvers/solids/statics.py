"""Linear statics, buckling and torsion: equilibrium of a supported body, direct and conjugate gradient solvers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from msgspec import Struct
from scipy.linalg import eigh  # type: ignore[import-untyped, unused-ignore] # no types
from scipy.sparse.linalg import (  # type: ignore[import-untyped, unused-ignore] # no types
    LinearOperator,
    eigsh,
    splu,  # type: ignore[import-untyped, unused-ignore] # no types
)

from sightline.suites.simulation.solvers.solids import elasticity, elements
from sightline.suites.simulation.solvers.solids.elasticity import Elastic, SupportCondition, stiffness
from sightline.suites.simulation.solvers.solids.elements import ElementSpace, Matrix
from sightline.suites.simulation.solvers.solids.mesh import Array, Integers


def factorize(matrix: Matrix) -> Callable[[Array], Array]:
    """Factorize a symmetric positive definite matrix; return a function that solves for right-hand sides."""
    factors: Any = splu(
        matrix.tocsc(), permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True}
    )

    def solved(load: Array) -> Array:
        return np.asarray(factors.solve(load))

    return solved


class Iteration(Struct, frozen=True):
    """State of the conjugate gradient method after an iteration."""

    solution: Array
    residual: Array
    """Load minus stiffness times solution, by unknown."""
    step: Array
    """By how much the solution changed."""


def conjugate_gradients(
    matrix: Matrix, load: Array, start: Array, limit: int, keep_going: Callable[[Iteration], bool]
) -> Iteration:
    """Conjugate gradients with diagonal (Jacobi) preconditioning, from a start, until `keep_going` returns False."""
    rows = matrix.tocsr()
    scale = 1 / rows.diagonal()
    solution = start.copy()
    residual = load - rows @ solution
    direction = scale * residual
    energy = float(residual @ direction)
    state = Iteration(solution, residual, np.zeros_like(start))
    for _ in range(limit):
        product = rows @ direction
        length = energy / float(direction @ product)
        solution = solution + length * direction
        residual = residual - length * product
        state = Iteration(solution, residual, length * direction)
        if not keep_going(state):
            break
        scaled = scale * residual
        energy, before = float(residual @ scaled), energy
        direction = scaled + energy / before * direction
    return state


def geometric_stiffness(space: ElementSpace, thickness: float, stress: Array) -> Matrix:
    """The work of a stress xx, yy, xy at the Gauss points on the rotations that a displacement brings."""
    sx, sy, txy = np.moveaxis(stress, -1, 0)
    tensor = np.stack([np.stack([sx, txy], axis=-1), np.stack([txy, sy], axis=-1)], axis=-2)
    slopes = space.gradients
    weighted = (thickness * space.weights)[:, :, None, None] * (tensor @ slopes)
    scalar = (slopes.transpose(0, 1, 3, 2) @ weighted).sum(axis=1)
    both = np.zeros((len(scalar), 18, 18))
    both[:, 0::2, 0::2] = both[:, 1::2, 1::2] = scalar
    return elements.assemble_matrix(both, space.unknowns, space.size)


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


_BEND = np.array([[12, 6, -12, 6], [6, 4, -6, 2], [-12, -6, 12, -6], [6, 2, -6, 4]], dtype=float)
_PUSH = np.array([[36, 3, -36, 3], [3, 4, -3, -1], [-36, -3, 36, -3], [3, -1, -3, 4]], dtype=float) / 30
_LENGTHS = np.array([0, 1, 0, 1])
"""Rows of a rotation carry the length of the element once more than rows of a shift."""


def strut_factor(length: float, bending: Array, compression: Array, *, both_clamped: bool) -> float:
    """The factor on the compression at which the strut buckles, infinite where nothing is compressed.

    Clamped at its start, and at its end too or free there; `bending` (E I) and `compression` (force, negative where it
    pulls) are given for elements of equal length.
    """
    count = len(bending)
    if compression.max() <= 0:
        return float(np.inf)
    step = length / count
    scale = step ** (_LENGTHS[:, None] + _LENGTHS)
    stiff, push = np.zeros((2 * count + 2,) * 2), np.zeros((2 * count + 2,) * 2)
    for k in range(count):
        part = slice(2 * k, 2 * k + 4)
        stiff[part, part] += bending[k] / step**3 * scale * _BEND
        push[part, part] += compression[k] / step * scale * _PUSH
    free = slice(2, 2 * count if both_clamped else 2 * count + 2)
    largest = eigh(push[free, free], stiff[free, free], eigvals_only=True)[-1]
    return float(1 / largest) if largest > 0 else float(np.inf)


_NO_COMPRESSION = 1e-4


class Problem(Struct, frozen=True, kw_only=True):
    """The equilibrium equations of a supported body, for any load."""

    space: ElementSpace
    elastic: Elastic
    supports: tuple[SupportCondition, ...]
    body: Matrix
    """Stiffness of all unknowns, no supports."""
    springs: Matrix
    freedoms: Matrix

    @property
    def reduced(self) -> Matrix:
        """Reduced stiffness matrix of the free unknowns, including springs."""
        return (self.freedoms.T @ (self.body + self.springs) @ self.freedoms).tocsc()

    def total_load(self, load: Array, heating: Array) -> Array:
        """Return the total nodal load: forces and thermal load."""
        return load + elasticity.thermal_load(self.space, self.elastic, heating)

    def nodal_stress(self, displacement: Array, heating: Array) -> Array:
        """Return nodal stresses xx, yy and xy."""
        return elements.recover_nodal_values(
            self.space, elasticity.stress_at_points(self.space, self.elastic, displacement, heating)
        )

    def reactions(self, displacement: Array, load: Array, heating: Array) -> Array:
        """Sum of Fx, Fy and Mz about the origin of what the supports bear.

        It is what the body bears and the load does not explain. On free unknowns only an error of the solver remains.
        """
        missing = self.body @ displacement - self.total_load(load, heating)
        return resultant(self, missing - self.unborne(missing + self.springs @ displacement))

    def unborne(self, missing: Array) -> Array:
        """The share of forces on all unknowns that no support bears, since the unknowns are free."""
        return expand_forces(self, self.freedoms.T @ missing)


def resultant(problem: Problem, forces: Array) -> Array:
    """Fx, Fy and Mz about the origin of forces on all unknowns."""
    x, y = problem.space.mesh.points.T
    along, up = forces[0::2], forces[1::2]
    return np.array([along.sum(), up.sum(), (x * up - y * along).sum()])


def expand_forces(problem: Problem, free: Array) -> Array:
    """Forces on free unknowns as forces on all: each stays at the unknown that it belongs to."""
    # a column has its own unknown as its largest entry, and shares of an eliminated one besides
    matrix = problem.freedoms.tocsc(copy=True)
    matrix.data = np.where(matrix.data == 1.0, 1.0, 0.0)
    return np.asarray(matrix @ free)


def make_problem(space: ElementSpace, elastic: Elastic, supports: tuple[SupportCondition, ...]) -> Problem:
    """Assemble the equations of a body."""
    mesh = space.mesh
    return Problem(
        space=space,
        elastic=elastic,
        supports=supports,
        body=stiffness(space, elastic),
        springs=elasticity.spring_stiffness(mesh, supports),
        freedoms=elasticity.free_displacements(mesh, supports),
    )


def direct_solver(problem: Problem) -> Callable[[Array, Array], Array]:
    """Displacements for a load on the nodes and a heating by node, by a direct solution."""
    solve = factorize(problem.reduced)

    def displaced(load: Array, heating: Array) -> Array:
        return np.asarray(problem.freedoms @ solve(problem.freedoms.T @ problem.total_load(load, heating)))

    return displaced


def linear_buckling_factor(problem: Problem, displacement: Array, heating: Array) -> float:
    """Linear buckling factor on load and heating for buckling in the plane."""
    stress = elasticity.stress_at_points(problem.space, problem.elastic, displacement, heating)
    sx, sy, txy = np.moveaxis(stress, -1, 0)
    lowest = (sx + sy) / 2 - np.hypot((sx - sy) / 2, txy)
    # where nothing is compressed there is no factor to be found, and the search for one would not end
    if lowest.min() > -_NO_COMPRESSION * np.abs(stress).max():
        return float(np.inf)
    geometric = geometric_stiffness(problem.space, problem.elastic.thickness, stress)
    return buckling_factor(problem.reduced, (problem.freedoms.T @ geometric @ problem.freedoms).tocsc())


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
    load = elements.assemble_vector(2 * space.weights @ space.values.T, nodes, size)
    inner = np.setdiff1d(np.arange(size, dtype=np.int64), space.mesh.rim)
    return TorsionProblem(elements.assemble_matrix(matrices, nodes, size)[inner][:, inner].tocsc(), load[inner], inner)


def shear_at_points(space: ElementSpace, function: Array) -> Array:
    """Shear stresses zx and zy of a stress function, shape (elements, points, 2)."""
    slopes = (space.gradients @ function[space.mesh.elements][:, None, :, None])[..., 0]
    return np.stack([slopes[..., 1], -slopes[..., 0]], axis=-1)


def torque_from_stress_function(space: ElementSpace, function: Array) -> float:
    """Return the torque: twice the integral of the stress function."""
    return float(2 * (space.weights * space.at_points(function)).sum())
