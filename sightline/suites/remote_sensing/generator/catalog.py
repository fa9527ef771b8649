"""Catalogue of materials and objects: colours by sensor mode; groups, kinds, sizes, outlines and names of objects.

Outlines are of length 1 along x (the front at +0.5) and of width 1 along y.
"""

from __future__ import annotations

import math
from typing import Literal

from msgspec import Struct

from sightline.suites.remote_sensing.generator.shapes import Outline, circle, mirror

Colour = tuple[int, int, int]
Mode = Literal["colour", "false colour", "thermal"]


class Material(Struct, frozen=True):
    """Visible colour, vegetation share (0-1), heat (0-255), roughness, and ground class."""

    colour: Colour
    plant: float
    heat: int
    rough: int = 60
    ground: str = "pavement"


MATERIALS: dict[str, Material] = {
    "grass": Material((104, 114, 74), 0.8, 78, 110, "grass"),
    "lawn": Material((97, 112, 70), 0.9, 72, 90, "grass"),
    "meadow": Material((126, 128, 86), 0.7, 82, 120, "grass"),
    "forest": Material((48, 64, 38), 1.0, 52, 90, "trees"),
    "crown": Material((62, 86, 44), 1.0, 48, 0, "trees"),
    "wheat": Material((184, 164, 102), 0.35, 108, 60, "cropland"),
    "maize": Material((84, 116, 52), 1.0, 66, 60, "cropland"),
    "rape": Material((178, 172, 66), 0.7, 86, 60, "cropland"),
    "clover": Material((66, 96, 50), 1.0, 60, 55, "cropland"),
    "ploughed": Material((132, 103, 78), 0.05, 126, 85, "cropland"),
    "stubble": Material((166, 146, 108), 0.1, 120, 75, "cropland"),
    "sand": Material((208, 190, 152), 0.0, 150, 60, "bare ground"),
    "desert": Material((190, 162, 122), 0.0, 156, 115, "bare ground"),
    "gravel": Material((152, 144, 130), 0.0, 140, 95, "bare ground"),
    "water": Material((46, 70, 72), 0.0, 40, 75, "water"),
    "sea": Material((32, 66, 86), 0.0, 36, 85, "water"),
    "shallow": Material((72, 126, 128), 0.0, 44, 40, "water"),
    "foam": Material((196, 208, 206), 0.0, 50, 20, "water"),
    "asphalt": Material((98, 97, 96), 0.0, 148, 50, "road"),
    "lot": Material((106, 105, 104), 0.0, 150, 50, "pavement"),
    "track": Material((158, 140, 112), 0.05, 132, 80, "road"),
    "runway": Material((92, 92, 93), 0.0, 152, 45, "runway"),
    "taxiway": Material((118, 117, 114), 0.0, 146, 45, "runway"),
    "concrete": Material((164, 160, 150), 0.0, 138, 75, "pavement"),
    "kerb": Material((150, 147, 140), 0.0, 136, 40, "pavement"),
    "marking": Material((222, 222, 216), 0.0, 156, 0),
    "yellow line": Material((206, 172, 70), 0.0, 156, 0),
    "pool": Material((72, 172, 196), 0.0, 84, 0),
    "pitch": Material((84, 126, 58), 0.9, 74, 0),
    "glass": Material((44, 54, 64), 0.0, 120, 0),
    "hot": Material((74, 74, 78), 0.0, 250, 0),
    "deck": Material((150, 104, 84), 0.0, 128, 0),
    "container red": Material((150, 66, 54), 0.0, 168),
    "container blue": Material((62, 96, 140), 0.0, 168),
    "container green": Material((74, 118, 88), 0.0, 168),
    "container grey": Material((158, 160, 160), 0.0, 168),
    "steel": Material((138, 142, 146), 0.0, 150, 0),
}
PAINTS: dict[str, Material] = {
    "white": Material((230, 231, 229), 0.0, 176),
    "black": Material((38, 39, 43), 0.0, 214),
    "silver": Material((182, 186, 190), 0.0, 186),
    "grey": Material((132, 134, 136), 0.0, 190),
    "dark grey": Material((84, 86, 92), 0.0, 204),
    "red": Material((168, 52, 44), 0.0, 196),
    "blue": Material((52, 92, 152), 0.0, 192),
    "yellow": Material((222, 182, 52), 0.0, 188),
    "green": Material((58, 112, 76), 0.0, 194),
    "brown": Material((126, 90, 68), 0.0, 200),
    "turquoise": Material((72, 172, 196), 0.0, 84),
    "orange": Material((206, 112, 44), 0.0, 194),
}
ROOF_RED = Material((152, 84, 66), 0.0, 200)
_AUTUMN: Colour = (150, 122, 70)


class Palette(Struct, frozen=True, kw_only=True):
    """Colours of materials for a sensor mode and season."""

    mode: Mode = "colour"
    autumn: float = 0.0

    def material(self, name: str, shade: float = 1.0) -> Colour:
        """Colour of a named material with shading."""
        return self.tone(MATERIALS[name], shade)

    def paint(self, name: str, shade: float = 1.0) -> Colour:
        """Colour of a named paint with shading."""
        return self.tone(PAINTS[name], shade)

    def tone(self, material: Material, shade: float = 1.0) -> Colour:
        """Colour of a material with shading."""
        red, green, blue = self._seasoned(material)
        if self.mode == "thermal":
            # warmth does not depend on light: shading is weak
            heat = material.heat * (0.75 + 0.25 * shade)
            red = green = blue = heat
        else:
            if self.mode == "false colour":
                near = red + (215 - red) * 0.85 * material.plant
                red, green, blue = near, red * 0.92, green * 0.86
            red, green, blue = red * shade, green * shade, blue * shade
        return _byte(red), _byte(green), _byte(blue)

    def _seasoned(self, material: Material) -> tuple[float, float, float]:
        share = self.autumn * material.plant
        red, green, blue = (
            (1 - share) * fresh + share * dry for fresh, dry in zip(material.colour, _AUTUMN, strict=True)
        )
        return red, green, blue


def _byte(value: float) -> int:
    return max(0, min(255, round(value)))


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
