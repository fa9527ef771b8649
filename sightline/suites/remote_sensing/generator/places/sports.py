"""A sports ground: track and pitches, courts, a pool, a club house and a car park."""

from __future__ import annotations

import math

from sightline.suites.remote_sensing.generator.catalog import TRACK_RATIO
from sightline.suites.remote_sensing.generator.places.builder import REACH, Builder, corners
from sightline.suites.remote_sensing.generator.places.parts import car_park, traffic
from sightline.suites.remote_sensing.generator.scene import SIDE

_UP = -math.pi / 2


def base(turn: float) -> tuple[str, float]:
    """Lawn, turned a little."""
    return "lawn", (turn - 0.5) * 0.9


def lay_out(build: Builder) -> None:
    """The big field above, courts and cars below."""
    dice = build.dice
    stadium = dice.chance(0.6)
    if stadium:
        arena(build)
    else:
        for place in range(2):
            at = (150 + place * 205, 130 + dice.between(-6, 6))
            build.thing(
                "football pitch", at, _UP if dice.chance(0.6) else 0.0, "on the lawn", length=dice.between(160, 182)
            )
    road = 296 + dice.between(0, 10)
    build.road(((-REACH, road), (SIDE + REACH, road)), 20, kerb=True)
    traffic(build, ((-20, road), (SIDE + 20, road)), 20, dice.whole(1, 5))
    courts(build, road + 22)
    if dice.chance(0.75):
        car_park(build, (dice.between(300, 330), road + 22), dice.whole(10, 16), 4, dice.between(0.2, 0.8))
    build.thing("apartment block", (dice.between(60, 140), 470), 0.0, "beside the courts", length=dice.between(70, 96))
    if dice.chance(0.6):
        build.thing(
            "swimming pool", (dice.between(190, 260), 466), 0.0, "beside the courts", length=dice.between(40, 54)
        )
    build.grove((-REACH, -REACH, SIDE + REACH, SIDE + REACH), 420, (6, 11))


def arena(build: Builder) -> None:
    """A football pitch inside a running track, and perhaps a stand."""
    dice = build.dice
    length = dice.between(296, 322)
    at = (dice.between(200, 300), 145)
    if build.thing("running track", at, 0.0, "on the lawn", length=length):
        inner = length - length * TRACK_RATIO * 0.72
        build.thing(
            "football pitch",
            at,
            0.0,
            "inside the track",
            length=inner,
            ratio=length * TRACK_RATIO * 0.62 / inner,
            free=True,
        )
    if dice.chance(0.5):
        build.thing(
            "warehouse", (at[0], at[1] + length * TRACK_RATIO / 2 + 24), 0.0, "beside the track", length=160, ratio=0.14
        )


def courts(build: Builder, top: float) -> None:
    """A row of tennis or basketball courts, or some of each."""
    dice = build.dice
    kinds = dice.pick((("tennis court",), ("basketball court",), ("tennis court", "basketball court")))
    rows, columns = dice.whole(1, 2), dice.whole(2, 4)
    paint = dice.pick(("blue", "green", "red"))
    build.ground("lot", corners(10, top, 18 + columns * 80, top + 6 + rows * 46))
    for row in range(rows):
        for column in range(columns):
            at = (52 + column * 80.0, top + 25 + row * 45.0)
            build.thing(dice.pick(kinds), at, 0.0, "in a row of courts", length=dice.between(66, 70), paint=paint)
    build.block(corners(10, top, 18 + columns * 80, top + 6 + rows * 46))
