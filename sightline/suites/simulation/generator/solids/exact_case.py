"""Case construction from a closed-form body: defects, measured facts, scene and report."""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from sightline.suites.simulation.generator.case import Array, Case, Point, draw_residuals
from sightline.suites.simulation.generator.rng import ParameterRng
from sightline.suites.simulation.generator.solids.body import (
    LEAST_DISPLACEMENT,
    Body,
    Displacement,
    peak_stresses,
    von_mises,
)
from sightline.suites.simulation.generator.solids.case_builder import Motion, build_case, find_undeformed, make_scene
from sightline.suites.simulation.generator.solids.facts import Balance, SolidFacts


class Defects(Struct, frozen=True, kw_only=True):
    """Deliberate defects of a computation, so that physical laws are sometimes violated."""

    lost_reaction: float
    """Share of the reactions that is missing."""
    slip: Point
    """How far the whole body has moved off its supports."""
    stalls: bool


def build_exact_case(draw: ParameterRng, body: Body) -> Case:
    """Build the case of a body with random defects."""
    defects = _draw_defects(draw, body)
    moved = _with_slip(body.displacement, defects.slip)
    facts = _measure(draw, body, moved, defects)
    return build_case(body, facts, make_scene(body, _motion(body, moved), facts.displacement))


def _motion(body: Body, moved: Displacement) -> Motion:
    """A body whose fields grow in proportion with the load."""

    def displacement(x: Array, y: Array, moment: float) -> tuple[Array, Array]:
        ux, uy = moved(x, y)
        return moment * ux, moment * uy

    def values(x: Array, y: Array, moment: float, magnified: float) -> Array:
        stress = body.stress(*find_undeformed(x, y, moved, moment * magnified))
        return moment * (stress[0] if body.signed else von_mises(stress))

    return Motion(displacement, values)


def _largest(displacement: Displacement, points: tuple[Array, Array]) -> float:
    return float(np.hypot(*displacement(*points)).max())


def _draw_defects(draw: ParameterRng, body: Body) -> Defects:
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


def _measure(draw: ParameterRng, body: Body, moved: Displacement, defects: Defects) -> SolidFacts:
    stress = body.stress(*body.samples)
    equivalent = von_mises(stress)
    tension, compression = peak_stresses(stress)
    supports = []
    for support in body.supports:
        ux, uy = moved(np.array([support.at[0]]), np.array([support.at[1]]))
        supports.append((support.name, float(ux[0] * support.direction[0] + uy[0] * support.direction[1])))
    return SolidFacts(
        material=body.material,
        von_mises_high=float(np.nanmax(equivalent)),
        von_mises_low=float(np.nanmin(equivalent)),
        linear_peak=float(np.nanmax(equivalent)),
        peak_at=_place(body.samples, equivalent),
        tension=tension,
        compression=compression,
        axial=body.axial,
        bending=body.bending,
        torsion=body.torsion,
        thermal=body.thermal,
        loads=body.loads,
        acting=body.acting,
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


def _place(points: tuple[Array, Array], values: Array) -> Point:
    at = np.unravel_index(int(np.nanargmax(values)), values.shape)
    return float(points[0][at]), float(points[1][at])
