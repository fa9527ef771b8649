"""Heat maps with Matplotlib: metrics over tasks, confusion matrices, capability grids."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.collections import PatchCollection
from matplotlib.colors import Colormap, LinearSegmentedColormap, Normalize, to_rgba
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from sightline.i18n import tr
from sightline.reports.plots.data import PlotData, Point, VisConfig, finite, unique
from sightline.reports.plots.labels import ems, wrap
from sightline.reports.plots.prepare import (
    CellTable,
    capability_grid,
    confusion,
    headline_first,
    metrics_over_tasks,
    shade_note,
)
from sightline.reports.plots.style import INK, Plot, drawable, new_page, set_title

ROWS_PER_PAGE, COLUMNS_PER_PAGE = 40, 24
_LABEL_EMS = 15.0
_SLANT = 40
_SLANTED_EMS = 19.0
_MIN_ROWS, _MIN_COLUMNS = 4, 4
_MIN_SCALED_ROWS = 3
_EMPTY_COLOUR = "#F7F7F7"


def draw_table(table: CellTable, vis: VisConfig, scale: float = 0.8) -> tuple[Figure, Axes]:
    """A page on which the figures in the cells, at `scale` of the labels' size or more, have room."""
    size = vis.font_size * scale
    widest = max([4.0, *(ems(cell.text) for row in table.cells for cell in row)]) + 0.9
    beside = _LABEL_EMS * vis.font_size / 72 + 1.6
    slanted = max(ems(wrap(column, _SLANTED_EMS, 1)) for column in table.columns)
    below = slanted * vis.font_size / 72 * math.sin(math.radians(_SLANT)) + 1.7
    lines = max(wrap(label, _LABEL_EMS).count("\n") + 1 for label in table.rows)
    row = max(2.1 * size, vis.font_size * 1.35 * lines) / 72
    figure = new_page(vis, len(table.rows) * row + below, len(table.columns) * widest * size / 72 + beside)
    # a small table does not fill the page: cells as large as a hand say no more
    spare = max(0, _MIN_ROWS - len(table.rows)), max(0, _MIN_COLUMNS - len(table.columns))
    grid = figure.add_gridspec(
        2, 2, height_ratios=[len(table.rows), spare[0] + 1e-6], width_ratios=[len(table.columns), spare[1] + 1e-6]
    )
    axes = figure.add_subplot(grid[: 1 if spare[0] else 2, : 1 if spare[1] else 2])
    roomy = (figure.get_figwidth() - beside) / max(len(table.columns), _MIN_COLUMNS) * 72 / widest
    _draw_cells(axes, table, max(size, min(vis.font_size, roomy)))
    _draw_edges(axes, table)
    return figure, axes


def shade_colours() -> Colormap:
    """Blues without the darkest, on which nothing can be read in print."""
    whole = colormaps["Blues"]
    return LinearSegmentedColormap.from_list("shades", [whole(0.04 + 0.80 * step / 20) for step in range(21)])


def _draw_cells(axes: Axes, table: CellTable, size: float) -> None:
    boxes, faces, colours = [], [], shade_colours()
    for y, row in enumerate(table.cells):
        for x, cell in enumerate(row):
            boxes.append(Rectangle((x, y), 1, 1))
            empty = _EMPTY_COLOUR if not cell.text else "white"
            faces.append(to_rgba(empty) if cell.shade is None else colours(cell.shade))
            if cell.text:
                ink = "white" if (cell.shade or 0.0) > 0.62 else INK
                axes.text(x + 0.5, y + 0.5, cell.text, ha="center", va="center", fontsize=size, color=ink)
    axes.add_collection(PatchCollection(boxes, facecolors=faces, edgecolors="white", linewidths=1.2))


def _draw_edges(axes: Axes, table: CellTable) -> None:
    axes.set_xlim(0, len(table.columns))
    axes.set_ylim(len(table.rows), 0)
    axes.set_yticks([y + 0.5 for y in range(len(table.rows))], [wrap(row, _LABEL_EMS) for row in table.rows])
    axes.set_xticks(
        [x + 0.5 for x in range(len(table.columns))], [wrap(column, _SLANTED_EMS, 1) for column in table.columns]
    )
    for label in axes.get_xticklabels():
        label.set(rotation=_SLANT, ha="right", va="top", rotation_mode="anchor")
    axes.tick_params(length=0)
    for spine in axes.spines.values():
        spine.set_visible(False)


def add_scale(figure: Figure, axes: Axes, words: str) -> None:
    """Add the colour bar; small tables have none."""
    if axes.get_ylim()[0] < _MIN_SCALED_ROWS:
        return
    scale = ScalarMappable(Normalize(0, 100), shade_colours())
    bar = figure.colorbar(scale, ax=axes, label=words, fraction=0.03, pad=0.015, aspect=35)
    bar.outline.set_visible(False)
    bar.ax.tick_params(length=0)


def heatmap_plots(data: PlotData, vis: VisConfig) -> Iterator[Plot]:
    """`heatmap_<model>`; further pages are numbered."""
    for model in unique(point.model for point in data.points):
        points = [p for p in data.points if p.model == model and finite(p.value) is not None]
        tasks = unique(point.task for point in points)
        metrics = headline_first(points)
        number = 0
        for first in range(0, len(tasks), ROWS_PER_PAGE):
            for left in range(0, len(metrics), COLUMNS_PER_PAGE):
                number += 1
                chosen = tasks[first : first + ROWS_PER_PAGE], metrics[left : left + COLUMNS_PER_PAGE]
                name = f"heatmap_{model}" if number == 1 else f"heatmap_{model}_{number}"
                yield _draw_heatmap(name, points, *chosen, data, vis)


def _draw_heatmap(
    name: str, points: Sequence[Point], tasks: list[str], metrics: list[str], data: PlotData, vis: VisConfig
) -> Plot:
    table = metrics_over_tasks(points, tasks, metrics, drawable)
    figure, axes = draw_table(table, vis)
    set_title(figure, vis, tr("Metrics over tasks"), data.title, points[0].model)
    if shades := shade_note(table):
        add_scale(figure, axes, shades)
    return Plot(name, figure)


def confusion_plots(data: PlotData, vis: VisConfig) -> Iterator[Plot]:
    """`confusion_<task>_<model>`."""
    for panel in data.panels:
        table = confusion(panel, drawable) if panel.name == "confusion" else None
        if table is None:
            continue
        figure, axes = draw_table(table, vis, 0.72)
        axes.set_xlabel(tr("Predicted class"))
        axes.set_ylabel(tr("True class"))
        set_title(figure, vis, tr("Confusion matrix"), panel.task, data.title, panel.model)
        add_scale(figure, axes, tr("Share of the true class, %"))
        yield Plot(f"confusion_{panel.task}_{panel.model}", figure)


def grid_plots(data: PlotData, vis: VisConfig) -> Iterator[Plot]:
    """`grid_<model>`: one row per capability, one column per level."""
    for panel in data.panels:
        if panel.name == "grid" and panel.rows:
            figure, axes = draw_table(capability_grid(panel, drawable), vis)
            set_title(figure, vis, tr("Mean score"), data.title, panel.model)
            add_scale(figure, axes, tr("Share, %"))
            yield Plot(f"grid_{panel.model}", figure)
