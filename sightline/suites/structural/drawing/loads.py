"""Forces, distributed loads and moments."""

from __future__ import annotations

import math

from msgspec import Struct

from sightline.suites.structural.drawing.canvas import Canvas
from sightline.suites.structural.drawing.shapes import Pen
from sightline.suites.structural.drawing.vectors import XY, distance, interpolate, offset_point


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
