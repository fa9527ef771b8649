"""Line sketch of a structural model in a panel, as a whole or as shapes of single parts."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence

from msgspec.structs import replace

from sightline.suites.structural.drawing.canvas import Canvas, Path, Pen, Shape, Text, translate_shape
from sightline.suites.structural.drawing.symbols import (
    SUPPORT_SYMBOLS,
    LoadStyle,
    SupportStyle,
    draw_comb,
    draw_force,
    draw_hinge,
    draw_moment,
)
from sightline.suites.structural.drawing.vectors import XY, angle_gap
from sightline.suites.structural.model import DistributedLoad, Force, Link, Load, Model, Moment, PointSupport

_ARROW = 46.0
_COMB = 30.0


class Panel:
    """Mapping from model coordinates in metres to a rectangle in pixels, with equal scale on both axes."""

    def __init__(self, models: Sequence[Model], corner: XY, size: XY) -> None:
        points = [(p.x, p.y) for model in models for p in model.points]
        self._low = (min(x for x, _ in points), min(y for _, y in points))
        high = (max(x for x, _ in points), max(y for _, y in points))
        span = (max(high[0] - self._low[0], 1e-9), max(high[1] - self._low[1], 1e-9))
        self.scale = min(size[0] / span[0], size[1] / span[1])
        self._origin = (
            corner[0] + (size[0] - self.scale * span[0]) / 2,
            corner[1] + size[1] - (size[1] - self.scale * span[1]) / 2,
        )

    def at(self, x: float, y: float) -> XY:
        """Pixel of a point of the model."""
        dx, dy = x - self._low[0], y - self._low[1]
        return (self._origin[0] + self.scale * dx, self._origin[1] - self.scale * dy)


def draw_sketch(canvas: Canvas, model: Model, panel: Panel, colour: str, width: float = 3.0) -> None:
    """Draw members, hinges, supports and loads in one colour."""
    at = {point.id: panel.at(point.x, point.y) for point in model.points}
    for link in model.links:
        canvas.line((at[link.a], at[link.b]), Pen(width, colour))
    for link in model.links:
        _hinges(canvas, link, at, colour)
    support_style = SupportStyle(size=20.0, pen=Pen(1.8, colour), hatch=Pen(1.2, colour))
    for support in model.supports:
        _support(canvas, support, at[support.point], _first_member_angle(model, at, support.point), support_style)
    load_style = LoadStyle(force=Pen(2.0, colour), comb=Pen(1.2, colour), head=11.0)
    for load in model.loads:
        _load(canvas, load, model, panel, load_style)


def _hinges(canvas: Canvas, link: Link, at: dict[str, XY], colour: str) -> None:
    (ax, ay), (bx, by) = at[link.a], at[link.b]
    length = math.hypot(bx - ax, by - ay) or 1.0
    inset = min(9.0, length / 4) / length
    if link.hinge_a:
        draw_hinge(canvas, (ax + inset * (bx - ax), ay + inset * (by - ay)), 4.5, Pen(1.6, colour))
    if link.hinge_b:
        draw_hinge(canvas, (bx - inset * (bx - ax), by - inset * (by - ay)), 4.5, Pen(1.6, colour))


def _first_member_angle(model: Model, at: dict[str, XY], point: str) -> float:
    """Direction of the first member at a point; a clamp is drawn perpendicular to it."""
    for link in model.links:
        if point in (link.a, link.b):
            (x, y), (far_x, far_y) = at[point], at[link.b if link.a == point else link.a]
            return math.degrees(math.atan2(y - far_y, far_x - x))
    return 90.0


def _support(canvas: Canvas, support: PointSupport, at: XY, leaving: float, style: SupportStyle) -> None:
    # the symbol of a slider restrains along its local y, the slider of FrameCalc along its angle
    angles = {"pin": 0.0, "fixed": leaving - 90.0, "roller": support.angle, "slider": support.angle - 90.0}
    SUPPORT_SYMBOLS[support.kind](canvas, at, angles[support.kind], style)


def _load(canvas: Canvas, load: Force | Moment | DistributedLoad, model: Model, panel: Panel, style: LoadStyle) -> None:
    if isinstance(load, DistributedLoad):
        base = (
            panel.at(*point_on_link(model, load.link, load.begin)),
            panel.at(*point_on_link(model, load.link, load.end)),
        )
        peak = max(abs(load.w_begin), abs(load.w_end)) or 1.0
        heights = (_COMB * load.w_begin / peak, _COMB * load.w_end / peak)
        draw_comb(canvas, base, load.angle, heights, style)
        return
    pixel = _load_pixel(load, model, panel)
    if isinstance(load, Moment):
        draw_moment(canvas, pixel, 18.0, 200.0, math.copysign(250.0, load.value), style)
    else:
        draw_force(canvas, pixel, load.angle + (180.0 if load.value < 0 else 0.0), _ARROW, style)


def _load_pixel(load: Force | Moment, model: Model, panel: Panel) -> XY:
    if load.link:
        return panel.at(*point_on_link(model, load.link, load.offset))
    point = next(p for p in model.points if p.id == load.point)
    return panel.at(point.x, point.y)


def point_on_link(model: Model, link_id: str, offset: float) -> XY:
    """The point at a distance from a link's end a, in metres."""
    points = {point.id: point for point in model.points}
    link = next(link for link in model.links if link.id == link_id)
    a, b = points[link.a], points[link.b]
    share = offset / (math.hypot(b.x - a.x, b.y - a.y) or 1.0)
    return (a.x + share * (b.x - a.x), a.y + share * (b.y - a.y))


End = tuple[str, str]
"""A link's id and `a` or `b`."""
_DASH = 4.0
_MIN_ANGLE = 20.0
"""Degrees below which a member hides an arrow."""


def hinge_shapes(model: Model, ends: Collection[End], panel: Panel, colour: str) -> list[Shape]:
    """Hinge circles at some link ends."""
    links = [replace(link, hinge_a=(link.id, "a") in ends, hinge_b=(link.id, "b") in ends) for link in model.links]
    return _shapes_without_members(Model(points=model.points, links=tuple(links)), panel, colour)


def released_ends(model: Model) -> set[End]:
    """The released ends of a model."""
    ends = [
        (link.id, end, hinged) for link in model.links for end, hinged in (("a", link.hinge_a), ("b", link.hinge_b))
    ]
    return {(link, end) for link, end, hinged in ends if hinged}


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
