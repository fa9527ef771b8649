"""Counts against truth: where replies lie above the diagonal, too many were counted.

A panel `calibration` has the columns truth, predicted and n.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from matplotlib.ticker import NullLocator

from sightline.i18n import tr
from sightline.reports.plots.content import calibration, ticks_up_to
from sightline.reports.plots.data import Panel, PlotData
from sightline.reports.plots.style import QUIET, Plot, colour, legend, page, shown, title
from sightline.reports.plots.vis import VisConfig

LARGEST = 900.0
"""Area of the largest dot, in square points."""


def plots(data: PlotData, vis: VisConfig) -> Iterator[Plot]:
    """`calibration_<task>_<model>`."""
    for panel in data.panels:
        if panel.name == "calibration" and calibration(panel):
            yield _draw(panel, data, vis)


def _draw(panel: Panel, data: PlotData, vis: VisConfig) -> Plot:
    figure = page(vis)
    axes = figure.add_subplot()
    truth, predicted, n = np.array(calibration(panel)).T
    ticks = ticks_up_to(float(max(truth.max(), predicted.max())))
    # small counts are many and large ones few: the space between them grows with the logarithm
    axes.set_xscale("function", functions=(np.log1p, np.expm1))
    axes.set_yscale("function", functions=(np.log1p, np.expm1))
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_ticks(ticks, [f"{tick:,}" for tick in ticks])
        axis.set_minor_locator(NullLocator())
    axes.axline((0, 0), (ticks[-1], ticks[-1]), color=QUIET, linewidth=1.2, linestyle="--")
    ink, _ = colour(vis, 0)
    axes.scatter(truth, predicted, s=24 + LARGEST * n / n.max(), color=ink, alpha=0.55, linewidth=0, zorder=3)
    axes.set_xlim(-0.35, ticks[-1] * 1.1)
    axes.set_ylim(-0.35, ticks[-1] * 1.1)
    axes.grid()
    axes.tick_params(length=0)
    axes.set_xlabel(tr("True number"))
    axes.set_ylabel(tr("Number in the reply"))
    title(figure, vis.font_size, tr("Calibration of counts"), shown(panel.task), shown(data.title), shown(panel.model))
    legend(figure, [], [], tr("Areas: how many samples. Dashes: every count right"))
    return Plot(f"calibration_{panel.task}_{panel.model}", figure)
