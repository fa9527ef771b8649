"""Cars, vans, trucks and buses from above."""

from __future__ import annotations

from sightline.suites.remote_sensing.generator.render.canvas import ObjectCanvas
from sightline.suites.remote_sensing.generator.render.light import Light
from sightline.suites.remote_sensing.generator.seeded_random import SeededRandom


def car(canvas: ObjectCanvas, light: Light, rng: SeededRandom) -> None:
    """Bonnet, windscreen, roof, rear window."""
    paint, glass = canvas.palette.paint, canvas.palette.material("glass")
    name = canvas.obj.paint
    canvas.body(paint(name, 0.9))
    canvas.block(0.2, 0.46, 0.36, _bonnet(canvas))
    canvas.part(((0.22, -0.36), (0.22, 0.36), (0.1, 0.3), (0.1, -0.3)), glass)
    canvas.part(((-0.3, -0.3), (-0.3, 0.3), (-0.38, 0.36), (-0.38, -0.36)), glass)
    canvas.block(-0.29, 0.1, 0.32, paint(name, 1.06))


def van(canvas: ObjectCanvas, light: Light, rng: SeededRandom) -> None:
    """Short bonnet, long roof."""
    paint = canvas.palette.paint
    canvas.body(paint(canvas.obj.paint, 0.88))
    canvas.block(0.38, 0.48, 0.34, _bonnet(canvas))
    canvas.part(((0.4, -0.4), (0.4, 0.4), (0.28, 0.36), (0.28, -0.36)), canvas.palette.material("glass"))
    canvas.block(-0.46, 0.27, 0.39, paint(canvas.obj.paint, 1.05))


def truck(canvas: ObjectCanvas, light: Light, rng: SeededRandom) -> None:
    """A cab and, behind a gap, its load."""
    paint = canvas.palette.paint
    canvas.body(canvas.palette.material("glass", 0.8))
    cab = paint(rng.pick(("white", canvas.obj.paint)), 0.95)
    canvas.part(((0.5, -0.42), (0.5, 0.42), (0.48, 0.5), (0.29, 0.5), (0.29, -0.5), (0.48, -0.5)), cab)
    canvas.block(0.43, 0.49, 0.38, canvas.palette.material("glass"))
    if canvas.palette.mode == "thermal":
        canvas.block(0.3, 0.4, 0.38, canvas.palette.material("hot"))
    load = canvas.obj.paint
    canvas.block(-0.5, 0.24, 0.45, paint(load, 0.86))
    canvas.part(((-0.49, -0.44), (0.24, -0.44), (0.24, 0.5), (-0.49, 0.5)), paint(load, 0.96))
    canvas.block(-0.48, 0.22, 0.4, paint(load, 1.04))


def bus(canvas: ObjectCanvas, light: Light, rng: SeededRandom) -> None:
    """One long roof with hatches."""
    paint = canvas.palette.paint
    canvas.body(paint(canvas.obj.paint, 0.85))
    canvas.block(-0.47, 0.44, 0.4, paint(canvas.obj.paint, 1.06))
    canvas.block(0.44, 0.49, 0.4, canvas.palette.material("glass"))
    for at in (-0.3, 0.0, 0.25):
        canvas.block(at, at + 0.08, 0.18, paint("silver", 0.9))
    if canvas.palette.mode == "thermal":
        canvas.block(-0.48, -0.38, 0.36, canvas.palette.material("hot"))


def _bonnet(canvas: ObjectCanvas) -> tuple[int, int, int]:
    """Warm where the sensor sees warmth."""
    return (
        canvas.palette.material("hot")
        if canvas.palette.mode == "thermal"
        else canvas.palette.paint(canvas.obj.paint, 1.0)
    )
