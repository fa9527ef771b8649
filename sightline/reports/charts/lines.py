"""Lines and dots between two axes: precision over recall, the score over levels, counts against truth."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from sightline.reports.charts.svg import Sheet, colour, path
from sightline.reports.plots.content import Curve, ticks_up_to

WIDTH, HEIGHT = 540.0, 380.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 58.0, 14.0, 12.0, 48.0
_SMALL = 10.5
_DASHES = ("", "7 4", "2 3", "8 3 2 3")


class Step(NamedTuple):
    """The score at a level, with interval and fit."""

    level: float
    value: float
    low: float
    high: float
    fit: float


class Axes(NamedTuple):
    """What the edges of a drawing say: (place from 0 to 1, text)."""

    across: list[tuple[float, str]]
    up: list[tuple[float, str]]
    names: tuple[str, str]


PERCENT = [(step / 5, f"{20 * step}") for step in range(6)]


def curves(found: Sequence[Curve], names: tuple[str, str], title: str) -> str:
    """Shares over shares, both in per cent."""
    sheet = _framed(Axes(PERCENT, PERCENT, names))
    for index, points in enumerate(found):
        places = [_place(across, up) for across, up in points]
        look = {"stroke_dasharray": _DASHES[index % len(_DASHES)]} if index % len(_DASHES) else {}
        sheet.add("path", d=path(places), fill="none", stroke=colour(index), stroke_width=2, **look)
        for x, y in places if len(places) < 15 else ():
            sheet.add("circle", cx=x, cy=y, r=3, fill=colour(index))
    return sheet.svg(title)


def ladder(series: Sequence[tuple[list[Step], float | None]], axis: str, title: str) -> str:
    """Scores over levels with whiskers, their fit as a line, and a diamond where it falls to half."""
    levels = sorted({step.level for steps, _ in series for step in steps})
    low, high = min(levels) - 0.4, max(levels) + 0.4
    ticks = [((level - low) / (high - low), f"L{level:.0f}") for level in levels]
    sheet = _framed(Axes(ticks, PERCENT, ("", axis)))
    sheet.line(_place(0, 0.5), _place(1, 0.5), stroke="var(--soft)", stroke_dasharray="2 4")
    for index, (steps, boundary) in enumerate(series):
        shift = 0.05 * (index - (len(series) - 1) / 2)
        at = [(step.level + shift - low) / (high - low) for step in steps]
        look = {"stroke_dasharray": _DASHES[index % len(_DASHES)]} if index % len(_DASHES) else {}
        fit = [_place(x, step.fit) for x, step in zip(at, steps, strict=True)]
        sheet.add("path", d=path(fit), fill="none", stroke=colour(index), stroke_width=2, **look)
        for across, step in zip(at, steps, strict=True):
            sheet.line(_place(across, step.low), _place(across, step.high), stroke=colour(index), stroke_width=1.4)
            x, y = _place(across, step.value)
            sheet.add("circle", cx=x, cy=y, r=3.6, fill=colour(index))
        if boundary is not None and 0 < boundary < len(steps):
            x, y = _place((boundary + shift - low) / (high - low), 0.5)
            diamond = [(x - 6, y), (x, y - 6), (x + 6, y), (x, y + 6)]
            sheet.add("path", d=path(diamond, close=True), fill=colour(index), stroke="var(--paper)", stroke_width=1.5)
    return sheet.svg(title)


def dots(found: Sequence[tuple[float, float, float]], names: tuple[str, str], title: str) -> str:
    """Replies against truths on axes that grow with the logarithm; areas are numbers of samples."""
    ticks = ticks_up_to(max(max(truth, told) for truth, told, _ in found))
    most = math.log1p(ticks[-1]) * 1.06

    def place(value: float) -> float:
        return (math.log1p(value) + 0.03 * most) / (1.03 * most)

    marks = [(place(tick), f"{tick:,}") for tick in ticks]
    sheet = _framed(Axes(marks, marks, names))
    ends = place(0), place(ticks[-1])
    sheet.line(_place(ends[0], ends[0]), _place(ends[1], ends[1]), stroke="var(--soft)", stroke_dasharray="6 4")
    largest = max(n for _, _, n in found)
    for truth, told, n in found:
        x, y = _place(place(truth), place(told))
        radius = 3 + 12 * math.sqrt(n / largest)
        sheet.add("circle", cx=x, cy=y, r=radius, fill=colour(0), fill_opacity=0.55)
    return sheet.svg(title)


def _place(across: float, up: float) -> tuple[float, float]:
    x = _LEFT + across * (WIDTH - _LEFT - _RIGHT)
    return x, HEIGHT - _BOTTOM - min(1.0, max(0.0, up)) * (HEIGHT - _TOP - _BOTTOM)


def _framed(axes: Axes) -> Sheet:
    sheet = Sheet(WIDTH, HEIGHT)
    quiet = {"fill": "var(--soft)"}
    for at, text in axes.up:
        _, y = _place(0, at)
        sheet.line((_LEFT, y), (WIDTH - _RIGHT, y), stroke="var(--line)")
        sheet.words(_LEFT - 7, y, text, text_anchor="end", font_size=_SMALL, **quiet)
    for at, text in axes.across:
        x, bottom = _place(at, 0)
        sheet.line((x, _TOP), (x, bottom), stroke="var(--line)")
        sheet.words(x, bottom + 12, text, text_anchor="middle", font_size=_SMALL, **quiet)
    middle = (HEIGHT - _BOTTOM + _TOP) / 2
    sheet.words((WIDTH + _LEFT) / 2, HEIGHT - 12, axes.names[0], text_anchor="middle", **quiet)
    turn = f"rotate(-90 14 {middle:.0f})"
    sheet.words(14, middle, axes.names[1], text_anchor="middle", transform=turn, **quiet)
    return sheet
