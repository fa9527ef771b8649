"""Walls of objects that lean in a picture taken off nadir: the roof is displaced, the sides towards the sensor show."""

from __future__ import annotations

import math

from sightline.suites.remote_sensing.generator.catalog import KINDS, PAINTS
from sightline.suites.remote_sensing.generator.render.canvas import Canvas
from sightline.suites.remote_sensing.generator.render.sensor import Light
from sightline.suites.remote_sensing.generator.scene import SceneObject
from sightline.suites.remote_sensing.generator.shapes import Outline, Point, order_clockwise

_STOREY = 3.6
"""Height of a storey in units of the standard scale: rows of windows follow it."""


def facing_edges(outline: Outline, towards: Point) -> list[tuple[Point, Point]]:
    """Edges of an outline whose outside faces a direction."""
    ring = order_clockwise(outline)
    pairs = zip(ring, (*ring[1:], ring[0]), strict=True)
    # outside of an edge from a to b of a clockwise ring, y down: (b - a) turned to the left
    return [(a, b) for a, b in pairs if (b[1] - a[1]) * towards[0] - (b[0] - a[0]) * towards[1] > 0]


def paint_walls(canvas: Canvas, obj: SceneObject, lean: Point, light: Light) -> None:
    """Paint the walls that face the sensor, lit by the sun, with rows of windows on high buildings."""
    palette, paint = canvas.palette, PAINTS[obj.paint]
    height = KINDS[obj.kind].height
    storeys = int(height / _STOREY) if obj.group == "building" and height > 2 * _STOREY else 0
    for a, b in facing_edges(obj.outline, (-lean[0], -lean[1])):
        facing = math.atan2(-(b[0] - a[0]), b[1] - a[1])
        shade = 0.66 * light.shade(facing)
        canvas.fill(
            (a, b, (b[0] + lean[0], b[1] + lean[1]), (a[0] + lean[0], a[1] + lean[1])), palette.tone(paint, shade)
        )
        for storey in range(storeys):
            share = (storey + 0.5) / storeys
            row = [(x + share * lean[0], y + share * lean[1]) for x, y in (a, b)]
            canvas.line(row, 0.35 * math.hypot(*lean) / storeys, palette.material("glass", shade * 1.5))
