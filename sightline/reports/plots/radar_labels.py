"""The page of a radar plot: names around the rim that never touch each other, title above, notes below.

All places are in inches; the origin of the names is the centre of the circle.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from matplotlib.artist import Artist
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.projections.polar import PolarAxes

from sightline.reports.plots.label_layout import Place, radius_for, spread
from sightline.reports.plots.names import ems, wrap
from sightline.reports.plots.style import LEGEND_EMS, LINE, MARGIN, PAGE, QUIET, headline, legend_columns, page
from sightline.reports.plots.vis import VisConfig

_LEADING = 1.22


class Rim(NamedTuple):
    """The words of a radar plot."""

    title: list[str]
    labels: list[str]
    """One a spoke, clockwise from the top."""
    note: str
    handles: list[Line2D]
    names: list[str]


def round_page(rim: Rim, vis: VisConfig) -> tuple[Figure, PolarAxes]:
    """A page with everything but the polygons."""
    size = vis.font_size * 0.92
    tall = [(label.count("\n") + 1) * size * _LEADING / 72 for label in rim.labels]
    wide = [max(ems(line) for line in label.split("\n")) * size / 72 for label in rim.labels]
    radius = radius_for(tall)
    places = spread(radius, wide, tall)
    top, bottom = (max(sign * edge for p in places for edge in (p.top, p.bottom)) for sign in (1, -1))
    head = headline(rim.title, PAGE, vis.font_size)
    note = wrap(rim.note, (PAGE - 2 * MARGIN) * 72 / (vis.font_size * 0.85), 3) if rim.note else ""
    above = 0.45 + (head.count("\n") + 1) * vis.font_size * 1.6 / 72
    key = _key_height(rim, vis)
    below = 0.3 + (len(note.split("\n")) * vis.font_size * 1.1 / 72 + 0.1 if note else 0.0) + key
    reach = max(max(-p.left, p.right) for p in places) + 0.25
    figure = page(vis, top + bottom + above + below, 2 * reach)
    figure.set_layout_engine("none")
    width, height = figure.get_size_inches()
    # what is left over on a page that is higher than needed is shared out above and below
    middle = below + bottom + (height - top - bottom - above - below) / 2
    box = ((width / 2 - radius) / width, (middle - radius) / height, 2 * radius / width, 2 * radius / height)
    axes = figure.add_axes(box, projection="polar")
    assert isinstance(axes, PolarAxes)
    _write_names(figure, rim.labels, places, (width / 2, middle, radius, size))
    scale = figure.dpi_scale_trans
    figure.text(MARGIN, height - 0.3, head, transform=scale, va="top", fontsize=vis.font_size * 1.25)
    if note:
        small = vis.font_size * 0.85
        figure.text(MARGIN, 0.2 + key, note, transform=scale, va="bottom", fontsize=small, color=QUIET)
    if key:
        _key(figure, rim, vis)
    return figure, axes


def _key_height(rim: Rim, vis: VisConfig) -> float:
    """Room for the legend; none for a single model."""
    if len(rim.names) < 2:
        return 0.0
    names = [wrap(name, LEGEND_EMS, 2) for name in rim.names]
    rows = math.ceil(len(names) / legend_columns(names, PAGE, vis.font_size))
    lines = max(name.count("\n") + 1 for name in names)
    return rows * (lines * 1.15 + 0.5) * vis.font_size / 72 + 0.15


def _key(figure: Figure, rim: Rim, vis: VisConfig) -> None:
    names = [wrap(name, LEGEND_EMS, 2) for name in rim.names]
    columns = legend_columns(names, PAGE, vis.font_size)
    handles: list[Artist] = [*rim.handles]
    # text is set afterwards: a label that begins with _ would be left out
    drawn = figure.legend(handles, ["-"] * len(handles), loc="lower center", ncols=columns)
    for text, name in zip(drawn.get_texts(), names, strict=True):
        text.set_text(name)


def _write_names(
    figure: Figure, labels: list[str], places: list[Place], frame: tuple[float, float, float, float]
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
            linespacing=_LEADING * 0.95,
        )
        angle = 2 * math.pi * i / len(labels)
        rim = radius * math.sin(angle), radius * math.cos(angle)
        near = min(max(rim[1], place.bottom), place.top)
        if math.hypot(place.x - rim[0], near - rim[1]) > 0.3 and place.side != "center":
            ends = [x + rim[0], x + place.x * 0.995], [y + rim[1], y + near]
            figure.add_artist(Line2D(*ends, transform=figure.dpi_scale_trans, color=LINE, linewidth=1.0))
