"""The circle of a hinge."""

from __future__ import annotations

from sightline.drawing.canvas import Canvas
from sightline.drawing.shapes import Pen
from sightline.drawing.vectors import XY


def hinge(canvas: Canvas, at: XY, radius: float, pen: Pen, paper: str = "#ffffff") -> None:
    """An open circle that hides the members beneath it."""
    canvas.circle(at, radius, pen, paper)
