"""Dimension lines, chains of them, and angles."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from msgspec import Struct

from sightline.suites.structural.drawing.canvas import Canvas
from sightline.suites.structural.drawing.shapes import Pen
from sightline.suites.structural.drawing.vectors import XY, Axes, angle_of, distance, offset_point

TICKS = ("slash", "arrow", "dot", "bar")


class DimensionStyle(Struct, frozen=True, kw_only=True):
    """How dimensions are drawn."""

    pen: Pen = Pen(1.2)
    tick: str = "slash"
    """One of TICKS: what marks the ends."""
    size: float = 7.0
    """Half the length of a tick."""


def draw_dimension(canvas: Canvas, start: XY, end: XY, style: DimensionStyle) -> None:
    """One dimension line."""
    draw_chain(canvas, (start, end), style)


def draw_chain(canvas: Canvas, points: Sequence[XY], style: DimensionStyle) -> None:
    """Dimension lines one behind the other."""
    angle = angle_of(points[0], points[-1])
    canvas.line((points[0], points[-1]), style.pen)
    for point in points:
        _tick(canvas, point, angle, style)
    if style.tick == "arrow":
        for start, end in pairwise(points):
            if distance(start, end) > 4.5 * style.size:
                canvas.head(end, angle, 1.5 * style.size, style.pen.colour)
                canvas.head(start, angle + 180.0, 1.5 * style.size, style.pen.colour)


def _tick(canvas: Canvas, at: XY, angle: float, style: DimensionStyle) -> None:
    axes, s = Axes(at, angle), style.size
    match style.tick:
        case "slash":
            canvas.line(
                axes.path((-0.7 * s, -0.7 * s), (0.7 * s, 0.7 * s)), Pen(1.6 * style.pen.width, style.pen.colour)
            )
        case "dot":
            canvas.circle(at, 0.45 * s, fill=style.pen.colour)
    canvas.line(axes.path((0, -s), (0, s)), style.pen)


def draw_angle_mark(canvas: Canvas, centre: XY, radius: float, start: float, sweep: float, pen: Pen) -> None:
    """An arc between two directions."""
    canvas.arc(centre, radius, start, sweep, pen)


def draw_reference_line(canvas: Canvas, at: XY, angle: float, length: float, pen: Pen) -> None:
    """A dashed line from which an angle is measured."""
    canvas.line((at, offset_point(at, angle, length)), Pen(pen.width, pen.colour, 5.0))
