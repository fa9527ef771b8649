"""Layouts with hundreds of small objects: storage yards, marinas, airfields full of small planes."""

from __future__ import annotations

import math

from sightline.suites.remote_sensing.generator.scene import SIDE
from sightline.suites.remote_sensing.generator.scene_layouts.builder import (
    DEPTH,
    LANE,
    STALL,
    UP,
    SceneBuilder,
    add_traffic,
    corners,
    span,
)


def lay_out_storage_yard(builder: SceneBuilder) -> None:
    """New cars and trucks in blocks of rows, a road and sheds between them."""
    rng = builder.rng
    low, high = -builder.margin, SIDE + builder.margin
    road = rng.between(150, 360)
    builder.add_ground("lot", span(builder, low, high))
    builder.add_road(((low, road), (high, road)), 26, kerb=True)
    builder.add_road(((road, low), (road, high)), 26, kerb=True)
    add_traffic(builder, ((low, road), (high, road)), 26, 14)
    add_traffic(builder, ((road, low), (road, high)), 26, 14)
    y = low
    while y < high:
        x = low
        depth = rng.pick((3, 4, 6)) * (DEPTH + LANE / 2)
        while x < high:
            width = rng.between(130, 260)
            if abs(x + width / 2 - road) > width / 2 + 22 and abs(y + depth / 2 - road) > depth / 2 + 22:
                _fill_block(builder, (x, y), (width, depth))
            x += width + 24
        y += depth + 26
    builder.scatter_trees((low, road - 30, high, road + 30), 30, (5, 8))


def _fill_block(builder: SceneBuilder, at: tuple[float, float], size: tuple[float, float]) -> None:
    """A block: rows of cars, rows of trucks, a shed, or nothing."""
    rng = builder.rng
    (left, top), (width, depth) = at, size
    use = rng.between(0, 1)
    if use < 0.12:
        middle = (left + width / 2, top + depth / 2)
        length = min(width * 0.8, 140)
        builder.add_object(
            "warehouse", middle, 0.0, "in the yard", length=length, ratio=min(0.55, depth * 0.8 / length)
        )
        return
    if use < 0.24:
        return
    kind, stall, row = ("truck", 15.0, 44.0) if use < 0.38 else ("car", STALL, DEPTH + LANE / 2)
    fill = rng.between(0.35, 0.95)
    y = top + row / 2
    while y < top + depth - row / 3:
        x = left + stall
        while x < left + width:
            if rng.chance(fill):
                builder.add_vehicle(kind, (x, y + rng.between(-1, 1)), UP, "in the yard")
            x += stall
        y += row


def lay_out_marina(builder: SceneBuilder) -> None:
    """Jetties with boats on both sides, row above row, and a quay below."""
    rng = builder.rng
    low, high = -builder.margin, SIDE + builder.margin
    quay = SIDE + builder.margin * 0.35
    builder.add_ground("concrete", span(builder, quay, high), "slabs")
    builder.add_stripe(((low, quay), (high, quay)), 4.0, "kerb")
    x = low + rng.between(0, 60)
    while x < high:
        reach = rng.between(0.75, 0.95) * (quay - low)
        builder.add_ground("track", corners(x - 4, quay - reach, x + 4, quay + 2))
        builder.reserve(corners(x - 5, quay - reach, x + 5, quay))
        fill, berth = rng.between(0.4, 0.9), quay - 14
        while berth > quay - reach + 8:
            for side in (-1, 1):
                if rng.chance(fill):
                    size = rng.between(18, 26)
                    at = (x + side * (7.5 + size / 2), berth)
                    nose = 0.0 if side > 0 else math.pi
                    builder.add_ship("speed boat", at, nose, "moored at the jetty", room=0.8, length=size)
            berth -= 15
        x += rng.between(92, 112)
    for _ in range(12):
        at = (rng.between(low, high), quay + rng.between(20, 140))
        builder.add_vehicle(rng.pick(("car", "van")), at, rng.pick((0.0, UP)), "on the quay")


def lay_out_small_airfield(builder: SceneBuilder) -> None:
    """A runway, and small planes in rows on the grass and on the apron."""
    rng = builder.rng
    low, high = -builder.margin, SIDE + builder.margin
    runway = rng.between(40, 90)
    builder.add_road(((low, runway), (high, runway)), 46, "runway", material="runway")
    builder.add_road(((low, runway + 90), (high, runway + 90)), 24, "yellow", material="taxiway")
    apron = (runway + 110, runway + 110 + rng.between(200, 320))
    builder.add_ground("concrete", span(builder, *apron), "slabs")
    kind = rng.pick(("propeller plane", "propeller plane", "fighter jet"))
    for top, bottom, fill in ((*apron, 0.85), (apron[1] + 20, high, 0.5), (low, runway - 50, 0.35)):
        y, lean = top + 28, rng.pick((0.0, 0.4))
        while y < bottom - 20:
            x = low + rng.between(0, 30)
            while x < high:
                if rng.chance(fill):
                    nose = -UP + lean + rng.between(-0.05, 0.05)
                    builder.add_object(kind, (x, y), nose, "on the apron" if top == apron[0] else "on the grass")
                x += rng.between(46, 54)
            y += rng.between(52, 62)
    builder.scatter_trees((low, apron[1], high, high), 25, (6, 10))
