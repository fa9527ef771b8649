"""Radar chart with Matplotlib: one polygon per model over the headline metrics of all tasks."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

from matplotlib.artist import Artist
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.projections.polar import PolarAxes

from sightline.i18n import tr
from sightline.reports.plots.data import PlotData, Point, VisConfig, finite
from sightline.reports.plots.labels import LabelBox, ems, format_number, label_radius, place_labels, wrap
from sightline.reports.plots.prepare import metric_title, radar_data, radar_maximum
from sightline.reports.plots.style import (
    DASHES,
    LEGEND_EMS,
    LINE,
    MARGIN,
    PAGE,
    QUIET,
    Plot,
    drawable,
    join_title,
    legend_columns,
    new_page,
    series_colour,
)

MAX_FILLED = 2
"""More polygons over each other would only be mud."""
_MARKERS = "osD^v<>p"
_LINE_HEIGHT = 1.22


def radar_plots(data: PlotData, vis: VisConfig) -> Iterator[Plot]:
    """`radar`, where at least three tasks have a headline that fits on it."""
    radar = radar_data(data, vis)
    if radar is None:
        return
    # numbered among all models, so that each has one colour in all plots
    models = {model: k for k, (model, spokes) in enumerate(radar.heights.items()) if set(spokes) != {None}}
    alone = next(iter(models)) if len(models) == 1 else ""
    texts = RadarTexts(
        title=[drawable(part) for part in (tr("Headline metric of every task"), data.title, alone) if part],
        labels=[_spoke_label(point, vis, bool(alone)) for point in radar.spokes],
        note=radar.note(lambda point: f"{drawable(point.task)} ({metric_title(point, drawable)})"),
        handles=[_model_line(vis, number) for number in models.values()],
        names=[drawable(model) for model in models],
    )
    figure, axes = radar_page(texts, vis)
    _draw_rings(axes, len(radar.spokes), vis)
    for model, number in models.items():
        line = _draw_polygon(axes, radar.heights[model], vis, number)
        if len(models) <= MAX_FILLED and None not in radar.heights[model]:
            axes.fill(line.get_xdata(), line.get_ydata(), color=line.get_color(), alpha=0.08, linewidth=0)
    yield Plot("radar", figure)


def _model_line(vis: VisConfig, index: int) -> Line2D:
    ink, _ = series_colour(vis, index)
    dash = DASHES[index // len(vis.palette) % len(DASHES)]
    return Line2D([], [], color=ink, linestyle=dash, linewidth=2.0, marker=_MARKERS[index % 8], markersize=5.5)


def _draw_polygon(axes: PolarAxes, heights: list[float | None], vis: VisConfig, index: int) -> Line2D:
    """A closed line; it is broken where a task has no data."""
    angles = [2 * math.pi * i / len(heights) for i in range(len(heights))]
    line = _model_line(vis, index)
    radii = [math.nan if h is None else 100 * h for h in heights]
    line.set_data([*angles, angles[0]], [*radii, radii[0]])
    line.set_zorder(3)
    line.set_clip_on(False)
    axes.add_line(line)
    return line


def _draw_rings(axes: PolarAxes, spokes: int, vis: VisConfig) -> None:
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


def _spoke_label(point: Point, vis: VisConfig, with_value: bool) -> str:
    """Task and metric, with the value at the outer ring where it is not 100 %."""
    metric = metric_title(point, drawable).removesuffix(" ↓")
    value = finite(point.value) or 0.0
    if point.unit == "share":
        metric = metric if point.higher_is_better else f"100 − {metric}"
        drawn = value if point.higher_is_better else 1.0 - value
        metric += f": {format_number(100 * drawn)}" if with_value else ""
    else:
        metric = metric if point.higher_is_better else f"1 − {metric}"
        metric += f": {format_number(value)}" if with_value else ""
        metric += f" / {format_number(radar_maximum(point, vis))}"
    return f"{wrap(drawable(point.task), 13)}\n{wrap(metric, 16)}"


class RadarTexts(NamedTuple):
    """The words of a radar plot."""

    title: list[str]
    labels: list[str]
    """One label per spoke, clockwise from the top."""
    note: str
    handles: list[Line2D]
    names: list[str]


def radar_page(texts: RadarTexts, vis: VisConfig) -> tuple[Figure, PolarAxes]:
    """A page with everything but the polygons."""
    size = vis.font_size * 0.92
    tall = [(label.count("\n") + 1) * size * _LINE_HEIGHT / 72 for label in texts.labels]
    wide = [max(ems(line) for line in label.split("\n")) * size / 72 for label in texts.labels]
    radius = label_radius(tall)
    places = place_labels(radius, wide, tall)
    top, bottom = (max(sign * edge for p in places for edge in (p.top, p.bottom)) for sign in (1, -1))
    head = join_title(texts.title, PAGE, vis.font_size)
    note = wrap(texts.note, (PAGE - 2 * MARGIN) * 72 / (vis.font_size * 0.85), 3) if texts.note else ""
    above = 0.45 + (head.count("\n") + 1) * vis.font_size * 1.6 / 72
    key = _legend_height(texts, vis)
    below = 0.3 + (len(note.split("\n")) * vis.font_size * 1.1 / 72 + 0.1 if note else 0.0) + key
    reach = max(max(-p.left, p.right) for p in places) + 0.25
    figure = new_page(vis, top + bottom + above + below, 2 * reach)
    figure.set_layout_engine("none")
    width, height = figure.get_size_inches()
    # what is left over on a page that is higher than needed is shared out above and below
    middle = below + bottom + (height - top - bottom - above - below) / 2
    box = ((width / 2 - radius) / width, (middle - radius) / height, 2 * radius / width, 2 * radius / height)
    axes = figure.add_axes(box, projection="polar")
    assert isinstance(axes, PolarAxes)
    _write_labels(figure, texts.labels, places, (width / 2, middle, radius, size))
    scale = figure.dpi_scale_trans
    figure.text(MARGIN, height - 0.3, head, transform=scale, va="top", fontsize=vis.font_size * 1.25)
    if note:
        small = vis.font_size * 0.85
        figure.text(MARGIN, 0.2 + key, note, transform=scale, va="bottom", fontsize=small, color=QUIET)
    if key:
        _draw_legend(figure, texts, vis)
    return figure, axes


def _legend_height(texts: RadarTexts, vis: VisConfig) -> float:
    """Room for the legend; none for a single model."""
    if len(texts.names) < 2:
        return 0.0
    names = [wrap(name, LEGEND_EMS, 2) for name in texts.names]
    rows = math.ceil(len(names) / legend_columns(names, PAGE, vis.font_size))
    lines = max(name.count("\n") + 1 for name in names)
    return rows * (lines * 1.15 + 0.5) * vis.font_size / 72 + 0.15


def _draw_legend(figure: Figure, texts: RadarTexts, vis: VisConfig) -> None:
    names = [wrap(name, LEGEND_EMS, 2) for name in texts.names]
    columns = legend_columns(names, PAGE, vis.font_size)
    handles: list[Artist] = [*texts.handles]
    # text is set afterwards: a label that begins with _ would be left out
    drawn = figure.legend(handles, ["-"] * len(handles), loc="lower center", ncols=columns)
    for text, name in zip(drawn.get_texts(), names, strict=True):
        text.set_text(name)


def _write_labels(
    figure: Figure, labels: list[str], places: list[LabelBox], frame: tuple[float, float, float, float]
) -> None:
    """Draw the names, and a thin line to the rim where one had to move away from its spoke."""
    x, y, radius, size = frame
    for i, (label, place) in enumerate(zip(labels, places, strict=True)):
        middle = (place.bottom + place.top) / 2
        figure.text(
            x + place.x,
            y + middle,
            label,
            transform=figure.dpi_scale_trans,
            ha=place.side,
            va="center",
            fontsize=size,
            linespacing=_LINE_HEIGHT * 0.95,
        )
        angle = 2 * math.pi * i / len(labels)
        rim = radius * math.sin(angle), radius * math.cos(angle)
        near = min(max(rim[1], place.bottom), place.top)
        if math.hypot(place.x - rim[0], near - rim[1]) > 0.3 and place.side != "center":
            ends = [x + rim[0], x + place.x * 0.995], [y + rim[1], y + near]
            figure.add_artist(Line2D(*ends, transform=figure.dpi_scale_trans, color=LINE, linewidth=1.0))
