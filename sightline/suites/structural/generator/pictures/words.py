"""Numbers and names as they stand in a drawing."""

from __future__ import annotations

from sightline.core.fonts import can_write
from sightline.suites.structural.generator.pictures.style import Style
from sightline.suites.structural.model import Force, Model, Moment

FORCE, SPREAD, MOMENT, LENGTH = "kN", "kN/m", "kN·m", "m"


def number(value: float) -> str:
    """At most three decimals, and no sign: a direction is drawn, not written."""
    return f"{abs(value):.3f}".rstrip("0").rstrip(".")


def length(value: float, style: Style) -> str:
    """A length in metres."""
    return number(value) + (style.space + LENGTH if style.unit_on_lengths else "")


def quantity(value: float, unit: str, style: Style, symbol: str = "") -> str:
    """A load's value with its unit, and its name where loads are named."""
    told = f"{number(value)}{style.space}{unit}"
    return f"{symbol} = {told}" if symbol else told


def symbols(model: Model, style: Style) -> dict[str, str]:
    """The names of forces and moments by their ids, where the style has names."""
    if not style.symbols:
        return {}
    names: dict[str, str] = {}
    for kind, letter in ((Force, "F"), (Moment, "M")):
        names |= numbered([load.id for load in model.loads if isinstance(load, kind)], letter)
    return names


def numbered(keys: list[str], letter: str) -> dict[str, str]:
    """A name for each key: the letter alone, or with a number where there are several."""
    return {key: f"{letter}{k}" if len(keys) > 1 else letter for k, key in enumerate(keys, 1)}


def note(style: Style) -> str:
    """What bare numbers mean."""
    said = {"en": "Lengths in m", "zh": "长度单位：m"}.get(style.language, "[m]")
    return said if can_write(said) else "[m]"
