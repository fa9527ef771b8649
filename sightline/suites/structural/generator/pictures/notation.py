"""Numbers, units and symbols as written in a drawing."""

from __future__ import annotations

from sightline.core.fonts import can_write
from sightline.suites.structural.generator.pictures.style import Style
from sightline.suites.structural.model import Force, Model, Moment

FORCE_UNIT, LINE_LOAD_UNIT, MOMENT_UNIT, LENGTH_UNIT = "kN", "kN/m", "kN·m", "m"


def format_number(value: float) -> str:
    """At most three decimals, and no sign: a direction is drawn, not written."""
    return f"{abs(value):.3f}".rstrip("0").rstrip(".")


def format_length(value: float, style: Style) -> str:
    """A length in metres."""
    return format_number(value) + (style.space + LENGTH_UNIT if style.unit_on_lengths else "")


def format_quantity(value: float, unit: str, style: Style, symbol: str = "") -> str:
    """A load's value with its unit, and its name where loads are named."""
    text = f"{format_number(value)}{style.space}{unit}"
    return f"{symbol} = {text}" if symbol else text


def load_symbols(model: Model, style: Style) -> dict[str, str]:
    """The names of forces and moments by their ids, where the style has names."""
    if not style.symbols:
        return {}
    names: dict[str, str] = {}
    for kind, letter in ((Force, "F"), (Moment, "M")):
        names |= number_symbols([load.id for load in model.loads if isinstance(load, kind)], letter)
    return names


def number_symbols(keys: list[str], letter: str) -> dict[str, str]:
    """A symbol for each key: the letter alone, or numbered if there are several."""
    return {key: f"{letter}{k}" if len(keys) > 1 else letter for k, key in enumerate(keys, 1)}


def units_note(style: Style) -> str:
    """Note on the unit of lengths without units."""
    text = {"en": "Lengths in m", "zh": "长度单位：m"}.get(style.language, "[m]")
    return text if can_write(text) else "[m]"
