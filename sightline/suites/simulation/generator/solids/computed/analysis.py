"""Linear finite element analysis of a part, with mechanical and thermal load."""

from __future__ import annotations

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from sightline.suites.simulation.generator.arrays import Array
from sightline.suites.simulation.generator.solids.body import load_for
from sightline.suites.simulation.generator.solids.computed.part import Part
from sightline.suites.simulation.solvers.solids.mesh import Integers
from sightline.suites.simulation.solvers.solids.space import make_space
from sightline.suites.simulation.solvers.solids.statics import Problem, direct_solver, make_problem
from sightline.suites.simulation.solvers.solids.supports import SupportCondition


class SpringSupport(Struct, frozen=True):
    """A deliberate defect: a support that is elastic in the computation but declared fixed."""

    hold: int
    stiffness: float


class Analysis(Struct, frozen=True, kw_only=True):
    """Direct linear solution of a part at full load."""

    part: Part
    size: float
    problem: Problem
    load: Array
    heating: Array
    displacement: Array
    stress: Array
    """Nodal, shape (nodes, 3)."""
    thermal: Array
    """The part of the stress that is gone when it is solved once more without heat."""


def analyse(part: Part, fine: int, weakness: SpringSupport | None) -> Analysis:
    """Solve the part for unit loads; supports are rigid except for an elastic one."""
    mesh = part.mesh(fine)
    holds = list(part.holds(mesh))
    if weakness:
        holds[weakness.hold] = replace(holds[weakness.hold], spring=weakness.stiffness)
    problem = make_problem(make_space(mesh), part.elastic, tuple(holds))
    load = part.load(mesh)
    cold = np.zeros(len(mesh.points))
    heating = part.heating(*mesh.points.T) if part.heating else cold
    solve = direct_solver(problem)
    displacement = solve(load, heating)
    stress = problem.nodal_stress(displacement, heating)
    without = problem.nodal_stress(solve(load, cold), cold) if part.heating else stress
    return Analysis(
        part=part,
        size=1.0,
        problem=problem,
        load=load,
        heating=heating,
        displacement=displacement,
        stress=stress,
        thermal=stress - without,
    )


def analyse_at_utilisation(part: Part, fine: int, utilisation: float, weakness: SpringSupport | None) -> Analysis:
    """Solve the part at the load that gives a utilisation of its strength."""
    unit = analyse(part, fine, weakness)
    sx, sy, txy = unit.stress.T
    size = load_for(utilisation, part.material, (sx, sy, txy))
    return replace(
        unit,
        size=size,
        load=size * unit.load,
        heating=size * unit.heating,
        displacement=size * unit.displacement,
        stress=size * unit.stress,
        thermal=size * unit.thermal,
    )


def weaken_support(part: Part, share: float, place: float) -> SpringSupport:
    """Return an elastic support that moves by about a given fraction of the largest displacement.

    Which support is told by a place from 0 to 1 among those that bear a good part of the load.
    """
    unit = analyse(part, part.coarse, None)
    problem = unit.problem
    borne = problem.body @ unit.displacement - problem.total_load(unit.load, unit.heating)
    forces = [float(np.abs(borne[_unknowns(hold)]).sum()) for hold in problem.holds]
    loaded = [k for k, force in enumerate(forces) if force > 0.1 * max(forces)]
    chosen = loaded[min(int(place * len(loaded)), len(loaded) - 1)]
    largest = float(np.abs(unit.displacement).max())
    return SpringSupport(chosen, forces[chosen] / (share * largest))


def _unknowns(hold: SupportCondition) -> Integers:
    return 2 * np.unique(hold.edges) + hold.axis


def significant_resultants(analysis: Analysis, applied: Array) -> NDArray[np.bool_]:
    """Which of Fx, Fy and Mz the loads have at all."""
    forces = float(np.abs(analysis.load).sum())
    return np.abs(applied) > 1e-3 * forces * np.array([1.0, 1.0, analysis.part.length])
