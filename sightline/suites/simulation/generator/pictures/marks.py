"""Supports, walls, outlines, arrows and notes of a scene."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sightline.suites.simulation.generator.arrays import Point
from sightline.suites.simulation.generator.case import Annotation, Arrow, Disc, Hatch, Line, TextNote
from sightline.suites.simulation.generator.pictures.canvas import Canvas
from sightline.suites.simulation.generator.pictures.view import View

_HATCH_STEP = 9.0
_DARK = "#30363d"


def draw_marks(canvas: Canvas, marks: Sequence[Annotation], view: View, *, small: bool = False) -> None:
    """All marks in their order."""
    thin = 0.7 if small else 1.0
    for mark in marks:
        match mark:
            case Line():
                draw = canvas.dashes if mark.dashed else canvas.line
                draw(view.path(mark.points), mark.colour, mark.width * thin)
            case Arrow():
                canvas.arrow(view.path(mark.points), mark.colour, mark.width * thin, 12 * thin)
            case Hatch():
                _hatch(canvas, view.path((mark.start, mark.end)), flipped=view.mirrored, thin=thin)
            case TextNote():
                canvas.text(view.path((mark.at,))[0], mark.text, 12 if small else 15, anchor="mm")
            case Disc():
                canvas.disc(view.path((mark.centre,))[0], mark.radius * view.scale, "#d0d7de", _DARK)


def _hatch(canvas: Canvas, ends: Sequence[Point], *, flipped: bool, thin: float) -> None:
    (x0, y0), (x1, y1) = ends
    length = float(np.hypot(x1 - x0, y1 - y0))
    dx, dy = (x1 - x0) / length, (y1 - y0) / length
    # left of the way as the plane has it; in pixels y runs down, and a mirror swaps the sides
    side = -1.0 if flipped else 1.0
    nx, ny = side * dy, -side * dx
    tick = _HATCH_STEP * thin
    canvas.line(ends, _DARK, 2.2 * thin)
    for at in np.arange(tick / 2, length, tick):
        x, y = x0 + at * dx, y0 + at * dy
        canvas.line(((x, y), (x + tick * (nx - 0.6 * dx), y + tick * (ny - 0.6 * dy))), _DARK, thin)
