"""From a loaded body to a case: defects, measured facts, scene and report."""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from sightline.suites.simulation.generator.arrays import Array, Point
from sightline.suites.simulation.generator.case import Case
from sightline.suites.simulation.generator.draw import Draw
from sightline.suites.simulation.generator.question import answer_all
from sightline.suites.simulation.generator.residuals import draw_residuals
from sightline.suites.simulation.generator.solids.body import LEAST_DISPLACEMENT, Body, Displacement
from sightline.suites.simulation.generator.solids.facts import Balance, SolidFacts
from sightline.suites.simulation.generator.solids.questions import QUESTIONS
from sightline.suites.simulation.generator.solids.scene import scene_of
from sightline.suites.simulation.generator.solids.sections import figures_of, sections_of
from sightline.suites.simulation.generator.solids.stress import extremes, von_mises


class Defects(Struct, frozen=True, kw_only=True):
    """What is wrong with a computation on purpose, so that laws are not always kept."""

    lost_reaction: float
    """Share of the reactions that is missing."""
    slip: Point
    """How far the whole body has moved off its supports."""
    stalls: bool


def build(draw: Draw, body: Body) -> Case:
    """The case of a body, with defects drawn by chance."""
    defects = _draw_defects(draw, body)
    moved = _with_slip(body.displacement, defects.slip)
    facts = _measure(draw, body, moved, defects)
    heated = f" - temperature change {body.units.show(body.heating, 'heat')}" if body.heating else ""
    return Case(
        kind=body.kind,
        title=body.title,
        subtitle=f"{body.material.name} - static analysis, load step 1 of 1{heated}",
        scene=scene_of(body, moved, facts.displacement),
        facts=facts,
        answers=answer_all(QUESTIONS, facts),
        sections=sections_of(body, facts),
        figures=figures_of(body, facts),
        residuals=facts.residuals,
    )


def _largest(displacement: Displacement, points: tuple[Array, Array]) -> float:
    return float(np.hypot(*displacement(*points)).max())


def _draw_defects(draw: Draw, body: Body) -> Defects:
    # a bar held at both ends may not move at all: a slip then needs a scale of its own
    scale = max(_largest(body.displacement, body.samples), LEAST_DISPLACEMENT * body.length)
    share = draw.between(0.12, 0.3) if draw.chance() else 0.0
    x, y = body.supports[0].direction
    return Defects(
        lost_reaction=draw.between(0.06, 0.25) if draw.chance() else 0.0,
        slip=(share * scale * x, share * scale * y),
        stalls=draw.chance(),
    )


def _with_slip(displacement: Displacement, slip: Point) -> Displacement:
    def moved(x: Array, y: Array) -> tuple[Array, Array]:
        ux, uy = displacement(x, y)
        return ux + slip[0], uy + slip[1]

    return moved


def _measure(draw: Draw, body: Body, moved: Displacement, defects: Defects) -> SolidFacts:
    stress = body.stress(*body.samples)
    equivalent = von_mises(stress)
    tension, compression = extremes(stress)
    supports = []
    for support in body.supports:
        ux, uy = moved(np.array([support.at[0]]), np.array([support.at[1]]))
        supports.append((support.name, float(ux[0] * support.direction[0] + uy[0] * support.direction[1])))
    return SolidFacts(
        material=body.material,
        von_mises_high=float(np.nanmax(equivalent)),
        von_mises_low=float(np.nanmin(equivalent)),
        tension=tension,
        compression=compression,
        axial=body.axial,
        bending=body.bending,
        torsion=body.torsion,
        thermal=body.thermal,
        loads=body.loads,
        balances=tuple(
            Balance(row.name, row.unit, row.applied, row.reaction * (1 - defects.lost_reaction))
            for row in body.balances
        ),
        supports=tuple(supports),
        squeeze=body.squeeze,
        buckling_load=body.buckling_load,
        displacement=_largest(moved, body.samples),
        length=body.length,
        residuals=draw_residuals(draw, ("force", "displacement"), stalls=defects.stalls),
    )
