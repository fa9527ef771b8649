"""Points, directions, supports and loads formatted as English phrases for messages."""

from __future__ import annotations

import math

from sightline.suites.structural.model import PointSupport
from sightline.suites.structural.physics.overlay import Floats

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
"""All phrases that the functions below return, as keys for translation; a varying intensity counts as one size."""


def format_number(value: float) -> str:
    """A number with at most three decimals: 4, 2.5, 0.333."""
    rounded = round(float(value), 3)
    return f"{rounded + 0.0:g}"


def format_point(xy: Floats) -> str:
    """Coordinates such as (4, 2.5)."""
    return f"({format_number(xy[0])}, {format_number(xy[1])})"


def format_direction(x: float, y: float) -> str:
    """`right`, `up`, `left`, `down`, or an angle."""
    degrees = math.degrees(math.atan2(y, x)) % 360.0
    nearest = round(degrees / 90) * 90 % 360
    if abs(degrees - round(degrees / 90) * 90) < 0.5:
        return _COMPASS[nearest]
    return f"{degrees:.0f}°"


def format_force(x: float, y: float, unit: str = "kN") -> str:
    """`20 kN down`."""
    return f"{format_number(math.hypot(x, y))} {unit} {format_direction(x, y)}"


def format_moment(m: float) -> str:
    """`8 kN·m clockwise`."""
    return f"{format_number(abs(m))} kN·m {_TURNS[m > 0]}"


def format_load(vector: Floats) -> str:
    """A force and a moment in words; `nothing` where there is none."""
    phrases = []
    size = max(abs(float(part)) for part in vector)
    if math.hypot(vector[0], vector[1]) > 1e-6 * size and size > 0:
        phrases.append(format_force(float(vector[0]), float(vector[1])))
    if abs(vector[2]) > 1e-6 * size and size > 0:
        phrases.append(format_moment(float(vector[2])))
    return " + ".join(phrases) or "nothing"


def format_line_load(intensities: Floats) -> str:
    """`5 kN/m down`, or `0 → 5 kN/m down` where it varies."""
    begin, end = intensities
    sizes = [math.hypot(*begin), math.hypot(*end)]
    if max(sizes) == 0:
        return "nothing"
    towards = format_direction(*(begin if sizes[0] >= sizes[1] else end))
    if abs(sizes[0] - sizes[1]) < 1e-3 * max(sizes):
        return f"{format_number(sizes[0])} kN/m {towards}"
    return f"{format_number(sizes[0])} → {format_number(sizes[1])} kN/m {towards}"


def format_support(support: PointSupport) -> str:
    """`pin`, `fixed support`, `roller holding up and down`, `slider holding left and right`."""
    if support.kind == "pin":
        return "pin"
    if support.kind == "fixed":
        return "fixed support"
    degrees = (support.angle + (90.0 if support.kind == "roller" else 0.0)) % 180.0
    if min(degrees, 180.0 - degrees) < 0.5:
        return f"{support.kind} holding left and right"
    if abs(degrees - 90.0) < 0.5:
        return f"{support.kind} holding up and down"
    return f"{support.kind} holding along {degrees:.0f}°"
