"""A prismatic bar in torsion: the stress function on its cross-section, perhaps with a force along the axis as well."""

from __future__ import annotations

import numpy as np

from sightline.suites.simulation.generator.arrays import Array
from sightline.suites.simulation.generator.case import Candidate, Case, Line
from sightline.suites.simulation.generator.draw import Draw
from sightline.suites.simulation.generator.question import answer_all
from sightline.suites.simulation.generator.solids.body import Body, draw_material
from sightline.suites.simulation.generator.solids.computed.presenting import (
    mesh_rows,
    motion_of,
    outlines,
    stress_field,
)
from sightline.suites.simulation.generator.solids.computed.proposing import draw_ending
from sightline.suites.simulation.generator.solids.computed.running import Ending, Snapshot, history
from sightline.suites.simulation.generator.solids.computed.twisting import (
    Reached,
    Section,
    Twist,
    arrows,
    iterated,
    loaded,
    measured,
    nodal_stress,
    turns,
    twisted,
)
from sightline.suites.simulation.generator.solids.facts import Balance
from sightline.suites.simulation.generator.solids.questions import QUESTIONS
from sightline.suites.simulation.generator.solids.scene import scene_of
from sightline.suites.simulation.generator.solids.telling import told
from sightline.suites.simulation.generator.units import IMPERIAL, METRIC

_COARSE, _FINE = 6, 16


def propose(draw: Draw) -> Candidate:
    """One bar; a ductile one stays below its yield strength, for the stress function knows no flow."""
    width = draw.between(0.015, 0.06)
    material = draw_material(draw)
    unit = Section(
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
    coarse = twisted(unit, _COARSE)
    section = loaded(unit, coarse, use)
    size = np.array([0.5 if ending.is_converged else 2.0]) * ending.tolerance
    kept = -section.torque * (1.0 if ending.is_balanced else 0.9)
    forecast = Reached(
        section.torque * coarse.function,
        history(size, size, ending.tolerance),
        Balance("Mx", "moment", section.torque, kept),
    )
    expected = answer_all(QUESTIONS, measured(section, coarse, forecast))

    def solve() -> Case:
        fine = twisted(unit, _FINE)
        return _presented(loaded(unit, fine, use), fine, ending, begun)

    return Candidate(expected, solve)


def _presented(section: Section, twist: Twist, ending: Ending, begun: float) -> Case:
    reached = iterated(section, twist, ending, begun)
    facts = measured(section, twist, reached)
    mesh, stress = twist.space.mesh, nodal_stress(section, twist, reached.function)
    free, _ = turns(section, twist)
    x, y = mesh.points.T
    moved = free * np.stack([-y, x], axis=1).ravel()
    states = Snapshot(0.0, 0 * moved, 0 * stress), Snapshot(1.0, moved, stress)
    body = _body(section, twist, stress)
    return told(body, facts, scene_of(body, motion_of(mesh, states, signed=False), facts.displacement))


def _body(section: Section, twist: Twist, stress: Array) -> Body:
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
