"""An airport, an airfield or an air base: runway, taxiway, apron with aircraft, terminal and hangars."""

from __future__ import annotations

import math

from sightline.suites.remote_sensing.generator.places.builder import REACH, Builder, corners, span
from sightline.suites.remote_sensing.generator.places.parts import car_park, tank_farm
from sightline.suites.remote_sensing.generator.scene import SIDE

FLEETS = (("airliner",), ("airliner", "airliner", "propeller plane"), ("fighter jet",), ("propeller plane",))
_UP = -math.pi / 2


def base(turn: float) -> tuple[str, float]:
    """Grass or desert, turned anyhow."""
    return ("desert" if turn > 0.75 else "grass"), (turn - 0.5) * 1.2


def lay_out(build: Builder) -> None:
    """Runway at the top, apron in the middle, buildings below."""
    dice = build.dice
    fleet = dice.pick(FLEETS)
    runway = dice.between(40, 80)
    taxiway = runway + dice.between(78, 95)
    ends = (-REACH, SIDE + REACH)
    build.ground("meadow", span(runway - 46, runway + 46))
    build.road([(x, runway) for x in ends], 46, "runway", material="runway")
    build.road([(x, taxiway) for x in ends], 24, "yellow", material="taxiway")
    for x in (dice.between(60, 150), dice.between(330, 450)):
        build.road(((x, runway), (x + 30, taxiway)), 20, "yellow", material="taxiway")
    apron = (taxiway + 12, taxiway + dice.between(178, 205))
    build.ground("concrete", span(*apron), "slabs")
    stands(build, fleet, apron)
    if dice.chance(0.7):
        at = (dice.between(90, 400), runway if dice.chance() else taxiway)
        where = "on the runway" if at[1] == runway else "on the taxiway"
        build.thing(dice.pick(fleet), at, dice.pick((0.0, math.pi)), where, free=True)
    buildings(build, apron[1], fleet)


def stands(build: Builder, fleet: tuple[str, ...], apron: tuple[float, float]) -> None:
    """Aircraft in rows, noses to the buildings or askew."""
    dice = build.dice
    big = "airliner" in fleet
    rows, step = (1, 112.0) if big else (2, 58.0)
    lean = dice.pick((0.0, 0.0, 0.5))
    for row in range(rows):
        y = apron[1] - (68 if big else 50 + 62 * row)
        for place in range(-2, int((SIDE + 60) / step)):
            x = 20 + place * step + dice.between(-4, 4)
            build.stripe(((x, y - step * 0.5), (x, y + step * 0.42)), 1.4, "yellow line")
            if not dice.chance(0.8):
                continue
            nose = (math.pi / 2 if big or row else _UP) + lean + dice.between(-0.04, 0.04)
            if build.thing(dice.pick(fleet), (x, y), nose, "on the apron") and big and dice.chance(0.7):
                for _ in range(dice.whole(1, 2)):
                    at = (x + dice.pick((-1, 1)) * dice.between(26, 44), y + dice.between(-20, 45))
                    build.vehicle(dice.pick(("truck", "van", "bus")), at, dice.pick((0.0, _UP)), "on the apron")


def buildings(build: Builder, top: float, fleet: tuple[str, ...]) -> None:
    """Terminal or hangars, then a road, a car park or fuel tanks."""
    dice = build.dice
    if "airliner" in fleet:
        length = dice.between(240, 330)
        build.ground("concrete", corners(-REACH, top, SIDE + REACH, top + 70))
        build.thing("warehouse", (dice.between(200, 310), top + 30), 0.0, "beside the apron", length=length, ratio=0.15)
    else:
        for place in range(6):
            at = (30 + place * 92 + dice.between(-5, 5), top + 36)
            if dice.chance(0.7):
                build.thing("warehouse", at, 0.0, "beside the apron", length=dice.between(56, 74), ratio=0.7)
    road = top + 82
    build.road(((-REACH, road), (SIDE + REACH, road)), 20)
    for _ in range(dice.whole(1, 5)):
        side = dice.pick((-1, 1))
        at = (dice.between(0, SIDE), road + side * 5)
        build.vehicle(dice.pick(("car", "car", "van", "bus")), at, 0.0 if side > 0 else math.pi, "on the road")
    if dice.chance(0.6):
        car_park(build, (dice.between(20, 160), road + 18), dice.whole(14, 24), 3, dice.between(0.3, 0.8))
    if dice.chance(0.5):
        tank_farm(build, (dice.between(330, 380), road + 22), 3, 1)
    build.grove((-REACH, road + 14, SIDE + REACH, SIDE + REACH), 60, (6, 11))
