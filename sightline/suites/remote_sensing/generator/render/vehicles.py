"""Cars, vans, trucks and buses from above."""

from __future__ import annotations

from sightline.suites.remote_sensing.generator.dice import Dice
from sightline.suites.remote_sensing.generator.render.canvas import Stencil
from sightline.suites.remote_sensing.generator.render.light import Light


def car(on: Stencil, light: Light, dice: Dice) -> None:
    """Bonnet, windscreen, roof, rear window."""
    paint, glass = on.palette.paint, on.palette.material("glass")
    name = on.thing.paint
    on.body(paint(name, 0.9))
    on.block(0.2, 0.46, 0.36, _bonnet(on))
    on.part(((0.22, -0.36), (0.22, 0.36), (0.1, 0.3), (0.1, -0.3)), glass)
    on.part(((-0.3, -0.3), (-0.3, 0.3), (-0.38, 0.36), (-0.38, -0.36)), glass)
    on.block(-0.29, 0.1, 0.32, paint(name, 1.06))


def van(on: Stencil, light: Light, dice: Dice) -> None:
    """Short bonnet, long roof."""
    paint = on.palette.paint
    on.body(paint(on.thing.paint, 0.88))
    on.block(0.38, 0.48, 0.34, _bonnet(on))
    on.part(((0.4, -0.4), (0.4, 0.4), (0.28, 0.36), (0.28, -0.36)), on.palette.material("glass"))
    on.block(-0.46, 0.27, 0.39, paint(on.thing.paint, 1.05))


def truck(on: Stencil, light: Light, dice: Dice) -> None:
    """A cab and, behind a gap, its load."""
    paint = on.palette.paint
    on.body(on.palette.material("glass", 0.8))
    cab = paint(dice.pick(("white", on.thing.paint)), 0.95)
    on.part(((0.5, -0.42), (0.5, 0.42), (0.48, 0.5), (0.29, 0.5), (0.29, -0.5), (0.48, -0.5)), cab)
    on.block(0.43, 0.49, 0.38, on.palette.material("glass"))
    if on.palette.mode == "thermal":
        on.block(0.3, 0.4, 0.38, on.palette.material("hot"))
    load = on.thing.paint
    on.block(-0.5, 0.24, 0.45, paint(load, 0.86))
    on.part(((-0.49, -0.44), (0.24, -0.44), (0.24, 0.5), (-0.49, 0.5)), paint(load, 0.96))
    on.block(-0.48, 0.22, 0.4, paint(load, 1.04))


def bus(on: Stencil, light: Light, dice: Dice) -> None:
    """One long roof with hatches."""
    paint = on.palette.paint
    on.body(paint(on.thing.paint, 0.85))
    on.block(-0.47, 0.44, 0.4, paint(on.thing.paint, 1.06))
    on.block(0.44, 0.49, 0.4, on.palette.material("glass"))
    for at in (-0.3, 0.0, 0.25):
        on.block(at, at + 0.08, 0.18, paint("silver", 0.9))
    if on.palette.mode == "thermal":
        on.block(-0.48, -0.38, 0.36, on.palette.material("hot"))


def _bonnet(on: Stencil) -> tuple[int, int, int]:
    """Warm where the sensor sees warmth."""
    return on.palette.material("hot") if on.palette.mode == "thermal" else on.palette.paint(on.thing.paint, 1.0)
