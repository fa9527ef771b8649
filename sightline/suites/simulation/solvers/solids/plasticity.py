"""Von Mises plasticity with linear hardening: radial return (Wilkins), and Newton's method over load steps."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from sightline.suites.simulation.solvers.solids import elasticity
from sightline.suites.simulation.solvers.solids.elasticity import Elastic
from sightline.suites.simulation.solvers.solids.elements import ElementSpace, Matrix, assemble_matrix
from sightline.suites.simulation.solvers.solids.mesh import Array
from sightline.suites.simulation.solvers.solids.statics import factorize

_FLAT = 1e-12
_ROUNDS = 25
_IN_PLANE = np.array([0, 1, 3])
_ONE = np.array([1.0, 1.0, 1.0, 0.0])
_DEVIATOR = np.diag([1.0, 1.0, 1.0, 0.5]) - np.outer(_ONE, _ONE) / 3
_NORM = np.array([1.0, 1.0, 1.0, 2.0])


class Plastic(Struct, frozen=True, kw_only=True):
    """Von Mises material with linear isotropic hardening."""

    elastic: Elastic
    yield_strength: float
    hardening: float
    """Rise of the yield strength by plastic strain; Young's modulus beyond yield is E H / (E + H)."""

    @property
    def shear(self) -> float:
        """The shear modulus."""
        return self.elastic.young / (2 * (1 + self.elastic.poisson))

    @property
    def bulk(self) -> float:
        """The bulk modulus."""
        return self.elastic.young / (3 * (1 - 2 * self.elastic.poisson))


class PlasticState(Struct, frozen=True):
    """What a point remembers, and what it bears. Components are xx, yy, zz, xy; shear strains are doubled."""

    plastic: Array
    """Plastic strain, shape (…, 4)."""
    equivalent: Array
    """Equivalent plastic strain."""
    across: Array
    """Total strain across the slice."""
    stress: Array


class MaterialResponse(Struct, frozen=True):
    """Material response to a strain: the new state and the consistent tangent in the plane."""

    flow: PlasticState
    tangent: Array
    """Shape (…, 3, 3)."""


def initial_state(shape: tuple[int, ...]) -> PlasticState:
    """Return the state without plastic strain."""
    return PlasticState(np.zeros((*shape, 4)), np.zeros(shape), np.zeros(shape), np.zeros((*shape, 4)))


def radial_return(law: Plastic, before: PlasticState, strain: Array, growth: Array) -> MaterialResponse:
    """The answer to total strains xx, yy, 2 xy from a state that was in equilibrium; `growth` is the thermal strain."""
    free = strain[..., :2] - growth[..., None]
    total = np.stack([free[..., 0], free[..., 1], before.across - growth, strain[..., 2]], axis=-1)
    if law.elastic.is_plane_strain:
        total[..., 2] = -growth
        flow, tangent = _return_to_yield_surface(law, before, total)
        return MaterialResponse(flow, tangent[..., _IN_PLANE[:, None], _IN_PLANE])
    for _ in range(_ROUNDS):
        flow, tangent = _return_to_yield_surface(law, before, total)
        out_of_plane = flow.stress[..., 2]
        if np.abs(out_of_plane).max() <= _FLAT * law.yield_strength:
            break
        total[..., 2] -= out_of_plane / tangent[..., 2, 2]
    side = tangent[..., _IN_PLANE, 2]
    condensed = side[..., :, None] * side[..., None, :] / tangent[..., 2, 2][..., None, None]
    settled = PlasticState(flow.plastic, flow.equivalent, total[..., 2] + growth, flow.stress)
    return MaterialResponse(settled, tangent[..., _IN_PLANE[:, None], _IN_PLANE] - condensed)


def _return_to_yield_surface(law: Plastic, before: PlasticState, total: Array) -> tuple[PlasticState, Array]:
    shear, bulk = law.shear, law.bulk
    elastic = total - before.plastic
    pressure = bulk * elastic[..., :3].sum(axis=-1)[..., None] * _ONE
    trial = 2 * shear * elastic @ _DEVIATOR
    size = np.sqrt((trial**2 * _NORM).sum(axis=-1))
    limit = np.sqrt(2 / 3) * (law.yield_strength + law.hardening * before.equivalent)
    slip = np.maximum(size - limit, 0.0) / (2 * shear + 2 / 3 * law.hardening)
    normal = trial / np.where(size > 0, size, 1.0)[..., None]
    stress = pressure + trial - 2 * shear * slip[..., None] * normal
    kept = 1 - 2 * shear * slip / np.where(size > 0, size, 1.0)
    softened = np.where(slip > 0, 1 / (1 + law.hardening / (3 * shear)) - (1 - kept), 0.0)
    tangent = (
        bulk * np.outer(_ONE, _ONE)
        + 2 * shear * kept[..., None, None] * _DEVIATOR
        - 2 * shear * softened[..., None, None] * normal[..., :, None] * normal[..., None, :]
    )
    plastic = before.plastic + slip[..., None] * normal * np.array([1.0, 1.0, 1.0, 2.0])
    return PlasticState(plastic, before.equivalent + np.sqrt(2 / 3) * slip, total[..., 2], stress), tangent


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
    """State of a Newton iteration; a converged state is the start of the next load step."""

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
    first = task.load + elasticity.thermal_load(task.space, task.law.elastic, task.heating)
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
    answer = radial_return(task.law, before.flow, elasticity.strain_at_points(space, displacement), growth)
    borne = elasticity.internal_force(space, elastic.thickness, answer.flow.stress[..., [0, 1, 3]])
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
