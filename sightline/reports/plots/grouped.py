"""Grouped bars with whiskers: a group a task or class, a bar a series."""

from __future__ import annotations

from typing import Any

from matplotlib.axes import Axes

from sightline.i18n import tr
from sightline.reports.plots.content import Bar, Grid
from sightline.reports.plots.names import ems, fit
from sightline.reports.plots.style import INK, PAGE, QUIET, bar_look
from sightline.reports.plots.tables import figure_text
from sightline.reports.plots.vis import VisConfig

UPRIGHT_GROUPS, UPRIGHT_BARS = 6, 20
"""More than these lie down: their labels and figures would run into each other."""
_THICKEST = 0.5
_LABEL = 20.0
"""Room for a label beside lying bars, in ems."""


def lies_down(groups: int, series: int) -> bool:
    """Whether the bars run from left to right."""
    return groups > UPRIGHT_GROUPS or groups * series > UPRIGHT_BARS


def row_height(grid: Grid, vis: VisConfig) -> float:
    """Inches that a group of lying bars needs."""
    lines = max(fit(group, _LABEL).count("\n") + 1 for group in grid.groups)
    point = vis.font_size / 72
    return max(lines * point * 1.25 + 0.1, grid.series * _small(grid, vis) * 1.1 / 72 + 0.1)


def _small(grid: Grid, vis: VisConfig) -> float:
    """The size of the figures at the bars: smaller where bars are many, down to what can still be read."""
    return vis.font_size * (0.85 if grid.series < 3 else 0.75)


def lying(axes: Axes, grid: Grid, vis: VisConfig, row: float) -> None:
    """Draw bars from left to right; `row` is the height of a group in inches."""
    thick = min(0.84 / grid.series, _THICKEST / row) if grid.series > 1 else min(0.62, _THICKEST / row)
    low, high = _span(grid)
    for group, bars in enumerate(grid.scaled()):
        for index, bar in enumerate(bars):
            y = group + (index - (grid.series - 1) / 2) * thick
            axes.barh(y, bar.value or 0.0, thick * 0.9, **bar_look(vis, index))
            if whisker := _whisker(bar):
                axes.errorbar(bar.value or 0.0, y, xerr=whisker, **_whisker_look(thick * row * 72))
            end = max(bar.value or 0.0, bar.high or 0.0, 0.0)
            _write(axes, bar, (end, y), _small(grid, vis), sideways=False)
    axes.set_yticks(range(len(grid.groups)), [fit(group, _LABEL) for group in grid.groups])
    axes.set_ylim(len(grid.groups) - 0.4, -0.6)
    axes.set_xlim(low, high + (high - low) * 0.09)
    axes.set_xlabel(grid.axis)
    axes.grid(axis="x")
    axes.tick_params(length=0)
    axes.spines["bottom"].set_visible(False)
    _ticks(axes, grid, vertical=False)


def upright(axes: Axes, grid: Grid, vis: VisConfig, share: float = 1.0) -> None:
    """Draw standing bars on a part of the page's width."""
    count = len(grid.groups)
    inches = PAGE * 0.88 * share / max(count, 2)
    thick = min(0.8 / grid.series, 1.1 / inches)
    low, high = _span(grid)
    room = thick * inches * 72
    texts = [figure_text(bar.value) for group in grid.scaled() for bar in group if bar.value is not None]
    size = min(_small(grid, vis) * 1.1, room / max([2.0, *map(ems, texts)]))
    for group, bars in enumerate(grid.scaled()):
        for index, bar in enumerate(bars):
            x = group + (index - (grid.series - 1) / 2) * thick
            axes.bar(x, bar.value or 0.0, thick * 0.9, **bar_look(vis, index))
            if whisker := _whisker(bar):
                axes.errorbar(x, bar.value or 0.0, yerr=whisker, **_whisker_look(room))
            end = max(bar.value or 0.0, bar.high or 0.0, 0.0)
            narrow = bar.value is None or ems(figure_text(bar.value)) * size > room * 1.05
            _write(axes, bar, (x, end), max(size, vis.font_size * 0.7), sideways=narrow, above=True)
    axes.set_xticks(range(count), [fit(group, inches * 72 * 0.92 / vis.font_size, 3) for group in grid.groups])
    side = 0.55 if count > 1 else 1.0
    axes.set_xlim(-side, count - 1 + side)
    axes.set_ylim(low, high + (high - low) * 0.09)
    axes.set_ylabel(grid.axis)
    axes.grid(axis="y")
    axes.tick_params(length=0)
    axes.spines["left"].set_visible(False)
    _ticks(axes, grid, vertical=True)


def _span(grid: Grid) -> tuple[float, float]:
    ends = [end for group in grid.scaled() for bar in group for end in bar[:3] if end is not None]
    low, high = min([0.0, *ends]), max([0.0, *ends])
    if grid.percent:
        return low, max(high, 100.0)
    return low * 1.05, high if high > low else 1.0


def _ticks(axes: Axes, grid: Grid, vertical: bool) -> None:
    low, high = _span(grid)
    if grid.percent and low == 0.0 and high == 100.0:
        (axes.set_yticks if vertical else axes.set_xticks)(range(0, 101, 20))
    if low < 0:
        (axes.axhline if vertical else axes.axvline)(0.0, color=QUIET, linewidth=0.8)


def _whisker(bar: Bar) -> list[list[float]] | None:
    if bar.value is None or bar.low is None or bar.high is None:
        return None
    return [[max(0.0, bar.value - bar.low)], [max(0.0, bar.high - bar.value)]]


def _whisker_look(points: float) -> dict[str, Any]:
    return {"fmt": "none", "ecolor": INK, "elinewidth": 1.1, "capsize": min(4.0, points * 0.18), "capthick": 1.1}


def _write(axes: Axes, bar: Bar, place: tuple[float, float], size: float, **turn: bool) -> None:
    """The figure at the end of a bar."""
    above = turn.get("above", False)
    axes.annotate(
        tr("no data") if bar.value is None else figure_text(bar.value),
        place,
        (0, 3) if above else (4, 0),
        textcoords="offset points",
        ha="center" if above else "left",
        va="bottom" if above else "center_baseline",
        rotation=90 if turn["sideways"] else 0,
        fontsize=size,
        color=QUIET if bar.value is None else INK,
    )
