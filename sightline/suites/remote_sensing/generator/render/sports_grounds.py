"""Courts, pitches, tracks and pools from above."""

from __future__ import annotations

import math

from sightline.suites.remote_sensing.generator.catalog import TRACK_RATIO
from sightline.suites.remote_sensing.generator.materials import Colour, Material
from sightline.suites.remote_sensing.generator.render.canvas import ObjectCanvas
from sightline.suites.remote_sensing.generator.render.light import Light
from sightline.suites.remote_sensing.generator.seeded_random import SeededRandom
from sightline.suites.remote_sensing.generator.shapes import Point

SURFACES = {
    "blue": Material((66, 108, 148), 0.0, 150),
    "green": Material((82, 122, 92), 0.0, 146),
    "red": Material((156, 88, 70), 0.0, 154),
}


def _lines(canvas: ObjectCanvas, colour: Colour, paths: tuple[tuple[Point, ...], ...], width: float = 0.8) -> None:
    for path in paths:
        canvas.line(path, width, colour)


def _frame(x: float, y: float) -> tuple[Point, ...]:
    return (-x, -y), (x, -y), (x, y), (-x, y), (-x, -y)


def tennis_court(canvas: ObjectCanvas, light: Light, rng: SeededRandom) -> None:
    """Doubles lines, service boxes, net."""
    surface, outer = SURFACES[canvas.obj.paint], SURFACES["green" if canvas.obj.paint != "green" else "red"]
    canvas.body(canvas.palette.tone(outer, 0.92))
    canvas.block(-0.34, 0.34, 0.32, canvas.palette.tone(surface, 1.0))
    white = canvas.palette.material("marking")
    _lines(canvas, white, (_frame(0.34, 0.32), ((-0.34, -0.24), (0.34, -0.24)), ((-0.34, 0.24), (0.34, 0.24))))
    _lines(canvas, white, (((-0.18, -0.24), (-0.18, 0.24)), ((0.18, -0.24), (0.18, 0.24)), ((-0.18, 0), (0.18, 0))))
    canvas.line(((0, -0.37), (0, 0.37)), 0.7, canvas.palette.material("glass"))


def basketball_court(canvas: ObjectCanvas, light: Light, rng: SeededRandom) -> None:
    """Keys, centre circle and three-point lines."""
    surface = SURFACES[canvas.obj.paint]
    canvas.body(canvas.palette.tone(surface, 0.85))
    canvas.block(-0.46, 0.46, 0.43, canvas.palette.tone(surface, 1.05))
    white = canvas.palette.material("marking")
    _lines(canvas, white, (_frame(0.46, 0.43), ((0, -0.43), (0, 0.43))))
    canvas.canvas.ring(canvas.obj.at, canvas.obj.width * 0.12, 0.8, white)
    for side in (-1, 1):
        key = canvas.palette.tone(SURFACES["red" if canvas.obj.paint != "red" else "blue"])
        canvas.patch((min(side * 0.46, side * 0.28), max(side * 0.46, side * 0.28)), (-0.13, 0.13), key)
        arc = [
            (side * (0.42 - 0.25 * math.sin(k * math.pi / 12)), 0.37 * math.cos(k * math.pi / 12)) for k in range(13)
        ]
        canvas.line(arc, 0.8, white)


def football_pitch(canvas: ObjectCanvas, light: Light, rng: SeededRandom) -> None:
    """Mown stripes and all lines."""
    tone = canvas.palette.material
    canvas.body(tone("pitch"))
    for k in range(12):
        canvas.block(-0.5 + k / 12, -0.5 + (k + 1) / 12, 0.5, tone("pitch", 0.94 if k % 2 else 1.07))
    white = tone("marking")
    _lines(canvas, white, (_frame(0.465, 0.45), ((0, -0.45), (0, 0.45))), 1.1)
    canvas.canvas.ring(canvas.obj.at, canvas.obj.length * 0.087, 1.1, white)
    for side in (-1, 1):
        for deep, half in ((0.31, 0.29), (0.415, 0.13)):
            box = ((side * 0.465, -half), (side * deep, -half), (side * deep, half), (side * 0.465, half))
            canvas.line(box, 1.1, white)


def running_track(canvas: ObjectCanvas, light: Light, rng: SeededRandom) -> None:
    """Lanes about a lawn."""
    surface = SURFACES[canvas.obj.paint]
    canvas.body(canvas.palette.tone(surface, 1.05))
    obj = canvas.obj
    lane = obj.width * 0.019
    for k in range(1, 7):
        canvas.line(_oval(canvas, k * lane), 0.7, canvas.palette.material("marking", 0.95))
    inner = _oval(canvas, 7 * lane)
    canvas.part(inner, canvas.palette.material("lawn"))
    canvas.line(inner, 1.0, canvas.palette.material("marking"))
    canvas.line(((0.2, 0.5 - 7 * lane / obj.width), (0.2, 0.495)), 1.0, canvas.palette.material("marking"))


def _oval(canvas: ObjectCanvas, inset: float) -> list[Point]:
    """The edge, so much further in."""
    obj = canvas.obj
    half = (1 - TRACK_RATIO) / 2 * obj.length
    radius = obj.width / 2 - inset
    steps = [math.pi * (k / 16 - 0.5) for k in range(17)]
    cap = [((half + radius * math.cos(s)) / obj.length, radius * math.sin(s) / obj.width) for s in steps]
    ring = [*cap, *((-x, -y) for x, y in cap)]
    return [*ring, ring[0]]


def swimming_pool(canvas: ObjectCanvas, light: Light, rng: SeededRandom) -> None:
    """A pale edge, water brighter at the shallow end, lanes where it is long."""
    tone = canvas.palette.material
    canvas.body(tone("concrete", 1.2))
    edge, across = 1.6 / canvas.obj.length, 1.6 / canvas.obj.width
    canvas.patch((-0.5 + edge, 0.5 - edge), (-0.5 + across, 0.5 - across), tone("pool"))
    canvas.patch((-0.5 + edge, -0.15), (-0.5 + across, 0.5 - across), tone("pool", 1.12))
    if canvas.obj.length > 36:
        for k in range(1, 5):
            y = -0.5 + k / 5
            canvas.line(((-0.46, y), (0.46, y)), 0.5, tone("marking", 0.9))
