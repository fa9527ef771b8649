"""How far up each capability holds: the score over levels, a monotone fit, and where it falls to half.

A panel `ladder` has the columns series, level, value, low, high, fit and boundary; a panel `grid` has a name and one
share a column.
"""

from __future__ import annotations

from collections.abc import Iterator

from matplotlib.lines import Line2D

from sightline.i18n import tr
from sightline.reports.plots.cells import scale_bar, table_page
from sightline.reports.plots.data import Panel, PlotData, finite, in_order
from sightline.reports.plots.style import DASHES, QUIET, Plot, colour, legend, page, shown, title
from sightline.reports.plots.tables import capability_grid
from sightline.reports.plots.vis import VisConfig

HALF = 50.0


def plots(data: PlotData, vis: VisConfig) -> Iterator[Plot]:
    """`boundary_<model>`."""
    for panel in data.panels:
        if panel.name == "ladder" and panel.rows:
            yield _draw(panel, data, vis)


def grids(data: PlotData, vis: VisConfig) -> Iterator[Plot]:
    """`grid_<model>`: one row a capability, one column a level."""
    for panel in data.panels:
        if panel.name == "grid" and panel.rows:
            figure, axes = table_page(capability_grid(panel, shown), vis)
            title(figure, vis.font_size, tr("Mean score"), shown(data.title), shown(panel.model))
            scale_bar(figure, axes, tr("Share, %"))
            yield Plot(f"grid_{panel.model}", figure)


def _draw(panel: Panel, data: PlotData, vis: VisConfig) -> Plot:
    figure = page(vis)
    axes = figure.add_subplot()
    series = in_order(str(row[0]) for row in panel.rows)
    handles = []
    for index, name in enumerate(series):
        ink, _ = colour(vis, index)
        rows = [[finite(entry) for entry in row[1:]] for row in panel.rows if row[0] == name]
        points = [row for row in rows if row[0] is not None and row[1] is not None]
        shift = 0.05 * (index - (len(series) - 1) / 2)
        across = [(row[0] or 0.0) + shift for row in points]
        values = [100 * (row[1] or 0.0) for row in points]
        below = [100 * max(0.0, (row[1] or 0.0) - (row[2] if row[2] is not None else row[1] or 0.0)) for row in points]
        above = [100 * max(0.0, (row[3] if row[3] is not None else row[1] or 0.0) - (row[1] or 0.0)) for row in points]
        axes.errorbar(across, values, yerr=[below, above], fmt="o", color=ink, capsize=4, markersize=7, clip_on=False)
        line = Line2D(across, [100 * (row[4] or 0.0) for row in points], color=ink, linewidth=2.2)
        line.set_linestyle(DASHES[index % len(DASHES)])
        handles.append(axes.add_line(line))
        boundary = points[0][5] if points else None
        if boundary is not None and 0 < boundary < len(points):
            axes.plot([boundary + shift], [HALF], marker="D", color=ink, markersize=9, markeredgecolor="white")
    axes.axhline(HALF, color=QUIET, linewidth=1.0, linestyle=":")
    levels = sorted({int(level) for row in panel.rows if (level := finite(row[1])) is not None})
    axes.set_xlim(min(levels) - 0.4, max(levels) + 0.4)
    axes.set_xticks(levels, [f"L{level}" for level in levels])
    axes.set_ylim(0, 105)
    axes.grid(axis="y")
    axes.set_ylabel(tr("Mean score, %"))
    title(figure, vis.font_size, tr("Capability boundary"), shown(data.title), shown(panel.model))
    note = tr("Lines: the nearest fit that never rises. Diamonds: where it falls to half. Whiskers: 95 % intervals")
    legend(figure, handles, [shown(tr(name)) for name in series], note)
    return Plot(f"boundary_{panel.model}", figure)
