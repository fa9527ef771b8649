"""Symbols of structural drawings: supports, hinges, loads, dimension lines and angles."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

from msgspec import Struct

from sightline.suites.structural.drawing.canvas import Canvas, Pen
from sightline.suites.structural.drawing.vectors import XY, Axes, angle_of, distance, interpolate, offset_point

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


def draw_pin(canvas: Canvas, at: XY, angle: float, style: SupportStyle) -> Outline:
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


def draw_roller(canvas: Canvas, at: XY, angle: float, style: SupportStyle) -> Outline:
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


def draw_fixed(canvas: Canvas, at: XY, angle: float, style: SupportStyle) -> Outline:
    """Holds the point and its rotation: a hatched bar."""
    axes, s = Axes(at, angle), style.size
    canvas.line(axes.path((-1.05 * s, 0), (1.05 * s, 0)), Pen(1.7 * style.pen.width, style.pen.colour))
    return _ground(canvas, axes, 1.05 * s, 0.0, style)


def draw_slider(canvas: Canvas, at: XY, angle: float, style: SupportStyle) -> Outline:
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


SUPPORT_SYMBOLS = {"pin": draw_pin, "roller": draw_roller, "fixed": draw_fixed, "slider": draw_slider}
"""The function that draws each kind of support."""


def draw_hinge(canvas: Canvas, at: XY, radius: float, pen: Pen, paper: str = "#ffffff") -> None:
    """An open circle that hides the members beneath it."""
    canvas.circle(at, radius, pen, paper)


class LoadStyle(Struct, frozen=True, kw_only=True):
    """How loads are drawn."""

    force: Pen = Pen(2.6)
    comb: Pen = Pen(1.5)
    head: float = 14.0
    comb_head: float = 9.0
    spacing: float = 24.0
    """Between the arrows of a comb, about."""


def draw_force(canvas: Canvas, tip: XY, angle: float, length: float, style: LoadStyle) -> XY:
    """An arrow that points along `angle` and ends at `tip`; returns its tail."""
    tail = offset_point(tip, angle, -length)
    canvas.arrow((tail, tip), style.force, style.head)
    return tail


def draw_comb(
    canvas: Canvas, base: tuple[XY, XY], angle: float, heights: tuple[float, float], style: LoadStyle
) -> None:
    """Arrows along `angle` that end on a base line; they are as long as `heights` say at its two ends.

    A uniform load has equal heights, a triangular one a height of zero; where one is negative the arrows turn round.
    """
    count = max(2, round(distance(*base) / style.spacing))
    tails = []
    for k in range(count + 1):
        share = k / count
        tip, height = interpolate(*base, share), heights[0] + (heights[1] - heights[0]) * share
        tail = offset_point(tip, angle, -height)
        tails.append(tail)
        if abs(height) > style.comb_head + 2.0:
            canvas.arrow((tail, tip), style.comb, style.comb_head)
        elif abs(height) > 1.0:
            canvas.line((tail, tip), style.comb)
    canvas.line((tails[0], tails[-1]), style.comb)


def draw_moment(canvas: Canvas, centre: XY, radius: float, start: float, sweep: float, style: LoadStyle) -> None:
    """An arc from `start` through `sweep` degrees, with a head at its end; a positive sweep turns counter-clockwise."""
    sense = math.copysign(1.0, sweep)
    head = 0.9 * style.head
    covered = math.degrees(head / radius)
    canvas.arc(centre, radius, start, sweep - sense * 0.8 * covered, style.force)
    end = start + sweep
    # along the chord under the head, so that it sits on the arc and not beside it
    canvas.head(offset_point(centre, end, radius), end + sense * (90.0 - covered / 2), head, style.force.colour)


class DimensionStyle(Struct, frozen=True, kw_only=True):
    """How dimensions are drawn."""

    pen: Pen = Pen(1.2)
    tick: str = "slash"
    """What marks the ends: slash, arrow, dot or bar."""
    size: float = 7.0
    """Half the length of a tick."""


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


def draw_reference_line(canvas: Canvas, at: XY, angle: float, length: float, pen: Pen) -> None:
    """A dashed line from which an angle is measured."""
    canvas.line((at, offset_point(at, angle, length)), Pen(pen.width, pen.colour, 5.0))
