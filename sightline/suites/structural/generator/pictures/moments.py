"""Concentrated moments."""

from __future__ import annotations

import math
from collections.abc import Iterator

from sightline.suites.structural.drawing.labels import beside
from sightline.suites.structural.drawing.loads import moment
from sightline.suites.structural.drawing.shapes import Text
from sightline.suites.structural.drawing.vectors import XY, Box, along, angle_gap, angle_of, distance
from sightline.suites.structural.generator.pictures.draft import Draft
from sightline.suites.structural.generator.pictures.view import on_link
from sightline.suites.structural.generator.pictures.words import MOMENT, quantity
from sightline.suites.structural.model import Moment

_RADIUS = 27.0
_SWEEP = 230.0
_MIDDLES = (90.0, 0.0, 180.0, 270.0, 45.0, 135.0, 225.0, 315.0)


def draw_moments(draft: Draft, names: dict[str, str]) -> None:
    """Arcs around their points, then their values."""
    loads = [load for load in draft.model.loads if isinstance(load, Moment)]
    drawn = [(load, _draw(draft, load)) for load in loads]
    for load, (at, middle) in drawn:
        draft.later(_spots(draft, at, middle, quantity(load.value, MOMENT, draft.style, names.get(load.id, ""))))


def _draw(draft: Draft, load: Moment) -> tuple[XY, float]:
    at, ways = _where(draft, load)
    middle = min(_MIDDLES, key=lambda angle: _cost(draft, at, angle, ways))
    if _hits(draft, at, middle):
        draft.clashes.append("moment")
    sense = math.copysign(1.0, load.value)
    moment(draft.canvas, at, _RADIUS, middle - sense * _SWEEP / 2, sense * _SWEEP, draft.style.loads)
    draft.canvas.circle(at, 0.75 * draft.style.member, fill=draft.style.load_ink)
    draft.settle()
    return at, middle


def _where(draft: Draft, load: Moment) -> tuple[XY, tuple[float, ...]]:
    """Its pixel, and the directions in which members leave it."""
    if load.point:
        joint = draft.joints[load.point]
        return joint.at, joint.ways
    link = draft.links[load.link]
    start, end = draft.pixels[link.a], draft.pixels[link.b]
    length = distance(start, end) / draft.view.scale
    way = angle_of(start, end)
    return on_link(link, draft.pixels, load.offset / length), (way, way + 180.0)


def _hits(draft: Draft, at: XY, middle: float) -> int:
    """How much of the arc would lie on other things."""
    steps = [middle + _SWEEP * (k / 16 - 0.5) for k in range(17)]
    return sum(not draft.busy.is_free(Box.around((along(at, step, _RADIUS),), 4.0)) for step in steps)


def _cost(draft: Draft, at: XY, middle: float, ways: tuple[float, ...]) -> tuple[int, int]:
    crossed = sum(angle_gap(way, middle) < _SWEEP / 2 + 12.0 for way in ways)
    return _hits(draft, at, middle), crossed


def _spots(draft: Draft, at: XY, middle: float, words: str) -> Iterator[Text]:
    text = draft.text(words, colour=draft.style.load_ink)
    for clearance in (_RADIUS + 8.0, _RADIUS + 18.0, _RADIUS + 32.0):
        for turn in (0.0, 30.0, -30.0, 55.0, -55.0, 80.0, -80.0, 110.0, -110.0, 180.0):
            yield from beside(text, at, middle + turn, (clearance,))
