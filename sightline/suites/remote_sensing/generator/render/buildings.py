"""Houses, flats, halls, tanks and bridges from above."""

from __future__ import annotations

import math

from sightline.suites.remote_sensing.generator.dice import Dice
from sightline.suites.remote_sensing.generator.materials import PAINTS, ROOF_RED, Colour
from sightline.suites.remote_sensing.generator.render.canvas import Stencil
from sightline.suites.remote_sensing.generator.render.light import Light


def _roof(on: Stencil, shade: float) -> Colour:
    name = on.thing.paint
    return on.palette.tone(ROOF_RED if name == "red" else PAINTS[name], shade)


def house(on: Stencil, light: Light, dice: Dice) -> None:
    """A gabled or hipped roof, its two or four slopes lit differently."""
    angle = on.thing.angle
    right, left = light.shade(angle + math.pi / 2), light.shade(angle - math.pi / 2)
    hip = dice.pick((0.0, 0.0, 0.22))
    ridge = 0.5 - hip
    on.body(_roof(on, 1.0))
    on.part(((-0.5, -0.5), (0.5, -0.5), (ridge, 0.0), (-ridge, 0.0)), _roof(on, left))
    on.part(((-0.5, 0.5), (0.5, 0.5), (ridge, 0.0), (-ridge, 0.0)), _roof(on, right))
    if hip:
        on.part(((0.5, -0.5), (0.5, 0.5), (ridge, 0.0)), _roof(on, light.shade(angle)))
        on.part(((-0.5, -0.5), (-0.5, 0.5), (-ridge, 0.0)), _roof(on, light.shade(angle + math.pi)))
    for k in range(1, 6):
        for side, shade in ((-1, left), (1, right)):
            off = side * k / 12
            on.line(((-ridge + 0.02, off), (ridge - 0.02, off)), 0.4, _roof(on, shade * 0.95))
    on.line(((-ridge + 0.01, 0), (ridge - 0.01, 0)), 0.9, _roof(on, 1.22))
    x, y = dice.between(-0.25, 0.25), dice.pick((-0.2, 0.2))
    on.patch((x, x + 0.07), (y - 0.05, y + 0.05), on.palette.paint("dark grey", 0.8))
    if dice.chance(0.2):
        on.patch((-0.3, 0.2), (-0.4, -0.12), on.palette.material("glass", 1.1))


def apartment_block(on: Stencil, light: Light, dice: Dice) -> None:
    """A flat roof with a parapet, stair heads and machines."""
    on.body(_roof(on, 1.12))
    edge, across = 2.0 / on.thing.length, 2.0 / on.thing.width
    on.patch((-0.5 + edge, 0.5 - edge), (-0.5 + across, 0.5 - across), _roof(on, 0.9))
    for _ in range(dice.whole(2, 5)):
        x, y = dice.between(-0.4, 0.32), dice.between(-0.3, 0.12)
        _machine(on, light, (x, y), (dice.between(5, 9), dice.between(4, 8)))


def warehouse(on: Stencil, light: Light, dice: Dice) -> None:
    """A low pitched roof of sheets, with skylights."""
    angle = on.thing.angle
    shades = [1 + (light.shade(angle + side * math.pi / 2) - 1) * 0.45 for side in (-1, 1)]
    on.body(_roof(on, 1.0))
    on.patch((-0.5, 0.5), (-0.5, 0.0), _roof(on, shades[0]))
    on.patch((-0.5, 0.5), (0.0, 0.5), _roof(on, shades[1]))
    ribs = max(int(on.thing.length / 5), 4)
    for k in range(1, ribs):
        x = -0.5 + k / ribs
        on.line(((x, -0.485), (x, 0.485)), 0.5, _roof(on, 0.93 if k % 2 else 0.97))
    if dice.chance(0.65):
        for k in range(2, ribs - 1, 4):
            x = -0.5 + k / ribs
            for y in (-0.32, 0.14):
                on.patch((x, x + 2.2 / on.thing.length), (y, y + 0.18), on.palette.paint("white", 1.0))
    on.line(((-0.49, 0), (0.49, 0)), 0.8, _roof(on, 1.15))
    for _ in range(dice.whole(0, 3)):
        _machine(on, light, (dice.between(-0.4, 0.3), dice.between(-0.35, 0.2)), (6, 5))


def _machine(on: Stencil, light: Light, at: tuple[float, float], size: tuple[float, float]) -> None:
    """A box on the roof with a small shadow."""
    thing = on.thing
    x, y = at
    ends = (x, x + size[0] / thing.length), (y, y + min(size[1] / thing.width, 0.3))
    reach = 2.2
    along, across = math.cos(light.sun - thing.angle), math.sin(light.sun - thing.angle)
    fall = (reach * along / thing.length, reach * across / thing.width)
    dark = tuple(max(-0.48, min(0.48, end + fall[0])) for end in ends[0])
    below = tuple(max(-0.48, min(0.48, end + fall[1])) for end in ends[1])
    on.patch((dark[0], dark[1]), (below[0], below[1]), _roof(on, 0.55))
    on.patch(*ends, on.palette.paint("silver" if thing.paint != "white" else "grey", 1.05))


def storage_tank(on: Stencil, light: Light, dice: Dice) -> None:
    """A flat cone lit from one side, or a floating roof in the shade of its wall."""
    paint, at, radius = on.palette.paint, on.thing.at, on.thing.length / 2
    name = on.thing.paint
    on.body(paint(name, 0.8))
    floating = dice.chance(0.35)
    towards = (-math.cos(light.sun), -math.sin(light.sun))
    if floating:
        on.canvas.disc(at, radius * 0.9, paint(name, 0.52))
        off = radius * 0.1
        on.canvas.disc((at[0] - towards[0] * off, at[1] - towards[1] * off), radius * 0.79, paint(name, 0.86))
    else:
        for k in range(6):
            share = 1 - k / 6
            off = radius * 0.3 * (1 - share)
            middle = (at[0] + towards[0] * off, at[1] + towards[1] * off)
            on.canvas.disc(middle, radius * 0.95 * share, paint(name, 0.87 + 0.035 * k))
        on.canvas.disc(at, 1.3, paint("grey", 0.7))
    way = dice.between(0, 6.3)
    ladder = [(0.46 * math.cos(way + k * 0.12), 0.46 * math.sin(way + k * 0.12)) for k in range(8)]
    on.line(ladder, 0.9, paint("dark grey", 0.9))


def bridge(on: Stencil, light: Light, dice: Dice) -> None:
    """A deck with parapets and a lane."""
    tone = on.palette.material
    on.body(tone("concrete", 1.12))
    edge = 0.5 - 2.2 / on.thing.width
    on.block(-0.5, 0.5, edge, tone("asphalt", 1.05))
    count = max(int(on.thing.length / 18), 3)
    for k in range(count):
        on.line(((-0.5 + k / count, 0), (-0.5 + (k + 0.5) / count, 0)), 1.1, tone("marking"))
    for at in (-0.48, -0.17, 0.16, 0.48):
        on.line(((at, -0.48), (at, 0.48)), 0.7, tone("concrete", 0.85))


def roundabout(on: Stencil, light: Light, dice: Dice) -> None:
    """A carriageway about a green island."""
    tone, at, radius = on.palette.material, on.thing.at, on.thing.length / 2
    on.body(tone("asphalt"))
    on.canvas.ring(at, radius * 0.955, 1.0, tone("marking", 0.9))
    for k in range(24):
        way = k * math.pi / 12
        ends = [(0.385 * math.cos(way + off), 0.385 * math.sin(way + off)) for off in (0.0, 0.12)]
        on.line(ends, 0.9, tone("marking", 0.95))
    on.canvas.disc(at, radius * 0.56, tone("kerb", 1.1))
    on.canvas.disc(at, radius * 0.52, tone("lawn", 0.95))
    for k in range(dice.whole(3, 8)):
        way, off = k * 0.9, radius * dice.between(0.1, 0.4)
        middle = (at[0] + off * math.cos(way), at[1] + off * math.sin(way))
        on.canvas.disc(middle, radius * 0.07, tone("crown", 0.8))
        on.canvas.disc((middle[0] - 1, middle[1] - 1), radius * 0.045, tone("crown", 1.15))
