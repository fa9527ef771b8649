"""A sports ground: track and pitches, courts, a pool, a club house and a car park."""

from __future__ import annotations

import math

from sightline.suites.remote_sensing.generator.catalog import TRACK_RATIO
from sightline.suites.remote_sensing.generator.scene import SIDE
from sightline.suites.remote_sensing.generator.scene_layouts.builder import MARGIN, SceneBuilder, corners
from sightline.suites.remote_sensing.generator.scene_layouts.common import add_car_park, add_traffic

_UP = -math.pi / 2


def base(turn: float) -> tuple[str, float]:
    """Lawn, turned a little."""
    return "lawn", (turn - 0.5) * 0.9


def lay_out(builder: SceneBuilder) -> None:
    """The big field above, courts and cars below."""
    rng = builder.rng
    stadium = rng.chance(0.6)
    if stadium:
        arena(builder)
    else:
        for location in range(2):
            at = (150 + location * 205, 130 + rng.between(-6, 6))
            builder.add_object(
                "football pitch", at, _UP if rng.chance(0.6) else 0.0, "on the lawn", length=rng.between(160, 182)
            )
    road = 296 + rng.between(0, 10)
    builder.add_road(((-MARGIN, road), (SIDE + MARGIN, road)), 20, kerb=True)
    add_traffic(builder, ((-20, road), (SIDE + 20, road)), 20, rng.whole(1, 5))
    courts(builder, road + 22)
    if rng.chance(0.75):
        add_car_park(builder, (rng.between(300, 330), road + 22), rng.whole(10, 16), 4, rng.between(0.2, 0.8))
    builder.add_object(
        "apartment block", (rng.between(60, 140), 470), 0.0, "beside the courts", length=rng.between(70, 96)
    )
    if rng.chance(0.6):
        builder.add_object(
            "swimming pool", (rng.between(190, 260), 466), 0.0, "beside the courts", length=rng.between(40, 54)
        )
    builder.scatter_trees((-MARGIN, -MARGIN, SIDE + MARGIN, SIDE + MARGIN), 420, (6, 11))


def arena(builder: SceneBuilder) -> None:
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


def courts(builder: SceneBuilder, top: float) -> None:
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
