"""Farmland: fields of different crops, tracks, a farmstead, a wood and a pond."""

from __future__ import annotations

import math
from itertools import pairwise

from sightline.suites.remote_sensing.generator.places.builder import REACH, Builder, corners
from sightline.suites.remote_sensing.generator.places.parts import pond, traffic
from sightline.suites.remote_sensing.generator.scene import SIDE

CROPS = ("wheat", "maize", "rape", "clover", "ploughed", "stubble", "maize", "wheat")
_UP = -math.pi / 2


def base(turn: float) -> tuple[str, float]:
    """Grass between the fields."""
    return "meadow", (turn - 0.5) * 1.6


def lay_out(build: Builder) -> None:
    """Strips of fields on both sides of a road."""
    dice = build.dice
    road = dice.between(200, 300)
    build.road(((-REACH, road), (SIDE + REACH, road)), 18)
    top = -REACH
    lanes = [road - 14 - k * dice.between(120, 160) for k in range(1, 4)]
    edges = sorted([*lanes, road - 12, road + 12, *(road + 14 + k * dice.between(120, 160) for k in range(1, 4))])
    for low, high in pairwise(edges):
        if high - low > 40:
            strip(build, low + 3, high - 3)
        if low != road - 12 and high != road + 12 and dice.chance(0.6):
            build.road(((-REACH, low), (SIDE + REACH, low)), 6, "", material="track")
    farmstead(build, road)
    traffic(build, ((-20, road), (SIDE + 20, road)), 18, dice.whole(1, 4))
    if dice.chance(0.6):
        pond(build, (dice.between(80, 430), road + dice.pick((-1, 1)) * dice.between(90, 150)), dice.between(24, 46))
    if dice.chance(0.7):
        left, low = dice.between(-60, 330), top + dice.between(120, 260)
        build.grove((left, low, left + 200, low + 150), 220, (7, 13))
    for y in edges:
        build.grove((-REACH, y - 5, SIDE + REACH, y + 2), 26, (4, 8))


def strip(build: Builder, low: float, high: float) -> None:
    """Fields side by side."""
    dice = build.dice
    x, before = -REACH, ""
    while x < SIDE + REACH:
        width = dice.between(80, 200)
        crop = dice.pick([each for each in CROPS if each != before])
        lean = dice.between(-8, 8)
        angle = dice.pick((0.0, _UP, _UP))
        build.ground(
            crop, ((x + 2, low), (x + width - 2, low), (x + width - 2 + lean, high), (x + 2, high)), "furrows", angle
        )
        x, before = x + width + max(lean, 0), crop


def farmstead(build: Builder, road: float) -> None:
    """A yard with barns and a house beside the road."""
    dice = build.dice
    side = dice.pick((-1, 1))
    left = dice.between(90, 300)
    near, far = road + side * 12, road + side * 128
    build.ground("gravel", corners(left, min(near, far), left + 150, max(near, far)))
    build.thing("house", (left + 30, road + side * 40), 0.0, "beside the road", length=dice.between(40, 50))
    for place in range(dice.whole(1, 3)):
        at = (left + 42 + place * 48, road + side * 92)
        build.thing(
            "warehouse", at, _UP, "on a farm", length=dice.between(50, 62), ratio=0.55, paint=dice.pick(("grey", "red"))
        )
    if dice.chance(0.5):
        build.thing("storage tank", (left + 118, road + side * 38), 0.0, "on a farm", length=dice.between(20, 26))
    for _ in range(dice.whole(1, 4)):
        at = (left + dice.between(60, 140), road + side * dice.between(24, 66))
        build.vehicle(dice.pick(("car", "truck", "van")), at, dice.pick((0.0, _UP, 0.6)), "on a farm")
