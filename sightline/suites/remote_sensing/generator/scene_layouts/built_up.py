"""Layouts of airports, residential and industrial areas, sports grounds and road junctions."""

from __future__ import annotations

import math

from sightline.suites.remote_sensing.generator.catalog import TRACK_RATIO
from sightline.suites.remote_sensing.generator.scene import SIDE
from sightline.suites.remote_sensing.generator.scene_layouts.builder import (
    UP,
    SceneBuilder,
    add_car_park,
    add_tank_farm,
    add_traffic,
    corners,
    span,
)

FLEETS = (("airliner",), ("airliner", "airliner", "propeller plane"), ("fighter jet",), ("propeller plane",))


def lay_out_airport(builder: SceneBuilder) -> None:
    """Runway at the top, apron in the middle, buildings below."""
    rng = builder.rng
    fleet = rng.pick(FLEETS)
    runway = rng.between(40, 80)
    taxiway = runway + rng.between(78, 95)
    ends = (-builder.margin, SIDE + builder.margin)
    builder.add_ground("meadow", span(builder, runway - 46, runway + 46))
    builder.add_road([(x, runway) for x in ends], 46, "runway", material="runway")
    builder.add_road([(x, taxiway) for x in ends], 24, "yellow", material="taxiway")
    for x in (rng.between(60, 150), rng.between(330, 450)):
        builder.add_road(((x, runway), (x + 30, taxiway)), 20, "yellow", material="taxiway")
    apron = (taxiway + 12, taxiway + rng.between(178, 205))
    builder.add_ground("concrete", span(builder, *apron), "slabs")
    _add_stands(builder, fleet, apron)
    if rng.chance(0.7):
        at = (rng.between(90, 400), runway if rng.chance() else taxiway)
        where = "on the runway" if at[1] == runway else "on the taxiway"
        builder.add_object(rng.pick(fleet), at, rng.pick((0.0, math.pi)), where, free=True)
    _add_airport_buildings(builder, apron[1], fleet)


def _add_stands(builder: SceneBuilder, fleet: tuple[str, ...], apron: tuple[float, float]) -> None:
    """Aircraft in rows, noses to the buildings or askew."""
    rng = builder.rng
    big = "airliner" in fleet
    rows, step = (1, 112.0) if big else (2, 58.0)
    lean = rng.pick((0.0, 0.0, 0.5))
    for row in range(rows):
        y = apron[1] - (68 if big else 50 + 62 * row)
        for column in range(-2, int((SIDE + 60) / step)):
            x = 20 + column * step + rng.between(-4, 4)
            builder.add_stripe(((x, y - step * 0.5), (x, y + step * 0.42)), 1.4, "yellow line")
            if not rng.chance(0.8):
                continue
            nose = (math.pi / 2 if big or row else UP) + lean + rng.between(-0.04, 0.04)
            if builder.add_object(rng.pick(fleet), (x, y), nose, "on the apron") and big and rng.chance(0.7):
                for _ in range(rng.whole(1, 2)):
                    at = (x + rng.pick((-1, 1)) * rng.between(26, 44), y + rng.between(-20, 45))
                    builder.add_vehicle(rng.pick(("truck", "van", "bus")), at, rng.pick((0.0, UP)), "on the apron")


def _add_airport_buildings(builder: SceneBuilder, top: float, fleet: tuple[str, ...]) -> None:
    """Terminal or hangars, then a road, a car park or fuel tanks."""
    rng = builder.rng
    if "airliner" in fleet:
        length = rng.between(240, 330)
        builder.add_ground("concrete", corners(-builder.margin, top, SIDE + builder.margin, top + 70))
        builder.add_object(
            "warehouse", (rng.between(200, 310), top + 30), 0.0, "beside the apron", length=length, ratio=0.15
        )
    else:
        for column in range(6):
            at = (30 + column * 92 + rng.between(-5, 5), top + 36)
            if rng.chance(0.7):
                builder.add_object("warehouse", at, 0.0, "beside the apron", length=rng.between(56, 74), ratio=0.7)
    road = top + 82
    builder.add_road(((-builder.margin, road), (SIDE + builder.margin, road)), 20)
    for _ in range(rng.whole(1, 5)):
        side = rng.pick((-1, 1))
        at = (rng.between(0, SIDE), road + side * 5)
        builder.add_vehicle(rng.pick(("car", "car", "van", "bus")), at, 0.0 if side > 0 else math.pi, "on the road")
    if rng.chance(0.6):
        add_car_park(builder, (rng.between(20, 160), road + 18), rng.whole(14, 24), 3, rng.between(0.3, 0.8))
    if rng.chance(0.5):
        add_tank_farm(builder, (rng.between(330, 380), road + 22), 3, 1)
    builder.scatter_trees((-builder.margin, road + 14, SIDE + builder.margin, SIDE + builder.margin), 60, (6, 11))


def lay_out_residential_area(builder: SceneBuilder) -> None:
    """Streets across, two rows of gardens between each two."""
    rng = builder.rng
    depth, rows = rng.between(74, 88), []
    y = -builder.margin + rng.between(0, 80)
    while y < SIDE + builder.margin:
        builder.add_road(((-builder.margin, y), (SIDE + builder.margin, y)), 19, kerb=True)
        rows.append(y)
        y += 2 * depth + 26
    cross = rng.between(180, 330)
    builder.add_road(((cross, -builder.margin), (cross, SIDE + builder.margin)), 21, kerb=True)
    for y in rows:
        add_traffic(builder, ((-40, y), (SIDE + 40, y)), 19, rng.whole(1, 5))
        _add_gardens(builder, y + 15, depth, -1)
        _add_gardens(builder, y + 15 + depth, depth, 1)
    add_traffic(builder, ((cross, -40), (cross, SIDE + 40)), 21, rng.whole(1, 4))
    builder.scatter_trees(
        (-builder.margin, -builder.margin, SIDE + builder.margin, SIDE + builder.margin), 700, (5, 11)
    )


def _add_gardens(builder: SceneBuilder, top: float, depth: float, street: int) -> None:
    """One row of gardens; the street runs above (-1) or below (1)."""
    rng = builder.rng
    x = -builder.margin
    while x < SIDE + builder.margin:
        width = rng.between(58, 78)
        builder.add_ground(
            rng.pick(("lawn", "lawn", "grass", "meadow")), corners(x + 1, top + 1, x + width - 1, top + depth - 1)
        )
        middle = top + depth / 2
        front = middle + street * depth * 0.16
        length = rng.between(38, min(56.0, width - 12))
        turn = 0.0 if length * 0.72 < 40 and rng.chance(0.75) else UP
        if rng.chance(0.08):
            x += width
            continue
        placed = builder.add_object("house", (x + width / 2 - 4, front), turn, "in a garden", length=min(length, 50))
        if placed and rng.chance(0.5):
            edge = middle + street * depth * 0.5
            drive = x + width - 7.0
            builder.add_ground("concrete", corners(drive - 5, min(front, edge), drive + 5, max(front, edge)))
            if rng.chance(0.7):
                builder.add_vehicle("car", (drive, edge - street * 12), UP * street, "in a driveway")
        if placed and rng.chance(0.34):
            at = (x + width / 2 + rng.between(-8, 8), middle - street * depth * 0.33)
            builder.add_object(
                "swimming pool", at, rng.pick((0.0, 0.0, 0.2)), "in a garden", length=rng.between(18, 25)
            )
        x += width


def lay_out_industrial_area(builder: SceneBuilder) -> None:
    """Two roads make four yards, each of its own use."""
    rng = builder.rng
    x, y = rng.between(215, 300), rng.between(215, 300)
    builder.add_road(((-builder.margin, y), (SIDE + builder.margin, y)), 26, kerb=True)
    builder.add_road(((x, -builder.margin), (x, SIDE + builder.margin)), 24, kerb=True)
    add_traffic(builder, ((-20, y), (SIDE + 20, y)), 26, rng.whole(3, 7))
    add_traffic(builder, ((x, -20), (x, SIDE + 20)), 24, rng.whole(2, 5))
    uses = rng.shuffled(
        (_add_halls, _add_halls, _add_parking, rng.pick((_add_tanks, _add_halls)), rng.pick((_add_tanks, _add_parking)))
    )
    far = 30.0
    yards = ((x - 260, y - 260), (x + far, y - 260), (x - 260, y + far), (x + far, y + far))
    for use, (left, top) in zip(uses, yards, strict=False):
        builder.add_ground(rng.pick(("concrete", "lot", "gravel")), corners(left, top, left + 230, top + 230), "slabs")
        use(builder, left, top)
    builder.scatter_trees((-builder.margin, -builder.margin, SIDE + builder.margin, SIDE + builder.margin), 45, (5, 9))


def _add_halls(builder: SceneBuilder, left: float, top: float) -> None:
    """Warehouses with lorries at their docks."""
    rng = builder.rng
    for row in range(2):
        y = top + 48 + row * 128
        x = left + rng.between(58, 72)
        while x < left + 210:
            length = rng.between(84, 112)
            if builder.add_object("warehouse", (x, y), 0.0, "in a yard", length=length, ratio=rng.between(0.5, 0.68)):
                for dock in range(int(length / 16) - 1):
                    at = (x - length / 2 + 14 + dock * 15, y + length * 0.31 + 26)
                    if rng.chance(0.34):
                        builder.add_vehicle("truck", at, -UP, "at a loading dock")
            x += length + rng.between(10, 26)


def _add_parking(builder: SceneBuilder, left: float, top: float) -> None:
    """A car park and an office."""
    rng = builder.rng
    fill = rng.between(0.25, 0.85)
    add_car_park(builder, (left + 12, top + 12), rng.whole(12, 18), 4, fill)
    builder.add_object(
        "apartment block", (left + 90, top + 192), 0.0, "beside the parking lot", length=rng.between(80, 120)
    )


def _add_tanks(builder: SceneBuilder, left: float, top: float) -> None:
    """A tank farm and a few lorries."""
    rng = builder.rng
    add_tank_farm(builder, (left + 14, top + 14), 3, rng.whole(2, 3))
    for _ in range(6):
        at = (left + rng.between(10, 220), top + rng.between(10, 220))
        builder.add_vehicle("truck", at, rng.pick((0.0, UP)), "in a yard")


def lay_out_sports_ground(builder: SceneBuilder) -> None:
    """The big field above, courts and cars below."""
    rng = builder.rng
    stadium = rng.chance(0.6)
    if stadium:
        _add_arena(builder)
    else:
        for location in range(2):
            at = (150 + location * 205, 130 + rng.between(-6, 6))
            builder.add_object(
                "football pitch", at, UP if rng.chance(0.6) else 0.0, "on the lawn", length=rng.between(160, 182)
            )
    road = 296 + rng.between(0, 10)
    builder.add_road(((-builder.margin, road), (SIDE + builder.margin, road)), 20, kerb=True)
    add_traffic(builder, ((-20, road), (SIDE + 20, road)), 20, rng.whole(1, 5))
    _add_courts(builder, road + 22)
    if rng.chance(0.75):
        add_car_park(builder, (rng.between(300, 330), road + 22), rng.whole(10, 16), 4, rng.between(0.2, 0.8))
    builder.add_object(
        "apartment block", (rng.between(60, 140), 470), 0.0, "beside the courts", length=rng.between(70, 96)
    )
    if rng.chance(0.6):
        builder.add_object(
            "swimming pool", (rng.between(190, 260), 466), 0.0, "beside the courts", length=rng.between(40, 54)
        )
    builder.scatter_trees(
        (-builder.margin, -builder.margin, SIDE + builder.margin, SIDE + builder.margin), 420, (6, 11)
    )


def _add_arena(builder: SceneBuilder) -> None:
    """A football pitch inside a running track, and perhaps a stand."""
    rng = builder.rng
    length = rng.between(296, 322)
    at = (rng.between(200, 300), 145)
    if builder.add_object("running track", at, 0.0, "on the lawn", length=length):
        inner = length - length * TRACK_RATIO * 0.72
        builder.add_object(
            "football pitch",
            at,
            0.0,
            "inside the track",
            length=inner,
            ratio=length * TRACK_RATIO * 0.62 / inner,
            free=True,
        )
    if rng.chance(0.5):
        builder.add_object(
            "warehouse", (at[0], at[1] + length * TRACK_RATIO / 2 + 24), 0.0, "beside the track", length=160, ratio=0.14
        )


def _add_courts(builder: SceneBuilder, top: float) -> None:
    """A row of tennis or basketball courts, or some of each."""
    rng = builder.rng
    kinds = rng.pick((("tennis court",), ("basketball court",), ("tennis court", "basketball court")))
    rows, columns = rng.whole(1, 2), rng.whole(2, 4)
    paint = rng.pick(("blue", "green", "red"))
    builder.add_ground("lot", corners(10, top, 18 + columns * 80, top + 6 + rows * 46))
    for row in range(rows):
        for column in range(columns):
            at = (52 + column * 80.0, top + 25 + row * 45.0)
            builder.add_object(rng.pick(kinds), at, 0.0, "in a row of courts", length=rng.between(66, 70), paint=paint)
    builder.reserve(corners(10, top, 18 + columns * 80, top + 6 + rows * 46))


def lay_out_road_junction(builder: SceneBuilder) -> None:
    """Two broad roads through the middle, four blocks about them."""
    rng = builder.rng
    x, y = 256 + rng.between(-30, 30), 256 + rng.between(-30, 30)
    wide, narrow = rng.between(38, 44), rng.between(30, 40)
    builder.add_road(((-builder.margin, y), (SIDE + builder.margin, y)), wide, kerb=True)
    builder.add_road(((x, -builder.margin), (x, SIDE + builder.margin)), narrow, kerb=True)
    clear = wide / 2 + 18
    if rng.chance(0.6):
        size = rng.between(118, 140)
        builder.add_object("roundabout", (x, y), 0.0, "at the junction", length=size, free=True)
        clear = size / 2 + 16
    else:
        _add_zebra_crossings(builder, (x, y), (narrow / 2 + 6, wide / 2 + 6))
        clear += 14
    for line, width in (
        (((-30, y), (x - clear, y)), wide),
        (((x + clear, y), (SIDE + 30, y)), wide),
        (((x, -30), (x, y - clear)), narrow),
        (((x, y + clear), (x, SIDE + 30)), narrow),
    ):
        add_traffic(builder, line, width, rng.whole(2, 6))
    for side in (-1, 1):
        for height in (-1, 1):
            _add_city_block(builder, x + side * (clear + 62), y + height * (clear + 62))
    builder.scatter_trees(
        (-builder.margin, -builder.margin, SIDE + builder.margin, SIDE + builder.margin), 360, (5, 10)
    )


def _add_zebra_crossings(builder: SceneBuilder, at: tuple[float, float], off: tuple[float, float]) -> None:
    """Pedestrian crossings on all four arms."""
    (x, y), (aside, above) = at, off
    for k in range(-4, 5):
        for side in (-1, 1):
            across, along = y + k * above / 5.2, x + k * aside / 5.2
            builder.add_stripe(((x + side * aside, across), (x + side * (aside + 9), across)), 1.8)
            builder.add_stripe(((along, y + side * above), (along, y + side * (above + 9))), 1.8)


def _add_city_block(builder: SceneBuilder, x: float, y: float) -> None:
    """One block: flats round a court, or a car park."""
    rng = builder.rng
    builder.add_ground(rng.pick(("lawn", "concrete", "lawn")), corners(x - 75, y - 75, x + 75, y + 75))
    if rng.chance(0.3):
        add_car_park(builder, (x - 62, y - 50), 10, 3, rng.between(0.3, 0.85))
        return
    length = rng.between(84, 108)
    builder.add_object("apartment block", (x, y - 42), 0.0, "near the junction", length=length, ratio=0.36)
    if rng.chance(0.8):
        builder.add_object("apartment block", (x, y + 42), 0.0, "near the junction", length=length, ratio=0.36)
    if rng.chance(0.4):
        builder.add_object(rng.pick(("basketball court", "swimming pool")), (x, y), 0.0, "between the buildings")
