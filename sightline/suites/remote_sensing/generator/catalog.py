"""Catalogue of scene objects: groups, kinds, sizes, outlines and names.

Outlines are of length 1 along x (the front at +0.5) and of width 1 along y.
"""

from __future__ import annotations

import math

from msgspec import Struct

from sightline.suites.remote_sensing.generator.shapes import Outline, circle, mirror


class ObjectKind(Struct, frozen=True, kw_only=True):
    """A kind of object, the finest class."""

    name: str
    group: str
    length: tuple[float, float]
    ratio: float
    """Width over length."""
    height: float
    outline: Outline
    paints: tuple[str, ...] = ()


_SQUARE: Outline = ((-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5))
_ROUND = circle((0, 0), 0.5)
_BODY = mirror(((0.5, 0.22), (0.485, 0.4), (0.44, 0.5), (-0.45, 0.5), (-0.49, 0.43), (-0.5, 0.3)))
_BLUNT = mirror(((0.5, 0.42), (0.48, 0.5), (-0.49, 0.5), (-0.5, 0.45)))
_AIRLINER = mirror(
    (
        *((0.5, 0.0), (0.485, 0.024), (0.45, 0.042), (0.38, 0.052), (0.14, 0.054), (0.03, 0.19), (-0.115, 0.485)),
        *((-0.13, 0.5), (-0.165, 0.5), (-0.1, 0.19), (-0.075, 0.054), (-0.34, 0.044), (-0.37, 0.06), (-0.45, 0.185)),
        *((-0.5, 0.19), (-0.462, 0.03), (-0.49, 0.01)),
    )
)
_JET = mirror(
    (
        *((0.5, 0.0), (0.4, 0.035), (0.26, 0.065), (0.16, 0.1), (-0.18, 0.47), (-0.19, 0.5), (-0.3, 0.5)),
        *((-0.29, 0.15), (-0.37, 0.3), (-0.5, 0.32), (-0.45, 0.11), (-0.48, 0.06)),
    )
)
_PROPELLER = mirror(
    (
        *((0.5, 0.0), (0.49, 0.03), (0.42, 0.055), (0.26, 0.06), (0.25, 0.46), (0.22, 0.5), (0.09, 0.5), (0.04, 0.06)),
        *((-0.34, 0.026), (-0.35, 0.17), (-0.37, 0.19), (-0.48, 0.19), (-0.5, 0.16), (-0.47, 0.015)),
    )
)
_CARGO = mirror(((0.5, 0.0), (0.475, 0.16), (0.43, 0.33), (0.36, 0.46), (0.3, 0.5), (-0.46, 0.5), (-0.5, 0.4)))
_TANKER = mirror(((0.5, 0.0), (0.49, 0.2), (0.46, 0.36), (0.41, 0.47), (0.37, 0.5), (-0.42, 0.5), (-0.5, 0.34)))
_BOAT = mirror(((0.5, 0.0), (0.36, 0.24), (0.16, 0.45), (0.0, 0.5), (-0.47, 0.46), (-0.5, 0.4)))


def _stadium(ratio: float) -> Outline:
    half = 0.5 - ratio / 2
    steps = [math.pi * (k / 16 - 0.5) for k in range(17)]
    cap = [(half + ratio / 2 * math.cos(step), math.sin(step) / 2) for step in steps]
    return (*cap, *((-x, -y) for x, y in cap))


TRACK_RATIO = 0.55
# colours that are asked for must be told apart from above: no silver beside white, no brown beside red
_CARS = ("white", "white", "white", "black", "grey", "grey", "red", "blue")
_VANS = ("white", "white", "blue", "grey")
_TRUCKS = ("white", "blue", "red", "yellow", "green")
_SHIPS = ("red", "blue", "black", "green")
_ROOFS = ("red", "red", "grey", "grey", "blue")


def _kind(
    name: str, group: str, length: tuple[float, float], form: tuple[float, float, Outline], *paints: str
) -> ObjectKind:
    ratio, height, outline = form
    return ObjectKind(name=name, group=group, length=length, ratio=ratio, height=height, outline=outline, paints=paints)


KINDS: dict[str, ObjectKind] = {
    kind.name: kind
    for kind in (
        _kind("airliner", "airplane", (66, 104), (0.94, 5, _AIRLINER), "white"),
        _kind("fighter jet", "airplane", (34, 44), (0.66, 3, _JET), "grey"),
        _kind("propeller plane", "airplane", (26, 36), (1.28, 3, _PROPELLER), "white", "white", "yellow", "red"),
        _kind("cargo ship", "ship", (110, 170), (0.19, 6, _CARGO), *_SHIPS),
        _kind("tanker", "ship", (105, 160), (0.2, 5, _TANKER), "red", "black", "green"),
        _kind("speed boat", "ship", (18, 27), (0.36, 1, _BOAT), "white", "white", "white", "red", "blue"),
        _kind("car", "vehicle", (14, 16.5), (0.46, 1.6, _BODY), *_CARS),
        _kind("van", "vehicle", (18, 21), (0.42, 2.6, _BODY), *_VANS),
        _kind("truck", "vehicle", (27, 36), (0.31, 3.6, _BLUNT), *_TRUCKS),
        _kind("bus", "vehicle", (36, 43), (0.26, 3.4, _BLUNT), "yellow", "white", "blue", "red"),
        _kind("storage tank", "storage tank", (26, 60), (1.0, 9, _ROUND), "white", "white", "grey", "brown"),
        _kind("house", "building", (38, 58), (0.72, 8, _SQUARE), *_ROOFS),
        _kind("apartment block", "building", (60, 100), (0.45, 17, _SQUARE), "grey", "white", "red"),
        _kind("warehouse", "building", (80, 140), (0.55, 10, _SQUARE), "white", "blue", "grey", "white"),
        _kind("swimming pool", "swimming pool", (18, 32), (0.52, 0, _SQUARE), "turquoise"),
        _kind("tennis court", "tennis court", (66, 72), (0.5, 0, _SQUARE), "blue", "green", "red"),
        _kind("basketball court", "basketball court", (52, 58), (0.54, 0, _SQUARE), "green", "blue", "red"),
        _kind("football pitch", "football pitch", (160, 190), (0.62, 0, _SQUARE), "green"),
        _kind("running track", "running track", (300, 330), (TRACK_RATIO, 0, _stadium(TRACK_RATIO)), "red", "blue"),
        _kind("bridge", "bridge", (90, 140), (0.3, 4, _SQUARE), "grey"),
        _kind("roundabout", "roundabout", (120, 150), (1.0, 0, _ROUND), "grey"),
    )
}
GROUPS: dict[str, tuple[str, ...]] = {}
for _kind_info in KINDS.values():
    GROUPS[_kind_info.group] = (*GROUPS.get(_kind_info.group, ()), _kind_info.name)

COLOURED = ("airplane", "ship", "vehicle", "storage tank", "building")
"""Groups whose colour may be asked for."""
MOVING = ("airplane", "ship", "vehicle")
GROUNDS = ("water", "road", "runway", "trees", "grass", "cropland", "bare ground", "pavement")
"""Ground classes, for pixels without an object."""

ZH = {
    "airliner": "客机",
    "fighter jet": "战斗机",
    "propeller plane": "螺旋桨飞机",
    "airplane": "飞机",
    "cargo ship": "货船",
    "tanker": "油轮",
    "speed boat": "快艇",
    "ship": "船只",
    "vehicle": "车辆",
    "car": "小轿车",
    "van": "面包车",
    "truck": "卡车",
    "bus": "公交车",
    "storage tank": "储罐",
    "building": "建筑物",
    "house": "房屋",
    "apartment block": "公寓楼",
    "warehouse": "仓库",
    "swimming pool": "游泳池",
    "tennis court": "网球场",
    "basketball court": "篮球场",
    "bridge": "桥梁",
    "football pitch": "足球场",
    "running track": "田径跑道",
    "roundabout": "环岛",
    "water": "水体",
    "road": "道路",
    "runway": "机场跑道",
    "trees": "树木",
    "grass": "草地",
    "cropland": "农田",
    "bare ground": "裸地",
    "pavement": "硬化地面",
    "white": "白色",
    "black": "黑色",
    "silver": "银色",
    "grey": "灰色",
    "dark grey": "深灰色",
    "red": "红色",
    "blue": "蓝色",
    "yellow": "黄色",
    "green": "绿色",
    "brown": "棕色",
    "turquoise": "青绿色",
}
_PLURALS = {"bus": "buses", "football pitch": "football pitches"}


def plural(name: str) -> str:
    """The plural of a name."""
    return _PLURALS.get(name, f"{name}s")


def format_count(name: str, count: int) -> str:
    """A count in words, such as "one car" or "seven cars"."""
    words = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
    number = words[count] if count < len(words) else str(count)
    return f"{number} {name if count == 1 else plural(name)}"
