"""Solver runs of a part, perhaps stopped early: conjugate gradients, and Newton's method for plasticity."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from sightline.suites.simulation.generator.case import Array
from sightline.suites.simulation.generator.solids.computed.analysis import (
    BALANCED,
    UNBALANCED,
    Analysis,
    Snapshot,
    SolverOutcome,
    SolverRun,
    normalized_residuals,
    significant_resultants,
    solver_tolerance,
    stop_iteration,
)
from sightline.suites.simulation.solvers.solids.elements import recover_nodal_values
from sightline.suites.simulation.solvers.solids.plasticity import (
    NewtonState,
    Plastic,
    PlasticProblem,
    solve_load_step,
    unloaded_state,
)
from sightline.suites.simulation.solvers.solids.statics import (
    Iteration,
    Problem,
    conjugate_gradients,
    expand_forces,
    resultant,
)

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


TANGENT = 1 / 40
"""Young's modulus beyond yield over that before."""
_DAMPING = 0.6
_BEFORE_LAST = 0.75
_STEPS = 4
_PRECISE = 1e-7
_MOST = 30
_REACH = 0.6**0.5
"""Nodes take the stress of the outermost Gauss points."""


def solve_plastic(analysis: Analysis, ending: SolverOutcome, first_yield: float) -> SolverRun:
    """The part at its full load; `first_yield` is the share of it at which the first point flows."""
    part, problem = analysis.part, analysis.problem
    young = part.elastic.young
    law = Plastic(
        elastic=part.elastic, yield_strength=part.material.yield_strength, hardening=young * TANGENT / (1 - TANGENT)
    )
    task = PlasticProblem(
        space=problem.space,
        law=law,
        freedoms=problem.freedoms,
        springs=problem.springs,
        load=analysis.load,
        heating=analysis.heating,
    )
    log = _Log([], [], [])
    step, snapshots = unloaded_state(task), [_snapshot(task, unloaded_state(task))]
    # up to first yield everything is in proportion, so one step reaches it
    begun = max(_BEFORE_LAST, (1 + 2 * first_yield) / 3)
    shares = [0.98 * first_yield, *np.linspace(first_yield, begun, _STEPS + 1)[1:]]
    for share in shares:
        step = solve_load_step(
            task, step, float(share), 1.0, _record_step(analysis, task, log, lambda: log.forces[-1] > _PRECISE)
        )
        snapshots.append(_snapshot(task, step))
    step = solve_load_step(
        task, step, 1.0, _DAMPING, _record_step(analysis, task, log, lambda: _continue_condition(log, ending))
    )
    forces, changes = np.array(log.forces), np.array(log.changes)
    snapshots.append(_snapshot(task, step))
    return SolverRun(
        displacement=step.displacement,
        stress=snapshots[-1].stress,
        reaction=_reaction(analysis, task, step),
        residuals=normalized_residuals(forces, changes, solver_tolerance(max(forces[-1], changes[-1]), ending)),
        flowed=np.maximum(recover_nodal_values(task.space, step.flow.equivalent[..., None], _REACH)[:, 0], 0.0),
        snapshots=tuple(snapshots),
        steps=len(shares) + 1,
    )


def _continue_condition(log: _Log, ending: SolverOutcome) -> bool:
    missing = log.missing[-1]
    if not ending.is_balanced:
        # the next step would leave too little to be seen
        return missing * (1 - _DAMPING) > UNBALANCED
    size = max(log.forces[-1], log.changes[-1])
    level = ending.tolerance / 1.5 if ending.is_converged else 100 * ending.tolerance
    return missing > BALANCED or size > level


def _record_step(analysis: Analysis, task: PlasticProblem, log: _Log, goes_on):  # type: ignore[no-untyped-def]
    scale = float(np.linalg.norm(task.freedoms.T @ analysis.problem.total_load(analysis.load, analysis.heating)))
    applied = resultant(analysis.problem, analysis.load)
    matters = significant_resultants(analysis, applied)
    count = 0

    def keep(step: NewtonState) -> bool:
        nonlocal count
        count += 1
        log.forces.append(max(float(np.linalg.norm(task.freedoms.T @ step.residual)) / scale, 1e-16))
        log.changes.append(step.change)
        lacking = _reaction(analysis, task, step) + step.share * applied
        log.missing.append(float(np.abs(lacking[matters] / applied[matters]).max()))
        return bool(goes_on()) and count < _MOST

    return keep


def _reaction(analysis: Analysis, task: PlasticProblem, step: NewtonState) -> Array:
    """What supports and springs bear; the residual of free unknowns is nobody's."""
    problem = analysis.problem
    borne = -step.residual - task.springs @ step.displacement
    return resultant(problem, borne - problem.unborne(-step.residual))


def _snapshot(task: PlasticProblem, step: NewtonState) -> Snapshot:
    stress = recover_nodal_values(task.space, step.flow.stress[..., [0, 1, 3]], _REACH)
    return Snapshot(step.share, step.displacement, stress)
