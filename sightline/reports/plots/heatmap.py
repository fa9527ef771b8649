"""All metrics of a model over all tasks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sightline.i18n import tr
from sightline.reports.plots.cells import scale_bar, table_page
from sightline.reports.plots.data import PlotData, Point, finite, in_order
from sightline.reports.plots.style import Plot, shown, title
from sightline.reports.plots.tables import headline_first, metrics_over_tasks
from sightline.reports.plots.vis import VisConfig

ROWS_A_PAGE = 40
COLUMNS_A_PAGE = 24


def plots(data: PlotData, vis: VisConfig) -> Iterator[Plot]:
    """`heatmap_<model>`; further pages are numbered."""
    for model in in_order(point.model for point in data.points):
        points = [p for p in data.points if p.model == model and finite(p.value) is not None]
        tasks = in_order(point.task for point in points)
        metrics = headline_first(points)
        number = 0
        for first in range(0, len(tasks), ROWS_A_PAGE):
            for left in range(0, len(metrics), COLUMNS_A_PAGE):
                number += 1
                chosen = tasks[first : first + ROWS_A_PAGE], metrics[left : left + COLUMNS_A_PAGE]
                name = f"heatmap_{model}" if number == 1 else f"heatmap_{model}_{number}"
                yield _draw(name, points, *chosen, data, vis)


def _draw(
    name: str, points: Sequence[Point], tasks: list[str], metrics: list[str], data: PlotData, vis: VisConfig
) -> Plot:
    table = metrics_over_tasks(points, tasks, metrics, shown)
    figure, axes = table_page(table, vis)
    title(figure, vis.font_size, tr("Metrics over tasks"), shown(data.title), shown(points[0].model))
    if any(cell.shade is not None for row in table.cells for cell in row):
        marked = any(column.endswith("↓") for column in table.columns)
        scale_bar(figure, axes, tr("Share, %; for ↓ metrics 100 − share") if marked else tr("Share, %"))
    return Plot(name, figure)
