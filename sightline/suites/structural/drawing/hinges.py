"""The circle of a hinge."""

from __future__ import annotations

from sightline.suites.structural.drawing.canvas import Canvas
from sightline.suites.structural.drawing.shapes import Pen
from sightline.suites.structural.drawing.vectors import XY


def draw_hinge(canvas: Canvas, at: XY, radius: float, pen: Pen, paper: str = "#ffffff") -> None:
    """An open circle that hides the members beneath it."""
    canvas.circle(at, radius, pen, paper)
