"""Lying bars with whiskers and marks: a group a task or class, a bar a series."""

from __future__ import annotations

from sightline.i18n import tr
from sightline.reports.charts.svg import LEADING, SIZE, Sheet, colour, label
from sightline.reports.plots.content import Bar, Grid
from sightline.reports.plots.tables import figure_text

WIDTH = 540.0
_LABEL = 168.0
_FIGURE = 52.0
_BELOW = 38.0
_SMALL = 10.5


def bars(grid: Grid, title: str) -> str:
    """All groups below each other."""
    thick = 16.0 if grid.series == 1 else 13.0
    names = [label(group, _LABEL - 10) for group in grid.groups]
    tall = [max(grid.series * thick, (name.count("\n") + 1) * SIZE * LEADING) + 9 for name in names]
    sheet = Sheet(WIDTH, sum(tall) + _BELOW + 4)
    most = _most(grid)
    _axis(sheet, grid, most)
    top = 4.0
    for name, height, group in zip(names, tall, grid.scaled(), strict=True):
        sheet.words(_LABEL - 8, top + height / 2, name, text_anchor="end", fill="var(--ink)")
        first = top + (height - grid.series * thick) / 2
        for index, bar in enumerate(group):
            _bar(sheet, bar, (first + index * thick, thick), index, most)
        top += height
    return sheet.svg(title)


def _most(grid: Grid) -> float:
    ends = [end for group in grid.scaled() for bar in group for end in bar if end is not None]
    return 100.0 if grid.percent else max([0.0, *ends]) or 1.0


def _x(value: float, most: float) -> float:
    share = min(1.0, max(0.0, value / most))
    return _LABEL + share * (WIDTH - _LABEL - _FIGURE)


def _axis(sheet: Sheet, grid: Grid, most: float) -> None:
    bottom = sheet.height - _BELOW
    for step in range(6):
        value = most * step / 5
        x = _x(value, most)
        sheet.line((x, 2), (x, bottom), stroke="var(--line)")
        text = f"{value:.0f}" if grid.percent else figure_text(value)
        sheet.words(x, bottom + 11, text, text_anchor="middle", fill="var(--soft)", font_size=_SMALL)
    middle = (_LABEL + WIDTH - _FIGURE) / 2
    sheet.words(middle, bottom + 28, grid.axis, text_anchor="middle", fill="var(--soft)", font_size=_SMALL)


def _bar(sheet: Sheet, bar: Bar, place: tuple[float, float], index: int, most: float) -> None:
    y, thick = place
    middle = y + thick / 2
    end = _LABEL
    if bar.value is not None:
        end = _x(bar.value, most)
        sheet.add("rect", x=_LABEL, y=y + 1.5, width=end - _LABEL, height=thick - 3, rx=2, fill=colour(index))
    if bar.value is not None and bar.low is not None and bar.high is not None:
        low, high = _x(bar.low, most), _x(bar.high, most)
        for one, other in (((low, middle), (high, middle)), *(((x, middle - 3), (x, middle + 3)) for x in (low, high))):
            sheet.line(one, other, stroke="var(--ink)", stroke_width=1.2)
        end = max(end, high)
    if bar.mark is not None:
        x = _x(bar.mark, most)
        sheet.line((x, y - 0.5), (x, y + thick + 0.5), stroke="var(--mark)", stroke_width=2.4)
        end = max(end, x)
    told = tr("no data") if bar.value is None else figure_text(bar.value)
    sheet.words(end + 5, middle, told, fill="var(--ink)", font_size=_SMALL)
