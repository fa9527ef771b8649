"""Parts of a model on a sheet: in a colour, or as dashed ghosts of what is missing."""

from __future__ import annotations

import math
from collections.abc import Collection

from msgspec.structs import replace

from sightline.suites.structural.drawing.canvas import Canvas, moved
from sightline.suites.structural.drawing.shapes import Path, Pen, Shape, Text
from sightline.suites.structural.drawing.vectors import XY, angle_gap
from sightline.suites.structural.model import Force, Link, Load, Model, PointSupport
from sightline.suites.structural.model_sketch import Panel, draw_sketch
from sightline.suites.structural.sample_drawings.faults import End

_DASH = 4.0
_BESIDE = 20.0
"""A member nearer to an arrow than so many degrees hides it."""


def hinges(model: Model, ends: Collection[End], panel: Panel, colour: str) -> list[Shape]:
    """The circles at some ends of links."""
    links = [replace(link, hinge_a=(link.id, "a") in ends, hinge_b=(link.id, "b") in ends) for link in model.links]
    return _alone(Model(points=model.points, links=tuple(links)), panel, colour)


def all_hinges(model: Model) -> set[End]:
    """The released ends of a model."""
    return {(link.id, "a") for link in model.links if link.hinge_a} | {
        (link.id, "b") for link in model.links if link.hinge_b
    }


def support(model: Model, one: PointSupport, panel: Panel, colour: str) -> list[Shape]:
    """One support."""
    links = [link for link in model.links if one.point in (link.a, link.b)][:1]
    return _alone(Model(points=model.points, links=_rigid(links), supports=(one,)), panel, colour)


def load(model: Model, one: Load, panel: Panel, colour: str) -> list[Shape]:
    """One load."""
    links = [link for link in model.links if link.id == one.link]
    shapes = _alone(Model(points=model.points, links=_rigid(links), loads=(one,)), panel, colour)
    if isinstance(one, Force) and one.point and _is_taken(model, one):
        tail, tip = _arrow(shapes)
        return [moved(shape, tip[0] - tail[0], tip[1] - tail[1]) for shape in shapes]
    return shapes


def _arrow(shapes: list[Shape]) -> tuple[XY, XY]:
    """Where an arrow begins and ends: its line is drawn from the tail, its head from the tip."""
    line, head = shapes
    assert isinstance(line, Path) and isinstance(head, Path)
    return line.points[0], head.points[0]


def _is_taken(model: Model, force: Force) -> bool:
    """Whether a member lies where the arrow would come from, and none where it would go."""
    towards = force.angle + (180.0 if force.value < 0 else 0.0)
    leaving = _leaving(model, force.point)
    return any(angle_gap(angle, towards + 180.0) < _BESIDE for angle in leaving) and not any(
        angle_gap(angle, towards) < _BESIDE for angle in leaving
    )


def _leaving(model: Model, point: str) -> list[float]:
    """The directions in which members leave a point."""
    at = {one.id: one for one in model.points}
    here = at[point]
    ends = [link.b if link.a == point else link.a for link in model.links if point in (link.a, link.b)]
    return [math.degrees(math.atan2(at[end].y - here.y, at[end].x - here.x)) for end in ends]


def ghosts(shapes: Collection[Shape]) -> list[Shape]:
    """The same in dashes, and nothing filled but arrow heads."""
    made: list[Shape] = []
    for shape in shapes:
        if isinstance(shape, Text) or shape.pen is None:
            made.append(shape)
        else:
            made.append(replace(shape, pen=replace(shape.pen, dash=_DASH)))
    return made


def _rigid(links: list[Link]) -> tuple[Link, ...]:
    return tuple(replace(link, hinge_a=False, hinge_b=False) for link in links)


def _alone(model: Model, panel: Panel, colour: str) -> list[Shape]:
    """A sketch without its members, which only tell where the rest is."""
    canvas = Canvas()
    draw_sketch(canvas, model, panel, colour, 0.0)
    return [shape for shape in canvas.shapes if not (isinstance(shape, Path) and shape.pen == Pen(0.0, colour))]
