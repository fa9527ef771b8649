"""A harbour: quay, piers and moored ships, with yards and tanks ashore."""

from __future__ import annotations

import math

from sightline.suites.remote_sensing.generator.scene import SIDE
from sightline.suites.remote_sensing.generator.scene_layouts.builder import MARGIN, SceneBuilder, corners, span
from sightline.suites.remote_sensing.generator.scene_layouts.common import add_tank_farm, add_traffic

_UP = -math.pi / 2


def base(turn: float) -> tuple[str, float]:
    """Water all round, the land anywhere."""
    return "sea", turn * 2 * math.pi


def lay_out(builder: SceneBuilder) -> None:
    """Land below, water above, piers between."""
    rng = builder.rng
    quay = rng.between(310, 350)
    builder.add_ground("concrete", span(quay, SIDE + MARGIN), "slabs")
    builder.add_stripe(((-MARGIN, quay), (SIDE + MARGIN, quay)), 4.0, "kerb")
    marina = rng.chance(0.35)
    if marina:
        jetties(builder, quay)
    else:
        piers(builder, quay)
    for _ in range(rng.whole(2, 7)):
        at = (rng.between(30, 480), rng.between(20, quay - 40))
        kind = rng.pick(("speed boat", "speed boat", "cargo ship", "tanker"))
        builder.add_ship(kind, at, rng.between(0, 6.3), "under way", room=12)
    ashore(builder, quay)


def piers(builder: SceneBuilder, quay: float) -> None:
    """Broad piers with big ships alongside, or ships along the quay itself."""
    rng = builder.rng
    x, step = rng.between(-120, -80), rng.between(150, 175)
    while x < SIDE + MARGIN:
        length = rng.between(170, 220)
        builder.add_ground("concrete", corners(x - 21, quay - length, x + 21, quay + 2), "slabs")
        builder.add_stripe((*corners(x - 21, quay - length, x + 21, quay + 2),), 3.0, "kerb")
        builder.reserve(corners(x - 22, quay - length - 1, x + 22, quay))
        for side in (-1, 1):
            if not rng.chance(0.72):
                continue
            kind = rng.pick(("cargo ship", "cargo ship", "tanker"))
            size = rng.between(112, min(168.0, length - 6))
            at = (x + side * (22.4 + size * 0.11), quay - length / 2 + rng.between(-8, 8))
            builder.add_ship(kind, at, rng.pick((_UP, -_UP)), "moored at the pier", room=0.6, length=size)
        for _ in range(rng.whole(0, 3)):
            at = (x + rng.pick((-9, 9)), quay - rng.between(15, length - 18))
            builder.add_vehicle(rng.pick(("truck", "van", "truck")), at, _UP, "on the pier")
        x += step


def jetties(builder: SceneBuilder, quay: float) -> None:
    """Narrow jetties with boats side by side."""
    rng = builder.rng
    for x in range(-130, 640, 76):
        length = rng.between(130, 200)
        builder.add_ground("track", corners(x - 4, quay - length, x + 4, quay + 2))
        builder.reserve(corners(x - 5, quay - length, x + 5, quay))
        berth = quay - 16
        while berth > quay - length + 6:
            for side in (-1, 1):
                if rng.chance(0.62):
                    size, nose = rng.between(18, 27), rng.pick((0.0, math.pi))
                    at = (x + side * (7.0 + size / 2), berth)
                    builder.add_ship("speed boat", at, nose, "moored at the jetty", room=0.8, length=size)
            berth -= 15


def ashore(builder: SceneBuilder, quay: float) -> None:
    """A road, warehouses or a tank farm, trucks."""
    rng = builder.rng
    road = quay + rng.between(24, 32)
    builder.add_road(((-MARGIN, road), (SIDE + MARGIN, road)), 20)
    add_traffic(builder, ((-60, road), (SIDE + 60, road)), 20, rng.whole(2, 6))
    yard = road + 24
    tanks = rng.chance(0.55)
    if tanks:
        add_tank_farm(builder, (rng.between(60, 260), yard), rng.whole(2, 4), 2)
    for column in range(-1, 6):
        at = (column * 118 + rng.between(-10, 10), yard + 40)
        if rng.chance(0.8):
            builder.add_object("warehouse", at, 0.0, "behind the quay", length=rng.between(82, 106))
    for _ in range(rng.whole(0, 3)):
        containers(builder, (rng.between(-40, SIDE), yard + rng.between(0, 150)))
    for _ in range(10):
        at = (rng.between(0, SIDE), rng.between(yard, SIDE + 60))
        builder.add_vehicle(rng.pick(("truck", "car", "van")), at, rng.pick((0.0, _UP)), "on the quay")


def containers(builder: SceneBuilder, at: tuple[float, float]) -> None:
    """Stacks in rows, each box a broad stripe."""
    rng = builder.rng
    left, top = at
    room = corners(left - 4, top - 6, left + 6 * 19 + 2, top + 4 * 8 + 2)
    if not builder.is_open(room):
        return
    for row in range(4):
        for column in range(6):
            if rng.chance(0.85):
                x, y = left + column * 19, top + row * 8
                builder.add_stripe(
                    ((x, y), (x + 17, y)), 6.4, f"container {rng.pick(('red', 'blue', 'green', 'grey'))}"
                )
    builder.reserve(room)
