"""A table whose cells are coloured and hold their figures: heat maps and confusion matrices."""

from __future__ import annotations

from math import cos, radians, sin

from sightline.reports.charts.svg import LEADING, SIZE, Sheet, label
from sightline.reports.plots.names import ems, wrap
from sightline.reports.plots.tables import Table

_LABEL = 150.0
_SMALL = 11.0
_SLANT = 40
_SLANTED = 15.0
"""Ems of a name that stands aslant."""
DARKEST = 0.62
"""A cell is never so dark that the page's ink can't be read on it."""


def cells(table: Table, title: str) -> str:
    """Names of rows at the left, of columns above."""
    widest = max([3.2, *(ems(cell.text) for row in table.cells for cell in row)])
    width = max(widest * _SMALL + 12, 46.0)
    slanted = len(table.columns) > 6
    if not slanted:
        width = max(width, min(104.0, 372.0 / len(table.columns)))
    columns = [wrap(name, _SLANTED, 1) if slanted else label(name, width - 8, 3, _SMALL) for name in table.columns]
    head = _head(columns, slanted)
    names = [label(name, _LABEL - 10) for name in table.rows]
    tall = [max(26.0, (name.count("\n") + 1) * SIZE * LEADING + 6) for name in names]
    beyond = _SLANTED * _SMALL * cos(radians(_SLANT)) * 0.75 if slanted else 0.0
    sheet = Sheet(_LABEL + width * len(columns) + beyond, head + sum(tall) + 2)
    for index, name in enumerate(columns):
        _column(sheet, name, (_LABEL + index * width, width), head, slanted)
    top = head
    for name, height, row in zip(names, tall, table.cells, strict=True):
        sheet.words(_LABEL - 8, top + height / 2, name, text_anchor="end", fill="var(--ink)")
        for index, cell in enumerate(row):
            x = _LABEL + index * width
            look = {"fill": "var(--wash)"} if cell.shade is None else {"fill": "var(--heat)"}
            opacity = 1.0 if cell.shade is None else 0.04 + (DARKEST - 0.04) * min(1.0, max(0.0, cell.shade))
            sheet.add(
                "rect", x=x + 1, y=top + 1, width=width - 2, height=height - 2, rx=2, fill_opacity=opacity, **look
            )
            if cell.text:
                ink = {"text_anchor": "middle", "fill": "var(--ink)"}
                sheet.words(x + width / 2, top + height / 2, cell.text, font_size=_SMALL, **ink)
        top += height
    return sheet.svg(title)


def _head(columns: list[str], slanted: bool) -> float:
    """Room above for the names of columns."""
    if slanted:
        return max(ems(name) for name in columns) * _SMALL * sin(radians(_SLANT)) + 20
    return max(name.count("\n") + 1 for name in columns) * _SMALL * LEADING + 10


def _column(sheet: Sheet, name: str, place: tuple[float, float], head: float, slanted: bool) -> None:
    x = place[0] + place[1] / 2
    if slanted:
        turn = f"rotate(-{_SLANT} {x:.1f} {head - 8:.1f})"
        sheet.words(x, head - 10, name, fill="var(--soft)", font_size=_SMALL, transform=turn)
    else:
        sheet.words(x, head / 2, name, text_anchor="middle", fill="var(--soft)", font_size=_SMALL)
