"""An airport, an airfield or an air base: runway, taxiway, apron with aircraft, terminal and hangars."""

from __future__ import annotations

import math

from sightline.suites.remote_sensing.generator.scene import SIDE
from sightline.suites.remote_sensing.generator.scene_layouts.builder import MARGIN, SceneBuilder, corners, span
from sightline.suites.remote_sensing.generator.scene_layouts.common import add_car_park, add_tank_farm

FLEETS = (("airliner",), ("airliner", "airliner", "propeller plane"), ("fighter jet",), ("propeller plane",))
_UP = -math.pi / 2


def base(turn: float) -> tuple[str, float]:
    """Grass or desert, turned anyhow."""
    return ("desert" if turn > 0.75 else "grass"), (turn - 0.5) * 1.2


def lay_out(builder: SceneBuilder) -> None:
    """Runway at the top, apron in the middle, buildings below."""
    rng = builder.rng
    fleet = rng.pick(FLEETS)
    runway = rng.between(40, 80)
    taxiway = runway + rng.between(78, 95)
    ends = (-MARGIN, SIDE + MARGIN)
    builder.add_ground("meadow", span(runway - 46, runway + 46))
    builder.add_road([(x, runway) for x in ends], 46, "runway", material="runway")
    builder.add_road([(x, taxiway) for x in ends], 24, "yellow", material="taxiway")
    for x in (rng.between(60, 150), rng.between(330, 450)):
        builder.add_road(((x, runway), (x + 30, taxiway)), 20, "yellow", material="taxiway")
    apron = (taxiway + 12, taxiway + rng.between(178, 205))
    builder.add_ground("concrete", span(*apron), "slabs")
    stands(builder, fleet, apron)
    if rng.chance(0.7):
        at = (rng.between(90, 400), runway if rng.chance() else taxiway)
        where = "on the runway" if at[1] == runway else "on the taxiway"
        builder.add_object(rng.pick(fleet), at, rng.pick((0.0, math.pi)), where, free=True)
    buildings(builder, apron[1], fleet)


def stands(builder: SceneBuilder, fleet: tuple[str, ...], apron: tuple[float, float]) -> None:
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
            nose = (math.pi / 2 if big or row else _UP) + lean + rng.between(-0.04, 0.04)
            if builder.add_object(rng.pick(fleet), (x, y), nose, "on the apron") and big and rng.chance(0.7):
                for _ in range(rng.whole(1, 2)):
                    at = (x + rng.pick((-1, 1)) * rng.between(26, 44), y + rng.between(-20, 45))
                    builder.add_vehicle(rng.pick(("truck", "van", "bus")), at, rng.pick((0.0, _UP)), "on the apron")


def buildings(builder: SceneBuilder, top: float, fleet: tuple[str, ...]) -> None:
    """Terminal or hangars, then a road, a car park or fuel tanks."""
    rng = builder.rng
    if "airliner" in fleet:
        length = rng.between(240, 330)
        builder.add_ground("concrete", corners(-MARGIN, top, SIDE + MARGIN, top + 70))
        builder.add_object(
            "warehouse", (rng.between(200, 310), top + 30), 0.0, "beside the apron", length=length, ratio=0.15
        )
    else:
        for column in range(6):
            at = (30 + column * 92 + rng.between(-5, 5), top + 36)
            if rng.chance(0.7):
                builder.add_object("warehouse", at, 0.0, "beside the apron", length=rng.between(56, 74), ratio=0.7)
    road = top + 82
    builder.add_road(((-MARGIN, road), (SIDE + MARGIN, road)), 20)
    for _ in range(rng.whole(1, 5)):
        side = rng.pick((-1, 1))
        at = (rng.between(0, SIDE), road + side * 5)
        builder.add_vehicle(rng.pick(("car", "car", "van", "bus")), at, 0.0 if side > 0 else math.pi, "on the road")
    if rng.chance(0.6):
        add_car_park(builder, (rng.between(20, 160), road + 18), rng.whole(14, 24), 3, rng.between(0.3, 0.8))
    if rng.chance(0.5):
        add_tank_farm(builder, (rng.between(330, 380), road + 22), 3, 1)
    builder.scatter_trees((-MARGIN, road + 14, SIDE + MARGIN, SIDE + MARGIN), 60, (6, 11))
