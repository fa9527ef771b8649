"""Linear finite element analysis of a part, records of solver runs, and measurement of facts on solved fields."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from sightline.suites.simulation.generator.case import Array, Residuals
from sightline.suites.simulation.generator.solids.body import load_for, stress_facts, von_mises
from sightline.suites.simulation.generator.solids.computed.part import Cut, Part
from sightline.suites.simulation.generator.solids.facts import Balance, SolidFacts
from sightline.suites.simulation.solvers.solids import statics
from sightline.suites.simulation.solvers.solids.elasticity import support_displacement
from sightline.suites.simulation.solvers.solids.elements import Matrix, make_space
from sightline.suites.simulation.solvers.solids.interpolation import interpolate
from sightline.suites.simulation.solvers.solids.mesh import Mesh
from sightline.suites.simulation.solvers.solids.statics import Iteration, Problem


class SolverOutcome(Struct, frozen=True, kw_only=True):
    """The intended outcome of a solver run; the solved fields decide whether it is reached."""

    is_balanced: bool
    is_converged: bool
    tolerance: float
    """Tolerance of a run that converges."""


class Snapshot(Struct, frozen=True):
    """The body at a share of its load, by node."""

    share: float
    displacement: Array
    stress: Array


class SolverRun(Struct, frozen=True, kw_only=True):
    """Result of a solver run."""

    displacement: Array
    stress: Array
    reaction: Array
    """Fx, Fy, Mz of all supports."""
    residuals: Residuals
    plastic_strain: Array
    """Equivalent plastic strain by node."""
    snapshots: tuple[Snapshot, ...]
    steps: int


UNBALANCED = 0.04
BALANCED = 0.003
_CLEAR = 1.5
"""By this factor the last residual is off the tolerance at the least."""


def stop_iteration(sizes: Array, missing: Array, outcome: SolverOutcome, first: int) -> int:
    """The iteration after which to stop: `sizes` are residuals, `missing` the share of the load that is not borne."""
    later = np.arange(sizes.size) >= first
    if not outcome.is_balanced:
        off = np.flatnonzero(later & (missing > UNBALANCED))
        return int(off[-1]) if off.size else first
    even = missing < BALANCED
    level = outcome.tolerance / _CLEAR if outcome.is_converged else 30 * outcome.tolerance
    done = np.flatnonzero(later & even & (sizes < level))
    return int(done[0]) if done.size else sizes.size - 1


def solver_tolerance(last: float, outcome: SolverOutcome) -> float:
    """The tolerance in the solver's controls: one that fits the run, loose where an unbalanced one is to pass."""
    if outcome.is_converged:
        return max(outcome.tolerance, _round_up(_CLEAR * last))
    return min(outcome.tolerance, _round_up(last / 20))


def _round_up(value: float) -> float:
    """To one digit: 1, 2 or 5."""
    power = 10.0 ** np.floor(np.log10(value))
    return float(next(digit * power for digit in (1, 2, 5, 10) if digit * power >= value))


def normalized_residuals(forces: Array, changes: Array, tolerance: float) -> Residuals:
    """Residuals as shares of the largest, so that they begin at one or below."""
    return Residuals(
        names=("force", "displacement"),
        iterations=np.arange(1.0, forces.size + 1),
        history=(np.minimum(forces, 1.0), np.clip(changes, 1e-16, 1.0)),
        tolerance=tolerance,
    )


def solve_until(
    matrix: Matrix,
    load: Array,
    start: Array,
    outcome: SolverOutcome,
    missing: Callable[[Iteration], float],
    limits: tuple[int, float, int],
) -> tuple[Array, Residuals]:
    """Solve by conjugate gradients up to the iteration that gives the intended outcome; return residuals too.

    `missing` is the share of the load that a state does not bear; `limits` are the most iterations, the residual that
    counts as converged, and the fewest iterations.
    """
    most, converged, fewest = limits
    scale = float(np.linalg.norm(load))
    log: list[tuple[float, float, float]] = []

    def record(state: Iteration) -> bool:
        size = float(np.linalg.norm(state.residual)) / scale
        log.append((size, float(np.linalg.norm(state.step) / np.linalg.norm(state.solution)), missing(state)))
        return size > converged

    statics.conjugate_gradients(matrix, load, start, most, record)
    forces, changes, lacking = np.array(log).T
    sizes = np.maximum(forces, changes)
    last = stop_iteration(sizes, lacking, outcome, fewest)
    count = iter(range(last))
    reached = statics.conjugate_gradients(matrix, load, start, most, lambda state: next(count, None) is not None)
    tolerance = solver_tolerance(float(sizes[last]), outcome)
    return reached.solution, normalized_residuals(forces[: last + 1], changes[: last + 1], tolerance)


class SpringSupport(Struct, frozen=True):
    """A deliberate defect: a support that is elastic in the computation but declared fixed."""

    index: int
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


def analyse(part: Part, fine: int, elastic_support: SpringSupport | None) -> Analysis:
    """Solve the part for unit loads; supports are rigid except for an elastic one."""
    mesh = part.mesh(fine)
    supports = list(part.supports(mesh))
    if elastic_support:
        supports[elastic_support.index] = replace(supports[elastic_support.index], spring=elastic_support.stiffness)
    problem = statics.make_problem(make_space(mesh), part.elastic, tuple(supports))
    load = part.load(mesh)
    cold = np.zeros(len(mesh.points))
    heating = part.heating(*mesh.points.T) if part.heating else cold
    solve = statics.direct_solver(problem)
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


def analyse_at_utilisation(
    part: Part, fine: int, utilisation: float, elastic_support: SpringSupport | None
) -> Analysis:
    """Solve the part at the load that gives a utilisation of its strength."""
    unit = analyse(part, fine, elastic_support)
    sx, sy, txy = unit.stress.T
    size = load_for(utilisation, part.material, (sx, sy, txy))
    grown = ("load", "heating", "displacement", "stress", "thermal")
    return replace(unit, size=size, **{name: size * getattr(unit, name) for name in grown})


def weaken_support(part: Part, share: float, place: float) -> SpringSupport:
    """Return an elastic support that moves by about a given fraction of the largest displacement.

    Which support is told by a place from 0 to 1 among those that bear a good part of the load.
    """
    unit = analyse(part, part.coarse, None)
    problem = unit.problem
    borne = problem.body @ unit.displacement - problem.total_load(unit.load, unit.heating)
    forces = [float(np.abs(borne[2 * np.unique(support.edges) + support.axis]).sum()) for support in problem.supports]
    loaded = [k for k, force in enumerate(forces) if force > 0.1 * max(forces)]
    chosen = loaded[min(int(place * len(loaded)), len(loaded) - 1)]
    largest = float(np.abs(unit.displacement).max())
    return SpringSupport(chosen, forces[chosen] / (share * largest))


def significant_resultants(analysis: Analysis, applied: Array) -> NDArray[np.bool_]:
    """Which of Fx, Fy and Mz the loads have at all."""
    forces = float(np.abs(analysis.load).sum())
    return np.abs(applied) > 1e-3 * forces * np.array([1.0, 1.0, analysis.part.length])


_ON_A_CUT = 161
_NO_FORCE = 0.01
"""A mean stress below this share of the peak is what rounding and early stops leave of none."""
_ROUNDING = 1e-6
_STRUT_ELEMENTS = 24
_UNITS = (("Fx", "force"), ("Fy", "force"), ("Mz", "moment"))


def measure_facts(analysis: Analysis, run: SolverRun) -> SolidFacts:
    """Measure all facts that the questions depend on."""
    part, mesh = analysis.part, analysis.problem.space.mesh
    sx, sy, txy = run.stress.T
    stress = stress_facts((sx, sy, txy), *mesh.points.T)
    shares = [_resultants(part, mesh, run.stress, cut) for cut in part.cuts]
    peak = stress["von_mises_high"]
    if run.plastic_strain.any():
        stress["linear_peak"] = float(von_mises_at_nodes(analysis.stress).max())
    axial_compression = max([-force for force, axial, _ in shares if axial > _NO_FORCE * peak] + [0.0])
    return SolidFacts(
        material=part.material,
        **stress,
        plastic_strain=float(run.plastic_strain.max()),
        axial=_without_rounding(max(axial for _, axial, _ in shares), peak),
        bending=_without_rounding(max(bending for _, _, bending in shares), peak),
        torsion=0.0,
        thermal=_without_rounding(float(von_mises_at_nodes(analysis.thermal).max()), peak),
        loads=part.loads,
        load_count=sum(value != 0 for _, value, _ in part.load_rows) + (part.heat != 0),
        balances=_balances(analysis, run),
        supports=tuple(
            (support.name, support_displacement(mesh, support, run.displacement))
            for support in analysis.problem.supports
        ),
        axial_compression=axial_compression,
        buckling_load=axial_compression * _buckling_factor(analysis) if axial_compression else float(np.inf),
        displacement=float(np.hypot(*run.displacement.reshape(-1, 2).T).max()),
        length=part.length,
        residuals=run.residuals,
    )


def _without_rounding(value: float, scale: float) -> float:
    """None where only rounding is left."""
    return value if value > _ROUNDING * scale else 0.0


def von_mises_at_nodes(stress: Array) -> Array:
    """Von Mises stress of components by node."""
    return von_mises((stress[:, 0], stress[:, 1], stress[:, 2]))


def _resultants(part: Part, mesh: Mesh, stress: Array, cut: Cut) -> tuple[float, float, float]:
    """The force across a cut, and the peaks of the stresses by which force and moment would be spread over it."""
    along = np.array(cut.end) - np.array(cut.start)
    length = float(np.hypot(*along))
    nx, ny = along[1] / length, -along[0] / length
    points = np.array(cut.start) + np.linspace(0, 1, _ON_A_CUT)[:, None] * along
    sx, sy, txy = interpolate(mesh, mesh.points, stress, points).T
    normal = sx * nx**2 + sy * ny**2 + 2 * txy * nx * ny
    inside = ~np.isnan(normal)
    place = np.linspace(-0.5, 0.5, _ON_A_CUT)[inside] * length
    step = length / (_ON_A_CUT - 1)
    area, normal = place.size * step, normal[inside]
    mean = float(normal.mean())
    centre = float(place.mean())
    inertia = float(((place - centre) ** 2).sum() * step)
    moment = float(((normal - mean) * (place - centre)).sum() * step)
    reach = float(np.abs(place - centre).max())
    return mean * area * part.elastic.thickness, abs(mean), abs(moment) * reach / inertia


def _balances(analysis: Analysis, run: SolverRun) -> tuple[Balance, ...]:
    applied = statics.resultant(analysis.problem, analysis.load)
    return tuple(
        Balance(name, unit, float(load), float(reaction))
        for (name, unit), load, reaction, matters in zip(
            _UNITS, applied, run.reaction, significant_resultants(analysis, applied), strict=True
        )
        if matters
    )


def _buckling_factor(analysis: Analysis) -> float:
    """The lower one of both ways to give way, for the linear stress."""
    part = analysis.part
    factor = float(np.inf)
    if part.buckles_in_plane:
        factor = statics.linear_buckling_factor(analysis.problem, analysis.displacement, analysis.heating)
    if part.strut is None:
        return factor
    strut, thickness = part.strut, part.elastic.thickness
    length = strut.right - strut.left
    middles = strut.left + length * (np.arange(_STRUT_ELEMENTS) + 0.5) / _STRUT_ELEMENTS
    heights = np.linspace(-strut.half_height, strut.half_height, _ON_A_CUT)
    points = np.stack(np.meshgrid(middles, heights, indexing="ij"), axis=-1).reshape(-1, 2)
    mesh = analysis.problem.space.mesh
    normal = interpolate(mesh, mesh.points, analysis.stress[:, 0], points).reshape(_STRUT_ELEMENTS, _ON_A_CUT)
    step = heights[1] - heights[0]
    widths = np.minimum((~np.isnan(normal)).sum(axis=1) * step, 2 * strut.half_height)
    push = -np.nansum(normal, axis=1) * step * thickness
    bending = part.elastic.young * widths * thickness**3 / 12
    return min(factor, statics.strut_factor(length, bending, push, both_clamped=strut.both_clamped))
