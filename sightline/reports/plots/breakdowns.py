"""Bars of one model on one task: by size, by number of objects, by class.

The first column names the group. Columns of fractions between 0 and 1 are drawn; `<name>_low` and `<name>_high` are
the interval of `<name>`. The first column of whole numbers is written beside the group's name as its n.
"""

from __future__ import annotations

from collections.abc import Iterator

from matplotlib.figure import Figure

from sightline.language import say
from sightline.reports.plots.data import Entry, Panel, PlotData, finite
from sightline.reports.plots.grouped import Bar, Grid, lies_down, lying, row_height, upright
from sightline.reports.plots.style import Plot, legend, page, patches, shown, title
from sightline.reports.plots.vis import VisConfig

MOST_GROUPS = 24
_LOW, _HIGH = "_low", "_high"


def by_size(data: PlotData, vis: VisConfig) -> Iterator[Plot]:
    """`by_size_<task>_<model>`."""
    return _plots("by_size", say("By size"), data, vis)


def by_count(data: PlotData, vis: VisConfig) -> Iterator[Plot]:
    """`by_count_<task>_<model>`."""
    return _plots("by_count", say("By number of objects"), data, vis)


def per_class(data: PlotData, vis: VisConfig) -> Iterator[Plot]:
    """`per_class_<task>_<model>`."""
    return _plots("per_class", say("By class"), data, vis)


def _plots(name: str, words: str, data: PlotData, vis: VisConfig) -> Iterator[Plot]:
    for panel in data.panels:
        series = _series(panel) if panel.name == name else []
        rows = [row for row in panel.rows if any(finite(row[column]) is not None for column in series)]
        if rows:
            figure = _draw(panel, rows, series, vis)
            title(figure, vis.font_size, words, shown(panel.task), shown(data.title), shown(panel.model))
            yield Plot(f"{name}_{panel.task}_{panel.model}", figure)


def _is_whole(value: Entry) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _series(panel: Panel) -> list[int]:
    """The columns that are drawn."""
    wanted = []
    for column in range(1, len(panel.head)):
        values = [row[column] for row in panel.rows if row[column] is not None]
        fractions = all((v := finite(value)) is not None and 0 <= v <= 1 for value in values)
        if values and fractions and not all(map(_is_whole, values)) and not panel.head[column].endswith((_LOW, _HIGH)):
            wanted.append(column)
    return wanted


def _count_column(panel: Panel) -> int | None:
    columns = range(1, len(panel.head))
    return next((c for c in columns if panel.rows and all(_is_whole(row[c]) for row in panel.rows)), None)


def _draw(panel: Panel, rows: list[tuple[Entry, ...]], series: list[int], vis: VisConfig) -> Figure:
    count = _count_column(panel)
    left_out = max(0, len(rows) - MOST_GROUPS)
    if left_out:
        if count is not None:
            rows = sorted(rows, key=lambda row: -(finite(row[count]) or 0.0))
        rows = rows[:MOST_GROUPS]
    # names of sizes are ours, those of classes are the data set's
    named = say if panel.name == "by_size" else str
    labels = [shown(named(str(row[0]))) + ("" if count is None else f" (n = {row[count]:,})") for row in rows]
    bars = [[_bar(panel, row, column) for column in series] for row in rows]
    axis = say("Share, %") if len(series) > 1 else f"{_word(panel.head[series[0]])}, %"
    grid = Grid(labels, len(series), bars, True, axis)
    figure = _place(grid, vis)
    if left_out:
        words = say("{count} smaller groups left out", count=left_out)
        figure.axes[0].set_xlabel(f"{figure.axes[0].get_xlabel()}\n{words}")
    legend(figure, patches(vis, len(series)), [_word(panel.head[column]) for column in series])
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


def _word(head: str) -> str:
    return shown(say(head))


def _bar(panel: Panel, row: tuple[Entry, ...], column: int) -> Bar:
    beside = dict(zip(panel.head, row, strict=True))
    name = panel.head[column]
    return Bar(finite(row[column]), finite(beside.get(name + _LOW)), finite(beside.get(name + _HIGH)))
