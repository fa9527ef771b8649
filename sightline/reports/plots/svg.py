"""SVG charts for HTML pages: bars, coloured tables, curves and radar, in the page's colours, without Matplotlib."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from html import escape
from typing import NamedTuple

from msgspec import Struct

from sightline.i18n import tr
from sightline.reports.plots.labels import LabelBox, ems, format_number, label_radius, one_line, place_labels, wrap
from sightline.reports.plots.prepare import BarGrid, CellTable, ChartBar, Curve, LevelSeries, count_ticks

SERIES_COLOURS = 8
FONT_SIZE = 12.0
"""Of the letters, in the units of the drawing."""
LEADING = 1.2
MAX_SHARED_WIDTH = 640.0
"""A drawing wider than this does not share its line with another."""
AttributeValue = str | float | int


class Chart(Struct, frozen=True, kw_only=True):
    """A drawing with the words around it."""

    kind: str
    title: str
    svg: str
    note: str = ""
    legend: tuple[str, ...] = ()
    """Names of the series, in the order of their colours."""
    marks: str = ""
    """What the strokes across bars stand for."""

    @property
    def wide(self) -> bool:
        """Whether it needs the whole width of a page."""
        found = re.match(r'<svg class="plot" viewBox="0 0 ([\d.]+) ', self.svg)
        return found is not None and float(found[1]) > MAX_SHARED_WIDTH


class SvgDrawing:
    """SVG elements on a drawing of the given size; every text is escaped, and no element has an id."""

    def __init__(self, width: float, height: float) -> None:
        self.width, self.height = width, height
        self._parts: list[str] = []

    def add(self, name: str, **attributes: AttributeValue) -> None:
        """An element; attributes are written with hyphens."""
        self._parts.append(f"<{name}{_attributes(attributes)}/>")

    def line(self, start: tuple[float, float], end: tuple[float, float], **attributes: AttributeValue) -> None:
        """A straight line."""
        self.add("line", x1=start[0], y1=start[1], x2=end[0], y2=end[1], **attributes)

    def text(self, x: float, y: float, text: str, **attributes: AttributeValue) -> None:
        """A text whose lines are centred on the height `y`."""
        lines = text.split("\n")
        size = float(attributes.get("font_size", FONT_SIZE))
        first = y - (len(lines) - 1) * size * LEADING / 2 + size * 0.35
        for number, line in enumerate(lines):
            place = _attributes({"x": x, "y": first + number * size * LEADING, "font_size": size, **attributes})
            self._parts.append(f"<text{place}>{escape(one_line(line))}</text>")

    def svg(self, label: str) -> str:
        """The whole drawing."""
        size = f'viewBox="0 0 {_decimal(self.width)} {_decimal(self.height)}" style="--wide:{_decimal(self.width)}px"'
        return (
            f'<svg class="plot" {size} role="img" aria-label="{escape(one_line(label))}">{"".join(self._parts)}</svg>'
        )


def colour(index: int) -> str:
    """The colour of the series number `index`."""
    return f"var(--s{index % SERIES_COLOURS + 1})"


def wrap_label(text: str, width: float, lines: int = 2, size: float = FONT_SIZE) -> str:
    """A name broken into lines that fit a width."""
    return "\n".join(wrap(part, width / size, lines) for part in text.split("\n"))


def path(points: Sequence[tuple[float, float]], close: bool = False) -> str:
    """A line through points, as SVG writes it."""
    corners = "L".join(f"{_decimal(x)} {_decimal(y)}" for x, y in points)
    return f"M{corners}{'Z' if close else ''}"


def _attributes(given: dict[str, AttributeValue]) -> str:
    return "".join(
        f' {name.replace("_", "-")}="{escape(value) if isinstance(value, str) else _decimal(value)}"'
        for name, value in given.items()
    )


def _decimal(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")


_WIDTH = 540.0
_BAR_LABEL = 168.0
_BAR_VALUE = 52.0
_BAR_AXIS = 38.0
_SMALL = 10.5


def bar_chart(grid: BarGrid, title: str) -> str:
    """All groups below each other."""
    thick = 16.0 if grid.series == 1 else 13.0
    names = [wrap_label(group, _BAR_LABEL - 10) for group in grid.groups]
    tall = [max(grid.series * thick, (name.count("\n") + 1) * FONT_SIZE * LEADING) + 9 for name in names]
    drawing = SvgDrawing(_WIDTH, sum(tall) + _BAR_AXIS + 4)
    ends = [end for group in grid.scaled() for bar in group for end in bar if end is not None]
    most = 100.0 if grid.percent else max([0.0, *ends]) or 1.0
    _draw_bar_axis(drawing, grid, most)
    top = 4.0
    for name, height, group in zip(names, tall, grid.scaled(), strict=True):
        drawing.text(_BAR_LABEL - 8, top + height / 2, name, text_anchor="end", fill="var(--ink)")
        first = top + (height - grid.series * thick) / 2
        for index, bar in enumerate(group):
            _draw_bar(drawing, bar, (first + index * thick, thick), index, most)
        top += height
    return drawing.svg(title)


def _bar_x(value: float, most: float) -> float:
    share = min(1.0, max(0.0, value / most))
    return _BAR_LABEL + share * (_WIDTH - _BAR_LABEL - _BAR_VALUE)


def _draw_bar_axis(drawing: SvgDrawing, grid: BarGrid, most: float) -> None:
    bottom = drawing.height - _BAR_AXIS
    for step in range(6):
        value = most * step / 5
        x = _bar_x(value, most)
        drawing.line((x, 2), (x, bottom), stroke="var(--line)")
        text = f"{value:.0f}" if grid.percent else format_number(value)
        drawing.text(x, bottom + 11, text, text_anchor="middle", fill="var(--soft)", font_size=_SMALL)
    middle = (_BAR_LABEL + _WIDTH - _BAR_VALUE) / 2
    drawing.text(middle, bottom + 28, grid.axis, text_anchor="middle", fill="var(--soft)", font_size=_SMALL)


def _draw_bar(drawing: SvgDrawing, bar: ChartBar, place: tuple[float, float], index: int, most: float) -> None:
    y, thick = place
    middle = y + thick / 2
    end = _BAR_LABEL
    if bar.value is not None:
        end = _bar_x(bar.value, most)
        drawing.add("rect", x=_BAR_LABEL, y=y + 1.5, width=end - _BAR_LABEL, height=thick - 3, rx=2, fill=colour(index))
    if bar.value is not None and bar.low is not None and bar.high is not None:
        low, high = _bar_x(bar.low, most), _bar_x(bar.high, most)
        for one, other in (((low, middle), (high, middle)), *(((x, middle - 3), (x, middle + 3)) for x in (low, high))):
            drawing.line(one, other, stroke="var(--ink)", stroke_width=1.2)
        end = max(end, high)
    if bar.mark is not None:
        x = _bar_x(bar.mark, most)
        drawing.line((x, y - 0.5), (x, y + thick + 0.5), stroke="var(--mark)", stroke_width=2.4)
        end = max(end, x)
    text = tr("no data") if bar.value is None else format_number(bar.value)
    drawing.text(end + 5, middle, text, fill="var(--ink)", font_size=_SMALL)


_ROW_LABEL = 150.0
_CELL_FONT_SIZE = 11.0
_SLANT = 40
_SLANTED_EMS = 15.0
"""Ems of a name that stands aslant."""
MAX_SHADE = 0.62
"""A cell is never so dark that the page's ink can't be read on it."""


def cell_chart(table: CellTable, title: str) -> str:
    """Names of rows at the left, of columns above."""
    widest = max([3.2, *(ems(cell.text) for row in table.cells for cell in row)])
    width = max(widest * _CELL_FONT_SIZE + 12, 46.0)
    slanted = len(table.columns) > 6
    if not slanted:
        width = max(width, min(104.0, 372.0 / len(table.columns)))
    columns = [
        wrap(name, _SLANTED_EMS, 1) if slanted else wrap_label(name, width - 8, 3, _CELL_FONT_SIZE)
        for name in table.columns
    ]
    head = _head_height(columns, slanted)
    names = [wrap_label(name, _ROW_LABEL - 10) for name in table.rows]
    tall = [max(26.0, (name.count("\n") + 1) * FONT_SIZE * LEADING + 6) for name in names]
    beyond = _SLANTED_EMS * _CELL_FONT_SIZE * math.cos(math.radians(_SLANT)) * 0.75 if slanted else 0.0
    drawing = SvgDrawing(_ROW_LABEL + width * len(columns) + beyond, head + sum(tall) + 2)
    for index, name in enumerate(columns):
        _draw_column_name(drawing, name, (_ROW_LABEL + index * width, width), head, slanted)
    top = head
    for name, height, row in zip(names, tall, table.cells, strict=True):
        drawing.text(_ROW_LABEL - 8, top + height / 2, name, text_anchor="end", fill="var(--ink)")
        for index, cell in enumerate(row):
            x = _ROW_LABEL + index * width
            look = {"fill": "var(--wash)"} if cell.shade is None else {"fill": "var(--heat)"}
            opacity = 1.0 if cell.shade is None else 0.04 + (MAX_SHADE - 0.04) * min(1.0, max(0.0, cell.shade))
            drawing.add(
                "rect", x=x + 1, y=top + 1, width=width - 2, height=height - 2, rx=2, fill_opacity=opacity, **look
            )
            if cell.text:
                ink = {"text_anchor": "middle", "fill": "var(--ink)"}
                drawing.text(x + width / 2, top + height / 2, cell.text, font_size=_CELL_FONT_SIZE, **ink)
        top += height
    return drawing.svg(title)


def _head_height(columns: list[str], slanted: bool) -> float:
    """Room above for the names of columns."""
    if slanted:
        return max(ems(name) for name in columns) * _CELL_FONT_SIZE * math.sin(math.radians(_SLANT)) + 20
    return max(name.count("\n") + 1 for name in columns) * _CELL_FONT_SIZE * LEADING + 10


def _draw_column_name(drawing: SvgDrawing, name: str, place: tuple[float, float], head: float, slanted: bool) -> None:
    x = place[0] + place[1] / 2
    if slanted:
        turn = f"rotate(-{_SLANT} {x:.1f} {head - 8:.1f})"
        drawing.text(x, head - 10, name, fill="var(--soft)", font_size=_CELL_FONT_SIZE, transform=turn)
    else:
        drawing.text(x, head / 2, name, text_anchor="middle", fill="var(--soft)", font_size=_CELL_FONT_SIZE)


_HEIGHT = 380.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 58.0, 14.0, 12.0, 48.0
_DASHES = ("", "7 4", "2 3", "8 3 2 3")


class _Axes(NamedTuple):
    """Tick positions (0 to 1) and labels of both axes."""

    across: list[tuple[float, str]]
    up: list[tuple[float, str]]
    names: tuple[str, str]


_PERCENT_TICKS = [(step / 5, f"{20 * step}") for step in range(6)]


def curve_chart(found: Sequence[Curve], names: tuple[str, str], title: str) -> str:
    """Shares over shares, both in per cent."""
    drawing = _draw_axes(_Axes(_PERCENT_TICKS, _PERCENT_TICKS, names))
    for index, points in enumerate(found):
        places = [_to_drawing(across, up) for across, up in points]
        look = {"stroke_dasharray": _DASHES[index % len(_DASHES)]} if index % len(_DASHES) else {}
        drawing.add("path", d=path(places), fill="none", stroke=colour(index), stroke_width=2, **look)
        for x, y in places if len(places) < 15 else ():
            drawing.add("circle", cx=x, cy=y, r=3, fill=colour(index))
    return drawing.svg(title)


def level_chart(series: Sequence[LevelSeries], axis: str, title: str) -> str:
    """Scores over levels with whiskers, their fit as a line, and a diamond where it falls to half."""
    levels = sorted({step.level for steps, _ in series for step in steps})
    low, high = min(levels) - 0.4, max(levels) + 0.4
    ticks = [((level - low) / (high - low), f"L{level:.0f}") for level in levels]
    drawing = _draw_axes(_Axes(ticks, _PERCENT_TICKS, ("", axis)))
    drawing.line(_to_drawing(0, 0.5), _to_drawing(1, 0.5), stroke="var(--soft)", stroke_dasharray="2 4")
    for index, (steps, boundary) in enumerate(series):
        shift = 0.05 * (index - (len(series) - 1) / 2)
        at = [(step.level + shift - low) / (high - low) for step in steps]
        look = {"stroke_dasharray": _DASHES[index % len(_DASHES)]} if index % len(_DASHES) else {}
        fit = [_to_drawing(x, step.fit) for x, step in zip(at, steps, strict=True)]
        drawing.add("path", d=path(fit), fill="none", stroke=colour(index), stroke_width=2, **look)
        for across, step in zip(at, steps, strict=True):
            drawing.line(
                _to_drawing(across, step.low), _to_drawing(across, step.high), stroke=colour(index), stroke_width=1.4
            )
            x, y = _to_drawing(across, step.value)
            drawing.add("circle", cx=x, cy=y, r=3.6, fill=colour(index))
        if boundary is not None and 0 < boundary < len(steps):
            x, y = _to_drawing((boundary + shift - low) / (high - low), 0.5)
            diamond = [(x - 6, y), (x, y - 6), (x + 6, y), (x, y + 6)]
            drawing.add(
                "path", d=path(diamond, close=True), fill=colour(index), stroke="var(--paper)", stroke_width=1.5
            )
    return drawing.svg(title)


def count_chart(found: Sequence[tuple[float, float, float]], names: tuple[str, str], title: str) -> str:
    """Replies against truths on axes that grow with the logarithm; areas are numbers of samples."""
    ticks = count_ticks(max(max(truth, predicted) for truth, predicted, _ in found))
    most = math.log1p(ticks[-1]) * 1.06

    def scale(value: float) -> float:
        return (math.log1p(value) + 0.03 * most) / (1.03 * most)

    marks = [(scale(tick), f"{tick:,}") for tick in ticks]
    drawing = _draw_axes(_Axes(marks, marks, names))
    ends = scale(0), scale(ticks[-1])
    drawing.line(
        _to_drawing(ends[0], ends[0]), _to_drawing(ends[1], ends[1]), stroke="var(--soft)", stroke_dasharray="6 4"
    )
    largest = max(n for _, _, n in found)
    for truth, predicted, n in found:
        x, y = _to_drawing(scale(truth), scale(predicted))
        radius = 3 + 12 * math.sqrt(n / largest)
        drawing.add("circle", cx=x, cy=y, r=radius, fill=colour(0), fill_opacity=0.55)
    return drawing.svg(title)


def _to_drawing(across: float, up: float) -> tuple[float, float]:
    x = _LEFT + across * (_WIDTH - _LEFT - _RIGHT)
    return x, _HEIGHT - _BOTTOM - min(1.0, max(0.0, up)) * (_HEIGHT - _TOP - _BOTTOM)


def _draw_axes(axes: _Axes) -> SvgDrawing:
    drawing = SvgDrawing(_WIDTH, _HEIGHT)
    quiet = {"fill": "var(--soft)"}
    for at, text in axes.up:
        _, y = _to_drawing(0, at)
        drawing.line((_LEFT, y), (_WIDTH - _RIGHT, y), stroke="var(--line)")
        drawing.text(_LEFT - 7, y, text, text_anchor="end", font_size=_SMALL, **quiet)
    for at, text in axes.across:
        x, bottom = _to_drawing(at, 0)
        drawing.line((x, _TOP), (x, bottom), stroke="var(--line)")
        drawing.text(x, bottom + 12, text, text_anchor="middle", font_size=_SMALL, **quiet)
    middle = (_HEIGHT - _BOTTOM + _TOP) / 2
    drawing.text((_WIDTH + _LEFT) / 2, _HEIGHT - 12, axes.names[0], text_anchor="middle", **quiet)
    turn = f"rotate(-90 14 {middle:.0f})"
    drawing.text(14, middle, axes.names[1], text_anchor="middle", transform=turn, **quiet)
    return drawing


_MIN_RADIUS = 150.0
_SPOKE_LABEL = 132.0
"""Room for a name."""
_POINTS_PER_INCH = 72.0


def radar_chart(labels: Sequence[str], polygons: Sequence[Sequence[float | None]], title: str) -> str:
    """`polygons` has one list per model, from 0 to 1 for every label; None: no data."""
    count = len(labels)
    names = [wrap_label(name, _SPOKE_LABEL - 8, 2, _SMALL) for name in labels]
    tall = [(name.count("\n") + 1) * _SMALL * LEADING / _POINTS_PER_INCH for name in names]
    wide = [max(map(ems, name.split("\n"))) * _SMALL / _POINTS_PER_INCH for name in names]
    radius = max(_MIN_RADIUS, 0.75 * _POINTS_PER_INCH * label_radius(tall))
    places = place_labels(radius / _POINTS_PER_INCH, wide, tall)
    left, right = -min(place.left for place in places), max(place.right for place in places)
    up, down = max(place.top for place in places), -min(place.bottom for place in places)
    centre = left * _POINTS_PER_INCH + 4, up * _POINTS_PER_INCH + 4
    drawing = SvgDrawing(centre[0] + right * _POINTS_PER_INCH + 4, centre[1] + down * _POINTS_PER_INCH + 4)
    for ring in (0.2, 0.4, 0.6, 0.8, 1.0):
        corners = [_spoke_point(centre, radius * ring, spoke, count) for spoke in range(count)]
        drawing.add("path", d=path(corners, close=True), fill="none", stroke="var(--line)")
    for spoke in range(count):
        drawing.line(centre, _spoke_point(centre, radius, spoke, count), stroke="var(--line)")
    _draw_spoke_names(drawing, names, places, centre)
    for index, heights in enumerate(polygons):
        _draw_polygon(drawing, heights, centre, radius, index)
    for ring in (20, 40, 60, 80):
        drawing.text(centre[0] + 4, centre[1] - radius * ring / 100, f"{ring} %", fill="var(--soft)", font_size=9.5)
    return drawing.svg(title)


def _spoke_point(centre: tuple[float, float], distance: float, spoke: float, count: int) -> tuple[float, float]:
    angle = 2 * math.pi * spoke / count
    return centre[0] + distance * math.sin(angle), centre[1] - distance * math.cos(angle)


def _draw_polygon(
    drawing: SvgDrawing, heights: Sequence[float | None], centre: tuple[float, float], radius: float, index: int
) -> None:
    count = len(heights)
    corners = [None if h is None else _spoke_point(centre, radius * h, spoke, count) for spoke, h in enumerate(heights)]
    there = [corner for corner in corners if corner is not None]
    if len(there) == count:
        look = {"fill": colour(index), "fill_opacity": "0.1"}
        drawing.add("path", d=path(there, close=True), stroke=colour(index), stroke_width=2, **look)
    else:  # the line is broken where a task has no data
        for one, other in zip(corners, [*corners[1:], corners[0]], strict=True):
            if one is not None and other is not None:
                drawing.line(one, other, stroke=colour(index), stroke_width=2)
    for x, y in there:
        drawing.add("circle", cx=x, cy=y, r=3, fill=colour(index))


def _draw_spoke_names(
    drawing: SvgDrawing, labels: Sequence[str], places: Sequence[LabelBox], centre: tuple[float, float]
) -> None:
    for text, place in zip(labels, places, strict=True):
        x, y = centre[0] + place.x * _POINTS_PER_INCH, centre[1] - (place.bottom + place.top) / 2 * _POINTS_PER_INCH
        anchor = {"center": "middle", "left": "start", "right": "end"}[place.side]
        drawing.text(x, y, text, text_anchor=anchor, fill="var(--ink)", font_size=_SMALL)
