"""Precision over recall of one model on one task; a column of texts before them names the curve."""

from __future__ import annotations

from collections.abc import Iterator

from matplotlib.lines import Line2D

from sightline.language import say
from sightline.reports.plots.data import Panel, PlotData, finite
from sightline.reports.plots.style import DASHES, Plot, colour, legend, page, shown, title
from sightline.reports.plots.vis import VisConfig

MOST_CURVES = 8
Curve = list[tuple[float, float]]


def plots(data: PlotData, vis: VisConfig) -> Iterator[Plot]:
    """`pr_curve_<task>_<model>`."""
    for panel in data.panels:
        curves = _curves(panel) if panel.name == "pr_curve" else {}
        if curves:
            yield _draw(panel, curves, data, vis)


def _curves(panel: Panel) -> dict[str, Curve]:
    heads = [head.casefold() for head in panel.head]
    if "recall" not in heads or "precision" not in heads:
        return {}
    recall, precision = heads.index("recall"), heads.index("precision")
    curves: dict[str, Curve] = {}
    for row in panel.rows:
        name = next((entry for entry in row[: min(recall, precision)] if isinstance(entry, str)), "")
        across, up = finite(row[recall]), finite(row[precision])
        if across is not None and up is not None:
            curves.setdefault(name, []).append((across, up))
    return curves


def _draw(panel: Panel, curves: dict[str, Curve], data: PlotData, vis: VisConfig) -> Plot:
    figure = page(vis)
    axes = figure.add_subplot()
    drawn = list(curves.items())[:MOST_CURVES]
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
    axes.set_xlabel(say("Recall, %"))
    axes.set_ylabel(say("Precision, %"))
    if len(curves) > MOST_CURVES:
        words = say("{count} more curves left out", count=len(curves) - MOST_CURVES)
        axes.set_xlabel(f"{axes.get_xlabel()}\n{words}")
    title(figure, vis.font_size, say("Precision and recall"), shown(panel.task), shown(data.title), shown(panel.model))
    legend(figure, lines, [shown(say(name)) for name, _ in drawn])
    return Plot(f"pr_curve_{panel.task}_{panel.model}", figure)
