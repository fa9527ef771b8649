"""Courts, pitches, tracks and pools from above."""

from __future__ import annotations

import math

from sightline.suites.remote_sensing.generator.catalog import TRACK_RATIO
from sightline.suites.remote_sensing.generator.dice import Dice
from sightline.suites.remote_sensing.generator.materials import Colour, Material
from sightline.suites.remote_sensing.generator.render.canvas import Stencil
from sightline.suites.remote_sensing.generator.render.light import Light
from sightline.suites.remote_sensing.generator.shapes import Point

SURFACES = {
    "blue": Material((66, 108, 148), 0.0, 150),
    "green": Material((82, 122, 92), 0.0, 146),
    "red": Material((156, 88, 70), 0.0, 154),
}


def _lines(on: Stencil, colour: Colour, paths: tuple[tuple[Point, ...], ...], width: float = 0.8) -> None:
    for path in paths:
        on.line(path, width, colour)


def _frame(x: float, y: float) -> tuple[Point, ...]:
    return (-x, -y), (x, -y), (x, y), (-x, y), (-x, -y)


def tennis_court(on: Stencil, light: Light, dice: Dice) -> None:
    """Doubles lines, service boxes, net."""
    surface, outer = SURFACES[on.thing.paint], SURFACES["green" if on.thing.paint != "green" else "red"]
    on.body(on.palette.tone(outer, 0.92))
    on.block(-0.34, 0.34, 0.32, on.palette.tone(surface, 1.0))
    white = on.palette.material("marking")
    _lines(on, white, (_frame(0.34, 0.32), ((-0.34, -0.24), (0.34, -0.24)), ((-0.34, 0.24), (0.34, 0.24))))
    _lines(on, white, (((-0.18, -0.24), (-0.18, 0.24)), ((0.18, -0.24), (0.18, 0.24)), ((-0.18, 0), (0.18, 0))))
    on.line(((0, -0.37), (0, 0.37)), 0.7, on.palette.material("glass"))


def basketball_court(on: Stencil, light: Light, dice: Dice) -> None:
    """Keys, centre circle and three-point lines."""
    surface = SURFACES[on.thing.paint]
    on.body(on.palette.tone(surface, 0.85))
    on.block(-0.46, 0.46, 0.43, on.palette.tone(surface, 1.05))
    white = on.palette.material("marking")
    _lines(on, white, (_frame(0.46, 0.43), ((0, -0.43), (0, 0.43))))
    on.canvas.ring(on.thing.at, on.thing.width * 0.12, 0.8, white)
    for side in (-1, 1):
        key = on.palette.tone(SURFACES["red" if on.thing.paint != "red" else "blue"])
        on.patch((min(side * 0.46, side * 0.28), max(side * 0.46, side * 0.28)), (-0.13, 0.13), key)
        arc = [
            (side * (0.42 - 0.25 * math.sin(k * math.pi / 12)), 0.37 * math.cos(k * math.pi / 12)) for k in range(13)
        ]
        on.line(arc, 0.8, white)


def football_pitch(on: Stencil, light: Light, dice: Dice) -> None:
    """Mown stripes and all lines."""
    tone = on.palette.material
    on.body(tone("pitch"))
    for k in range(12):
        on.block(-0.5 + k / 12, -0.5 + (k + 1) / 12, 0.5, tone("pitch", 0.94 if k % 2 else 1.07))
    white = tone("marking")
    _lines(on, white, (_frame(0.465, 0.45), ((0, -0.45), (0, 0.45))), 1.1)
    on.canvas.ring(on.thing.at, on.thing.length * 0.087, 1.1, white)
    for side in (-1, 1):
        for deep, half in ((0.31, 0.29), (0.415, 0.13)):
            box = ((side * 0.465, -half), (side * deep, -half), (side * deep, half), (side * 0.465, half))
            on.line(box, 1.1, white)


def running_track(on: Stencil, light: Light, dice: Dice) -> None:
    """Lanes about a lawn."""
    surface = SURFACES[on.thing.paint]
    on.body(on.palette.tone(surface, 1.05))
    thing = on.thing
    lane = thing.width * 0.019
    for k in range(1, 7):
        on.line(_oval(on, k * lane), 0.7, on.palette.material("marking", 0.95))
    inner = _oval(on, 7 * lane)
    on.part(inner, on.palette.material("lawn"))
    on.line(inner, 1.0, on.palette.material("marking"))
    on.line(((0.2, 0.5 - 7 * lane / thing.width), (0.2, 0.495)), 1.0, on.palette.material("marking"))


def _oval(on: Stencil, inset: float) -> list[Point]:
    """The edge, so much further in."""
    thing = on.thing
    half = (1 - TRACK_RATIO) / 2 * thing.length
    radius = thing.width / 2 - inset
    steps = [math.pi * (k / 16 - 0.5) for k in range(17)]
    cap = [((half + radius * math.cos(s)) / thing.length, radius * math.sin(s) / thing.width) for s in steps]
    ring = [*cap, *((-x, -y) for x, y in cap)]
    return [*ring, ring[0]]


def swimming_pool(on: Stencil, light: Light, dice: Dice) -> None:
    """A pale edge, water brighter at the shallow end, lanes where it is long."""
    tone = on.palette.material
    on.body(tone("concrete", 1.2))
    edge, across = 1.6 / on.thing.length, 1.6 / on.thing.width
    on.patch((-0.5 + edge, 0.5 - edge), (-0.5 + across, 0.5 - across), tone("pool"))
    on.patch((-0.5 + edge, -0.15), (-0.5 + across, 0.5 - across), tone("pool", 1.12))
    if on.thing.length > 36:
        for k in range(1, 5):
            y = -0.5 + k / 5
            on.line(((-0.46, y), (0.46, y)), 0.5, tone("marking", 0.9))
