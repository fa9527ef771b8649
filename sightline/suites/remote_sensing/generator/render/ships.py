"""Cargo ships, tankers and speed boats from above."""

from __future__ import annotations

from sightline.suites.remote_sensing.generator.catalog import KINDS
from sightline.suites.remote_sensing.generator.dice import Dice
from sightline.suites.remote_sensing.generator.render.canvas import Stencil
from sightline.suites.remote_sensing.generator.render.light import Light
from sightline.suites.remote_sensing.generator.shapes import Point

CARGO = ("red", "blue", "green", "orange", "white", "grey", "brown", "yellow")


def cargo_ship(on: Stencil, light: Light, dice: Dice) -> None:
    """Holds with stacked containers or hatch covers, the bridge aft."""
    tone, paint = on.palette.material, on.palette.paint
    on.body(paint(on.thing.paint, 0.95))
    on.part(_inner(on), paint(on.thing.paint, 0.8 if on.thing.paint != "black" else 1.7))
    containers = dice.chance(0.6)
    bays = 8
    for bay in range(bays):
        begin = -0.27 + bay * 0.078
        if containers:
            for row in range(5):
                left = -0.4 + row * 0.16
                if dice.chance(0.9):
                    on.patch(
                        (begin, begin + 0.07), (left, left + 0.145), paint(dice.pick(CARGO), dice.between(0.85, 1.05))
                    )
        elif bay % 2 == 0:
            on.block(begin, begin + 0.13, 0.33, tone("steel", 0.8))
            on.block(begin + 0.008, begin + 0.122, 0.29, tone("steel", 1.08))
    _house(on, light, (-0.42, -0.31))


def tanker(on: Stencil, light: Light, dice: Dice) -> None:
    """A flat deck with pipes along and across, the bridge aft."""
    paint = on.palette.paint
    on.body(paint(on.thing.paint, 0.75))
    on.part(_inner(on), paint(on.thing.paint, 0.98 if on.thing.paint != "black" else 1.6))
    pipe = paint("silver", 0.95)
    for off in (-0.06, 0.02, 0.1):
        on.line(((-0.28, off), (0.38, off)), 0.9, pipe)
    for at in (-0.14, 0.02, 0.18):
        on.line(((at, -0.38), (at, 0.38)), 1.0, pipe)
        for side in (-0.24, 0.24):
            on.canvas.disc(on.place(((at + 0.06, side),))[0], 1.5, paint("white", 0.9))
    on.canvas.disc(on.place(((0.41, 0.0),))[0], 1.8, pipe)
    _house(on, light, (-0.41, -0.3))


def speed_boat(on: Stencil, light: Light, dice: Dice) -> None:
    """A deck in front, a cockpit behind."""
    tone, paint = on.palette.material, on.palette.paint
    on.body(paint(on.thing.paint))
    on.part(((0.12, -0.28), (0.2, 0.0), (0.12, 0.28), (0.02, 0.32), (0.02, -0.32)), tone("glass"))
    on.block(-0.42, 0.02, 0.3, tone("deck", 1.15))
    on.block(-0.3, -0.2, 0.26, paint("white", 0.95))
    if on.palette.mode == "thermal":
        on.block(-0.48, -0.38, 0.2, tone("hot"))


def _inner(on: Stencil) -> list[Point]:
    """The deck inside the bulwark."""
    thing = on.thing
    hull = KINDS[thing.kind].outline
    edge = 1.1
    return [(x * (1 - 2 * edge / thing.length), y * (1 - 2 * edge / thing.width)) for x, y in hull]


def _house(on: Stencil, light: Light, reach: tuple[float, float]) -> None:
    """The superstructure, with the funnel behind it."""
    paint, tone = on.palette.paint, on.palette.material
    begin, end = reach
    on.block(begin, end, 0.42, paint("white", 0.72))
    on.block(begin + 0.01, end - 0.015, 0.36, paint("white", 1.0))
    on.block(end - 0.03, end - 0.015, 0.46, tone("glass"))
    on.block(begin - 0.035, begin + 0.015, 0.12, tone("hot"))
