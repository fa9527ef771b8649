"""Models beside each other: bars of one metric, and of the headline of every task."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from matplotlib.figure import Figure

from sightline.i18n import tr
from sightline.reports.plots.content import Bar, Grid, by_model, in_order_of_groups, metric_title
from sightline.reports.plots.data import PlotData, Point, finite, in_order
from sightline.reports.plots.grouped import lies_down, lying, row_height, upright
from sightline.reports.plots.style import Plot, legend, page, patches, shown, title
from sightline.reports.plots.vis import VisConfig

GROUPS_A_PAGE = 24
BARS_A_PAGE = 100


def plots(data: PlotData, vis: VisConfig) -> Iterator[Plot]:
    """`bars`, then `bars_<metric>` of every metric; further pages are numbered."""
    headline = [point for point in data.points if point.headline]
    yield from _pages("bars", headline, data, vis)
    for metric in in_order(point.metric for point in data.points):
        yield from _pages(f"bars_{metric}", [p for p in data.points if p.metric == metric], data, vis)


def _pages(name: str, points: Sequence[Point], data: PlotData, vis: VisConfig) -> Iterator[Plot]:
    if all(finite(point.value) is None for point in points):
        return
    # all models, so that each has one colour in all plots
    models = in_order(point.model for point in data.points)
    # a task may have two headlines: each has its own group
    groups = in_order_of_groups(points)
    pages = math.ceil(len(groups) / max(1, min(GROUPS_A_PAGE, BARS_A_PAGE // len(models))))
    size = math.ceil(len(groups) / pages)
    for number in range(pages):
        chosen = groups[number * size : (number + 1) * size]
        table = [[by_model(points, group, model) for model in models] for group in chosen]
        figure = _draw(table, data, vis)
        note = tr("Whiskers: 95 % intervals") if _has_whiskers(table) else ""
        legend(figure, patches(vis, len(models)), [shown(model) for model in models], note)
        yield Plot(name if number == 0 else f"{name}_{number + 1}", figure)


def _draw(groups: list[list[Point | None]], data: PlotData, vis: VisConfig) -> Figure:
    """One page: shares on an axis of per cents, other numbers on one of their own."""
    firsts = [next(point for point in group if point) for group in groups]
    metrics = in_order(point.metric for point in firsts)
    grids = []
    for unit in ("share", "number"):
        rows = [i for i, point in enumerate(firsts) if point.unit == unit]
        if rows:
            labels = [_label(firsts[i], len(metrics) > 1) for i in rows]
            bars = [[_bar(point) for point in groups[i]] for i in rows]
            grids.append(Grid(labels, len(groups[0]), bars, unit == "share", _axis([firsts[i] for i in rows])))
    figure = _place(grids, vis)
    models = in_order(point.model for group in groups for point in group if point)
    what = metric_title(firsts[0], shown) if len(metrics) == 1 else tr("Headline metric of every task")
    title(figure, vis.font_size, what, shown(data.title), shown(models[0]) if len(models) == 1 else "")
    return figure


def _place(grids: list[Grid], vis: VisConfig) -> Figure:
    count = sum(len(grid.groups) for grid in grids)
    if lies_down(count, grids[0].series):
        row = max(row_height(grid, vis) for grid in grids)
        figure = page(vis, count * row + 1.2 * len(grids) + 1.2)
        row = max(row, (figure.get_figheight() - 1.2 * len(grids) - 1.2) / count)
        ratios = [float(len(grid.groups)) for grid in grids]
        axes = figure.subplots(len(grids), 1, squeeze=False, height_ratios=ratios)[:, 0]
        for place, grid in zip(axes, grids, strict=True):
            lying(place, grid, vis, row)
    else:
        figure = page(vis)
        # a lone group still needs room for the words of its axis
        ratios = [max(1.5, len(grid.groups)) for grid in grids]
        axes = figure.subplots(1, len(grids), squeeze=False, width_ratios=ratios)[0]
        for place, grid in zip(axes, grids, strict=True):
            upright(place, grid, vis, max(1.5, len(grid.groups)) / sum(ratios))
    return figure


def _bar(point: Point | None) -> Bar:
    return Bar(None) if point is None else Bar(finite(point.value), finite(point.low), finite(point.high))


def _label(point: Point, with_metric: bool) -> str:
    return f"{shown(point.task)}\n{metric_title(point, shown)}" if with_metric else shown(point.task)


def _axis(points: list[Point]) -> str:
    titles = in_order(metric_title(point, shown) for point in points)
    if points[0].unit == "share":
        return f"{titles[0]}, %" if len(titles) == 1 else tr("Share, %")
    return titles[0] if len(titles) == 1 else tr("Value")


def _has_whiskers(table: list[list[Point | None]]) -> bool:
    return any(p is not None and finite(p.low) is not None and p.value is not None for group in table for p in group)
