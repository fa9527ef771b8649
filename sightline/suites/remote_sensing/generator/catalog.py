"""Catalogue of materials and objects: colours by sensor mode; groups, kinds, sizes, outlines and names of objects."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct

from sightline.suites.remote_sensing.generator.shapes import Outline, circle, mirror

Colour = tuple[int, int, int]
Mode = Literal["colour", "false colour", "thermal", "sar"]


class Material(Struct, frozen=True, array_like=True):
    """Visible colour, vegetation share (0-1), heat (0-255), roughness, and ground class."""

    colour: Colour
    plant: float
    heat: int
    rough: int = 60
    ground: str = "pavement"


ROOF_RED = Material((152, 84, 66), 0.0, 200)
_AUTUMN: Colour = (150, 122, 70)
_BACKSCATTER = {
    "water": 5.0,
    "road": 14.0,
    "runway": 10.0,
    "pavement": 24.0,
    "bare ground": 34.0,
    "grass": 46.0,
    "cropland": 56.0,
    "trees": 88.0,
}
"""Radar amplitude of ground classes."""


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
        if self.mode == "sar":
            # what is rough scatters back, what is smooth reflects away
            red = green = blue = _BACKSCATTER[material.ground] + 0.1 * material.rough
        elif self.mode == "thermal":
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

    group: str
    length: tuple[float, float]
    ratio: float
    """Width over length."""
    height: float
    form: str
    """Name of the outline."""
    paints: tuple[str, ...]

    @property
    def outline(self) -> Outline:
        """Outline of length 1 along x (the front at +0.5) and of width 1 along y."""
        return OUTLINES[self.form]


class _Catalog(Struct, frozen=True):
    """The tables of catalog.toml."""

    materials: dict[str, Material]
    paints: dict[str, Material]
    half_outlines: dict[str, Outline]
    kinds: dict[str, ObjectKind]
    chinese: dict[str, str]


_catalog = msgspec.toml.decode(Path(__file__).with_suffix(".toml").read_bytes(), type=_Catalog)
MATERIALS, PAINTS, KINDS, ZH = _catalog.materials, _catalog.paints, _catalog.kinds, _catalog.chinese
TRACK_RATIO = KINDS["running track"].ratio


def _stadium(ratio: float) -> Outline:
    half = 0.5 - ratio / 2
    steps = [math.pi * (k / 16 - 0.5) for k in range(17)]
    cap = [(half + ratio / 2 * math.cos(step), math.sin(step) / 2) for step in steps]
    return (*cap, *((-x, -y) for x, y in cap))


OUTLINES: dict[str, Outline] = {
    "square": ((-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)),
    "circle": circle((0, 0), 0.5),
    "stadium": _stadium(TRACK_RATIO),
    **{name: mirror(half) for name, half in _catalog.half_outlines.items()},
}
GROUPS: dict[str, tuple[str, ...]] = {}
for _name, _kind in KINDS.items():
    GROUPS[_kind.group] = (*GROUPS.get(_kind.group, ()), _name)

COLOURED = ("airplane", "ship", "vehicle", "storage tank", "building")
"""Groups whose colour may be asked for."""
MOVING = ("airplane", "ship", "vehicle")
RADAR_GROUPS = ("airplane", "ship", "vehicle", "storage tank", "building", "bridge")
"""Groups that a radar image shows: things that stand out or are of metal, nothing that is only painted."""
GROUNDS = ("water", "road", "runway", "trees", "grass", "cropland", "bare ground", "pavement")
"""Ground classes, for pixels without an object."""

_PLURALS = {"bus": "buses", "football pitch": "football pitches"}


def plural(name: str) -> str:
    """The plural of a name."""
    return _PLURALS.get(name, f"{name}s")


def format_count(name: str, count: int) -> str:
    """A count in words, such as "one car" or "seven cars"."""
    words = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
    number = words[count] if count < len(words) else str(count)
    return f"{number} {name if count == 1 else plural(name)}"
