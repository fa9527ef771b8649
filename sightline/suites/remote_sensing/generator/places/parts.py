"""Parts that several places share: car parks, traffic, tank farms, wavy edges."""

from __future__ import annotations

import math

from sightline.suites.remote_sensing.generator.places.builder import REACH, Builder, corners
from sightline.suites.remote_sensing.generator.scene import SIDE
from sightline.suites.remote_sensing.generator.shapes import Point, circle

TRAFFIC = ("car", "car", "car", "car", "car", "van", "van", "truck", "bus")
STALL, DEPTH, LANE = 11.0, 21.0, 22.0


def car_park(build: Builder, at: Point, stalls: int, rows: int, fill: float) -> None:
    """Double rows of stalls about lanes; `at` is the top left corner."""
    dice = build.dice
    left, top = at
    right, bottom = left + stalls * STALL + 8, top + rows * (DEPTH + LANE / 2) + 8
    build.ground("lot", corners(left, top, right, bottom))
    y = top + 4
    for row in range(rows):
        upwards = row % 2 == 0
        for stall in range(stalls + 1):
            x = left + 4 + stall * STALL
            build.stripe(((x, y), (x, y + DEPTH)), 0.9)
            if stall < stalls and dice.chance(fill):
                middle = (x + STALL / 2 + dice.between(-0.6, 0.6), y + DEPTH / 2 + dice.between(-1.2, 1.2))
                nose = -math.pi / 2 if dice.chance() else math.pi / 2
                build.vehicle("van" if dice.chance(0.12) else "car", middle, nose, "in the parking lot")
        y += DEPTH + (LANE if upwards else 0)
    build.block(corners(left, top, right, bottom))


def traffic(build: Builder, line: tuple[Point, Point], width: float, count: int, place: str = "on the road") -> None:
    """Vehicles along a straight road, on the right-hand side of it."""
    dice = build.dice
    (x0, y0), (x1, y1) = line
    angle = math.atan2(y1 - y0, x1 - x0)
    for _ in range(count):
        share, side = dice.between(0.0, 1.0), dice.pick((-1, 1))
        off = side * width / 4
        at = (x0 + share * (x1 - x0) - off * math.sin(angle), y0 + share * (y1 - y0) + off * math.cos(angle))
        build.vehicle(dice.pick(TRAFFIC), at, angle if side > 0 else angle + math.pi, place)


def tank_farm(build: Builder, at: Point, columns: int, rows: int) -> None:
    """Round tanks in a walled yard; `at` is the top left corner."""
    dice = build.dice
    size = dice.between(32, 54)
    pitch = size * dice.between(1.3, 1.5)
    left, top = at
    yard = corners(left - 6, top - 6, left + columns * pitch + 6, top + rows * pitch + 6)
    build.ground("gravel", yard)
    build.stripe((*yard, yard[0]), 2.0, "kerb")
    for row in range(rows):
        for column in range(columns):
            middle = (left + (column + 0.5) * pitch, top + (row + 0.5) * pitch)
            if dice.chance(0.88):
                length = size * dice.pick((1.0, 1.0, 0.8))
                build.thing("storage tank", middle, 0.0, "in the tank farm", length=length, room=3.0)
    build.block(yard)


def pond(build: Builder, at: Point, radius: float) -> None:
    """A round piece of water with an uneven shore."""
    phase = build.dice.between(0, 6)
    wobble = [
        1 + 0.16 * math.sin(3 * k * math.pi / 24 + phase) + 0.1 * math.sin(5 * k * math.pi / 24) for k in range(48)
    ]
    ring = circle((0, 0), radius, 48)
    shore = [(at[0] + x * size, at[1] + y * size * 0.8) for (x, y), size in zip(ring, wobble, strict=True)]
    bank = [(at[0] + (x - at[0]) * 1.07, at[1] + (y - at[1]) * 1.07) for x, y in shore]
    build.ground("gravel", bank)
    build.ground("water", shore)
    build.block(bank)


def wave(build: Builder, height: float, swing: float, step: float = 10.0) -> list[Point]:
    """An uneven line across the plan, from left to right."""
    dice = build.dice
    parts = [(swing / (k + 1), dice.between(0.006, 0.012) * (k + 1), dice.between(0, 6.3)) for k in range(4)]
    xs = [-REACH + step * k for k in range(int((SIDE + 2 * REACH) / step) + 1)]
    return [(x, height + sum(size * math.sin(rate * x + phase) for size, rate, phase in parts)) for x in xs]


def band(upper: list[Point], lower: list[Point]) -> list[Point]:
    """The ground between two lines."""
    return [*upper, *reversed(lower)]


def moved(line: list[Point], by: float) -> list[Point]:
    """The same line, lower."""
    return [(x, y + by) for x, y in line]
