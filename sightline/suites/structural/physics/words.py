"""How places, directions, supports and loads are called in a sentence."""

from __future__ import annotations

import math

from sightline.suites.structural.model import PointSupport
from sightline.suites.structural.physics.places import Floats

_COMPASS = {0: "right", 90: "up", 180: "left", 270: "down"}
_TURNS = ("clockwise", "counter-clockwise")
_HELD = ("left and right", "up and down", "along {degrees}°")
PHRASES = (
    "nothing",
    "pin",
    "fixed support",
    *(f"{kind} holding {way}" for kind in ("roller", "slider") for way in _HELD),
    *(f"{{size}} {unit} {way}" for unit in ("kN", "kN/m") for way in _COMPASS.values()),
    *(f"{{size}} kN·m {turn}" for turn in _TURNS),
)
"""All that the functions below say, for translators; a change of intensity counts as one size."""


def number(value: float) -> str:
    """As short as it can be: 4, 2.5, 0.333."""
    rounded = round(float(value), 3)
    return f"{rounded + 0.0:g}"


def place(xy: Floats) -> str:
    """(4, 2.5)."""
    return f"({number(xy[0])}, {number(xy[1])})"


def heading(x: float, y: float) -> str:
    """Right, up, left, down, or an angle."""
    degrees = math.degrees(math.atan2(y, x)) % 360.0
    nearest = round(degrees / 90) * 90 % 360
    if abs(degrees - round(degrees / 90) * 90) < 0.5:
        return _COMPASS[nearest]
    return f"{degrees:.0f}°"


def force(x: float, y: float, unit: str = "kN") -> str:
    """`20 kN down`."""
    return f"{number(math.hypot(x, y))} {unit} {heading(x, y)}"


def moment(m: float) -> str:
    """`8 kN·m clockwise`."""
    return f"{number(abs(m))} kN·m {_TURNS[m > 0]}"


def load(vector: Floats) -> str:
    """A force and a moment in words; `nothing` where there is none."""
    said = []
    size = max(abs(float(part)) for part in vector)
    if math.hypot(vector[0], vector[1]) > 1e-6 * size and size > 0:
        said.append(force(float(vector[0]), float(vector[1])))
    if abs(vector[2]) > 1e-6 * size and size > 0:
        said.append(moment(float(vector[2])))
    return " + ".join(said) or "nothing"


def spread(intensities: Floats) -> str:
    """`5 kN/m down`, or `0 → 5 kN/m down` where it varies."""
    begin, end = intensities
    sizes = [math.hypot(*begin), math.hypot(*end)]
    if max(sizes) == 0:
        return "nothing"
    towards = heading(*(begin if sizes[0] >= sizes[1] else end))
    if abs(sizes[0] - sizes[1]) < 1e-3 * max(sizes):
        return f"{number(sizes[0])} kN/m {towards}"
    return f"{number(sizes[0])} → {number(sizes[1])} kN/m {towards}"


def support(one: PointSupport) -> str:
    """`pin`, `fixed support`, `roller holding up and down`, `slider holding left and right`."""
    if one.kind == "pin":
        return "pin"
    if one.kind == "fixed":
        return "fixed support"
    degrees = (one.angle + (90.0 if one.kind == "roller" else 0.0)) % 180.0
    if min(degrees, 180.0 - degrees) < 0.5:
        return f"{one.kind} holding left and right"
    if abs(degrees - 90.0) < 0.5:
        return f"{one.kind} holding up and down"
    return f"{one.kind} holding along {degrees:.0f}°"
