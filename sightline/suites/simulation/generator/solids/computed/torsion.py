"""Prismatic bar in torsion: Prandtl stress function on its cross-section, perhaps with an axial force as well."""

from __future__ import annotations

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from sightline.suites.simulation.generator.case import Array, Candidate, Case, Line, Residuals, Window, answer_all
from sightline.suites.simulation.generator.rng import ParameterRng
from sightline.suites.simulation.generator.solids.body import Body, draw_material, load_for, stress_facts
from sightline.suites.simulation.generator.solids.case_builder import build_case, make_scene
from sightline.suites.simulation.generator.solids.computed import analysis, candidate
from sightline.suites.simulation.generator.solids.computed.analysis import Snapshot, SolverOutcome
from sightline.suites.simulation.generator.solids.facts import QUESTIONS, Balance, Load, Material, SolidFacts
from sightline.suites.simulation.generator.units import IMPERIAL, METRIC, Units
from sightline.suites.simulation.solvers.solids import statics
from sightline.suites.simulation.solvers.solids.elements import ElementSpace, make_space, recover_nodal_values
from sightline.suites.simulation.solvers.solids.mesh import block, disc
from sightline.suites.simulation.solvers.solids.statics import Iteration

_COARSE, _FINE = 6, 16


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
    problem = statics.make_torsion_problem(space)
    function = np.zeros(len(space.mesh.points))
    function[problem.inner] = statics.factorize(problem.stiffness)(problem.load)
    torque = statics.torque_from_stress_function(space, function)
    return TorsionSolution(space, function / torque, 1 / torque)


def scale_to_utilisation(unit: TorsionSection, twist: TorsionSolution, use: float) -> TorsionSection:
    """Scale the torque to a utilisation of the strength."""
    stress = nodal_stress(unit, twist, unit.torque * twist.function)
    size = load_for(use, unit.material, (stress[:, 0], stress[:, 1], stress[:, 2]))
    return replace(unit, torque=size * unit.torque)


def nodal_stress(section: TorsionSection, twist: TorsionSolution, function: Array) -> Array:
    """Normal stress of the force, none across, and the size of the shear stress, by node."""
    shear = np.hypot(*recover_nodal_values(twist.space, statics.shear_at_points(twist.space, function)).T)
    normal = np.full_like(shear, section.torque * section.pull / float(twist.space.weights.sum()))
    return np.stack([normal, np.zeros_like(shear), shear], axis=1)


def solve_iteratively(
    section: TorsionSection, twist: TorsionSolution, outcome: SolverOutcome, start_share: float
) -> SolverResult:
    """Conjugate gradients on the stress function; the torque that it carries is the balance."""
    problem = statics.make_torsion_problem(twist.space)
    start = start_share * (section.torque * twist.function[problem.inner])
    load = section.torque * twist.rate * problem.load

    def missing(state: Iteration) -> float:
        return abs(1 - float(problem.load @ state.solution) / section.torque)

    solution, residuals = analysis.solve_until(problem.stiffness, load, start, outcome, missing, (4000, 1e-9, 6))
    function = np.zeros_like(twist.function)
    function[problem.inner] = solution
    return SolverResult(
        function,
        residuals,
        Balance("Mx", "moment", section.torque, -statics.torque_from_stress_function(twist.space, function)),
    )


def end_rotations(section: TorsionSection, twist: TorsionSolution) -> tuple[float, float]:
    """The angles by which the free and the clamped end turn."""
    angle = section.torque * twist.rate / section.material.shear_modulus * section.length
    return (1 + section.give) * angle, section.give * angle


def measure_facts(section: TorsionSection, twist: TorsionSolution, reached: SolverResult) -> SolidFacts:
    """Measure all facts that the questions depend on."""
    mesh = twist.space.mesh
    sx, sy, txy = nodal_stress(section, twist, reached.function).T
    force, reach = section.torque * section.pull, float(np.hypot(*mesh.points.T).max())
    free, clamped = end_rotations(section, twist)
    rows = (reached.balance, *((Balance("Fx", "force", force, -force),) if force else ()))
    return SolidFacts(
        material=section.material,
        **stress_facts((sx, sy, txy), *mesh.points.T),
        axial=abs(float(sx[0])),
        bending=0.0,
        torsion=float(txy.max()),
        thermal=0.0,
        loads=arrows(section),
        load_count=1 + (force != 0) + (section.heating != 0),
        balances=rows,
        supports=(("rim of the clamped end, tangential", clamped * reach),),
        axial_compression=max(0.0, -force),
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
    return statics.strut_factor(section.length, bending, np.ones(16), both_clamped=False)


def arrows(section: TorsionSection) -> tuple[Load, ...]:
    """The torque as it is drawn."""
    corner = 0.72 if section.is_round else 1.0
    width, height = corner * section.half_width, corner * section.half_height
    return tuple(Load(x=x, y=y, torque=section.torque) for x, y in ((width, height), (-width, -height)))


def propose_section(draw: ParameterRng) -> Candidate:
    """One bar; a ductile one stays below its yield strength, for the stress function knows no flow."""
    width = draw.between(0.015, 0.06)
    material = draw_material(draw)
    unit = TorsionSection(
        material=material,
        units=draw.pick((METRIC, IMPERIAL)),
        is_round=draw.chance(),
        half_width=width,
        half_height=width * draw.pick((1.0, 0.8, 0.6, 0.45)),
        length=width * draw.between(30, 80),
        torque=draw.pick((-1.0, 1.0)),
        pull=draw.pick((0.0, 0.0, 3.0, -14.0, -20.0, -20.0)) / width,
        heating=draw.pick((0.0, 0.0, 0.0, 30.0)),
        give=draw.between(0.12, 0.3) if draw.chance() else 0.0,
    )
    over = not material.is_ductile and draw.chance(0.6)
    use = draw.between(1.2, 1.6) if over else draw.between(0.3, 0.85)
    outcome, start_share = candidate.draw_outcome(draw), draw.between(0.7, 0.82)
    coarse = solve_torsion(unit, _COARSE)
    section = scale_to_utilisation(unit, coarse, use)
    size = np.array([0.5 if outcome.is_converged else 2.0]) * outcome.tolerance
    kept = -section.torque * (1.0 if outcome.is_balanced else 0.9)
    forecast = SolverResult(
        section.torque * coarse.function,
        analysis.normalized_residuals(size, size, outcome.tolerance),
        Balance("Mx", "moment", section.torque, kept),
    )
    expected = answer_all(QUESTIONS, measure_facts(section, coarse, forecast))

    def solve() -> Case:
        fine = solve_torsion(unit, _FINE)
        return _solved_case(scale_to_utilisation(unit, fine, use), fine, outcome, start_share)

    return Candidate(expected, solve)


def _solved_case(section: TorsionSection, twist: TorsionSolution, outcome: SolverOutcome, start_share: float) -> Case:
    reached = solve_iteratively(section, twist, outcome, start_share)
    facts = measure_facts(section, twist, reached)
    mesh, stress = twist.space.mesh, nodal_stress(section, twist, reached.function)
    free, _ = end_rotations(section, twist)
    x, y = mesh.points.T
    moved = free * np.stack([-y, x], axis=1).ravel()
    states = Snapshot(0.0, 0 * moved, 0 * stress), Snapshot(1.0, moved, stress)
    body = _body(section, twist, stress)
    return build_case(
        body, facts, make_scene(body, candidate.make_motion(mesh, states, signed=False), facts.displacement)
    )


def _body(section: TorsionSection, twist: TorsionSolution, stress: Array) -> Body:
    mesh, width, height = twist.space.mesh, section.half_width, section.half_height
    axes = ((-1.3 * width, 0.0), (1.3 * width, 0.0)), ((0.0, -1.3 * height), (0.0, 1.3 * height))
    side, shape = ("Axis", "Elliptic") if section.is_round else ("Side", "Rectangular")
    if width == height:
        side, shape = ("Diameter", "Round") if section.is_round else ("Side", "Square")
    return Body(
        kind="section",
        title=f"{shape} bar in torsion, cross-section at the free end",
        units=section.units,
        material=section.material,
        window=Window(-width, width, -height, height).expanded(0.55 * width, 0.55 * width),
        stress=candidate.stress_field(mesh, stress),
        outlines=candidate.outlines(mesh),
        loads=arrows(section),
        geometry={"Length": section.length, f"{side} along x": 2 * width, f"{side} along y": 2 * height},
        load_rows=(
            ("Torque Mx at the free end", section.torque, "moment"),
            ("Axial force at the free end", section.torque * section.pull, "force"),
        ),
        section=((-width, 0.0), (width, 0.0)),
        heating=section.heating,
        length=section.length,
        marks=tuple(Line(line, "#57606a", 1.0, dashed=True) for line in axes),
        mesh_rows=candidate.mesh_rows(mesh),
        steps=2,
    )
