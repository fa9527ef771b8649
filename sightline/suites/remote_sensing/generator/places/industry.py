"""An industrial area: warehouses, lorry yards, car parks and a tank farm."""

from __future__ import annotations

import math

from sightline.suites.remote_sensing.generator.places.builder import REACH, Builder, corners
from sightline.suites.remote_sensing.generator.places.parts import car_park, tank_farm, traffic
from sightline.suites.remote_sensing.generator.scene import SIDE

_UP = -math.pi / 2


def base(turn: float) -> tuple[str, float]:
    """Bare ground or dry grass."""
    return ("gravel", "desert", "meadow")[int(turn * 30) % 3], (turn - 0.5) * 1.0


def lay_out(build: Builder) -> None:
    """Two roads make four yards, each of its own use."""
    dice = build.dice
    x, y = dice.between(215, 300), dice.between(215, 300)
    build.road(((-REACH, y), (SIDE + REACH, y)), 26, kerb=True)
    build.road(((x, -REACH), (x, SIDE + REACH)), 24, kerb=True)
    traffic(build, ((-20, y), (SIDE + 20, y)), 26, dice.whole(3, 7))
    traffic(build, ((x, -20), (x, SIDE + 20)), 24, dice.whole(2, 5))
    uses = dice.shuffled((halls, halls, parking, dice.pick((tanks, halls)), dice.pick((tanks, parking))))
    far = 30.0
    yards = ((x - 260, y - 260), (x + far, y - 260), (x - 260, y + far), (x + far, y + far))
    for use, (left, top) in zip(uses, yards, strict=False):
        build.ground(dice.pick(("concrete", "lot", "gravel")), corners(left, top, left + 230, top + 230), "slabs")
        use(build, left, top)
    build.grove((-REACH, -REACH, SIDE + REACH, SIDE + REACH), 45, (5, 9))


def halls(build: Builder, left: float, top: float) -> None:
    """Warehouses with lorries at their docks."""
    dice = build.dice
    for row in range(2):
        y = top + 48 + row * 128
        x = left + dice.between(58, 72)
        while x < left + 210:
            length = dice.between(84, 112)
            if build.thing("warehouse", (x, y), 0.0, "in a yard", length=length, ratio=dice.between(0.5, 0.68)):
                for dock in range(int(length / 16) - 1):
                    at = (x - length / 2 + 14 + dock * 15, y + length * 0.31 + 26)
                    if dice.chance(0.34):
                        build.vehicle("truck", at, -_UP, "at a loading dock")
            x += length + dice.between(10, 26)


def parking(build: Builder, left: float, top: float) -> None:
    """A car park and an office."""
    dice = build.dice
    fill = dice.between(0.25, 0.85)
    car_park(build, (left + 12, top + 12), dice.whole(12, 18), 4, fill)
    build.thing("apartment block", (left + 90, top + 192), 0.0, "beside the parking lot", length=dice.between(80, 120))


def tanks(build: Builder, left: float, top: float) -> None:
    """A tank farm and a few lorries."""
    dice = build.dice
    tank_farm(build, (left + 14, top + 14), 3, dice.whole(2, 3))
    for _ in range(6):
        at = (left + dice.between(10, 220), top + dice.between(10, 220))
        build.vehicle("truck", at, dice.pick((0.0, _UP)), "in a yard")
