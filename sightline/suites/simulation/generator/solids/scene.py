"""How a loaded body is drawn: coloured by stress on its deformed shape, with supports and load arrows."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from msgspec import Struct

from sightline.suites.simulation.generator.arrays import Array, Point, VectorField
from sightline.suites.simulation.generator.case import Annotation, Arrow, Line, Profile, Scene
from sightline.suites.simulation.generator.solids.body import LEAST_DISPLACEMENT, Body, Displacement
from sightline.suites.simulation.generator.solids.facts import Load
from sightline.suites.simulation.generator.solids.stress import von_mises

_SHOWN_DISPLACEMENT = 0.05
"""The largest displacement is drawn as long as this share of the window."""
_ARROW = 0.1


class Motion(Struct, frozen=True):
    """The fields of a body while the load rises; moments run from 0 to 1, the full load."""

    displacement: VectorField
    """At points of the body before it moved."""
    values: Callable[[Array, Array, float, float], Array]
    """What the colours show at points of the deformed body: moment and magnification come last."""


def make_scene(body: Body, motion: Motion, largest: float) -> Scene:
    """Return the scene of a body with a known largest displacement."""
    size = body.window.size
    # a bar between two walls may move by next to nothing, which must not be blown up to look like much
    magnified = _SHOWN_DISPLACEMENT * size / max(largest, LEAST_DISPLACEMENT * body.length)
    has_thermal_load = body.heating != 0.0

    def marks(moment: float) -> tuple[Annotation, ...]:
        def carried(points: tuple[Point, ...]) -> tuple[Point, ...]:
            x, y = np.array(points).T
            ux, uy = motion.displacement(x, y, moment)
            return tuple(zip((x + magnified * ux).tolist(), (y + magnified * uy).tolist(), strict=True))

        return (
            *(Line(outline, "#8b949e", 1.0, dashed=True) for outline in body.outlines),
            *(Line(carried(outline)) for outline in body.outlines),
            *(support.hatch for support in body.supports if support.hatch),
            *body.marks,
            *(_arrow(load, carried(((load.x, load.y),))[0], size) for load in body.loads),
        )

    return Scene(
        window=body.window,
        values=lambda x, y, moment: motion.values(x, y, moment, magnified),
        quantity=f"{'Normal stress Sxx' if body.signed else 'von Mises stress'} / {body.units.sign('stress')}",
        factor=body.units.number(1.0, "stress"),
        marks=marks,
        stage=lambda moment: f"{'load and heating' if has_thermal_load else 'load'} at {100 * moment:.0f} %",
        profile=_profile(body),
    )


def find_undeformed(x: Array, y: Array, moved: Displacement, magnified: float) -> tuple[Array, Array]:
    """Map points of the deformed shape back to the undeformed one, by fixed-point iteration."""
    from_x, from_y = x, y
    for _ in range(4):
        ux, uy = moved(from_x, from_y)
        from_x, from_y = x - magnified * ux, y - magnified * uy
    return from_x, from_y


def _arrow(load: Load, at: Point, size: float) -> Annotation:
    x, y = at
    if load.torque:
        turn = np.sign(load.torque) * np.linspace(0.25, 1.35, 16)
        radius = 1.12 * float(np.hypot(load.x, load.y))
        start = np.arctan2(load.y, load.x)
        return Arrow(tuple((radius * float(np.cos(start + a)), radius * float(np.sin(start + a))) for a in turn))
    length = float(np.hypot(load.fx, load.fy))
    dx, dy = _ARROW * size * load.fx / length, _ARROW * size * load.fy / length
    return Arrow(((x - dx, y - dy), (x, y)) if load.pushes else ((x, y), (x + dx, y + dy)))


def _profile(body: Body) -> Profile:
    (x0, y0), (x1, y1) = body.section
    place = np.linspace(0, 1, 241)
    stress = body.stress(x0 + (x1 - x0) * place, y0 + (y1 - y0) * place)
    units = body.units
    shown = stress[0] if body.signed else von_mises(stress)
    along = "x" if abs(x1 - x0) > abs(y1 - y0) else "y"
    first, last = (x0, x1) if along == "x" else (y0, y1)
    other = "y" if along == "x" else "x"
    fixed = units.show(y0 if along == "x" else x0, "length")
    return Profile(
        title=f"{'Sxx' if body.signed else 'von Mises'} along {along}, at {other} = {fixed}",
        across=f"{along} / {units.sign('length')}",
        up=units.sign("stress"),
        xs=units.number(1.0, "length") * (first + (last - first) * place),
        ys=units.number(1.0, "stress") * shown,
    )
