"""All charts of a report page, as SVG."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from sightline.i18n import tr
from sightline.reports.plots.data import Panel, PlotData, Point, VisConfig, finite, unique
from sightline.reports.plots.labels import one_line
from sightline.reports.plots.prepare import (
    BREAKDOWN_TITLES,
    bar_grid,
    breakdown,
    calibration,
    capability_grid,
    confusion,
    curves,
    find_point,
    headline_first,
    level_series,
    metric_title,
    metrics_over_tasks,
    radar_data,
    shade_note,
    unique_groups,
)
from sightline.reports.plots.svg import (
    SERIES_COLOURS,
    Chart,
    bar_chart,
    cell_chart,
    count_chart,
    curve_chart,
    level_chart,
    radar_chart,
)

MAX_ROWS, MAX_COLUMNS = 40, 24
_VIS = VisConfig()


def page_charts(data: PlotData) -> Iterator[Chart]:
    """Metrics over all tasks first, then the panels in their order."""
    yield from _headline_charts(data)
    yield from _radar_chart(data)
    yield from _heatmaps(data)
    for panel in data.panels:
        if (make := _PANEL_CHARTS.get(panel.name)) is not None and (chart := make(panel)) is not None:
            yield chart


def _headline_charts(data: PlotData) -> Iterator[Chart]:
    """Shares on an axis in per cent; other numbers in a chart of their own."""
    models = unique(point.model for point in data.points)
    headlines = [point for point in data.points if point.headline and finite(point.value) is not None]
    for unit in ("share", "number"):
        points = [point for point in headlines if point.unit == unit]
        groups = [[find_point(points, group, model) for model in models] for group in unique_groups(points)]
        if not groups:
            continue
        is_single = len({point.metric for point in points}) == 1
        grid = bar_grid(groups, with_metric=not is_single)
        title = metric_title(points[0]) if is_single else tr("Headline metric of every task")
        yield Chart(
            kind="bars",
            title=title,
            svg=bar_chart(grid, title),
            legend=tuple(models) if len(models) > 1 else (),
            marks=tr("best blind baseline") if any(bar.mark is not None for bars in grid.bars for bar in bars) else "",
            note=tr("Whiskers: 95 % intervals"),
        )


def _radar_chart(data: PlotData) -> Iterator[Chart]:
    radar = radar_data(data, _VIS)
    if radar is None:
        return
    title = tr("Headline metric of every task")
    yield Chart(
        kind="radar",
        title=title,
        svg=radar_chart([_spoke(point) for point in radar.spokes], list(radar.heights.values()), title),
        legend=tuple(radar.heights) if len(radar.heights) > 1 else (),
        note=radar.note(lambda point: one_line(point.task)),
    )


def _spoke(point: Point) -> str:
    title = metric_title(point).removesuffix(" ↓")
    if point.unit == "number":
        title = f"{title} / {_VIS.radar_maximum[point.metric]:g}"
    return f"{one_line(point.task)}\n{title if point.higher_is_better else f'100 − {title}'}"


def _heatmaps(data: PlotData) -> Iterator[Chart]:
    for model in unique(point.model for point in data.points):
        points = [p for p in data.points if p.model == model and finite(p.value) is not None]
        tasks, metrics = unique(p.task for p in points)[:MAX_ROWS], headline_first(points)[:MAX_COLUMNS]
        if len(tasks) * len(metrics) < 2:
            continue
        title = tr("Metrics over tasks")
        table = metrics_over_tasks(points, tasks, metrics)
        shades = shade_note(table)
        note = tr("Shades: {what}", what=shades) if shades else ""
        yield Chart(kind="heatmap", title=title, svg=cell_chart(table, title), note=note)


def _panel_title(words: str, panel: Panel) -> str:
    return f"{words}: {one_line(panel.task)}" if panel.task else words


def _breakdown_chart(panel: Panel) -> Chart | None:
    found = breakdown(panel)
    if found is None:
        return None
    title = _panel_title(str(BREAKDOWN_TITLES[panel.name]), panel)
    return Chart(
        kind=panel.name,
        title=title,
        svg=bar_chart(found.grid, title),
        legend=tuple(found.series) if len(found.series) > 1 else (),
        note=found.note,
    )


def _confusion_chart(panel: Panel) -> Chart | None:
    table = confusion(panel)
    if table is None:
        return None
    title = _panel_title(tr("Confusion matrix"), panel)
    note = tr("Rows: true classes. Columns: predicted classes. Share of the true class, %")
    return Chart(kind="confusion", title=title, svg=cell_chart(table, title), note=note)


def _pr_curve_chart(panel: Panel) -> Chart | None:
    found = curves(panel)
    if not found:
        return None
    title = _panel_title(tr("Precision and recall"), panel)
    drawn = list(found.items())[:SERIES_COLOURS]
    left_out = len(found) - len(drawn)
    return Chart(
        kind="pr_curve",
        title=title,
        svg=curve_chart([curve for _, curve in drawn], (tr("Recall, %"), tr("Precision, %")), title),
        legend=tuple(tr(name) for name, _ in drawn) if len(drawn) > 1 else (),
        note=tr("{count} more curves not shown", count=left_out) if left_out else "",
    )


def _boundary_chart(panel: Panel) -> Chart | None:
    series = {name: levels for name, levels in level_series(panel).items() if levels.scores}
    if not series:
        return None
    title = _panel_title(tr("Capability boundary"), panel)
    return Chart(
        kind="boundary",
        title=title,
        svg=level_chart(list(series.values()), tr("Mean score, %"), title),
        legend=tuple(map(tr, series)),
        note=tr("Lines: non-increasing fit. Diamonds: where it falls to one half. Whiskers: 95 % intervals"),
    )


def _grid_chart(panel: Panel) -> Chart | None:
    if not panel.rows:
        return None
    title = _panel_title(tr("Mean score"), panel)
    note = tr("Shades: {what}", what=tr("Share, %"))
    return Chart(kind="grid", title=title, svg=cell_chart(capability_grid(panel), title), note=note)


def _calibration_chart(panel: Panel) -> Chart | None:
    found = calibration(panel)
    if not found:
        return None
    title = _panel_title(tr("Count calibration"), panel)
    axes = tr("True count"), tr("Count in the reply")
    note = tr("Area: number of samples. Dashed line: correct counts")
    return Chart(kind="calibration", title=title, svg=count_chart(found, axes, title), note=note)


_PANEL_CHARTS: dict[str, Callable[[Panel], Chart | None]] = {
    **dict.fromkeys(BREAKDOWN_TITLES, _breakdown_chart),
    "grid": _grid_chart,
    "ladder": _boundary_chart,
    "pr_curve": _pr_curve_chart,
    "confusion": _confusion_chart,
    "calibration": _calibration_chart,
}
