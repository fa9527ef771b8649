"""Layouts of farmland, river valleys, beaches and harbours."""

from __future__ import annotations

import math
from itertools import pairwise

from sightline.suites.remote_sensing.generator.scene import SIDE
from sightline.suites.remote_sensing.generator.scene_layouts.builder import (
    UP,
    SceneBuilder,
    add_pond,
    add_tank_farm,
    add_traffic,
    band_between,
    corners,
    shift_line,
    span,
    wavy_line,
)

CROPS = ("wheat", "maize", "rape", "clover", "ploughed", "stubble", "maize", "wheat")


def lay_out_farmland(builder: SceneBuilder) -> None:
    """Strips of fields on both sides of a road."""
    rng = builder.rng
    road = rng.between(200, 300)
    builder.add_road(((-builder.margin, road), (SIDE + builder.margin, road)), 18)
    top = -builder.margin
    lanes = [road - 14 - k * rng.between(120, 160) for k in range(1, 4)]
    edges = sorted([*lanes, road - 12, road + 12, *(road + 14 + k * rng.between(120, 160) for k in range(1, 4))])
    for low, high in pairwise(edges):
        if high - low > 40:
            _add_fields(builder, low + 3, high - 3)
        if low != road - 12 and high != road + 12 and rng.chance(0.6):
            builder.add_road(((-builder.margin, low), (SIDE + builder.margin, low)), 6, "", material="track")
    _add_farmstead(builder, road)
    add_traffic(builder, ((-20, road), (SIDE + 20, road)), 18, rng.whole(1, 4))
    if rng.chance(0.6):
        add_pond(builder, (rng.between(80, 430), road + rng.pick((-1, 1)) * rng.between(90, 150)), rng.between(24, 46))
    if rng.chance(0.7):
        left, low = rng.between(-60, 330), top + rng.between(120, 260)
        builder.scatter_trees((left, low, left + 200, low + 150), 220, (7, 13))
    for y in edges:
        builder.scatter_trees((-builder.margin, y - 5, SIDE + builder.margin, y + 2), 26, (4, 8))


def _add_fields(builder: SceneBuilder, low: float, high: float) -> None:
    """Fields side by side."""
    rng = builder.rng
    x, before = -builder.margin, ""
    while x < SIDE + builder.margin:
        width = rng.between(80, 200)
        crop = rng.pick([crop_name for crop_name in CROPS if crop_name != before])
        lean = rng.between(-8, 8)
        angle = rng.pick((0.0, UP, UP))
        builder.add_ground(
            crop, ((x + 2, low), (x + width - 2, low), (x + width - 2 + lean, high), (x + 2, high)), "furrows", angle
        )
        x, before = x + width + max(lean, 0), crop


def _add_farmstead(builder: SceneBuilder, road: float) -> None:
    """A yard with barns and a house beside the road."""
    rng = builder.rng
    side = rng.pick((-1, 1))
    left = rng.between(90, 300)
    near, far = road + side * 12, road + side * 128
    builder.add_ground("gravel", corners(left, min(near, far), left + 150, max(near, far)))
    builder.add_object("house", (left + 30, road + side * 40), 0.0, "beside the road", length=rng.between(40, 50))
    for column in range(rng.whole(1, 3)):
        at = (left + 42 + column * 48, road + side * 92)
        builder.add_object(
            "warehouse", at, UP, "on a farm", length=rng.between(50, 62), ratio=0.55, paint=rng.pick(("grey", "red"))
        )
    if rng.chance(0.5):
        builder.add_object("storage tank", (left + 118, road + side * 38), 0.0, "on a farm", length=rng.between(20, 26))
    for _ in range(rng.whole(1, 4)):
        at = (left + rng.between(60, 140), road + side * rng.between(24, 66))
        builder.add_vehicle(rng.pick(("car", "truck", "van")), at, rng.pick((0.0, UP, 0.6)), "on a farm")


def lay_out_river(builder: SceneBuilder) -> None:
    """The river across the middle, one or two roads over it."""
    rng = builder.rng
    width = rng.between(70, 105)
    bank = wavy_line(builder, 256 - width / 2, 16)
    _add_cropland(builder, width)
    builder.add_ground("gravel", band_between(shift_line(bank, -5), shift_line(bank, width + 5)))
    builder.add_ground("water", band_between(bank, shift_line(bank, width)))
    for x in rng.some((130.0, 256.0, 390.0), rng.whole(1, 2)):
        _add_bridge(builder, x, bank, width)
    _add_boats(builder, bank, width)
    builder.reserve(band_between(shift_line(bank, -7), shift_line(bank, width + 7)))
    for x in (-120, 30, 150, 300, 440, 560):
        if rng.chance(0.8):
            for side in (-1, 1):
                at = (x + rng.between(0, 60), 256 + side * (width / 2 + rng.between(60, 130)))
                builder.add_object("house", at, rng.between(-0.3, 0.3), "near the river")
    for side in (-1, 1):
        y = 256 + side * (width / 2 + 120)
        builder.scatter_trees(
            (-builder.margin, y - 110, SIDE + builder.margin, y + 110), 420 if rng.chance(0.7) else 130, (6, 12)
        )


def _add_cropland(builder: SceneBuilder, width: float) -> None:
    """Some cropland beyond the woods."""
    rng = builder.rng
    for top in (-builder.margin, 256 + width / 2 + 60):
        x = -builder.margin
        while x < SIDE + builder.margin:
            size = rng.between(110, 190)
            if rng.chance(0.55):
                block = corners(x, top, x + size - 6, top + rng.between(150, 205))
                builder.add_ground(rng.pick(CROPS), block, "furrows", rng.pick((0.0, UP)))
                if rng.chance(0.6):
                    builder.reserve(block)
            x += size


def _add_bridge(builder: SceneBuilder, x: float, bank: list[tuple[float, float]], width: float) -> None:
    """A road with a bridge."""
    rng = builder.rng
    near = [y for px, y in bank if abs(px - x) < 22]
    top, bottom = min(near) - 8, max(near) + width + 8
    road = rng.between(20, 26)
    builder.add_road(((x, -builder.margin), (x, SIDE + builder.margin)), road)
    length = bottom - top
    builder.add_object(
        "bridge", (x, (top + bottom) / 2), UP, "across the river", length=length, ratio=(road + 5) / length, free=True
    )
    add_traffic(builder, ((x, -20), (x, top - 20)), road, rng.whole(1, 3))
    add_traffic(builder, ((x, bottom + 20), (x, SIDE + 20)), road, rng.whole(1, 3))


def _add_boats(builder: SceneBuilder, bank: list[tuple[float, float]], width: float) -> None:
    """Speed boats along the river, clear of its bridges."""
    rng = builder.rng
    for _ in range(rng.whole(2, 7)):
        at = rng.between(-40, SIDE + 40)
        y = next((py for px, py in bank if abs(px - at) <= 10), 256 - width / 2)
        where = (at, y + rng.between(0.3, 0.7) * width)
        nose = rng.between(-0.25, 0.25) + rng.pick((0.0, math.pi))
        builder.add_ship("speed boat", where, nose, "on the river", room=7)


def lay_out_beach(builder: SceneBuilder) -> None:
    """Sea above, then surf, sand and the town."""
    rng = builder.rng
    shore = wavy_line(builder, rng.between(190, 250), 14)
    floor = [(SIDE + builder.margin, SIDE + builder.margin), (-builder.margin, SIDE + builder.margin)]
    builder.add_ground("shallow", [*shift_line(shore, -rng.between(14, 26)), *floor])
    builder.add_ground("foam", [*shift_line(shore, -3), *floor])
    builder.add_ground("sand", [*shore, *floor])
    inland = shift_line(wavy_line(builder, 0, 6), max(y for _, y in shore) + rng.between(34, 60))
    builder.add_ground("lawn", [*inland, *floor])
    top = min(y for _, y in shore)
    for _ in range(rng.whole(3, 12)):
        at = (rng.between(-60, SIDE + 60), rng.between(-60, top))
        kind = rng.pick(("speed boat", "speed boat", "speed boat", "cargo ship"))
        builder.add_ship(kind, at, rng.between(0, 6.3), "at sea", room=12)
    builder.reserve(band_between(shift_line(shore, -400), shift_line(shore, 4)))
    street = max(y for _, y in inland) + rng.between(88, 104)
    builder.add_road(((-builder.margin, street), (SIDE + builder.margin, street)), 20, kerb=True)
    add_traffic(builder, ((-20, street), (SIDE + 20, street)), 20, rng.whole(2, 6))
    _add_hotels(builder, max(y for _, y in inland), street)
    builder.scatter_trees((-builder.margin, street - 120, SIDE + builder.margin, SIDE + builder.margin), 330, (5, 9))


def _add_hotels(builder: SceneBuilder, front: float, street: float) -> None:
    """Hotels with pools towards the sea, houses behind the street."""
    rng = builder.rng
    for x in range(-150, 660, 112):
        middle = x + rng.between(-6, 6)
        if rng.chance(0.8):
            builder.add_object(
                "apartment block",
                (middle, street - 34),
                0.0,
                "behind the beach",
                length=rng.between(70, 96),
                ratio=0.34,
            )
            if rng.chance(0.6):
                builder.add_object(
                    "swimming pool", (middle, front + 24), 0.0, "beside a hotel", length=rng.between(24, 36)
                )
    for x in range(-150, 660, 70):
        if rng.chance(0.75):
            builder.add_object(
                "house", (x, street + 48), rng.pick((0.0, UP)), "behind the street", length=rng.between(38, 50)
            )


def lay_out_harbor(builder: SceneBuilder) -> None:
    """Land below, water above, piers between."""
    rng = builder.rng
    quay = rng.between(310, 350)
    builder.add_ground("concrete", span(builder, quay, SIDE + builder.margin), "slabs")
    builder.add_stripe(((-builder.margin, quay), (SIDE + builder.margin, quay)), 4.0, "kerb")
    marina = rng.chance(0.35)
    if marina:
        _add_jetties(builder, quay)
    else:
        _add_piers(builder, quay)
    for _ in range(rng.whole(2, 7)):
        at = (rng.between(30, 480), rng.between(20, quay - 40))
        kind = rng.pick(("speed boat", "speed boat", "cargo ship", "tanker"))
        builder.add_ship(kind, at, rng.between(0, 6.3), "under way", room=12)
    _add_shore_buildings(builder, quay)


def _add_piers(builder: SceneBuilder, quay: float) -> None:
    """Broad piers with big ships alongside, or ships along the quay itself."""
    rng = builder.rng
    x, step = rng.between(-120, -80), rng.between(150, 175)
    while x < SIDE + builder.margin:
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
            builder.add_ship(kind, at, rng.pick((UP, -UP)), "moored at the pier", room=0.6, length=size)
        for _ in range(rng.whole(0, 3)):
            at = (x + rng.pick((-9, 9)), quay - rng.between(15, length - 18))
            builder.add_vehicle(rng.pick(("truck", "van", "truck")), at, UP, "on the pier")
        x += step


def _add_jetties(builder: SceneBuilder, quay: float) -> None:
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


def _add_shore_buildings(builder: SceneBuilder, quay: float) -> None:
    """A road, warehouses or a tank farm, trucks."""
    rng = builder.rng
    road = quay + rng.between(24, 32)
    builder.add_road(((-builder.margin, road), (SIDE + builder.margin, road)), 20)
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
        _add_containers(builder, (rng.between(-40, SIDE), yard + rng.between(0, 150)))
    for _ in range(10):
        at = (rng.between(0, SIDE), rng.between(yard, SIDE + 60))
        builder.add_vehicle(rng.pick(("truck", "car", "van")), at, rng.pick((0.0, UP)), "on the quay")


def _add_containers(builder: SceneBuilder, at: tuple[float, float]) -> None:
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
