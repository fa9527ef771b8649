"""Shapes of single parts of a model in a colour; dashed for missing parts."""

from __future__ import annotations

import math
from collections.abc import Collection

from msgspec.structs import replace

from sightline.suites.structural.drawing.canvas import Canvas, translate_shape
from sightline.suites.structural.drawing.shapes import Path, Pen, Shape, Text
from sightline.suites.structural.drawing.vectors import XY, angle_gap
from sightline.suites.structural.model import Force, Link, Load, Model, PointSupport
from sightline.suites.structural.model_sketch import Panel, draw_sketch
from sightline.suites.structural.sample_drawings.faults import End

_DASH = 4.0
_MIN_ANGLE = 20.0
"""Degrees below which a member hides an arrow."""


def hinge_shapes(model: Model, ends: Collection[End], panel: Panel, colour: str) -> list[Shape]:
    """Hinge circles at some link ends."""
    links = [replace(link, hinge_a=(link.id, "a") in ends, hinge_b=(link.id, "b") in ends) for link in model.links]
    return _shapes_without_members(Model(points=model.points, links=tuple(links)), panel, colour)


def released_ends(model: Model) -> set[End]:
    """The released ends of a model."""
    return {(link.id, "a") for link in model.links if link.hinge_a} | {
        (link.id, "b") for link in model.links if link.hinge_b
    }


def support_shapes(model: Model, support: PointSupport, panel: Panel, colour: str) -> list[Shape]:
    """Shapes of a support."""
    links = [link for link in model.links if support.point in (link.a, link.b)][:1]
    return _shapes_without_members(Model(points=model.points, links=_rigid(links), supports=(support,)), panel, colour)


def load_shapes(model: Model, load: Load, panel: Panel, colour: str) -> list[Shape]:
    """Shapes of a load."""
    links = [link for link in model.links if link.id == load.link]
    shapes = _shapes_without_members(Model(points=model.points, links=_rigid(links), loads=(load,)), panel, colour)
    if isinstance(load, Force) and load.point and _is_hidden(model, load):
        tail, tip = _arrow(shapes)
        return [translate_shape(shape, tip[0] - tail[0], tip[1] - tail[1]) for shape in shapes]
    return shapes


def _arrow(shapes: list[Shape]) -> tuple[XY, XY]:
    """Where an arrow begins and ends: its line is drawn from the tail, its head from the tip."""
    line, head = shapes
    assert isinstance(line, Path) and isinstance(head, Path)
    return line.points[0], head.points[0]


def _is_hidden(model: Model, force: Force) -> bool:
    """Whether a member lies where the arrow would come from, and none where it would go."""
    towards = force.angle + (180.0 if force.value < 0 else 0.0)
    leaving = _member_angles(model, force.point)
    return any(angle_gap(angle, towards + 180.0) < _MIN_ANGLE for angle in leaving) and not any(
        angle_gap(angle, towards) < _MIN_ANGLE for angle in leaving
    )


def _member_angles(model: Model, point: str) -> list[float]:
    """The directions in which members leave a point."""
    at = {model_point.id: model_point for model_point in model.points}
    joint = at[point]
    ends = [link.b if link.a == point else link.a for link in model.links if point in (link.a, link.b)]
    return [math.degrees(math.atan2(at[end].y - joint.y, at[end].x - joint.x)) for end in ends]


def dashed(shapes: Collection[Shape]) -> list[Shape]:
    """The shapes with dashed lines."""
    result: list[Shape] = []
    for shape in shapes:
        if isinstance(shape, Text) or shape.pen is None:
            result.append(shape)
        else:
            result.append(replace(shape, pen=replace(shape.pen, dash=_DASH)))
    return result


def _rigid(links: list[Link]) -> tuple[Link, ...]:
    return tuple(replace(link, hinge_a=False, hinge_b=False) for link in links)


def _shapes_without_members(model: Model, panel: Panel, colour: str) -> list[Shape]:
    """Shapes of a sketch without its members, which only position the other parts."""
    canvas = Canvas()
    draw_sketch(canvas, model, panel, colour, 0.0)
    return [shape for shape in canvas.shapes if not (isinstance(shape, Path) and shape.pen == Pen(0.0, colour))]
