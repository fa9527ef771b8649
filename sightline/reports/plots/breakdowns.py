"""Bars of one model on one task: by size, by number of objects, by class, up a ladder, pair by pair."""

from __future__ import annotations

from collections.abc import Iterator

from matplotlib.figure import Figure

from sightline.i18n import tr
from sightline.reports.plots.content import Breakdown, Grid, breakdown
from sightline.reports.plots.data import PlotData
from sightline.reports.plots.grouped import lies_down, lying, row_height, upright
from sightline.reports.plots.style import Plot, legend, page, patches, shown, title
from sightline.reports.plots.vis import VisConfig


def by_size(data: PlotData, vis: VisConfig) -> Iterator[Plot]:
    """`by_size_<task>_<model>`."""
    return _plots("by_size", tr("By size"), data, vis)


def by_count(data: PlotData, vis: VisConfig) -> Iterator[Plot]:
    """`by_count_<task>_<model>`."""
    return _plots("by_count", tr("By number of objects"), data, vis)


def per_class(data: PlotData, vis: VisConfig) -> Iterator[Plot]:
    """`per_class_<task>_<model>`."""
    return _plots("per_class", tr("By class"), data, vis)


def rungs(data: PlotData, vis: VisConfig) -> Iterator[Plot]:
    """`rungs_<model>`: how many answers come how far up a ladder of diagnosis."""
    return _plots("rungs", tr("Ladder of diagnosis"), data, vis)


def pairs(data: PlotData, vis: VisConfig) -> Iterator[Plot]:
    """`pairs_<model>`: how the answers to questions that belong together agree, beside what the key itself reaches."""
    return _plots("pairs", tr("Consistency of pairs"), data, vis)


def _plots(name: str, words: str, data: PlotData, vis: VisConfig) -> Iterator[Plot]:
    for panel in data.panels:
        found = breakdown(panel, shown) if panel.name == name else None
        if found is not None:
            figure = _draw(found, vis)
            task = shown(panel.task) if panel.task else ""
            title(figure, vis.font_size, words, task, shown(data.title), shown(panel.model))
            yield Plot("_".join(filter(None, (name, panel.task, panel.model))), figure)


def _draw(found: Breakdown, vis: VisConfig) -> Figure:
    figure = _place(found.grid, vis)
    if found.left_out:
        words = tr("{count} smaller groups left out", count=found.left_out)
        figure.axes[0].set_xlabel(f"{figure.axes[0].get_xlabel()}\n{words}")
    legend(figure, patches(vis, found.grid.series), found.series)
    return figure


def _place(grid: Grid, vis: VisConfig) -> Figure:
    if not lies_down(len(grid.groups), grid.series):
        figure = page(vis)
        upright(figure.add_subplot(), grid, vis)
        return figure
    row = row_height(grid, vis)
    figure = page(vis, len(grid.groups) * row + 2.2)
    lying(figure.add_subplot(), grid, vis, max(row, (figure.get_figheight() - 2.2) / len(grid.groups)))
    return figure
