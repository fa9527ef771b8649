"""A river valley: the river with bridges and boats, woods, fields and a few houses."""

from __future__ import annotations

import math

from sightline.suites.remote_sensing.generator.places.builder import REACH, Builder, corners
from sightline.suites.remote_sensing.generator.places.farmland import CROPS
from sightline.suites.remote_sensing.generator.places.parts import band, moved, traffic, wave
from sightline.suites.remote_sensing.generator.scene import SIDE

_UP = -math.pi / 2


def base(turn: float) -> tuple[str, float]:
    """Meadows, the river from anywhere to anywhere."""
    return "grass", turn * 2 * math.pi


def lay_out(build: Builder) -> None:
    """The river across the middle, one or two roads over it."""
    dice = build.dice
    width = dice.between(70, 105)
    bank = wave(build, 256 - width / 2, 16)
    fields(build, bank, width)
    build.ground("gravel", band(moved(bank, -5), moved(bank, width + 5)))
    build.ground("water", band(bank, moved(bank, width)))
    for x in dice.some((130.0, 256.0, 390.0), dice.whole(1, 2)):
        crossing(build, x, bank, width)
    boats(build, bank, width)
    build.block(band(moved(bank, -7), moved(bank, width + 7)))
    for x in (-120, 30, 150, 300, 440, 560):
        if dice.chance(0.8):
            for side in (-1, 1):
                at = (x + dice.between(0, 60), 256 + side * (width / 2 + dice.between(60, 130)))
                build.thing("house", at, dice.between(-0.3, 0.3), "near the river")
    for side in (-1, 1):
        y = 256 + side * (width / 2 + 120)
        build.grove((-REACH, y - 110, SIDE + REACH, y + 110), 420 if dice.chance(0.7) else 130, (6, 12))


def fields(build: Builder, bank: list[tuple[float, float]], width: float) -> None:
    """Some cropland beyond the woods."""
    dice = build.dice
    for top in (-REACH, 256 + width / 2 + 60):
        x = -REACH
        while x < SIDE + REACH:
            size = dice.between(110, 190)
            if dice.chance(0.55):
                block = corners(x, top, x + size - 6, top + dice.between(150, 205))
                build.ground(dice.pick(CROPS), block, "furrows", dice.pick((0.0, _UP)))
                if dice.chance(0.6):
                    build.block(block)
            x += size


def crossing(build: Builder, x: float, bank: list[tuple[float, float]], width: float) -> None:
    """A road with a bridge."""
    dice = build.dice
    near = [y for px, y in bank if abs(px - x) < 22]
    top, bottom = min(near) - 8, max(near) + width + 8
    road = dice.between(20, 26)
    build.road(((x, -REACH), (x, SIDE + REACH)), road)
    length = bottom - top
    build.thing(
        "bridge", (x, (top + bottom) / 2), _UP, "across the river", length=length, ratio=(road + 5) / length, free=True
    )
    traffic(build, ((x, -20), (x, top - 20)), road, dice.whole(1, 3))
    traffic(build, ((x, bottom + 20), (x, SIDE + 20)), road, dice.whole(1, 3))


def boats(build: Builder, bank: list[tuple[float, float]], width: float) -> None:
    """Speed boats along the river, clear of its bridges."""
    dice = build.dice
    for _ in range(dice.whole(2, 7)):
        at = dice.between(-40, SIDE + 40)
        y = next((py for px, py in bank if abs(px - at) <= 10), 256 - width / 2)
        where = (at, y + dice.between(0.3, 0.7) * width)
        nose = dice.between(-0.25, 0.25) + dice.pick((0.0, math.pi))
        build.ship("speed boat", where, nose, "on the river", room=7)
