"""A table whose cells are coloured and hold their figures: heat maps and confusion matrices."""

from __future__ import annotations

import math

from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.collections import PatchCollection
from matplotlib.colors import Colormap, LinearSegmentedColormap, Normalize, to_rgba
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from sightline.reports.plots.names import ems, wrap
from sightline.reports.plots.style import INK, page
from sightline.reports.plots.tables import Table
from sightline.reports.plots.vis import VisConfig

_LABEL = 15.0
_SLANT = 40
_SLANTED = 19.0
_LEAST_ROWS, _LEAST_COLUMNS = 4, 4
_SCALED = 3
_EMPTY = "#F7F7F7"


def table_page(table: Table, vis: VisConfig, scale: float = 0.8) -> tuple[Figure, Axes]:
    """A page on which the figures in the cells, at `scale` of the labels' size or more, have room."""
    size = vis.font_size * scale
    widest = max([4.0, *(ems(cell.text) for row in table.cells for cell in row)]) + 0.9
    beside = _LABEL * vis.font_size / 72 + 1.6
    slanted = max(ems(wrap(column, _SLANTED, 1)) for column in table.columns)
    below = slanted * vis.font_size / 72 * math.sin(math.radians(_SLANT)) + 1.7
    row = max(2.1 * size, vis.font_size * 1.35 * _lines(table.rows)) / 72
    figure = page(vis, len(table.rows) * row + below, len(table.columns) * widest * size / 72 + beside)
    # a small table does not fill the page: cells as large as a hand say no more
    spare = max(0, _LEAST_ROWS - len(table.rows)), max(0, _LEAST_COLUMNS - len(table.columns))
    grid = figure.add_gridspec(
        2, 2, height_ratios=[len(table.rows), spare[0] + 1e-6], width_ratios=[len(table.columns), spare[1] + 1e-6]
    )
    axes = figure.add_subplot(grid[: 1 if spare[0] else 2, : 1 if spare[1] else 2])
    roomy = (figure.get_figwidth() - beside) / max(len(table.columns), _LEAST_COLUMNS) * 72 / widest
    _fill(axes, table, max(size, min(vis.font_size, roomy)))
    _edges(axes, table)
    return figure, axes


def _lines(labels: list[str]) -> int:
    return max(wrap(label, _LABEL).count("\n") + 1 for label in labels)


def shades() -> Colormap:
    """Blues without the darkest, on which nothing can be read in print."""
    whole = colormaps["Blues"]
    return LinearSegmentedColormap.from_list("shades", [whole(0.04 + 0.80 * step / 20) for step in range(21)])


def _fill(axes: Axes, table: Table, size: float) -> None:
    boxes, faces, colours = [], [], shades()
    for y, row in enumerate(table.cells):
        for x, cell in enumerate(row):
            boxes.append(Rectangle((x, y), 1, 1))
            empty = _EMPTY if not cell.text else "white"
            faces.append(to_rgba(empty) if cell.shade is None else colours(cell.shade))
            if cell.text:
                ink = "white" if (cell.shade or 0.0) > 0.62 else INK
                axes.text(x + 0.5, y + 0.5, cell.text, ha="center", va="center", fontsize=size, color=ink)
    axes.add_collection(PatchCollection(boxes, facecolors=faces, edgecolors="white", linewidths=1.2))


def _edges(axes: Axes, table: Table) -> None:
    axes.set_xlim(0, len(table.columns))
    axes.set_ylim(len(table.rows), 0)
    axes.set_yticks([y + 0.5 for y in range(len(table.rows))], [wrap(row, _LABEL) for row in table.rows])
    axes.set_xticks(
        [x + 0.5 for x in range(len(table.columns))], [wrap(column, _SLANTED, 1) for column in table.columns]
    )
    for label in axes.get_xticklabels():
        label.set(rotation=_SLANT, ha="right", va="top", rotation_mode="anchor")
    axes.tick_params(length=0)
    for spine in axes.spines.values():
        spine.set_visible(False)


def scale_bar(figure: Figure, axes: Axes, words: str) -> None:
    """What the colours mean, at the right; a table of one or two rows has no room for it and says it in figures."""
    if axes.get_ylim()[0] < _SCALED:
        return
    scale = ScalarMappable(Normalize(0, 100), shades())
    bar = figure.colorbar(scale, ax=axes, label=words, fraction=0.03, pad=0.015, aspect=35)
    bar.outline.set_visible(False)
    bar.ax.tick_params(length=0)
