"""Solver runs of a part, perhaps stopped early: conjugate gradients, and Newton's method for plasticity."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

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
    solve_until,
    solver_tolerance,
)
from sightline.suites.simulation.solvers.solids.elements import recover_nodal_values
from sightline.suites.simulation.solvers.solids.plasticity import (
    NewtonState,
    Plastic,
    PlasticProblem,
    solve_load_step,
    unloaded_state,
)
from sightline.suites.simulation.solvers.solids.statics import Iteration, expand_forces, resultant


def solve_linear(analysis: Analysis, outcome: SolverOutcome, start_share: float) -> SolverRun:
    """Solve the last load step iteratively, starting from a solved fraction of the load."""
    problem = analysis.problem
    load = problem.freedoms.T @ problem.total_load(analysis.load, analysis.heating)
    # the unknowns that supports leave, in the order of the free ones
    free = expand_forces(problem, np.ones(problem.freedoms.shape[1])) != 0
    applied = resultant(problem, analysis.load)
    matters = significant_resultants(analysis, applied)
    # the weights by which forces on free unknowns add up to Fx, Fy and Mz
    x, y = problem.space.mesh.points.T
    weights = np.zeros((3, problem.space.size))
    weights[0, 0::2] = weights[1, 1::2] = 1.0
    weights[2, 0::2], weights[2, 1::2] = -y, x
    rows = np.ascontiguousarray(weights[:, free])

    def missing(state: Iteration) -> float:
        return float(np.abs((rows @ state.residual)[matters] / applied[matters]).max())

    start = start_share * analysis.displacement[free]
    solution, residuals = solve_until(problem.reduced, load, start, outcome, missing, (8000, 1e-8, 8))
    displacement = problem.freedoms @ solution
    stress = problem.nodal_stress(displacement, analysis.heating)
    return SolverRun(
        displacement=displacement,
        stress=stress,
        reaction=problem.reactions(displacement, analysis.load, analysis.heating),
        residuals=residuals,
        plastic_strain=np.zeros(len(stress)),
        snapshots=(Snapshot(0.0, 0 * displacement, 0 * stress), Snapshot(1.0, displacement, stress)),
        steps=2,
    )


TANGENT = 1 / 40
"""Young's modulus beyond yield over that before."""
_DAMPING = 0.6
_BEFORE_LAST = 0.75
_STEPS = 4
_PRECISE = 1e-7
_MOST = 30
_REACH = 0.6**0.5
"""Nodes take the stress of the outermost Gauss points."""
_Log: TypeAlias = list[tuple[float, float, float]]
"""By iteration: the residual, the change, and the share of the load that is not in balance."""


def solve_plastic(analysis: Analysis, outcome: SolverOutcome, first_yield: float) -> SolverRun:
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
    log: _Log = []
    step, snapshots = unloaded_state(task), [_snapshot(task, unloaded_state(task))]
    # up to first yield everything is in proportion, so one step reaches it
    start_share = max(_BEFORE_LAST, (1 + 2 * first_yield) / 3)
    shares = [0.98 * first_yield, *np.linspace(first_yield, start_share, _STEPS + 1)[1:]]
    for share in shares:
        step = solve_load_step(
            task, step, float(share), 1.0, _record_step(analysis, task, log, lambda: log[-1][0] > _PRECISE)
        )
        snapshots.append(_snapshot(task, step))
    step = solve_load_step(
        task, step, 1.0, _DAMPING, _record_step(analysis, task, log, lambda: _continue_condition(log, outcome))
    )
    forces, changes, _ = np.array(log).T
    snapshots.append(_snapshot(task, step))
    return SolverRun(
        displacement=step.displacement,
        stress=snapshots[-1].stress,
        reaction=_reaction(analysis, task, step),
        residuals=normalized_residuals(forces, changes, solver_tolerance(max(forces[-1], changes[-1]), outcome)),
        plastic_strain=np.maximum(recover_nodal_values(task.space, step.flow.equivalent[..., None], _REACH)[:, 0], 0.0),
        snapshots=tuple(snapshots),
        steps=len(shares) + 1,
    )


def _continue_condition(log: _Log, outcome: SolverOutcome) -> bool:
    force, change, missing = log[-1]
    if not outcome.is_balanced:
        # the next step would leave too little to be seen
        return missing * (1 - _DAMPING) > UNBALANCED
    level = outcome.tolerance / 1.5 if outcome.is_converged else 100 * outcome.tolerance
    return missing > BALANCED or max(force, change) > level


def _record_step(
    analysis: Analysis, task: PlasticProblem, log: _Log, goes_on: Callable[[], bool]
) -> Callable[[NewtonState], bool]:
    scale = float(np.linalg.norm(task.freedoms.T @ analysis.problem.total_load(analysis.load, analysis.heating)))
    applied = resultant(analysis.problem, analysis.load)
    matters = significant_resultants(analysis, applied)
    count = 0

    def keep(step: NewtonState) -> bool:
        nonlocal count
        count += 1
        force = max(float(np.linalg.norm(task.freedoms.T @ step.residual)) / scale, 1e-16)
        lacking = _reaction(analysis, task, step) + step.share * applied
        log.append((force, step.change, float(np.abs(lacking[matters] / applied[matters]).max())))
        return goes_on() and count < _MOST

    return keep


def _reaction(analysis: Analysis, task: PlasticProblem, step: NewtonState) -> Array:
    """What supports and springs bear; the residual of free unknowns is nobody's."""
    problem = analysis.problem
    borne = -step.residual - task.springs @ step.displacement
    return resultant(problem, borne - problem.unborne(-step.residual))


def _snapshot(task: PlasticProblem, step: NewtonState) -> Snapshot:
    stress = recover_nodal_values(task.space, step.flow.stress[..., [0, 1, 3]], _REACH)
    return Snapshot(step.share, step.displacement, stress)
