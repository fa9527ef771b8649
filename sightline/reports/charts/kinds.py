"""Every plot that the data of a report have, drawn for a page."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from sightline.i18n import tr
from sightline.reports.charts import cells, lines
from sightline.reports.charts.bars import bars
from sightline.reports.charts.radar import radar
from sightline.reports.charts.svg import SERIES, Chart
from sightline.reports.plots.content import (
    Bar,
    Grid,
    breakdown,
    by_model,
    calibration,
    curves,
    height,
    in_order_of_groups,
    metric_title,
)
from sightline.reports.plots.data import Panel, PlotData, Point, finite, in_order
from sightline.reports.plots.names import plain
from sightline.reports.plots.tables import capability_grid, confusion, headline_first, metrics_over_tasks
from sightline.reports.plots.vis import VisConfig

LEAST_SPOKES = 3
MOST_ROWS, MOST_COLUMNS = 40, 24
_VIS = VisConfig()


def charts(data: PlotData) -> Iterator[Chart]:
    """Figures over all tasks first, then the panels in their order."""
    yield from _headlines(data)
    yield from _radar(data)
    yield from _heat_maps(data)
    for panel in data.panels:
        if (make := _PANELS.get(panel.name)) is not None and (chart := make(panel)) is not None:
            yield chart


def _headlines(data: PlotData) -> Iterator[Chart]:
    """Shares on an axis of per cents; other numbers on one of their own."""
    models = in_order(point.model for point in data.points)
    there = [point for point in data.points if point.headline and finite(point.value) is not None]
    for unit in ("share", "number"):
        points = [point for point in there if point.unit == unit]
        groups = in_order_of_groups(points)
        if not groups:
            continue
        metrics = in_order(point.metric for point in points)
        firsts = [next(p for p in points if (p.task, p.metric) == group) for group in groups]
        names = [f"{plain(p.task)}\n{metric_title(p)}" if len(metrics) > 1 else plain(p.task) for p in firsts]
        table = [[_bar(by_model(points, group, model)) for model in models] for group in groups]
        alone = metric_title(firsts[0])
        axis = f"{alone}, %" if len(metrics) == 1 else tr("Share, %")
        title = alone if len(metrics) == 1 else tr("Headline metric of every task")
        grid = Grid(names, len(models), table, unit == "share", axis if unit == "share" else tr("Value"))
        marked = any(bar.mark is not None for group in table for bar in group)
        yield Chart(
            kind="bars",
            title=title,
            svg=bars(grid, title),
            legend=tuple(models) if len(models) > 1 else (),
            marks=tr("best control") if marked else "",
            note=tr("Whiskers: 95 % intervals"),
        )


def _bar(point: Point | None) -> Bar:
    if point is None:
        return Bar(None)
    mark = finite(point.baseline) if point.unit == "share" else None
    return Bar(finite(point.value), finite(point.low), finite(point.high), mark)


def _radar(data: PlotData) -> Iterator[Chart]:
    points = [p for p in data.points if p.headline and finite(p.value) is not None]
    scaled = [p for p in points if p.unit == "share" or p.metric in _VIS.radar_maximum]
    groups = in_order_of_groups(scaled)
    if len({task for task, _ in groups}) < LEAST_SPOKES:
        return
    models = in_order(point.model for point in data.points)
    firsts = [next(p for p in scaled if (p.task, p.metric) == group) for group in groups]
    labels = [_spoke(point) for point in firsts]
    found = [[by_model(scaled, group, model) for group in groups] for model in models]
    polygons = [[None if p is None else height(p, _VIS) for p in spokes] for spokes in found]
    left_out = in_order(plain(p.task) for p in points if p not in scaled)
    notes = [tr("Left out, since no share: {tasks}", tasks=", ".join(left_out))] if left_out else []
    if any(point.unit == "number" for point in scaled):
        notes.append(tr("A metric with / and a number is drawn as its share of that number, at most 100 %"))
    yield Chart(
        kind="radar",
        title=tr("Headline metric of every task"),
        svg=radar(labels, polygons, tr("Headline metric of every task")),
        legend=tuple(models) if len(models) > 1 else (),
        note="; ".join(notes),
    )


def _spoke(point: Point) -> str:
    title = metric_title(point).removesuffix(" ↓")
    if point.unit == "number":
        title = f"{title} / {_VIS.radar_maximum[point.metric]:g}"
    return f"{plain(point.task)}\n{title if point.higher_is_better else f'100 − {title}'}"


def _heat_maps(data: PlotData) -> Iterator[Chart]:
    for model in in_order(point.model for point in data.points):
        points = [p for p in data.points if p.model == model and finite(p.value) is not None]
        tasks, metrics = in_order(p.task for p in points)[:MOST_ROWS], headline_first(points)[:MOST_COLUMNS]
        if len(tasks) * len(metrics) < 2:
            continue
        title = tr("Metrics over tasks")
        table = metrics_over_tasks(points, tasks, metrics)
        shaded = any(cell.shade is not None for row in table.cells for cell in row)
        marked = any(column.endswith("↓") for column in table.columns)
        words = tr("Share, %; for ↓ metrics 100 − share") if marked else tr("Share, %")
        yield Chart(
            kind="heatmap",
            title=title,
            svg=cells.cells(table, title),
            note=tr("Shades: {what}", what=words) if shaded else "",
        )


def _broken_down(words: Callable[[], str]) -> Callable[[Panel], Chart | None]:
    def make(panel: Panel) -> Chart | None:
        found = breakdown(panel)
        if found is None:
            return None
        title = _title(words(), panel)
        left = tr("{count} smaller groups left out", count=found.left_out) if found.left_out else ""
        return Chart(
            kind=panel.name,
            title=title,
            svg=bars(found.grid, title),
            legend=tuple(found.series) if len(found.series) > 1 else (),
            note=left,
        )

    return make


def _title(words: str, panel: Panel) -> str:
    return f"{words}: {plain(panel.task)}" if panel.task else words


def _confusion(panel: Panel) -> Chart | None:
    table = confusion(panel)
    if table is None:
        return None
    title = _title(tr("Confusion matrix"), panel)
    note = tr("Rows: true classes. Columns: predicted ones. Share of the true class, %")
    return Chart(kind="confusion", title=title, svg=cells.cells(table, title), note=note)


def _pr_curve(panel: Panel) -> Chart | None:
    found = curves(panel)
    if not found:
        return None
    title = _title(tr("Precision and recall"), panel)
    drawn = list(found.items())[:SERIES]
    axes = tr("Recall, %"), tr("Precision, %")
    left = len(found) - len(drawn)
    return Chart(
        kind="pr_curve",
        title=title,
        svg=lines.curves([curve for _, curve in drawn], axes, title),
        legend=tuple(tr(name) for name, _ in drawn) if len(drawn) > 1 else (),
        note=tr("{count} more curves left out", count=left) if left else "",
    )


def _boundary(panel: Panel) -> Chart | None:
    names = in_order(str(row[0]) for row in panel.rows)
    series = [(name, *_steps(panel, name)) for name in names]
    there = [(name, steps, boundary) for name, steps, boundary in series if steps]
    if not there:
        return None
    title = _title(tr("Capability boundary"), panel)
    return Chart(
        kind="boundary",
        title=title,
        svg=lines.ladder([(steps, boundary) for _, steps, boundary in there], tr("Mean score, %"), title),
        legend=tuple(tr(name) for name, _, _ in there),
        note=tr("Lines: the nearest fit that never rises. Diamonds: where it falls to half. Whiskers: 95 % intervals"),
    )


def _steps(panel: Panel, name: str) -> tuple[list[lines.Step], float | None]:
    steps: list[lines.Step] = []
    boundary = None
    for row in panel.rows:
        level, value, low, high, fit, *more = (finite(entry) for entry in (*row[1:], *[None] * 6))
        if row[0] == name and level is not None and value is not None:
            ends = value if low is None else low, value if high is None else high
            steps.append(lines.Step(level, value, *ends, value if fit is None else fit))
            boundary = more[0]
    return steps, boundary


def _grid(panel: Panel) -> Chart | None:
    if not panel.rows:
        return None
    title = _title(tr("Mean score"), panel)
    note = tr("Shades: {what}", what=tr("Share, %"))
    return Chart(kind="grid", title=title, svg=cells.cells(capability_grid(panel), title), note=note)


def _calibration(panel: Panel) -> Chart | None:
    found = calibration(panel)
    if not found:
        return None
    title = _title(tr("Calibration of counts"), panel)
    axes = tr("True number"), tr("Number in the reply")
    note = tr("Areas: how many samples. Dashes: every count right")
    return Chart(kind="calibration", title=title, svg=lines.dots(found, axes, title), note=note)


_PANELS: dict[str, Callable[[Panel], Chart | None]] = {
    "rungs": _broken_down(lambda: tr("Ladder of diagnosis")),
    "pairs": _broken_down(lambda: tr("Consistency of pairs")),
    "grid": _grid,
    "ladder": _boundary,
    "by_size": _broken_down(lambda: tr("By size")),
    "by_count": _broken_down(lambda: tr("By number of objects")),
    "per_class": _broken_down(lambda: tr("By class")),
    "pr_curve": _pr_curve,
    "confusion": _confusion,
    "calibration": _calibration,
}
