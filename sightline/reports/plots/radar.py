"""One polygon a model over the headlines of all tasks."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from matplotlib.lines import Line2D
from matplotlib.projections.polar import PolarAxes

from sightline.i18n import tr
from sightline.reports.plots.content import by_model, height, in_order_of_groups, maximum, metric_title
from sightline.reports.plots.data import PlotData, Point, finite, in_order
from sightline.reports.plots.names import wrap
from sightline.reports.plots.radar_labels import Rim, round_page
from sightline.reports.plots.style import DASHES, QUIET, Plot, colour, shown
from sightline.reports.plots.tables import figure_text
from sightline.reports.plots.vis import VisConfig

LEAST_TASKS = 3
MOST_FILLED = 2
"""More polygons over each other would only be mud."""
_MARKERS = "osD^v<>p"


def plots(data: PlotData, vis: VisConfig) -> Iterator[Plot]:
    """`radar`, where at least three tasks have a headline that fits on it."""
    points = [point for point in data.points if point.headline and finite(point.value) is not None]
    scaled = [point for point in points if point.unit == "share" or point.metric in vis.radar_maximum]
    groups = in_order_of_groups(scaled)
    if len({task for task, _ in groups}) < LEAST_TASKS:
        return
    # numbered among all models, so that each has one colour in all plots
    numbers = {model: index for index, model in enumerate(in_order(point.model for point in data.points))}
    models = in_order(point.model for point in scaled)
    alone = shown(models[0]) if len(models) == 1 else ""
    rim = Rim(
        title=[tr("Headline metric of every task"), shown(data.title), alone],
        labels=[_label(scaled, group, vis, bool(alone)) for group in groups],
        note=_note(points, scaled),
        handles=[_line(vis, numbers[model]) for model in models],
        names=[shown(model) for model in models],
    )
    figure, axes = round_page(rim, vis)
    _rings(axes, len(groups), vis)
    for model in models:
        spokes = [by_model(scaled, group, model) for group in groups]
        line = _polygon(axes, [None if point is None else height(point, vis) for point in spokes], vis, numbers[model])
        if len(models) <= MOST_FILLED and all(spokes):
            axes.fill(line.get_xdata(), line.get_ydata(), color=line.get_color(), alpha=0.08, linewidth=0)
    yield Plot("radar", figure)


def _line(vis: VisConfig, index: int) -> Line2D:
    ink, _ = colour(vis, index)
    dash = DASHES[index // len(vis.palette) % len(DASHES)]
    return Line2D([], [], color=ink, linestyle=dash, linewidth=2.0, marker=_MARKERS[index % 8], markersize=5.5)


def _polygon(axes: PolarAxes, heights: list[float | None], vis: VisConfig, index: int) -> Line2D:
    """A closed line; it is broken where a task has no data."""
    angles = [2 * math.pi * i / len(heights) for i in range(len(heights))]
    line = _line(vis, index)
    radii = [math.nan if h is None else 100 * h for h in heights]
    line.set_data([*angles, angles[0]], [*radii, radii[0]])
    line.set_zorder(3)
    line.set_clip_on(False)
    axes.add_line(line)
    return line


def _rings(axes: PolarAxes, spokes: int, vis: VisConfig) -> None:
    axes.set_theta_offset(math.pi / 2)
    axes.set_theta_direction(-1)
    axes.set_ylim(0, 100)
    axes.set_xticks([2 * math.pi * i / spokes for i in range(spokes)], [""] * spokes)
    rings = range(20, 101, 20)
    axes.set_yticks(rings, [""] * len(rings))
    veil = {"facecolor": "white", "alpha": 0.7, "edgecolor": "none", "pad": 0.6}
    look: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": vis.font_size * 0.75, "color": QUIET}
    for ring in rings:
        axes.text(math.pi / spokes, ring, f"{ring} %", **look, bbox=veil, zorder=4)
    axes.spines["polar"].set_color("#BBBBBB")


def _label(points: list[Point], group: tuple[str, str], vis: VisConfig, with_value: bool) -> str:
    """Task and metric, with the value at the rim where it is not 100 %."""
    point = next(p for p in points if (p.task, p.metric) == group)
    metric = metric_title(point, shown).removesuffix(" ↓")
    value = finite(point.value) or 0.0
    if point.unit == "share":
        metric = metric if point.higher_is_better else f"100 − {metric}"
        drawn = value if point.higher_is_better else 1.0 - value
        metric += f": {figure_text(100 * drawn)}" if with_value else ""
    else:
        metric = metric if point.higher_is_better else f"1 − {metric}"
        metric += f": {figure_text(value)}" if with_value else ""
        metric += f" / {figure_text(maximum(point, vis))}"
    return f"{wrap(shown(point.task), 13)}\n{wrap(metric, 16)}"


def _note(points: list[Point], scaled: list[Point]) -> str:
    notes = []
    drawn = set(in_order_of_groups(scaled))
    left_out = [point for point in points if (point.task, point.metric) not in drawn]
    if left_out:
        tasks = in_order(f"{shown(point.task)} ({metric_title(point, shown)})" for point in left_out)
        notes.append(tr("Left out, since no share: {tasks}", tasks=", ".join(tasks)))
    if any(point.unit == "number" for point in scaled):
        notes.append(tr("A metric with / and a number is drawn as its share of that number, at most 100 %"))
    return "; ".join(notes)
