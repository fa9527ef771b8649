"""Elements shared by several layouts: car parks, traffic, tank farms, wavy edges."""

from __future__ import annotations

import math

from sightline.suites.remote_sensing.generator.scene import SIDE
from sightline.suites.remote_sensing.generator.scene_layouts.builder import MARGIN, SceneBuilder, corners
from sightline.suites.remote_sensing.generator.shapes import Point, circle

TRAFFIC = ("car", "car", "car", "car", "car", "van", "van", "truck", "bus")
STALL, DEPTH, LANE = 11.0, 21.0, 22.0


def add_car_park(builder: SceneBuilder, at: Point, stalls: int, rows: int, fill: float) -> None:
    """Double rows of stalls about lanes; `at` is the top left corner."""
    rng = builder.rng
    left, top = at
    right, bottom = left + stalls * STALL + 8, top + rows * (DEPTH + LANE / 2) + 8
    builder.add_ground("lot", corners(left, top, right, bottom))
    y = top + 4
    for row in range(rows):
        upwards = row % 2 == 0
        for stall in range(stalls + 1):
            x = left + 4 + stall * STALL
            builder.add_stripe(((x, y), (x, y + DEPTH)), 0.9)
            if stall < stalls and rng.chance(fill):
                middle = (x + STALL / 2 + rng.between(-0.6, 0.6), y + DEPTH / 2 + rng.between(-1.2, 1.2))
                nose = -math.pi / 2 if rng.chance() else math.pi / 2
                builder.add_vehicle("van" if rng.chance(0.12) else "car", middle, nose, "in the parking lot")
        y += DEPTH + (LANE if upwards else 0)
    builder.reserve(corners(left, top, right, bottom))


def add_traffic(
    builder: SceneBuilder, line: tuple[Point, Point], width: float, count: int, location: str = "on the road"
) -> None:
    """Vehicles along a straight road, on the right-hand side of it."""
    rng = builder.rng
    (x0, y0), (x1, y1) = line
    angle = math.atan2(y1 - y0, x1 - x0)
    for _ in range(count):
        share, side = rng.between(0.0, 1.0), rng.pick((-1, 1))
        off = side * width / 4
        at = (x0 + share * (x1 - x0) - off * math.sin(angle), y0 + share * (y1 - y0) + off * math.cos(angle))
        builder.add_vehicle(rng.pick(TRAFFIC), at, angle if side > 0 else angle + math.pi, location)


def add_tank_farm(builder: SceneBuilder, at: Point, columns: int, rows: int) -> None:
    """Round tanks in a walled yard; `at` is the top left corner."""
    rng = builder.rng
    size = rng.between(32, 54)
    pitch = size * rng.between(1.3, 1.5)
    left, top = at
    yard = corners(left - 6, top - 6, left + columns * pitch + 6, top + rows * pitch + 6)
    builder.add_ground("gravel", yard)
    builder.add_stripe((*yard, yard[0]), 2.0, "kerb")
    for row in range(rows):
        for column in range(columns):
            middle = (left + (column + 0.5) * pitch, top + (row + 0.5) * pitch)
            if rng.chance(0.88):
                length = size * rng.pick((1.0, 1.0, 0.8))
                builder.add_object("storage tank", middle, 0.0, "in the tank farm", length=length, room=3.0)
    builder.reserve(yard)


def add_pond(builder: SceneBuilder, at: Point, radius: float) -> None:
    """A round piece of water with an uneven shore."""
    phase = builder.rng.between(0, 6)
    wobble = [
        1 + 0.16 * math.sin(3 * k * math.pi / 24 + phase) + 0.1 * math.sin(5 * k * math.pi / 24) for k in range(48)
    ]
    ring = circle((0, 0), radius, 48)
    shore = [(at[0] + x * size, at[1] + y * size * 0.8) for (x, y), size in zip(ring, wobble, strict=True)]
    bank = [(at[0] + (x - at[0]) * 1.07, at[1] + (y - at[1]) * 1.07) for x, y in shore]
    builder.add_ground("gravel", bank)
    builder.add_ground("water", shore)
    builder.reserve(bank)


def wavy_line(builder: SceneBuilder, height: float, swing: float, step: float = 10.0) -> list[Point]:
    """An uneven line across the plan, from left to right."""
    rng = builder.rng
    parts = [(swing / (k + 1), rng.between(0.006, 0.012) * (k + 1), rng.between(0, 6.3)) for k in range(4)]
    xs = [-MARGIN + step * k for k in range(int((SIDE + 2 * MARGIN) / step) + 1)]
    return [(x, height + sum(size * math.sin(rate * x + phase) for size, rate, phase in parts)) for x in xs]


def band_between(upper: list[Point], lower: list[Point]) -> list[Point]:
    """The ground between two lines."""
    return [*upper, *reversed(lower)]


def shift_line(line: list[Point], by: float) -> list[Point]:
    """The same line, lower."""
    return [(x, y + by) for x, y in line]
