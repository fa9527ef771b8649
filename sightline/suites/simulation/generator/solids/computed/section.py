"""A prismatic bar in torsion: the stress function on its cross-section, perhaps with a force along the axis as well."""

from __future__ import annotations

import numpy as np

from sightline.suites.simulation.generator.arrays import Array
from sightline.suites.simulation.generator.case import Candidate, Case, Line
from sightline.suites.simulation.generator.draw import ParameterRng
from sightline.suites.simulation.generator.question import answer_all
from sightline.suites.simulation.generator.solids.body import Body, draw_material
from sightline.suites.simulation.generator.solids.build_case import build_case
from sightline.suites.simulation.generator.solids.computed.candidate import draw_ending
from sightline.suites.simulation.generator.solids.computed.render_case import (
    make_motion,
    mesh_rows,
    outlines,
    stress_field,
)
from sightline.suites.simulation.generator.solids.computed.solver_history import (
    Snapshot,
    SolverOutcome,
    normalized_residuals,
)
from sightline.suites.simulation.generator.solids.computed.torsion_solution import (
    SolverResult,
    TorsionSection,
    TorsionSolution,
    arrows,
    end_rotations,
    measure_facts,
    nodal_stress,
    scale_to_utilisation,
    solve_iteratively,
    solve_torsion,
)
from sightline.suites.simulation.generator.solids.facts import Balance
from sightline.suites.simulation.generator.solids.questions import QUESTIONS
from sightline.suites.simulation.generator.solids.scene import make_scene
from sightline.suites.simulation.generator.units import IMPERIAL, METRIC

_COARSE, _FINE = 6, 16


def propose(draw: ParameterRng) -> Candidate:
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
    ending, begun = draw_ending(draw), draw.between(0.7, 0.82)
    coarse = solve_torsion(unit, _COARSE)
    section = scale_to_utilisation(unit, coarse, use)
    size = np.array([0.5 if ending.is_converged else 2.0]) * ending.tolerance
    kept = -section.torque * (1.0 if ending.is_balanced else 0.9)
    forecast = SolverResult(
        section.torque * coarse.function,
        normalized_residuals(size, size, ending.tolerance),
        Balance("Mx", "moment", section.torque, kept),
    )
    expected = answer_all(QUESTIONS, measure_facts(section, coarse, forecast))

    def solve() -> Case:
        fine = solve_torsion(unit, _FINE)
        return _presented(scale_to_utilisation(unit, fine, use), fine, ending, begun)

    return Candidate(expected, solve)


def _presented(section: TorsionSection, twist: TorsionSolution, ending: SolverOutcome, begun: float) -> Case:
    reached = solve_iteratively(section, twist, ending, begun)
    facts = measure_facts(section, twist, reached)
    mesh, stress = twist.space.mesh, nodal_stress(section, twist, reached.function)
    free, _ = end_rotations(section, twist)
    x, y = mesh.points.T
    moved = free * np.stack([-y, x], axis=1).ravel()
    states = Snapshot(0.0, 0 * moved, 0 * stress), Snapshot(1.0, moved, stress)
    body = _body(section, twist, stress)
    return build_case(body, facts, make_scene(body, make_motion(mesh, states, signed=False), facts.displacement))


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
        window=section.window.grown(0.55 * width, 0.55 * width),
        stress=stress_field(mesh, stress),
        displacement=lambda x, y: (0 * x, 0 * y),
        samples=(mesh.points[:, 0], mesh.points[:, 1]),
        outlines=outlines(mesh),
        supports=(),
        loads=arrows(section),
        balances=(),
        geometry=(
            ("Length", section.length, "length"),
            (f"{side} along x", 2 * width, "length"),
            (f"{side} along y", 2 * height, "length"),
        ),
        load_rows=(
            ("Torque Mx at the free end", section.torque, "moment"),
            ("Axial force at the free end", section.torque * section.pull, "force"),
        ),
        section=((-width, 0.0), (width, 0.0)),
        heating=section.heating,
        length=section.length,
        marks=tuple(Line(line, "#57606a", 1.0, dashed=True) for line in axes),
        mesh_rows=mesh_rows(mesh),
        steps=2,
    )
