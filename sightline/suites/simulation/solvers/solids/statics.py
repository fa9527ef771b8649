"""Linear statics: equilibrium equations of a supported body, direct solution and reactions."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from msgspec import Struct

from sightline.suites.simulation.solvers.solids.blocks import Array
from sightline.suites.simulation.solvers.solids.buckling import buckling_factor, geometric_stiffness
from sightline.suites.simulation.solvers.solids.elasticity import Elastic, stiffness, stress_at_points, thermal_load
from sightline.suites.simulation.solvers.solids.linear import factorize
from sightline.suites.simulation.solvers.solids.matrices import Matrix
from sightline.suites.simulation.solvers.solids.recovery import recover_nodal_values
from sightline.suites.simulation.solvers.solids.space import ElementSpace
from sightline.suites.simulation.solvers.solids.supports import SupportCondition, free_displacements, spring_stiffness

_NO_COMPRESSION = 1e-4


class Problem(Struct, frozen=True, kw_only=True):
    """The equilibrium equations of a supported body, for any load."""

    space: ElementSpace
    elastic: Elastic
    holds: tuple[SupportCondition, ...]
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
        return load + thermal_load(self.space, self.elastic, heating)

    def nodal_stress(self, displacement: Array, heating: Array) -> Array:
        """Return nodal stresses xx, yy and xy."""
        return recover_nodal_values(self.space, stress_at_points(self.space, self.elastic, displacement, heating))

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
    return np.asarray(_places(problem) @ free)


def _places(problem: Problem) -> Matrix:
    # a column has its own unknown as its largest entry, and shares of an eliminated one besides
    matrix = problem.freedoms.tocsc(copy=True)
    matrix.data = np.where(matrix.data == 1.0, 1.0, 0.0)
    return matrix


def make_problem(space: ElementSpace, elastic: Elastic, holds: tuple[SupportCondition, ...]) -> Problem:
    """Assemble the equations of a body."""
    mesh = space.mesh
    return Problem(
        space=space,
        elastic=elastic,
        holds=holds,
        body=stiffness(space, elastic),
        springs=spring_stiffness(mesh, holds),
        freedoms=free_displacements(mesh, holds),
    )


def direct_solver(problem: Problem) -> Callable[[Array, Array], Array]:
    """Displacements for a load on the nodes and a heating by node, by a direct solution."""
    solve = factorize(problem.reduced)

    def displaced(load: Array, heating: Array) -> Array:
        return np.asarray(problem.freedoms @ solve(problem.freedoms.T @ problem.total_load(load, heating)))

    return displaced


def linear_buckling_factor(problem: Problem, displacement: Array, heating: Array) -> float:
    """Linear buckling factor on load and heating for buckling in the plane."""
    stress = stress_at_points(problem.space, problem.elastic, displacement, heating)
    sx, sy, txy = np.moveaxis(stress, -1, 0)
    lowest = (sx + sy) / 2 - np.hypot((sx - sy) / 2, txy)
    # where nothing is compressed there is no factor to be found, and the search for one would not end
    if lowest.min() > -_NO_COMPRESSION * np.abs(stress).max():
        return float(np.inf)
    geometric = geometric_stiffness(problem.space, problem.elastic.thickness, stress)
    return buckling_factor(problem.reduced, (problem.freedoms.T @ geometric @ problem.freedoms).tocsc())
