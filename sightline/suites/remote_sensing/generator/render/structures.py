"""Painters of buildings, tanks, bridges, courts, pitches, tracks and pools from above."""

from __future__ import annotations

import math

from sightline.suites.remote_sensing.generator.catalog import PAINTS, ROOF_RED, TRACK_RATIO, Colour, Material
from sightline.suites.remote_sensing.generator.render.canvas import ObjectCanvas
from sightline.suites.remote_sensing.generator.render.sensor import Light
from sightline.suites.remote_sensing.generator.seeded_random import SeededRandom
from sightline.suites.remote_sensing.generator.shapes import Point


def _roof(canvas: ObjectCanvas, shade: float) -> Colour:
    name = canvas.obj.paint
    return canvas.palette.tone(ROOF_RED if name == "red" else PAINTS[name], shade)


def paint_house(canvas: ObjectCanvas, light: Light, rng: SeededRandom) -> None:
    """A gabled or hipped roof, its two or four slopes lit differently."""
    angle = canvas.obj.angle
    right, left = light.shade(angle + math.pi / 2), light.shade(angle - math.pi / 2)
    hip = rng.pick((0.0, 0.0, 0.22))
    ridge = 0.5 - hip
    canvas.body(_roof(canvas, 1.0))
    canvas.part(((-0.5, -0.5), (0.5, -0.5), (ridge, 0.0), (-ridge, 0.0)), _roof(canvas, left))
    canvas.part(((-0.5, 0.5), (0.5, 0.5), (ridge, 0.0), (-ridge, 0.0)), _roof(canvas, right))
    if hip:
        canvas.part(((0.5, -0.5), (0.5, 0.5), (ridge, 0.0)), _roof(canvas, light.shade(angle)))
        canvas.part(((-0.5, -0.5), (-0.5, 0.5), (-ridge, 0.0)), _roof(canvas, light.shade(angle + math.pi)))
    for k in range(1, 6):
        for side, shade in ((-1, left), (1, right)):
            off = side * k / 12
            canvas.line(((-ridge + 0.02, off), (ridge - 0.02, off)), 0.4, _roof(canvas, shade * 0.95))
    canvas.line(((-ridge + 0.01, 0), (ridge - 0.01, 0)), 0.9, _roof(canvas, 1.22))
    x, y = rng.between(-0.25, 0.25), rng.pick((-0.2, 0.2))
    canvas.patch((x, x + 0.07), (y - 0.05, y + 0.05), canvas.palette.paint("dark grey", 0.8))
    if rng.chance(0.2):
        canvas.patch((-0.3, 0.2), (-0.4, -0.12), canvas.palette.material("glass", 1.1))


def paint_apartment_block(canvas: ObjectCanvas, light: Light, rng: SeededRandom) -> None:
    """A flat roof with a parapet, stair heads and machines."""
    canvas.body(_roof(canvas, 1.12))
    edge, across = 2.0 / canvas.obj.length, 2.0 / canvas.obj.width
    canvas.patch((-0.5 + edge, 0.5 - edge), (-0.5 + across, 0.5 - across), _roof(canvas, 0.9))
    for _ in range(rng.whole(2, 5)):
        x, y = rng.between(-0.4, 0.32), rng.between(-0.3, 0.12)
        _machine(canvas, light, (x, y), (rng.between(5, 9), rng.between(4, 8)))


def paint_warehouse(canvas: ObjectCanvas, light: Light, rng: SeededRandom) -> None:
    """A low pitched roof of sheets, with skylights."""
    angle = canvas.obj.angle
    shades = [1 + (light.shade(angle + side * math.pi / 2) - 1) * 0.45 for side in (-1, 1)]
    canvas.body(_roof(canvas, 1.0))
    canvas.patch((-0.5, 0.5), (-0.5, 0.0), _roof(canvas, shades[0]))
    canvas.patch((-0.5, 0.5), (0.0, 0.5), _roof(canvas, shades[1]))
    ribs = max(int(canvas.obj.length / 5), 4)
    for k in range(1, ribs):
        x = -0.5 + k / ribs
        canvas.line(((x, -0.485), (x, 0.485)), 0.5, _roof(canvas, 0.93 if k % 2 else 0.97))
    if rng.chance(0.65):
        for k in range(2, ribs - 1, 4):
            x = -0.5 + k / ribs
            for y in (-0.32, 0.14):
                canvas.patch((x, x + 2.2 / canvas.obj.length), (y, y + 0.18), canvas.palette.paint("white", 1.0))
    canvas.line(((-0.49, 0), (0.49, 0)), 0.8, _roof(canvas, 1.15))
    for _ in range(rng.whole(0, 3)):
        _machine(canvas, light, (rng.between(-0.4, 0.3), rng.between(-0.35, 0.2)), (6, 5))


def _machine(canvas: ObjectCanvas, light: Light, at: tuple[float, float], size: tuple[float, float]) -> None:
    """A box on the roof with a small shadow."""
    obj = canvas.obj
    x, y = at
    ends = (x, x + size[0] / obj.length), (y, y + min(size[1] / obj.width, 0.3))
    reach = 2.2
    along, across = math.cos(light.sun - obj.angle), math.sin(light.sun - obj.angle)
    fall = (reach * along / obj.length, reach * across / obj.width)
    dark = tuple(max(-0.48, min(0.48, end + fall[0])) for end in ends[0])
    below = tuple(max(-0.48, min(0.48, end + fall[1])) for end in ends[1])
    canvas.patch((dark[0], dark[1]), (below[0], below[1]), _roof(canvas, 0.55))
    canvas.patch(*ends, canvas.palette.paint("silver" if obj.paint != "white" else "grey", 1.05))


def paint_storage_tank(canvas: ObjectCanvas, light: Light, rng: SeededRandom) -> None:
    """A flat cone lit from one side, or a floating roof in the shade of its wall."""
    paint, at, radius = canvas.palette.paint, canvas.obj.at, canvas.obj.length / 2
    name = canvas.obj.paint
    canvas.body(paint(name, 0.8))
    floating = rng.chance(0.35)
    towards = (-math.cos(light.sun), -math.sin(light.sun))
    if floating:
        canvas.canvas.disc(at, radius * 0.9, paint(name, 0.52))
        off = radius * 0.1
        canvas.canvas.disc((at[0] - towards[0] * off, at[1] - towards[1] * off), radius * 0.79, paint(name, 0.86))
    else:
        for k in range(6):
            share = 1 - k / 6
            off = radius * 0.3 * (1 - share)
            middle = (at[0] + towards[0] * off, at[1] + towards[1] * off)
            canvas.canvas.disc(middle, radius * 0.95 * share, paint(name, 0.87 + 0.035 * k))
        canvas.canvas.disc(at, 1.3, paint("grey", 0.7))
    way = rng.between(0, 6.3)
    ladder = [(0.46 * math.cos(way + k * 0.12), 0.46 * math.sin(way + k * 0.12)) for k in range(8)]
    canvas.line(ladder, 0.9, paint("dark grey", 0.9))


def paint_bridge(canvas: ObjectCanvas, light: Light, rng: SeededRandom) -> None:
    """A deck with parapets and a lane."""
    tone = canvas.palette.material
    canvas.body(tone("concrete", 1.12))
    edge = 0.5 - 2.2 / canvas.obj.width
    canvas.block(-0.5, 0.5, edge, tone("asphalt", 1.05))
    count = max(int(canvas.obj.length / 18), 3)
    for k in range(count):
        canvas.line(((-0.5 + k / count, 0), (-0.5 + (k + 0.5) / count, 0)), 1.1, tone("marking"))
    for at in (-0.48, -0.17, 0.16, 0.48):
        canvas.line(((at, -0.48), (at, 0.48)), 0.7, tone("concrete", 0.85))


def paint_roundabout(canvas: ObjectCanvas, light: Light, rng: SeededRandom) -> None:
    """A carriageway about a green island."""
    tone, at, radius = canvas.palette.material, canvas.obj.at, canvas.obj.length / 2
    canvas.body(tone("asphalt"))
    canvas.canvas.ring(at, radius * 0.955, 1.0, tone("marking", 0.9))
    for k in range(24):
        way = k * math.pi / 12
        ends = [(0.385 * math.cos(way + off), 0.385 * math.sin(way + off)) for off in (0.0, 0.12)]
        canvas.line(ends, 0.9, tone("marking", 0.95))
    canvas.canvas.disc(at, radius * 0.56, tone("kerb", 1.1))
    canvas.canvas.disc(at, radius * 0.52, tone("lawn", 0.95))
    for k in range(rng.whole(3, 8)):
        way, off = k * 0.9, radius * rng.between(0.1, 0.4)
        middle = (at[0] + off * math.cos(way), at[1] + off * math.sin(way))
        canvas.canvas.disc(middle, radius * 0.07, tone("crown", 0.8))
        canvas.canvas.disc((middle[0] - 1, middle[1] - 1), radius * 0.045, tone("crown", 1.15))


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


def paint_tennis_court(canvas: ObjectCanvas, light: Light, rng: SeededRandom) -> None:
    """Doubles lines, service boxes, net."""
    surface, outer = SURFACES[canvas.obj.paint], SURFACES["green" if canvas.obj.paint != "green" else "red"]
    canvas.body(canvas.palette.tone(outer, 0.92))
    canvas.block(-0.34, 0.34, 0.32, canvas.palette.tone(surface, 1.0))
    white = canvas.palette.material("marking")
    _lines(canvas, white, (_frame(0.34, 0.32), ((-0.34, -0.24), (0.34, -0.24)), ((-0.34, 0.24), (0.34, 0.24))))
    _lines(canvas, white, (((-0.18, -0.24), (-0.18, 0.24)), ((0.18, -0.24), (0.18, 0.24)), ((-0.18, 0), (0.18, 0))))
    canvas.line(((0, -0.37), (0, 0.37)), 0.7, canvas.palette.material("glass"))


def paint_basketball_court(canvas: ObjectCanvas, light: Light, rng: SeededRandom) -> None:
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


def paint_football_pitch(canvas: ObjectCanvas, light: Light, rng: SeededRandom) -> None:
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


def paint_running_track(canvas: ObjectCanvas, light: Light, rng: SeededRandom) -> None:
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


def paint_swimming_pool(canvas: ObjectCanvas, light: Light, rng: SeededRandom) -> None:
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
