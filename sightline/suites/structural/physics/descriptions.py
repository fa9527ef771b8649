"""Points, directions, supports and loads formatted as phrases for messages."""

from __future__ import annotations

import math
from collections.abc import Iterable

from sightline.core.remarks import Remark, as_remark, join_remarks
from sightline.suites.structural.model import PointSupport
from sightline.suites.structural.physics.overlay import Floats

_COMPASS = {0.0: "right", 90.0: "up", 180.0: "left", 270.0: "down"}
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
    """A number with at most three decimals, below 0.1 with three digits: 4, 2.5, 0.333, 0.0125."""
    if abs(value) < 0.1:
        value = round(float(value), 9)  # what is left of a zero
        return f"{value + 0.0:.3g}"
    return f"{round(float(value), 3):g}"


def format_point(xy: Floats) -> str:
    """Coordinates such as (4, 2.5)."""
    return f"({format_number(xy[0])}, {format_number(xy[1])})"


def format_direction(x: float, y: float) -> str:
    """`right`, `up`, `left`, `down`, or an angle."""
    degrees = round(math.degrees(math.atan2(y, x)), 2) % 360.0
    return _COMPASS.get(degrees) or f"{degrees:g}°"


def format_force(x: float, y: float, unit: str = "kN") -> Remark:
    """`20 kN down`."""
    return Remark(f"{{size}} {unit} {format_direction(x, y)}", {"size": format_number(math.hypot(x, y))})


def format_moment(m: float) -> Remark:
    """`8 kN·m clockwise`."""
    return Remark(f"{{size}} kN·m {_TURNS[m > 0]}", {"size": format_number(abs(m))})


def format_load(vector: Floats) -> Remark:
    """A force and a moment in words; `nothing` where there is none."""
    phrases = []
    size = max(abs(float(component)) for component in vector)
    if math.hypot(vector[0], vector[1]) > 1e-6 * size and size > 0:
        phrases.append(format_force(float(vector[0]), float(vector[1])))
    if abs(vector[2]) > 1e-6 * size and size > 0:
        phrases.append(format_moment(float(vector[2])))
    return as_remark(join_remarks(phrases, " + ") or "nothing")


def format_line_load(intensities: Floats) -> Remark:
    """`5 kN/m down`, or `0 → 5 kN/m down` where it varies."""
    begin, end = intensities
    sizes = [math.hypot(*begin), math.hypot(*end)]
    if max(sizes) == 0:
        return Remark("nothing")
    is_constant = abs(sizes[0] - sizes[1]) < 1e-3 * max(sizes)
    size = " → ".join(format_number(value) for value in sizes[: 1 if is_constant else 2])
    direction = format_direction(*(begin if sizes[0] >= sizes[1] else end))
    return Remark(f"{{size}} kN/m {direction}", {"size": size})


def format_supports(supports: Iterable[PointSupport]) -> Remark:
    """The supports of a point: `pin`, `fixed support`, `roller holding up and down`; several are joined by a plus."""
    return as_remark(join_remarks(map(_format_support, supports), " + "))


def _format_support(support: PointSupport) -> Remark:
    if support.kind in ("pin", "fixed"):
        return Remark("pin" if support.kind == "pin" else "fixed support")
    degrees = round(support.angle + (90.0 if support.kind == "roller" else 0.0), 2) % 180.0
    if degrees == 0.0:
        return Remark(f"{support.kind} holding left and right")
    if degrees == 90.0:
        return Remark(f"{support.kind} holding up and down")
    return Remark(f"{support.kind} holding along {{degrees}}°", {"degrees": f"{degrees:g}"})
