"""Elastoplastic solution of a part: Newton's method over load steps, the last one damped and perhaps stopped early."""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from sightline.suites.simulation.generator.arrays import Array
from sightline.suites.simulation.generator.solids.computed.analysis import Analysis, significant_resultants
from sightline.suites.simulation.generator.solids.computed.solver_history import (
    BALANCED,
    UNBALANCED,
    Snapshot,
    SolverOutcome,
    SolverRun,
    normalized_residuals,
    solver_tolerance,
)
from sightline.suites.simulation.solvers.solids.newton import (
    NewtonState,
    PlasticProblem,
    solve_load_step,
    unloaded_state,
)
from sightline.suites.simulation.solvers.solids.plasticity import Plastic
from sightline.suites.simulation.solvers.solids.recovery import recover_nodal_values
from sightline.suites.simulation.solvers.solids.statics import resultant

TANGENT = 1 / 40
"""Young's modulus beyond yield over that before."""
_DAMPING = 0.6
_BEFORE_LAST = 0.75
_STEPS = 4
_PRECISE = 1e-7
_MOST = 30
_REACH = 0.6**0.5
"""Nodes take the stress of the outermost Gauss points."""


class _Log(Struct):
    forces: list[float]
    changes: list[float]
    missing: list[float]


def solve_plastic(analysis: Analysis, ending: SolverOutcome, first_yield: float) -> SolverRun:
    """The part at its full load; `first_yield` is the share of it at which the first point flows."""
    part, problem = analysis.part, analysis.problem
    young = part.elastic.young
    law = Plastic(
        elastic=part.elastic,
        yield_strength=part.material.yield_strength,
        hardening=young * TANGENT / (1 - TANGENT),
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
