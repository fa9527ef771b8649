"""Precision over recall of one model on one task; a column of texts before them names the curve."""

from __future__ import annotations

from collections.abc import Iterator

from matplotlib.lines import Line2D

from sightline.i18n import tr
from sightline.reports.plots.content import Curve, curves
from sightline.reports.plots.data import Panel, PlotData
from sightline.reports.plots.style import DASHES, Plot, colour, legend, page, shown, title
from sightline.reports.plots.vis import VisConfig

MOST_CURVES = 8


def plots(data: PlotData, vis: VisConfig) -> Iterator[Plot]:
    """`pr_curve_<task>_<model>`."""
    for panel in data.panels:
        found = curves(panel) if panel.name == "pr_curve" else {}
        if found:
            yield _draw(panel, found, data, vis)


def _draw(panel: Panel, found: dict[str, Curve], data: PlotData, vis: VisConfig) -> Plot:
    figure = page(vis)
    axes = figure.add_subplot()
    drawn = list(found.items())[:MOST_CURVES]
    lines = []
    for index, (_, points) in enumerate(drawn):
        ink, _ = colour(vis, index)
        line = Line2D(
            [100 * across for across, _ in points],
            [100 * up for _, up in points],
            color=ink,
            linestyle=DASHES[index % len(DASHES)],
            linewidth=2.2,
            marker="o" if len(points) < 15 else "",
            clip_on=False,
        )
        lines.append(axes.add_line(line))
    axes.set_xlim(0, 100)
    axes.set_ylim(0, 100)
    axes.grid()
    axes.tick_params(length=0, pad=7)
    axes.set_xlabel(tr("Recall, %"))
    axes.set_ylabel(tr("Precision, %"))
    if len(found) > MOST_CURVES:
        words = tr("{count} more curves left out", count=len(found) - MOST_CURVES)
        axes.set_xlabel(f"{axes.get_xlabel()}\n{words}")
    title(figure, vis.font_size, tr("Precision and recall"), shown(panel.task), shown(data.title), shown(panel.model))
    legend(figure, lines, [shown(tr(name)) for name, _ in drawn])
    return Plot(f"pr_curve_{panel.task}_{panel.model}", figure)
