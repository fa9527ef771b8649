"""Line sketch of a structural model inside a panel of a plot (the drawings of questions are more elaborate)."""

from __future__ import annotations

import math
from collections.abc import Sequence

from sightline.suites.structural.drawing import loads as load_glyphs
from sightline.suites.structural.drawing import supports as support_glyphs
from sightline.suites.structural.drawing.canvas import Canvas
from sightline.suites.structural.drawing.hinges import draw_hinge
from sightline.suites.structural.drawing.loads import LoadStyle
from sightline.suites.structural.drawing.shapes import Pen
from sightline.suites.structural.drawing.supports import SupportStyle
from sightline.suites.structural.drawing.vectors import XY
from sightline.suites.structural.model import DistributedLoad, Force, Link, Model, Moment, PointSupport

_ARROW = 46.0
_COMB = 30.0


class Panel:
    """Mapping from model coordinates in metres to a rectangle in pixels, with equal scale on both axes."""

    def __init__(self, models: Sequence[Model], corner: XY, size: XY, shift: XY = (0.0, 0.0)) -> None:
        points = [(p.x, p.y) for model in models for p in model.points]
        self._low = (min(x for x, _ in points), min(y for _, y in points))
        high = (max(x for x, _ in points), max(y for _, y in points))
        span = (max(high[0] - self._low[0], 1e-9), max(high[1] - self._low[1], 1e-9))
        self.scale = min(size[0] / span[0], size[1] / span[1])
        self._origin = (
            corner[0] + (size[0] - self.scale * span[0]) / 2,
            corner[1] + size[1] - (size[1] - self.scale * span[1]) / 2,
        )
        self._shift = shift

    def at(self, x: float, y: float) -> XY:
        """Pixel of a point of the model."""
        dx, dy = x + self._shift[0] - self._low[0], y + self._shift[1] - self._low[1]
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
    match support.kind:
        case "pin":
            support_glyphs.pin(canvas, at, 0.0, style)
        case "fixed":
            support_glyphs.fixed(canvas, at, leaving - 90.0, style)
        case "roller":
            support_glyphs.roller(canvas, at, support.angle, style)
        case "slider":
            # the glyph restrains along its local y, the slider of FrameCalc along its angle
            support_glyphs.slider(canvas, at, support.angle - 90.0, style)


def _load(canvas: Canvas, load: Force | Moment | DistributedLoad, model: Model, panel: Panel, style: LoadStyle) -> None:
    if isinstance(load, DistributedLoad):
        base = (
            panel.at(*point_on_link(model, load.link, load.begin)),
            panel.at(*point_on_link(model, load.link, load.end)),
        )
        peak = max(abs(load.w_begin), abs(load.w_end)) or 1.0
        heights = (_COMB * load.w_begin / peak, _COMB * load.w_end / peak)
        load_glyphs.draw_comb(canvas, base, load.angle, heights, style)
        return
    pixel = _load_pixel(load, model, panel)
    if isinstance(load, Moment):
        load_glyphs.draw_moment(canvas, pixel, 18.0, 200.0, math.copysign(250.0, load.value), style)
    else:
        load_glyphs.draw_force(canvas, pixel, load.angle + (180.0 if load.value < 0 else 0.0), _ARROW, style)


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
