"""Newton's method for elastoplastic bodies over load steps, with its residual history."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from sightline.suites.simulation.solvers.solids.blocks import Array
from sightline.suites.simulation.solvers.solids.elasticity import internal_force, strain_at_points, thermal_load
from sightline.suites.simulation.solvers.solids.linear import factorize
from sightline.suites.simulation.solvers.solids.matrices import Matrix, assemble_matrix
from sightline.suites.simulation.solvers.solids.plasticity import (
    MaterialResponse,
    Plastic,
    PlasticState,
    initial_state,
    radial_return,
)
from sightline.suites.simulation.solvers.solids.space import ElementSpace

_SHORTENED = (1.0, 0.5, 0.25, 0.1, 0.03)


class PlasticProblem(Struct, frozen=True, kw_only=True):
    """An elastoplastic problem at full load and heating."""

    space: ElementSpace
    law: Plastic
    freedoms: Matrix
    springs: Matrix
    load: Array
    heating: Array


class NewtonState(Struct, frozen=True, kw_only=True):
    """Status of a Newton iteration; a converged state is the start of the next load step."""

    share: float
    """Of the load."""
    displacement: Array
    flow: PlasticState
    residual: Array
    """Of all unknowns: load minus what the body and its springs bear. Supports bear the rest of it."""
    change: float
    """How far the displacement moved in this iteration, as a share."""


ContinueCondition: TypeAlias = Callable[[NewtonState], bool]
"""Whether another iteration is wanted."""


def unloaded_state(task: PlasticProblem) -> NewtonState:
    """Return the unloaded state."""
    nothing = np.zeros(task.space.size)
    flow = initial_state(task.space.weights.shape)
    return NewtonState(share=0.0, displacement=nothing, flow=flow, residual=nothing, change=0.0)


def solve_load_step(
    task: PlasticProblem, before: NewtonState, share: float, damping: float, keep: ContinueCondition
) -> NewtonState:
    """Solve for a fraction of the load; `damping` shortens Newton steps (1: none).

    The first step is elastic, and a step that would make things worse is shortened further: near a border of yielding
    Newton's method may run in circles otherwise.
    """
    first = task.load + thermal_load(task.space, task.law.elastic, task.heating)
    change = _solve_tangent(task, task.law.elastic.matrix, (share - before.share) * first)
    step, answer = _state_at(task, before, share, damping * change)
    while keep(step):
        step, answer = _line_search(task, before, step, damping * _solve_tangent(task, answer.tangent, step.residual))
    return step


def _line_search(
    task: PlasticProblem, before: NewtonState, step: NewtonState, change: Array
) -> tuple[NewtonState, MaterialResponse]:
    moved = step.displacement - before.displacement
    size = _residual_norm(task, step)
    for shortened in _SHORTENED:
        tried, answer = _state_at(task, before, step.share, moved + shortened * change)
        if _residual_norm(task, tried) < size:
            break
    return replace(tried, change=_ratio(shortened * change, tried.displacement)), answer


def _ratio(change: Array, displacement: Array) -> float:
    return float(np.linalg.norm(change) / (np.linalg.norm(displacement) or 1.0))


def _residual_norm(task: PlasticProblem, step: NewtonState) -> float:
    return float(np.linalg.norm(task.freedoms.T @ step.residual))


def _state_at(
    task: PlasticProblem, before: NewtonState, share: float, moved: Array
) -> tuple[NewtonState, MaterialResponse]:
    space, elastic = task.space, task.law.elastic
    displacement = before.displacement + moved
    growth = share * elastic.expansion * space.at_points(task.heating)
    answer = radial_return(task.law, before.flow, strain_at_points(space, displacement), growth)
    borne = internal_force(space, elastic.thickness, answer.flow.stress[..., [0, 1, 3]])
    residual = share * task.load - borne - task.springs @ displacement
    step = NewtonState(
        share=share, displacement=displacement, flow=answer.flow, residual=residual, change=_ratio(moved, displacement)
    )
    return step, answer


def _solve_tangent(task: PlasticProblem, tangent: Array, forces: Array) -> Array:
    b = task.space.strains
    weighted = (task.law.elastic.thickness * task.space.weights)[:, :, None, None] * (tangent @ b)
    matrices = (b.transpose(0, 1, 3, 2) @ weighted).sum(axis=1)
    stiff = assemble_matrix(matrices, task.space.unknowns, task.space.size) + task.springs
    solve = factorize((task.freedoms.T @ stiff @ task.freedoms).tocsc())
    return np.asarray(task.freedoms @ solve(task.freedoms.T @ forces))
