"""Bar charts with Matplotlib: models side by side, and breakdowns of one model."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sightline.i18n import tr
from sightline.reports.plots.data import PlotData, Point, VisConfig, finite, unique
from sightline.reports.plots.labels import ems, fit_label, format_number
from sightline.reports.plots.prepare import (
    BREAKDOWN_TITLES,
    BarGrid,
    BreakdownChart,
    ChartBar,
    bar_grid,
    breakdown,
    find_point,
    metric_title,
    unique_groups,
)
from sightline.reports.plots.style import (
    INK,
    PAGE,
    QUIET,
    Plot,
    add_legend,
    bar_style,
    drawable,
    legend_patches,
    new_page,
    set_title,
)

GROUPS_PER_PAGE = 24
BARS_PER_PAGE = 100
VERTICAL_GROUPS, VERTICAL_BARS = 6, 20
"""More than these lie down: their labels and figures would run into each other."""
_MAX_THICKNESS = 0.5
_LABEL_EMS = 20.0
"""Room for a label beside lying bars, in ems."""


def model_bars(data: PlotData, vis: VisConfig) -> Iterator[Plot]:
    """`bars`, then `bars_<metric>` of every metric; further pages are numbered."""
    headline = [point for point in data.points if point.headline]
    yield from _bar_pages("bars", headline, data, vis)
    for metric in unique(point.metric for point in data.points):
        yield from _bar_pages(f"bars_{metric}", [p for p in data.points if p.metric == metric], data, vis)


def _bar_pages(name: str, points: Sequence[Point], data: PlotData, vis: VisConfig) -> Iterator[Plot]:
    if all(finite(point.value) is None for point in points):
        return
    # all models, so that each has one colour in all plots
    models = unique(point.model for point in data.points)
    # a task may have two headlines: each has its own group
    groups = unique_groups(points)
    pages = math.ceil(len(groups) / max(1, min(GROUPS_PER_PAGE, BARS_PER_PAGE // len(models))))
    size = math.ceil(len(groups) / pages)
    for number in range(pages):
        chosen = groups[number * size : (number + 1) * size]
        table = [[find_point(points, group, model) for model in models] for group in chosen]
        figure = _draw_page(table, data, vis)
        has_whiskers = any(p and finite(p.low) is not None and p.value is not None for group in table for p in group)
        note = tr("Whiskers: 95 % intervals") if has_whiskers else ""
        add_legend(figure, legend_patches(vis, len(models)), [drawable(model) for model in models], note)
        yield Plot(name if number == 0 else f"{name}_{number + 1}", figure)


def _draw_page(groups: list[list[Point | None]], data: PlotData, vis: VisConfig) -> Figure:
    """One page: shares on an axis in per cent, other numbers on one of their own."""
    points = [point for group in groups for point in group if point]
    is_single = len({point.metric for point in points}) == 1
    by_unit = [[group for group in groups if any(p and p.unit == unit for p in group)] for unit in ("share", "number")]
    figure = _draw_grids([bar_grid(part, not is_single, drawable) for part in by_unit if part], vis)
    title = metric_title(points[0]) if is_single else tr("Headline metric of every task")
    models = unique(point.model for point in points)
    set_title(figure, vis, title, data.title, models[0] if len(models) == 1 else "")
    return figure


def _draw_grids(grids: list[BarGrid], vis: VisConfig) -> Figure:
    count = sum(len(grid.groups) for grid in grids)
    if is_horizontal(count, grids[0].series):
        row = max(group_height(grid, vis) for grid in grids)
        figure = new_page(vis, count * row + 1.2 * len(grids) + 1.2)
        row = max(row, (figure.get_figheight() - 1.2 * len(grids) - 1.2) / count)
        ratios = [float(len(grid.groups)) for grid in grids]
        axes = figure.subplots(len(grids), 1, squeeze=False, height_ratios=ratios)[:, 0]
        for place, grid in zip(axes, grids, strict=True):
            draw_horizontal(place, grid, vis, row)
    else:
        figure = new_page(vis)
        # a lone group still needs room for the words of its axis
        ratios = [max(1.5, len(grid.groups)) for grid in grids]
        axes = figure.subplots(1, len(grids), squeeze=False, width_ratios=ratios)[0]
        for place, grid in zip(axes, grids, strict=True):
            draw_vertical(place, grid, vis, max(1.5, len(grid.groups)) / sum(ratios))
    return figure


def breakdown_plots(kind: str, data: PlotData, vis: VisConfig) -> Iterator[Plot]:
    """`<kind>_<task>_<model>`: the bars of a panel such as `by_size`."""
    for panel in data.panels:
        found = breakdown(panel, drawable) if panel.name == kind else None
        if found is not None:
            figure = _draw_breakdown(found, vis)
            set_title(figure, vis, str(BREAKDOWN_TITLES[kind]), panel.task, data.title, panel.model)
            yield Plot("_".join(filter(None, (kind, panel.task, panel.model))), figure)


def _draw_breakdown(found: BreakdownChart, vis: VisConfig) -> Figure:
    figure = _place_breakdown(found.grid, vis)
    if found.note:
        figure.axes[0].set_xlabel(f"{figure.axes[0].get_xlabel()}\n{found.note}")
    add_legend(figure, legend_patches(vis, found.grid.series), found.series)
    return figure


def _place_breakdown(grid: BarGrid, vis: VisConfig) -> Figure:
    if not is_horizontal(len(grid.groups), grid.series):
        figure = new_page(vis)
        draw_vertical(figure.add_subplot(), grid, vis)
        return figure
    row = group_height(grid, vis)
    figure = new_page(vis, len(grid.groups) * row + 2.2)
    draw_horizontal(figure.add_subplot(), grid, vis, max(row, (figure.get_figheight() - 2.2) / len(grid.groups)))
    return figure


def is_horizontal(groups: int, series: int) -> bool:
    """Whether the bars run from left to right."""
    return groups > VERTICAL_GROUPS or groups * series > VERTICAL_BARS


def group_height(grid: BarGrid, vis: VisConfig) -> float:
    """Inches that a group of lying bars needs."""
    lines = max(fit_label(group, _LABEL_EMS).count("\n") + 1 for group in grid.groups)
    point = vis.font_size / 72
    return max(lines * point * 1.25 + 0.1, grid.series * _value_size(grid, vis) * 1.1 / 72 + 0.1)


def _value_size(grid: BarGrid, vis: VisConfig) -> float:
    """The size of the figures at the bars: smaller where bars are many, down to what can still be read."""
    return vis.font_size * (0.85 if grid.series < 3 else 0.75)


def draw_horizontal(axes: Axes, grid: BarGrid, vis: VisConfig, row: float) -> None:
    """Draw bars from left to right; `row` is the height of a group in inches."""
    thick = min(0.84 / grid.series, _MAX_THICKNESS / row) if grid.series > 1 else min(0.62, _MAX_THICKNESS / row)
    low, high = _value_range(grid)
    for group, bars in enumerate(grid.scaled()):
        for index, bar in enumerate(bars):
            y = group + (index - (grid.series - 1) / 2) * thick
            axes.barh(y, bar.value or 0.0, thick * 0.9, **bar_style(vis, index))
            if whisker := _whisker(bar):
                axes.errorbar(bar.value or 0.0, y, xerr=whisker, **_whisker_style(thick * row * 72))
            end = max(bar.value or 0.0, bar.high or 0.0, 0.0)
            _write_value(axes, bar, (end, y), _value_size(grid, vis), sideways=False)
    axes.set_yticks(range(len(grid.groups)), [fit_label(group, _LABEL_EMS) for group in grid.groups])
    axes.set_ylim(len(grid.groups) - 0.4, -0.6)
    axes.set_xlim(low, high + (high - low) * 0.09)
    axes.set_xlabel(grid.axis)
    axes.grid(axis="x")
    axes.tick_params(length=0)
    axes.spines["bottom"].set_visible(False)
    _set_ticks(axes, grid, vertical=False)


def draw_vertical(axes: Axes, grid: BarGrid, vis: VisConfig, share: float = 1.0) -> None:
    """Draw standing bars on a part of the page's width."""
    count = len(grid.groups)
    inches = PAGE * 0.88 * share / max(count, 2)
    thick = min(0.8 / grid.series, 1.1 / inches)
    low, high = _value_range(grid)
    room = thick * inches * 72
    texts = [format_number(bar.value) for group in grid.scaled() for bar in group if bar.value is not None]
    size = min(_value_size(grid, vis) * 1.1, room / max([2.0, *map(ems, texts)]))
    for group, bars in enumerate(grid.scaled()):
        for index, bar in enumerate(bars):
            x = group + (index - (grid.series - 1) / 2) * thick
            axes.bar(x, bar.value or 0.0, thick * 0.9, **bar_style(vis, index))
            if whisker := _whisker(bar):
                axes.errorbar(x, bar.value or 0.0, yerr=whisker, **_whisker_style(room))
            end = max(bar.value or 0.0, bar.high or 0.0, 0.0)
            narrow = bar.value is None or ems(format_number(bar.value)) * size > room * 1.05
            _write_value(axes, bar, (x, end), max(size, vis.font_size * 0.7), sideways=narrow, above=True)
    axes.set_xticks(range(count), [fit_label(group, inches * 72 * 0.92 / vis.font_size, 3) for group in grid.groups])
    side = 0.55 if count > 1 else 1.0
    axes.set_xlim(-side, count - 1 + side)
    axes.set_ylim(low, high + (high - low) * 0.09)
    axes.set_ylabel(grid.axis)
    axes.grid(axis="y")
    axes.tick_params(length=0)
    axes.spines["left"].set_visible(False)
    _set_ticks(axes, grid, vertical=True)


def _value_range(grid: BarGrid) -> tuple[float, float]:
    ends = [end for group in grid.scaled() for bar in group for end in bar[:3] if end is not None]
    low, high = min([0.0, *ends]), max([0.0, *ends])
    if grid.percent:
        return low, max(high, 100.0)
    return low * 1.05, high if high > low else 1.0


def _set_ticks(axes: Axes, grid: BarGrid, vertical: bool) -> None:
    low, high = _value_range(grid)
    if grid.percent and low == 0.0 and high == 100.0:
        (axes.set_yticks if vertical else axes.set_xticks)(range(0, 101, 20))
    if low < 0:
        (axes.axhline if vertical else axes.axvline)(0.0, color=QUIET, linewidth=0.8)


def _whisker(bar: ChartBar) -> list[list[float]] | None:
    if bar.value is None or bar.low is None or bar.high is None:
        return None
    return [[max(0.0, bar.value - bar.low)], [max(0.0, bar.high - bar.value)]]


def _whisker_style(points: float) -> dict[str, Any]:
    return {"fmt": "none", "ecolor": INK, "elinewidth": 1.1, "capsize": min(4.0, points * 0.18), "capthick": 1.1}


def _write_value(axes: Axes, bar: ChartBar, place: tuple[float, float], size: float, **turn: bool) -> None:
    """The figure at the end of a bar."""
    above = turn.get("above", False)
    axes.annotate(
        tr("no data") if bar.value is None else format_number(bar.value),
        place,
        (0, 3) if above else (4, 0),
        textcoords="offset points",
        ha="center" if above else "left",
        va="bottom" if above else "center_baseline",
        rotation=90 if turn["sideways"] else 0,
        fontsize=size,
        color=QUIET if bar.value is None else INK,
    )
