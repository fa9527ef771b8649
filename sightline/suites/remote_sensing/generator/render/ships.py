"""Cargo ships, tankers and speed boats from above."""

from __future__ import annotations

from sightline.suites.remote_sensing.generator.catalog import KINDS
from sightline.suites.remote_sensing.generator.render.canvas import ObjectCanvas
from sightline.suites.remote_sensing.generator.render.light import Light
from sightline.suites.remote_sensing.generator.seeded_random import SeededRandom
from sightline.suites.remote_sensing.generator.shapes import Point

CARGO = ("red", "blue", "green", "orange", "white", "grey", "brown", "yellow")


def cargo_ship(canvas: ObjectCanvas, light: Light, rng: SeededRandom) -> None:
    """Holds with stacked containers or hatch covers, the bridge aft."""
    tone, paint = canvas.palette.material, canvas.palette.paint
    canvas.body(paint(canvas.obj.paint, 0.95))
    canvas.part(_inner(canvas), paint(canvas.obj.paint, 0.8 if canvas.obj.paint != "black" else 1.7))
    containers = rng.chance(0.6)
    bays = 8
    for bay in range(bays):
        begin = -0.27 + bay * 0.078
        if containers:
            for row in range(5):
                left = -0.4 + row * 0.16
                if rng.chance(0.9):
                    canvas.patch(
                        (begin, begin + 0.07), (left, left + 0.145), paint(rng.pick(CARGO), rng.between(0.85, 1.05))
                    )
        elif bay % 2 == 0:
            canvas.block(begin, begin + 0.13, 0.33, tone("steel", 0.8))
            canvas.block(begin + 0.008, begin + 0.122, 0.29, tone("steel", 1.08))
    _house(canvas, light, (-0.42, -0.31))


def tanker(canvas: ObjectCanvas, light: Light, rng: SeededRandom) -> None:
    """A flat deck with pipes along and across, the bridge aft."""
    paint = canvas.palette.paint
    canvas.body(paint(canvas.obj.paint, 0.75))
    canvas.part(_inner(canvas), paint(canvas.obj.paint, 0.98 if canvas.obj.paint != "black" else 1.6))
    pipe = paint("silver", 0.95)
    for off in (-0.06, 0.02, 0.1):
        canvas.line(((-0.28, off), (0.38, off)), 0.9, pipe)
    for at in (-0.14, 0.02, 0.18):
        canvas.line(((at, -0.38), (at, 0.38)), 1.0, pipe)
        for side in (-0.24, 0.24):
            canvas.canvas.disc(canvas.to_scene(((at + 0.06, side),))[0], 1.5, paint("white", 0.9))
    canvas.canvas.disc(canvas.to_scene(((0.41, 0.0),))[0], 1.8, pipe)
    _house(canvas, light, (-0.41, -0.3))


def speed_boat(canvas: ObjectCanvas, light: Light, rng: SeededRandom) -> None:
    """A deck in front, a cockpit behind."""
    tone, paint = canvas.palette.material, canvas.palette.paint
    canvas.body(paint(canvas.obj.paint))
    canvas.part(((0.12, -0.28), (0.2, 0.0), (0.12, 0.28), (0.02, 0.32), (0.02, -0.32)), tone("glass"))
    canvas.block(-0.42, 0.02, 0.3, tone("deck", 1.15))
    canvas.block(-0.3, -0.2, 0.26, paint("white", 0.95))
    if canvas.palette.mode == "thermal":
        canvas.block(-0.48, -0.38, 0.2, tone("hot"))


def _inner(canvas: ObjectCanvas) -> list[Point]:
    """The deck inside the bulwark."""
    obj = canvas.obj
    hull = KINDS[obj.kind].outline
    edge = 1.1
    return [(x * (1 - 2 * edge / obj.length), y * (1 - 2 * edge / obj.width)) for x, y in hull]


def _house(canvas: ObjectCanvas, light: Light, reach: tuple[float, float]) -> None:
    """The superstructure, with the funnel behind it."""
    paint, tone = canvas.palette.paint, canvas.palette.material
    begin, end = reach
    canvas.block(begin, end, 0.42, paint("white", 0.72))
    canvas.block(begin + 0.01, end - 0.015, 0.36, paint("white", 1.0))
    canvas.block(end - 0.03, end - 0.015, 0.46, tone("glass"))
    canvas.block(begin - 0.035, begin + 0.015, 0.12, tone("hot"))
