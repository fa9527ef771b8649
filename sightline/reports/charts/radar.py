"""One polygon a model over the headlines of all tasks."""

from __future__ import annotations

import math
from collections.abc import Sequence

from sightline.reports.charts.svg import LEADING, Sheet, colour, label, path
from sightline.reports.plots.label_layout import Place, radius_for, spread
from sightline.reports.plots.names import ems

_RADIUS = 150.0
_SMALL = 10.5
_ASIDE = 132.0
"""Room for a name."""
_INCH = 72.0


def radar(labels: Sequence[str], polygons: Sequence[Sequence[float | None]], title: str) -> str:
    """`polygons` has one list a model, from 0 to 1 for every label; None: no data."""
    count = len(labels)
    names = [label(name, _ASIDE - 8, 2, _SMALL) for name in labels]
    tall = [(name.count("\n") + 1) * _SMALL * LEADING / _INCH for name in names]
    wide = [max(map(ems, name.split("\n"))) * _SMALL / _INCH for name in names]
    radius = max(_RADIUS, 0.75 * _INCH * radius_for(tall))
    places = spread(radius / _INCH, wide, tall)
    left, right = -min(place.left for place in places), max(place.right for place in places)
    up, down = max(place.top for place in places), -min(place.bottom for place in places)
    centre = left * _INCH + 4, up * _INCH + 4
    sheet = Sheet(centre[0] + right * _INCH + 4, centre[1] + down * _INCH + 4)
    for ring in (0.2, 0.4, 0.6, 0.8, 1.0):
        corners = [_at(centre, radius * ring, spoke, count) for spoke in range(count)]
        sheet.add("path", d=path(corners, close=True), fill="none", stroke="var(--line)")
    for spoke in range(count):
        sheet.line(centre, _at(centre, radius, spoke, count), stroke="var(--line)")
    _names(sheet, names, places, centre)
    for index, heights in enumerate(polygons):
        _polygon(sheet, heights, centre, radius, index)
    for ring in (20, 40, 60, 80):
        sheet.words(centre[0] + 4, centre[1] - radius * ring / 100, f"{ring} %", fill="var(--soft)", font_size=9.5)
    return sheet.svg(title)


def _at(centre: tuple[float, float], distance: float, spoke: float, count: int) -> tuple[float, float]:
    angle = 2 * math.pi * spoke / count
    return centre[0] + distance * math.sin(angle), centre[1] - distance * math.cos(angle)


def _polygon(
    sheet: Sheet, heights: Sequence[float | None], centre: tuple[float, float], radius: float, index: int
) -> None:
    count = len(heights)
    corners = [None if h is None else _at(centre, radius * h, spoke, count) for spoke, h in enumerate(heights)]
    there = [corner for corner in corners if corner is not None]
    if len(there) == count:
        look = {"fill": colour(index), "fill_opacity": "0.1"}
        sheet.add("path", d=path(there, close=True), stroke=colour(index), stroke_width=2, **look)
    else:  # the line is broken where a task has no data
        for one, other in zip(corners, [*corners[1:], corners[0]], strict=True):
            if one is not None and other is not None:
                sheet.line(one, other, stroke=colour(index), stroke_width=2)
    for x, y in there:
        sheet.add("circle", cx=x, cy=y, r=3, fill=colour(index))


def _names(sheet: Sheet, labels: Sequence[str], places: Sequence[Place], centre: tuple[float, float]) -> None:
    for text, place in zip(labels, places, strict=True):
        x, y = centre[0] + place.x * _INCH, centre[1] - (place.bottom + place.top) / 2 * _INCH
        anchor = {"center": "middle", "left": "start", "right": "end"}[place.side]
        sheet.words(x, y, text, text_anchor=anchor, fill="var(--ink)", font_size=_SMALL)
