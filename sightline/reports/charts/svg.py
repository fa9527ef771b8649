"""A drawing in SVG: every text is escaped, colours are the page's own, and there are no ids that could clash."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape

from msgspec import Struct

from sightline.reports.plots.names import plain, wrap

SERIES = 8
SIZE = 12.0
"""Of the letters, in the units of the drawing."""
LEADING = 1.2
WIDEST = 640.0
"""A drawing wider than this does not share its line with another."""
Value = str | float | int


class Chart(Struct, frozen=True, kw_only=True):
    """A drawing with the words around it."""

    kind: str
    title: str
    svg: str
    note: str = ""
    legend: tuple[str, ...] = ()
    """Names of the series, in the order of their colours."""
    marks: str = ""
    """What the strokes across bars stand for."""

    @property
    def wide(self) -> bool:
        """Whether it needs the whole width of a page."""
        found = re.match(r'<svg class="plot" viewBox="0 0 ([\d.]+) ', self.svg)
        return found is not None and float(found[1]) > WIDEST


class Sheet:
    """Elements on a sheet of the given size."""

    def __init__(self, width: float, height: float) -> None:
        self.width, self.height = width, height
        self._parts: list[str] = []

    def add(self, name: str, **attributes: Value) -> None:
        """An element; attributes are written with hyphens."""
        self._parts.append(f"<{name}{_attributes(attributes)}/>")

    def line(self, start: tuple[float, float], end: tuple[float, float], **attributes: Value) -> None:
        """A straight line."""
        self.add("line", x1=start[0], y1=start[1], x2=end[0], y2=end[1], **attributes)

    def words(self, x: float, y: float, text: str, **attributes: Value) -> None:
        """A text whose lines are centred on the height `y`."""
        lines = text.split("\n")
        size = float(attributes.get("font_size", SIZE))
        first = y - (len(lines) - 1) * size * LEADING / 2 + size * 0.35
        for number, line in enumerate(lines):
            place = _attributes({"x": x, "y": first + number * size * LEADING, "font_size": size, **attributes})
            self._parts.append(f"<text{place}>{escape(plain(line))}</text>")

    def svg(self, label: str) -> str:
        """The whole drawing."""
        size = f'viewBox="0 0 {_number(self.width)} {_number(self.height)}" style="--wide:{_number(self.width)}px"'
        return f'<svg class="plot" {size} role="img" aria-label="{escape(plain(label))}">{"".join(self._parts)}</svg>'


def colour(index: int) -> str:
    """The colour of the series number `index`."""
    return f"var(--s{index % SERIES + 1})"


def label(text: str, width: float, lines: int = 2, size: float = SIZE) -> str:
    """A name broken into lines that fit a width."""
    return "\n".join(wrap(part, width / size, lines) for part in text.split("\n"))


def path(points: Sequence[tuple[float, float]], close: bool = False) -> str:
    """A line through points, as SVG writes it."""
    corners = "L".join(f"{_number(x)} {_number(y)}" for x, y in points)
    return f"M{corners}{'Z' if close else ''}"


def _attributes(given: dict[str, Value]) -> str:
    return "".join(
        f' {name.replace("_", "-")}="{escape(value) if isinstance(value, str) else _number(value)}"'
        for name, value in given.items()
    )


def _number(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")
