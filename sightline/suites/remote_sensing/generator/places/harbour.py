"""A harbour: quay, piers and moored ships, with yards and tanks ashore."""

from __future__ import annotations

import math

from sightline.suites.remote_sensing.generator.places.builder import REACH, Builder, corners, span
from sightline.suites.remote_sensing.generator.places.parts import tank_farm, traffic
from sightline.suites.remote_sensing.generator.scene import SIDE

_UP = -math.pi / 2


def base(turn: float) -> tuple[str, float]:
    """Water all round, the land anywhere."""
    return "sea", turn * 2 * math.pi


def lay_out(build: Builder) -> None:
    """Land below, water above, piers between."""
    dice = build.dice
    quay = dice.between(310, 350)
    build.ground("concrete", span(quay, SIDE + REACH), "slabs")
    build.stripe(((-REACH, quay), (SIDE + REACH, quay)), 4.0, "kerb")
    marina = dice.chance(0.35)
    if marina:
        jetties(build, quay)
    else:
        piers(build, quay)
    for _ in range(dice.whole(2, 7)):
        at = (dice.between(30, 480), dice.between(20, quay - 40))
        kind = dice.pick(("speed boat", "speed boat", "cargo ship", "tanker"))
        build.ship(kind, at, dice.between(0, 6.3), "under way", room=12)
    ashore(build, quay)


def piers(build: Builder, quay: float) -> None:
    """Broad piers with big ships alongside, or ships along the quay itself."""
    dice = build.dice
    x, step = dice.between(-120, -80), dice.between(150, 175)
    while x < SIDE + REACH:
        length = dice.between(170, 220)
        build.ground("concrete", corners(x - 21, quay - length, x + 21, quay + 2), "slabs")
        build.stripe((*corners(x - 21, quay - length, x + 21, quay + 2),), 3.0, "kerb")
        build.block(corners(x - 22, quay - length - 1, x + 22, quay))
        for side in (-1, 1):
            if not dice.chance(0.72):
                continue
            kind = dice.pick(("cargo ship", "cargo ship", "tanker"))
            size = dice.between(112, min(168.0, length - 6))
            at = (x + side * (22.4 + size * 0.11), quay - length / 2 + dice.between(-8, 8))
            build.ship(kind, at, dice.pick((_UP, -_UP)), "moored at the pier", room=0.6, length=size)
        for _ in range(dice.whole(0, 3)):
            at = (x + dice.pick((-9, 9)), quay - dice.between(15, length - 18))
            build.vehicle(dice.pick(("truck", "van", "truck")), at, _UP, "on the pier")
        x += step


def jetties(build: Builder, quay: float) -> None:
    """Narrow jetties with boats side by side."""
    dice = build.dice
    for x in range(-130, 640, 76):
        length = dice.between(130, 200)
        build.ground("track", corners(x - 4, quay - length, x + 4, quay + 2))
        build.block(corners(x - 5, quay - length, x + 5, quay))
        place = quay - 16
        while place > quay - length + 6:
            for side in (-1, 1):
                if dice.chance(0.62):
                    size, nose = dice.between(18, 27), dice.pick((0.0, math.pi))
                    at = (x + side * (7.0 + size / 2), place)
                    build.ship("speed boat", at, nose, "moored at the jetty", room=0.8, length=size)
            place -= 15


def ashore(build: Builder, quay: float) -> None:
    """A road, warehouses or a tank farm, trucks."""
    dice = build.dice
    road = quay + dice.between(24, 32)
    build.road(((-REACH, road), (SIDE + REACH, road)), 20)
    traffic(build, ((-60, road), (SIDE + 60, road)), 20, dice.whole(2, 6))
    yard = road + 24
    tanks = dice.chance(0.55)
    if tanks:
        tank_farm(build, (dice.between(60, 260), yard), dice.whole(2, 4), 2)
    for place in range(-1, 6):
        at = (place * 118 + dice.between(-10, 10), yard + 40)
        if dice.chance(0.8):
            build.thing("warehouse", at, 0.0, "behind the quay", length=dice.between(82, 106))
    for _ in range(dice.whole(0, 3)):
        containers(build, (dice.between(-40, SIDE), yard + dice.between(0, 150)))
    for _ in range(10):
        at = (dice.between(0, SIDE), dice.between(yard, SIDE + 60))
        build.vehicle(dice.pick(("truck", "car", "van")), at, dice.pick((0.0, _UP)), "on the quay")


def containers(build: Builder, at: tuple[float, float]) -> None:
    """Stacks in rows, each box a broad stripe."""
    dice = build.dice
    left, top = at
    room = corners(left - 4, top - 6, left + 6 * 19 + 2, top + 4 * 8 + 2)
    if not build.is_open(room):
        return
    for row in range(4):
        for place in range(6):
            if dice.chance(0.85):
                x, y = left + place * 19, top + row * 8
                build.stripe(((x, y), (x + 17, y)), 6.4, f"container {dice.pick(('red', 'blue', 'green', 'grey'))}")
    build.block(room)
