"""Drawing style (colours, line widths, symbol variants, scanner artefacts), and numbers, units and names as written."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from sightline.core.fonts import can_write
from sightline.suites.structural.drawing.canvas import Pen
from sightline.suites.structural.drawing.png import Scan
from sightline.suites.structural.drawing.symbols import DimensionStyle, LoadStyle, SupportStyle
from sightline.suites.structural.generator.model_builder import SeededRandom
from sightline.suites.structural.model import Force, Model, Moment

Language = Literal["", "en", "zh"]

_INKS = (
    ("#000000", "#000000", "#333333"),
    ("#1a1a1a", "#1a1a1a", "#444444"),
    ("#111111", "#555555", "#777777"),
    ("#000000", "#8c1c13", "#44546a"),
    ("#16202c", "#0b4f9e", "#4a5560"),
)
"""Of the structure, the loads and the dimensions. Grey first: grey pictures are half as large."""


class Style(Struct, frozen=True, kw_only=True):
    """Drawing style."""

    paper: str = "#ffffff"
    ink: str = "#000000"
    load_ink: str = "#000000"
    dimension_ink: str = "#333333"
    member: float = 5.0
    """How thick members are."""
    text: int = 21
    pin: str = "triangle"
    roller: str = "gap"
    guide: str = "wheels"
    support_size: float = 27.0
    hinge: float = 7.0
    """The radius of hinge circles."""
    tick: str = "slash"
    unit_on_lengths: bool = True
    """Else bare numbers, and one note for all."""
    symbols: bool = False
    """Whether loads are named: F = 20 kN."""
    space: str = " "
    """Between a number and its unit."""
    letters: bool = False
    """Whether joints have letters."""
    total: bool = False
    """Whether a chain of several dimensions has their sum below."""
    dimensions_left: bool = True
    language: Language = ""
    """Of the note on units; empty where it has no words."""
    arrow: float = 64.0
    comb: float = 46.0
    margin: float = 44.0
    scan: Scan | None = None

    @property
    def supports(self) -> SupportStyle:
        """How supports are drawn."""
        return SupportStyle(
            size=self.support_size,
            pen=Pen(2.0, self.ink),
            hatch=Pen(1.3, self.ink),
            paper=self.paper,
            pin=self.pin,
            roller=self.roller,
            guide=self.guide,
        )

    @property
    def loads(self) -> LoadStyle:
        """How loads are drawn."""
        return LoadStyle(force=Pen(2.8, self.load_ink), comb=Pen(1.6, self.load_ink))

    @property
    def dimensions(self) -> DimensionStyle:
        """How dimensions are drawn."""
        return DimensionStyle(pen=Pen(1.3, self.dimension_ink), tick=self.tick)

    @property
    def thin(self) -> Pen:
        """For lines that only lead the eye."""
        return Pen(1.0, self.dimension_ink)


def draw_style(rng: SeededRandom, language: Language = "en") -> Style:
    """A random style. The options are the same on every machine, regardless of its fonts."""
    ink, load_ink, dimension_ink = rng.pick(_INKS)
    pin, roller, guide = rng.pick(_SUPPORTS)
    scanned = rng.chance(0.35)
    return Style(
        paper=rng.pick(("#ffffff", "#ffffff", "#fafafa", "#f4f4f4")),
        ink=ink,
        load_ink=load_ink,
        dimension_ink=dimension_ink,
        member=rng.pick((4.0, 5.0, 6.0)),
        text=rng.pick((20, 21, 22, 23)),
        pin=pin,
        roller=roller,
        guide=guide,
        support_size=rng.pick((25.0, 28.0, 31.0)),
        tick=rng.pick(("slash", "slash", "arrow", "dot")),
        unit_on_lengths=rng.chance(0.7),
        symbols=rng.chance(0.3),
        space=rng.pick((" ", " ", "")),
        letters=rng.chance(0.4),
        total=rng.chance(0.35),
        dimensions_left=rng.chance(0.6),
        language=language,
        arrow=rng.pick((56.0, 64.0, 72.0)),
        comb=rng.pick((40.0, 46.0, 54.0)),
        margin=rng.pick((36.0, 44.0, 60.0)),
        scan=Scan(tilt=rng.pick((-0.5, -0.3, 0.2, 0.4)), specks=rng.pick((0, 600, 1500)), seed=rng.whole(0, 2**31))
        if scanned
        else None,
    )


_SUPPORTS = (
    ("triangle", "gap", "wheels"),
    ("triangle", "wheels", "wheels"),
    ("triangle", "ball", "wheels"),
    ("ringed", "wheels", "rods"),
    ("ringed", "gap", "wheels"),
    ("rods", "rods", "rods"),
)
"""Matching sets of glyphs for pins, rollers and guides."""


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
