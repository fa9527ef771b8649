"""All metrics of a model over all tasks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sightline.language import say
from sightline.reports.plots.bars import metric_title
from sightline.reports.plots.cells import Cell, Table, scale_bar, table_page
from sightline.reports.plots.data import PlotData, Point, finite, in_order
from sightline.reports.plots.style import Plot, figure_text, shown, title
from sightline.reports.plots.vis import VisConfig

ROWS_A_PAGE = 40
COLUMNS_A_PAGE = 24


def plots(data: PlotData, vis: VisConfig) -> Iterator[Plot]:
    """`heatmap_<model>`; further pages are numbered."""
    for model in in_order(point.model for point in data.points):
        points = [p for p in data.points if p.model == model and finite(p.value) is not None]
        tasks = in_order(point.task for point in points)
        metrics = _columns(points)
        number = 0
        for first in range(0, len(tasks), ROWS_A_PAGE):
            for left in range(0, len(metrics), COLUMNS_A_PAGE):
                number += 1
                chosen = tasks[first : first + ROWS_A_PAGE], metrics[left : left + COLUMNS_A_PAGE]
                name = f"heatmap_{model}" if number == 1 else f"heatmap_{model}_{number}"
                yield _draw(name, points, *chosen, data, vis)


def _columns(points: Sequence[Point]) -> list[str]:
    """Metrics that are the headline of a task first, then core ones, then the others."""
    headline, core = {p.metric for p in points if p.headline}, {p.metric for p in points if p.core}
    names = in_order(point.metric for point in points)
    return sorted(names, key=lambda name: (name not in headline, name not in core))


def _draw(
    name: str, points: Sequence[Point], tasks: list[str], metrics: list[str], data: PlotData, vis: VisConfig
) -> Plot:
    found = {(point.task, point.metric): point for point in points}
    titles = {point.metric: metric_title(point) for point in points}
    cells = [[cell(found.get((task, metric))) for metric in metrics] for task in tasks]
    figure, axes = table_page(Table([shown(t) for t in tasks], [titles[m] for m in metrics], cells), vis)
    title(figure, vis.font_size, say("Metrics over tasks"), shown(data.title), shown(points[0].model))
    if any(cell.shade is not None for row in cells for cell in row):
        marked = any(titles[metric].endswith("↓") for metric in metrics)
        scale_bar(figure, axes, say("Share, %; for ↓ metrics 100 − share") if marked else say("Share, %"))
    return Plot(name, figure)


def cell(point: Point | None) -> Cell:
    """Shares are coloured, darker is better; other numbers are only written."""
    value = None if point is None else finite(point.value)
    if point is None or value is None:
        return Cell()
    if point.unit == "number":
        return Cell(figure_text(value))
    shade = min(1.0, max(0.0, value))
    return Cell(figure_text(100 * value), shade if point.higher_is_better else 1.0 - shade)
