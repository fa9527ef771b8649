"""Painters of cars, vans, trucks, buses, aircraft and ships from above."""

from __future__ import annotations

from sightline.suites.remote_sensing.generator.catalog import KINDS
from sightline.suites.remote_sensing.generator.render.canvas import ObjectCanvas
from sightline.suites.remote_sensing.generator.render.sensor import Light
from sightline.suites.remote_sensing.generator.seeded_random import SeededRandom
from sightline.suites.remote_sensing.generator.shapes import Point, mirror


def paint_car(canvas: ObjectCanvas, light: Light, rng: SeededRandom) -> None:
    """Bonnet, windscreen, roof, rear window."""
    paint, glass = canvas.palette.paint, canvas.palette.material("glass")
    name = canvas.obj.paint
    canvas.body(paint(name, 0.9))
    canvas.block(0.2, 0.46, 0.36, _bonnet(canvas))
    canvas.part(((0.22, -0.36), (0.22, 0.36), (0.1, 0.3), (0.1, -0.3)), glass)
    canvas.part(((-0.3, -0.3), (-0.3, 0.3), (-0.38, 0.36), (-0.38, -0.36)), glass)
    canvas.block(-0.29, 0.1, 0.32, paint(name, 1.06))


def paint_van(canvas: ObjectCanvas, light: Light, rng: SeededRandom) -> None:
    """Short bonnet, long roof."""
    paint = canvas.palette.paint
    canvas.body(paint(canvas.obj.paint, 0.88))
    canvas.block(0.38, 0.48, 0.34, _bonnet(canvas))
    canvas.part(((0.4, -0.4), (0.4, 0.4), (0.28, 0.36), (0.28, -0.36)), canvas.palette.material("glass"))
    canvas.block(-0.46, 0.27, 0.39, paint(canvas.obj.paint, 1.05))


def paint_truck(canvas: ObjectCanvas, light: Light, rng: SeededRandom) -> None:
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


def paint_bus(canvas: ObjectCanvas, light: Light, rng: SeededRandom) -> None:
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
    palette = canvas.palette
    return palette.material("hot") if palette.mode == "thermal" else palette.paint(canvas.obj.paint, 1.0)


TAILS = ("red", "blue", "green", "orange", "dark grey", "yellow")


def paint_airliner(canvas: ObjectCanvas, light: Light, rng: SeededRandom) -> None:
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
    canvas.part(mirror(((0.485, 0.02), (0.45, 0.036), (-0.34, 0.036), (-0.47, 0.008))), paint(name, 1.05))
    canvas.part(((0.45, 0.005), (0.38, 0.016), (-0.34, 0.016), (-0.34, -0.004), (0.38, -0.004)), paint("white", 1.1))
    canvas.part(((0.455, -0.022), (0.455, 0.022), (0.435, 0.03), (0.435, -0.03)), tone("glass"))
    canvas.part(((-0.36, -0.006), (-0.36, 0.006), (-0.47, 0.011), (-0.47, -0.011)), paint(rng.pick(TAILS), 0.9))


def paint_fighter_jet(canvas: ObjectCanvas, light: Light, rng: SeededRandom) -> None:
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


def paint_propeller_plane(canvas: ObjectCanvas, light: Light, rng: SeededRandom) -> None:
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


CARGO = ("red", "blue", "green", "orange", "white", "grey", "brown", "yellow")


def paint_cargo_ship(canvas: ObjectCanvas, light: Light, rng: SeededRandom) -> None:
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
    _paint_superstructure(canvas, (-0.42, -0.31))


def paint_tanker(canvas: ObjectCanvas, light: Light, rng: SeededRandom) -> None:
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
    _paint_superstructure(canvas, (-0.41, -0.3))


def paint_speed_boat(canvas: ObjectCanvas, light: Light, rng: SeededRandom) -> None:
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


def _paint_superstructure(canvas: ObjectCanvas, reach: tuple[float, float]) -> None:
    """The superstructure, with the funnel behind it."""
    paint, tone = canvas.palette.paint, canvas.palette.material
    begin, end = reach
    canvas.block(begin, end, 0.42, paint("white", 0.72))
    canvas.block(begin + 0.01, end - 0.015, 0.36, paint("white", 1.0))
    canvas.block(end - 0.03, end - 0.015, 0.46, tone("glass"))
    canvas.block(begin - 0.035, begin + 0.015, 0.12, tone("hot"))
