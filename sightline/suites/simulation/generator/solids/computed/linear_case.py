"""Linear solution of a part, its last load step by conjugate gradients, perhaps stopped before convergence."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from sightline.suites.simulation.generator.arrays import Array
from sightline.suites.simulation.generator.solids.computed.analysis import Analysis, significant_resultants
from sightline.suites.simulation.generator.solids.computed.solver_history import (
    Snapshot,
    SolverOutcome,
    SolverRun,
    normalized_residuals,
    solver_tolerance,
    stop_iteration,
)
from sightline.suites.simulation.solvers.solids.linear import Iteration, conjugate_gradients
from sightline.suites.simulation.solvers.solids.statics import Problem, expand_forces, resultant

_LIMIT = 8000
_DONE = 1e-8
_FEWEST = 8


class _Log(Struct):
    """What each iteration leaves: the residual, the change, and the force that is not in balance."""

    forces: list[float]
    changes: list[float]
    missing: list[float]


def solve_linear(analysis: Analysis, ending: SolverOutcome, begun: float) -> SolverRun:
    """Solve the last load step iteratively, starting from a solved fraction of the load."""
    problem = analysis.problem
    matrix = problem.reduced
    load = problem.freedoms.T @ problem.total_load(analysis.load, analysis.heating)
    start = begun * analysis.displacement[_free_unknowns(problem)]
    log = _Log([], [], [])
    watch = _monitor(analysis, log, float(np.linalg.norm(load)))
    conjugate_gradients(matrix, load, start, _LIMIT, lambda state: watch(state) > _DONE)
    forces, changes, missing = (np.array(values) for values in (log.forces, log.changes, log.missing))
    sizes = np.maximum(forces, changes)
    last = stop_iteration(sizes, missing, ending, _FEWEST)
    count = iter(range(last))
    reached = conjugate_gradients(matrix, load, start, _LIMIT, lambda state: next(count, None) is not None)
    displacement = problem.freedoms @ reached.solution
    stress = problem.nodal_stress(displacement, analysis.heating)
    tolerance = solver_tolerance(float(sizes[last]), ending)
    return SolverRun(
        displacement=displacement,
        stress=stress,
        reaction=problem.reactions(displacement, analysis.load, analysis.heating),
        residuals=normalized_residuals(forces[: last + 1], changes[: last + 1], tolerance),
        flowed=np.zeros(len(stress)),
        snapshots=(Snapshot(0.0, 0 * displacement, 0 * stress), Snapshot(1.0, displacement, stress)),
        steps=2,
    )


def _free_unknowns(problem: Problem) -> NDArray[np.bool_]:
    """The unknowns that supports leave, in the order of the free ones."""
    return np.asarray(expand_forces(problem, np.ones(problem.freedoms.shape[1])) != 0)


def _monitor(analysis: Analysis, log: _Log, scale: float) -> Callable[[Iteration], float]:
    problem = analysis.problem
    applied = resultant(problem, analysis.load)
    matters = significant_resultants(analysis, applied)
    rows = np.stack([_row(problem, k) for k in range(3)])

    def watch(state: Iteration) -> float:
        size = float(np.linalg.norm(state.residual)) / scale
        log.forces.append(size)
        log.changes.append(float(np.linalg.norm(state.step) / np.linalg.norm(state.solution)))
        log.missing.append(float(np.abs((rows @ state.residual)[matters] / applied[matters]).max()))
        return size

    return watch


def _row(problem: Problem, k: int) -> Array:
    """The weights by which forces on free unknowns add up to Fx, Fy or Mz."""
    x, y = problem.space.mesh.points.T
    weights = np.zeros(problem.space.size)
    weights[0::2] = (1.0, 0.0, -y)[k]
    weights[1::2] = (0.0, 1.0, x)[k]
    return np.asarray(weights[_free_unknowns(problem)])
