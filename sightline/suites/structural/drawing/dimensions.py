"""Dimension lines, chains of them, and angles."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from msgspec import Struct

from sightline.suites.structural.drawing.canvas import Canvas
from sightline.suites.structural.drawing.shapes import Pen
from sightline.suites.structural.drawing.vectors import XY, Axes, along, angle_of, distance

TICKS = ("slash", "arrow", "dot", "bar")


class DimensionLook(Struct, frozen=True, kw_only=True):
    """How dimensions are drawn."""

    pen: Pen = Pen(1.2)
    tick: str = "slash"
    """One of TICKS: what marks the ends."""
    size: float = 7.0
    """Half the length of a tick."""


def dimension(canvas: Canvas, start: XY, end: XY, look: DimensionLook) -> None:
    """One dimension line."""
    chain(canvas, (start, end), look)


def chain(canvas: Canvas, points: Sequence[XY], look: DimensionLook) -> None:
    """Dimension lines one behind the other."""
    angle = angle_of(points[0], points[-1])
    canvas.line((points[0], points[-1]), look.pen)
    for point in points:
        _tick(canvas, point, angle, look)
    if look.tick == "arrow":
        for start, end in pairwise(points):
            if distance(start, end) > 4.5 * look.size:
                canvas.head(end, angle, 1.5 * look.size, look.pen.colour)
                canvas.head(start, angle + 180.0, 1.5 * look.size, look.pen.colour)


def _tick(canvas: Canvas, at: XY, angle: float, look: DimensionLook) -> None:
    axes, s = Axes(at, angle), look.size
    match look.tick:
        case "slash":
            canvas.line(axes.path((-0.7 * s, -0.7 * s), (0.7 * s, 0.7 * s)), Pen(1.6 * look.pen.width, look.pen.colour))
        case "dot":
            canvas.circle(at, 0.45 * s, fill=look.pen.colour)
    canvas.line(axes.path((0, -s), (0, s)), look.pen)


def angle_mark(canvas: Canvas, centre: XY, radius: float, start: float, sweep: float, pen: Pen) -> None:
    """An arc between two directions."""
    canvas.arc(centre, radius, start, sweep, pen)


def reference(canvas: Canvas, at: XY, angle: float, length: float, pen: Pen) -> None:
    """A dashed line from which an angle is measured."""
    canvas.line((at, along(at, angle, length)), Pen(pen.width, pen.colour, 5.0))
