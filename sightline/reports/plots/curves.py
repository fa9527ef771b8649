"""Curves with Matplotlib: precision over recall, score over levels, calibration of counts."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from matplotlib.lines import Line2D
from matplotlib.ticker import NullLocator

from sightline.i18n import tr
from sightline.reports.plots.data import Panel, PlotData, VisConfig, finite
from sightline.reports.plots.prepare import Curve, calibration, count_ticks, curves, level_series
from sightline.reports.plots.style import DASHES, QUIET, Plot, add_legend, drawable, new_page, series_colour, set_title

MAX_CURVES = 8
HALF = 50.0
_MAX_DOT_AREA = 900.0
"""Area of the largest dot, in square points."""


def pr_curve_plots(data: PlotData, vis: VisConfig) -> Iterator[Plot]:
    """`pr_curve_<task>_<model>`."""
    for panel in data.panels:
        found = curves(panel) if panel.name == "pr_curve" else {}
        if found:
            yield _draw_pr_curve(panel, found, data, vis)


def _draw_pr_curve(panel: Panel, found: dict[str, Curve], data: PlotData, vis: VisConfig) -> Plot:
    figure = new_page(vis)
    axes = figure.add_subplot()
    drawn = list(found.items())[:MAX_CURVES]
    lines = []
    for index, (_, points) in enumerate(drawn):
        ink, _ = series_colour(vis, index)
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
    if len(found) > MAX_CURVES:
        words = tr("{count} more curves not shown", count=len(found) - MAX_CURVES)
        axes.set_xlabel(f"{axes.get_xlabel()}\n{words}")
    set_title(figure, vis, tr("Precision and recall"), panel.task, data.title, panel.model)
    add_legend(figure, lines, [drawable(tr(name)) for name, _ in drawn])
    return Plot(f"pr_curve_{panel.task}_{panel.model}", figure)


def boundary_plots(data: PlotData, vis: VisConfig) -> Iterator[Plot]:
    """`boundary_<model>`."""
    for panel in data.panels:
        if panel.name == "ladder" and panel.rows:
            yield _draw_boundary(panel, data, vis)


def _draw_boundary(panel: Panel, data: PlotData, vis: VisConfig) -> Plot:
    figure = new_page(vis)
    axes = figure.add_subplot()
    series = level_series(panel)
    handles = []
    for index, (scores, boundary) in enumerate(series.values()):
        ink, _ = series_colour(vis, index)
        shift = 0.05 * (index - (len(series) - 1) / 2)
        across = [score.level + shift for score in scores]
        below = [100 * max(0.0, score.value - score.low) for score in scores]
        above = [100 * max(0.0, score.high - score.value) for score in scores]
        values = [100 * score.value for score in scores]
        axes.errorbar(across, values, yerr=[below, above], fmt="o", color=ink, capsize=4, markersize=7, clip_on=False)
        line = Line2D(across, [100 * score.fit for score in scores], color=ink, linewidth=2.2)
        line.set_linestyle(DASHES[index % len(DASHES)])
        handles.append(axes.add_line(line))
        if boundary is not None and 0 < boundary < len(scores):
            axes.plot([boundary + shift], [HALF], marker="D", color=ink, markersize=9, markeredgecolor="white")
    axes.axhline(HALF, color=QUIET, linewidth=1.0, linestyle=":")
    levels = sorted({int(level) for row in panel.rows if (level := finite(row[1])) is not None})
    axes.set_xlim(min(levels) - 0.4, max(levels) + 0.4)
    axes.set_xticks(levels, [f"L{level}" for level in levels])
    axes.set_ylim(0, 105)
    axes.grid(axis="y")
    axes.set_ylabel(tr("Mean score, %"))
    set_title(figure, vis, tr("Capability boundary"), data.title, panel.model)
    note = tr("Lines: non-increasing fit. Diamonds: where it falls to one half. Whiskers: 95 % intervals")
    add_legend(figure, handles, [drawable(tr(name)) for name in series], note)
    return Plot(f"boundary_{panel.model}", figure)


def calibration_plots(data: PlotData, vis: VisConfig) -> Iterator[Plot]:
    """`calibration_<task>_<model>`."""
    for panel in data.panels:
        if panel.name == "calibration" and calibration(panel):
            yield _draw_calibration(panel, data, vis)


def _draw_calibration(panel: Panel, data: PlotData, vis: VisConfig) -> Plot:
    figure = new_page(vis)
    axes = figure.add_subplot()
    truth, predicted, n = np.array(calibration(panel)).T
    ticks = count_ticks(float(max(truth.max(), predicted.max())))
    # small counts are many and large ones few: the space between them grows with the logarithm
    axes.set_xscale("function", functions=(np.log1p, np.expm1))
    axes.set_yscale("function", functions=(np.log1p, np.expm1))
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_ticks(ticks, [f"{tick:,}" for tick in ticks])
        axis.set_minor_locator(NullLocator())
    axes.axline((0, 0), (ticks[-1], ticks[-1]), color=QUIET, linewidth=1.2, linestyle="--")
    ink, _ = series_colour(vis, 0)
    axes.scatter(truth, predicted, s=24 + _MAX_DOT_AREA * n / n.max(), color=ink, alpha=0.55, linewidth=0, zorder=3)
    axes.set_xlim(-0.35, ticks[-1] * 1.1)
    axes.set_ylim(-0.35, ticks[-1] * 1.1)
    axes.grid()
    axes.tick_params(length=0)
    axes.set_xlabel(tr("True count"))
    axes.set_ylabel(tr("Count in the reply"))
    set_title(figure, vis, tr("Count calibration"), panel.task, data.title, panel.model)
    add_legend(figure, [], [], tr("Area: number of samples. Dashed line: correct counts"))
    return Plot(f"calibration_{panel.task}_{panel.model}", figure)
