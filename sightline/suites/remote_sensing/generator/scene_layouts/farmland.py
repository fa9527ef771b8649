"""Farmland: fields of different crops, tracks, a farmstead, a wood and a pond."""

from __future__ import annotations

import math
from itertools import pairwise

from sightline.suites.remote_sensing.generator.scene import SIDE
from sightline.suites.remote_sensing.generator.scene_layouts.builder import MARGIN, SceneBuilder, corners
from sightline.suites.remote_sensing.generator.scene_layouts.common import add_pond, add_traffic

CROPS = ("wheat", "maize", "rape", "clover", "ploughed", "stubble", "maize", "wheat")
_UP = -math.pi / 2


def base(turn: float) -> tuple[str, float]:
    """Grass between the fields."""
    return "meadow", (turn - 0.5) * 1.6


def lay_out(builder: SceneBuilder) -> None:
    """Strips of fields on both sides of a road."""
    rng = builder.rng
    road = rng.between(200, 300)
    builder.add_road(((-MARGIN, road), (SIDE + MARGIN, road)), 18)
    top = -MARGIN
    lanes = [road - 14 - k * rng.between(120, 160) for k in range(1, 4)]
    edges = sorted([*lanes, road - 12, road + 12, *(road + 14 + k * rng.between(120, 160) for k in range(1, 4))])
    for low, high in pairwise(edges):
        if high - low > 40:
            strip(builder, low + 3, high - 3)
        if low != road - 12 and high != road + 12 and rng.chance(0.6):
            builder.add_road(((-MARGIN, low), (SIDE + MARGIN, low)), 6, "", material="track")
    farmstead(builder, road)
    add_traffic(builder, ((-20, road), (SIDE + 20, road)), 18, rng.whole(1, 4))
    if rng.chance(0.6):
        add_pond(builder, (rng.between(80, 430), road + rng.pick((-1, 1)) * rng.between(90, 150)), rng.between(24, 46))
    if rng.chance(0.7):
        left, low = rng.between(-60, 330), top + rng.between(120, 260)
        builder.scatter_trees((left, low, left + 200, low + 150), 220, (7, 13))
    for y in edges:
        builder.scatter_trees((-MARGIN, y - 5, SIDE + MARGIN, y + 2), 26, (4, 8))


def strip(builder: SceneBuilder, low: float, high: float) -> None:
    """Fields side by side."""
    rng = builder.rng
    x, before = -MARGIN, ""
    while x < SIDE + MARGIN:
        width = rng.between(80, 200)
        crop = rng.pick([crop_name for crop_name in CROPS if crop_name != before])
        lean = rng.between(-8, 8)
        angle = rng.pick((0.0, _UP, _UP))
        builder.add_ground(
            crop, ((x + 2, low), (x + width - 2, low), (x + width - 2 + lean, high), (x + 2, high)), "furrows", angle
        )
        x, before = x + width + max(lean, 0), crop


def farmstead(builder: SceneBuilder, road: float) -> None:
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
            "warehouse", at, _UP, "on a farm", length=rng.between(50, 62), ratio=0.55, paint=rng.pick(("grey", "red"))
        )
    if rng.chance(0.5):
        builder.add_object("storage tank", (left + 118, road + side * 38), 0.0, "on a farm", length=rng.between(20, 26))
    for _ in range(rng.whole(1, 4)):
        at = (left + rng.between(60, 140), road + side * rng.between(24, 66))
        builder.add_vehicle(rng.pick(("car", "truck", "van")), at, rng.pick((0.0, _UP, 0.6)), "on a farm")
