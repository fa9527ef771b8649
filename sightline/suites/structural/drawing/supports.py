"""Supports of structures. Each stands at a point with its ground on the side opposite to local y, turned by an angle:
at 0 the ground is below, at 90 on the right, at 180 above, at 270 on the left.

Every function returns the outline of the place that it takes up.
"""

from __future__ import annotations

from msgspec import Struct

from sightline.suites.structural.drawing.canvas import Canvas
from sightline.suites.structural.drawing.shapes import Pen
from sightline.suites.structural.drawing.vectors import XY, Axes

SHAPES = ("triangle", "ringed", "rods")
ROLLERS = ("gap", "wheels", "ball", "rods")
GUIDES = ("wheels", "rods")
Outline = tuple[XY, ...]


class SupportStyle(Struct, frozen=True, kw_only=True):
    """How supports are drawn."""

    size: float = 26.0
    """The height of a pin's triangle."""
    pen: Pen = Pen(2.0)
    hatch: Pen = Pen(1.2)
    paper: str = "#ffffff"
    pin: str = "triangle"
    """One of SHAPES: a triangle, one with a small ring at its top, or two rods."""
    roller: str = "gap"
    """One of ROLLERS: a triangle above a gap, one on two wheels, a ball, or one rod."""
    guide: str = "wheels"
    """One of GUIDES: two wheels or two parallel rods between plate and ground."""


def pin(canvas: Canvas, at: XY, angle: float, style: SupportStyle) -> Outline:
    """Holds the point in both directions."""
    axes, s = Axes(at, angle), style.size
    if style.pin == "rods":
        for side in (-0.55, 0.55):
            _rod(canvas, axes, (0.0, -0.16 * s), (side * s, -s), style)
    else:
        _triangle(canvas, axes, s, style)
        if style.pin == "ringed":
            canvas.circle(axes.to_sheet(0, 0), 0.17 * s, style.pen, style.paper)
    return _ground(canvas, axes, 0.95 * s, -s, style)


def roller(canvas: Canvas, at: XY, angle: float, style: SupportStyle) -> Outline:
    """Holds the point along local y alone."""
    axes, s = Axes(at, angle), style.size
    match style.roller:
        case "rods":
            _rod(canvas, axes, (0.0, -0.16 * s), (0.0, -s), style)
            return _ground(canvas, axes, 0.7 * s, -s, style)
        case "ball":
            canvas.circle(axes.to_sheet(0, -0.42 * s), 0.42 * s, style.pen, style.paper)
            return _ground(canvas, axes, 0.95 * s, -0.84 * s, style)
        case "wheels":
            _triangle(canvas, axes, 0.8 * s, style)
            for side in (-0.3, 0.3):
                canvas.circle(axes.to_sheet(side * s, -0.95 * s), 0.15 * s, style.pen, style.paper)
            return _ground(canvas, axes, 0.95 * s, -1.1 * s, style)
    _triangle(canvas, axes, 0.8 * s, style)
    canvas.line(axes.path((-0.8 * s, -0.8 * s), (0.8 * s, -0.8 * s)), style.pen)
    return _ground(canvas, axes, 0.95 * s, -1.1 * s, style)


def fixed(canvas: Canvas, at: XY, angle: float, style: SupportStyle) -> Outline:
    """Holds the point and its rotation: a hatched bar."""
    axes, s = Axes(at, angle), style.size
    canvas.line(axes.path((-1.05 * s, 0), (1.05 * s, 0)), Pen(1.7 * style.pen.width, style.pen.colour))
    return _ground(canvas, axes, 1.05 * s, 0.0, style)


def slider(canvas: Canvas, at: XY, angle: float, style: SupportStyle) -> Outline:
    """Holds the rotation and the displacement along local y: a plate that glides along its ground."""
    axes, s = Axes(at, angle), style.size
    canvas.line(axes.path((-0.75 * s, 0), (0.75 * s, 0)), Pen(1.5 * style.pen.width, style.pen.colour))
    if style.guide == "rods":
        for side in (-0.45, 0.45):
            _rod(canvas, axes, (side * s, -0.18 * s), (side * s, -0.85 * s), style)
        return _ground(canvas, axes, 0.85 * s, -0.85 * s, style)
    for side in (-0.4, 0.4):
        canvas.circle(axes.to_sheet(side * s, -0.2 * s), 0.16 * s, style.pen, style.paper)
    return _ground(canvas, axes, 0.85 * s, -0.4 * s, style)


def _triangle(canvas: Canvas, axes: Axes, height: float, style: SupportStyle) -> None:
    half = 0.62 * height
    canvas.polygon(axes.path((0, 0), (-half, -height), (half, -height)), style.paper, style.pen)


def _rod(canvas: Canvas, axes: Axes, top: XY, bottom: XY, style: SupportStyle) -> None:
    canvas.line(axes.path(top, bottom), style.pen)
    for end in (top, bottom):
        canvas.circle(axes.to_sheet(*end), 0.16 * style.size, style.pen, style.paper)


def _ground(canvas: Canvas, axes: Axes, half: float, level: float, style: SupportStyle) -> Outline:
    depth = 0.3 * style.size
    start, end = axes.path((-half, level), (half, level))
    canvas.hatch(start, end, depth, style.hatch, 0.27 * style.size)
    canvas.line((start, end), style.pen)
    wide, low = half + 0.15 * style.size, level - depth
    return axes.path((-wide, 0), (wide, 0), (wide, low), (-wide, low))
