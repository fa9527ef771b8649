"""Airliners, fighter jets and propeller planes from above."""

from __future__ import annotations

from sightline.suites.remote_sensing.generator.render.canvas import ObjectCanvas
from sightline.suites.remote_sensing.generator.render.light import Light
from sightline.suites.remote_sensing.generator.seeded_random import SeededRandom
from sightline.suites.remote_sensing.generator.shapes import Point

TAILS = ("red", "blue", "green", "orange", "dark grey", "yellow")


def airliner(canvas: ObjectCanvas, light: Light, rng: SeededRandom) -> None:
    """Wings a shade darker than the tube, engines below them, a coloured tail."""
    paint, tone = canvas.palette.paint, canvas.palette.material
    name = canvas.obj.paint
    canvas.body(paint(name, 0.84))
    for side in (-1, 1):
        canvas.part(
            _across(((0.06, 0.16), (0.09, 0.17), (0.09, 0.2), (-0.02, 0.2), (-0.02, 0.165)), side), tone("steel", 0.9)
        )
        # only inside the wing, so that the outline stays what it was
        canvas.part(_across(((0.035, 0.17), (0.0, 0.195), (-0.05, 0.195), (-0.04, 0.17)), side), tone("hot"))
        canvas.part(
            _across(((-0.05, 0.08), (-0.075, 0.19), (-0.13, 0.46), (-0.16, 0.48), (-0.1, 0.2), (-0.075, 0.08)), side),
            paint(name, 0.7),
        )
    canvas.part(
        (
            (0.485, 0.02),
            (0.45, 0.036),
            (-0.34, 0.036),
            (-0.47, 0.008),
            (-0.47, -0.008),
            (-0.34, -0.036),
            (0.45, -0.036),
            (0.485, -0.02),
        ),
        paint(name, 1.05),
    )
    canvas.part(((0.45, 0.005), (0.38, 0.016), (-0.34, 0.016), (-0.34, -0.004), (0.38, -0.004)), paint("white", 1.1))
    canvas.part(((0.455, -0.022), (0.455, 0.022), (0.435, 0.03), (0.435, -0.03)), tone("glass"))
    canvas.part(((-0.36, -0.006), (-0.36, 0.006), (-0.47, 0.011), (-0.47, -0.011)), paint(rng.pick(TAILS), 0.9))


def fighter_jet(canvas: ObjectCanvas, light: Light, rng: SeededRandom) -> None:
    """A delta with canopy, fins and nozzles."""
    paint, tone = canvas.palette.paint, canvas.palette.material
    name = canvas.obj.paint
    canvas.body(paint(name, 0.92))
    canvas.part(((0.46, 0.0), (0.3, 0.045), (-0.42, 0.06), (-0.42, -0.06), (0.3, -0.045)), paint(name, 1.12))
    canvas.part(((0.32, 0.0), (0.26, 0.035), (0.14, 0.032), (0.08, 0.0), (0.14, -0.032), (0.26, -0.035)), tone("glass"))
    for side in (-1, 1):
        canvas.part(_across(((-0.24, 0.1), (-0.4, 0.12), (-0.4, 0.145), (-0.3, 0.12)), side), paint(name, 0.66))
        canvas.part(_across(((-0.4, 0.02), (-0.465, 0.02), (-0.465, 0.055), (-0.4, 0.055)), side), tone("hot"))
        canvas.part(_across(((-0.2, 0.2), (-0.29, 0.2), (-0.29, 0.4), (-0.26, 0.4)), side), paint(name, 0.8))


def propeller_plane(canvas: ObjectCanvas, light: Light, rng: SeededRandom) -> None:
    """Straight wings, a nose with the engine, a small tail."""
    paint, tone = canvas.palette.paint, canvas.palette.material
    name = canvas.obj.paint
    canvas.body(paint(name, 0.86))
    canvas.part(
        ((0.48, 0.0), (0.42, 0.042), (0.0, 0.046), (-0.44, 0.012), (-0.44, -0.012), (0.0, -0.046), (0.42, -0.042)),
        paint(name, 1.06),
    )
    canvas.part(((0.3, -0.04), (0.3, 0.04), (0.22, 0.045), (0.22, -0.045)), tone("glass"))
    canvas.block(0.42, 0.48, 0.026, tone("hot"))
    stripe = paint(rng.pick(TAILS), 0.95)
    for side in (-1, 1):
        canvas.part(_across(((0.245, 0.38), (0.235, 0.45), (0.08, 0.45), (0.075, 0.38)), side), stripe)
    canvas.part(((-0.38, -0.01), (-0.38, 0.01), (-0.47, 0.01), (-0.47, -0.01)), stripe)


def _across(points: tuple[Point, ...], side: int) -> list[Point]:
    return [(x, side * y) for x, y in points]
