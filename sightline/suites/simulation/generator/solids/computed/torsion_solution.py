"""Torsion of a bar: cross-section, Prandtl stress-function solution and measured facts."""

from __future__ import annotations

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from sightline.suites.simulation.generator.arrays import Array, Window
from sightline.suites.simulation.generator.residuals import Residuals
from sightline.suites.simulation.generator.solids.body import load_for
from sightline.suites.simulation.generator.solids.computed.solver_history import (
    SolverOutcome,
    normalized_residuals,
    solver_tolerance,
    stop_iteration,
)
from sightline.suites.simulation.generator.solids.facts import Balance, Load, SolidFacts
from sightline.suites.simulation.generator.solids.materials import Material
from sightline.suites.simulation.generator.solids.stress import peak_stresses, von_mises
from sightline.suites.simulation.generator.units import Units
from sightline.suites.simulation.solvers.solids.linear import Iteration, conjugate_gradients, factorize
from sightline.suites.simulation.solvers.solids.recovery import recover_nodal_values
from sightline.suites.simulation.solvers.solids.shapes import block, disc
from sightline.suites.simulation.solvers.solids.space import ElementSpace, make_space
from sightline.suites.simulation.solvers.solids.strut import strut_factor
from sightline.suites.simulation.solvers.solids.torsion import (
    make_torsion_problem,
    shear_at_points,
    torque_from_stress_function,
)

_LIMIT = 4000
_FEWEST = 6


class TorsionSection(Struct, frozen=True, kw_only=True):
    """Clamped at one end; at the other a torque, and a force of `torque * pull` along the axis."""

    material: Material
    units: Units
    is_round: bool
    half_width: float
    half_height: float
    length: float
    torque: float
    pull: float
    heating: float
    give: float
    """By how much the clamped end turns, as a share of the twist of the bar."""

    @property
    def window(self) -> Window:
        """The section itself."""
        return Window(-self.half_width, self.half_width, -self.half_height, self.half_height)


class TorsionSolution(Struct, frozen=True):
    """A solved section: the stress function of a torque of one, and what belongs to it."""

    space: ElementSpace
    function: Array
    rate: float
    """Shear modulus times twist by length, for a torque of one."""


class SolverResult(Struct, frozen=True):
    """Result of the iterative solver."""

    function: Array
    residuals: Residuals
    balance: Balance


def solve_torsion(section: TorsionSection, fine: int) -> TorsionSolution:
    """Solve the section directly for unit torque."""
    shape = disc if section.is_round else block
    # a disc has a core and a rim of blocks, so it needs fewer elements for the same size
    space = make_space(shape(section.half_width, section.half_height, fine // 2 if section.is_round else fine))
    problem = make_torsion_problem(space)
    function = np.zeros(len(space.mesh.points))
    function[problem.inner] = factorize(problem.stiffness)(problem.load)
    torque = torque_from_stress_function(space, function)
    return TorsionSolution(space, function / torque, 1 / torque)


def scale_to_utilisation(unit: TorsionSection, twist: TorsionSolution, use: float) -> TorsionSection:
    """Scale the torque to a utilisation of the strength."""
    stress = nodal_stress(unit, twist, unit.torque * twist.function)
    size = load_for(use, unit.material, (stress[:, 0], stress[:, 1], stress[:, 2]))
    return replace(unit, torque=size * unit.torque)


def _area(twist: TorsionSolution) -> float:
    return float(twist.space.weights.sum())


def nodal_stress(section: TorsionSection, twist: TorsionSolution, function: Array) -> Array:
    """Normal stress of the force, none across, and the size of the shear stress, by node."""
    shear = np.hypot(*recover_nodal_values(twist.space, shear_at_points(twist.space, function)).T)
    normal = np.full_like(shear, section.torque * section.pull / _area(twist))
    return np.stack([normal, np.zeros_like(shear), shear], axis=1)


def solve_iteratively(
    section: TorsionSection, twist: TorsionSolution, ending: SolverOutcome, begun: float
) -> SolverResult:
    """Conjugate gradients on the stress function; the torque that it carries is the balance."""
    problem = make_torsion_problem(twist.space)
    target = section.torque * twist.function[problem.inner]
    load = section.torque * twist.rate * problem.load
    log: list[tuple[float, float, float]] = []

    def watch(state: Iteration) -> bool:
        size = float(np.linalg.norm(state.residual) / np.linalg.norm(load))
        change = float(np.linalg.norm(state.step) / np.linalg.norm(state.solution))
        log.append((size, change, abs(1 - float(problem.load @ state.solution) / section.torque)))
        return size > 1e-9

    conjugate_gradients(problem.stiffness, load, begun * target, _LIMIT, watch)
    forces, changes, missing = np.array(log).T
    sizes = np.maximum(forces, changes)
    last = stop_iteration(sizes, missing, ending, _FEWEST)
    count = iter(range(last))
    reached = conjugate_gradients(
        problem.stiffness, load, begun * target, _LIMIT, lambda state: next(count, None) is not None
    )
    function = np.zeros_like(twist.function)
    function[problem.inner] = reached.solution
    residuals = normalized_residuals(
        forces[: last + 1], changes[: last + 1], solver_tolerance(float(sizes[last]), ending)
    )
    return SolverResult(
        function,
        residuals,
        Balance("Mx", "moment", section.torque, -torque_from_stress_function(twist.space, function)),
    )


def end_rotations(section: TorsionSection, twist: TorsionSolution) -> tuple[float, float]:
    """The angles by which the free and the clamped end turn."""
    angle = section.torque * twist.rate / section.material.shear_modulus * section.length
    return (1 + section.give) * angle, section.give * angle


def measure_facts(section: TorsionSection, twist: TorsionSolution, reached: SolverResult) -> SolidFacts:
    """Measure all facts that the questions depend on."""
    mesh = twist.space.mesh
    stress = nodal_stress(section, twist, reached.function)
    sx, sy, txy = stress.T
    equivalent = von_mises((sx, sy, txy))
    tension, compression = peak_stresses((sx, sy, txy))
    force, reach = section.torque * section.pull, float(np.hypot(*mesh.points.T).max())
    x, y = mesh.points[int(equivalent.argmax())]
    free, clamped = end_rotations(section, twist)
    rows = (reached.balance, *((Balance("Fx", "force", force, -force),) if force else ()))
    return SolidFacts(
        material=section.material,
        von_mises_high=float(equivalent.max()),
        von_mises_low=float(equivalent.min()),
        linear_peak=float(equivalent.max()),
        peak_at=(float(x), float(y)),
        tension=tension,
        compression=compression,
        axial=abs(float(sx[0])),
        bending=0.0,
        torsion=float(txy.max()),
        thermal=0.0,
        loads=arrows(section),
        acting=1 + (force != 0) + (section.heating != 0),
        balances=rows,
        supports=(("rim of the clamped end, tangential", clamped * reach),),
        squeeze=max(0.0, -force),
        buckling_load=_buckling_load(section, twist) if force < 0 else float(np.inf),
        displacement=abs(free) * reach,
        length=section.length,
        residuals=reached.residuals,
    )


def _buckling_load(section: TorsionSection, twist: TorsionSolution) -> float:
    """Of the bar as a strut with one free end, about its weaker axis."""
    space = twist.space
    moments = [float((space.weights * space.at_points(place) ** 2).sum()) for place in space.mesh.points.T]
    bending = np.full(16, section.material.young * min(moments))
    return strut_factor(section.length, bending, np.ones(16), both_clamped=False)


def arrows(section: TorsionSection) -> tuple[Load, ...]:
    """The torque as it is drawn."""
    corner = 0.72 if section.is_round else 1.0
    width, height = corner * section.half_width, corner * section.half_height
    return tuple(Load(x=x, y=y, torque=section.torque) for x, y in ((width, height), (-width, -height)))
