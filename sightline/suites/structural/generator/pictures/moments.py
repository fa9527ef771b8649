"""Concentrated moments."""

from __future__ import annotations

import math
from collections.abc import Iterator

from sightline.suites.structural.drawing.labels import candidates_beside
from sightline.suites.structural.drawing.loads import draw_moment
from sightline.suites.structural.drawing.shapes import Text
from sightline.suites.structural.drawing.vectors import XY, Box, angle_gap, angle_of, distance, offset_point
from sightline.suites.structural.generator.pictures.draft import Draft
from sightline.suites.structural.generator.pictures.notation import MOMENT_UNIT, format_quantity
from sightline.suites.structural.generator.pictures.view import point_along_link
from sightline.suites.structural.model import Moment

_RADIUS = 27.0
_SWEEP = 230.0
_MIDDLES = (90.0, 0.0, 180.0, 270.0, 45.0, 135.0, 225.0, 315.0)


def draw_moments(draft: Draft, names: dict[str, str]) -> None:
    """Arcs around their points, then their values."""
    loads = [load for load in draft.model.loads if isinstance(load, Moment)]
    drawn = [(load, _draw(draft, load)) for load in loads]
    for load, (at, middle) in drawn:
        draft.defer_label(
            _label_candidates(
                draft, at, middle, format_quantity(load.value, MOMENT_UNIT, draft.style, names.get(load.id, ""))
            )
        )


def _draw(draft: Draft, load: Moment) -> tuple[XY, float]:
    at, directions = _moment_position(draft, load)
    middle = min(_MIDDLES, key=lambda angle: _cost(draft, at, angle, directions))
    if _hits(draft, at, middle):
        draft.clashes.append("moment")
    sense = math.copysign(1.0, load.value)
    draw_moment(draft.canvas, at, _RADIUS, middle - sense * _SWEEP / 2, sense * _SWEEP, draft.style.loads)
    draft.canvas.circle(at, 0.75 * draft.style.member, fill=draft.style.load_ink)
    draft.mark_drawn()
    return at, middle


def _moment_position(draft: Draft, load: Moment) -> tuple[XY, tuple[float, ...]]:
    """Its pixel, and the directions in which members leave it."""
    if load.point:
        joint = draft.joints[load.point]
        return joint.at, joint.directions
    link = draft.links[load.link]
    start, end = draft.pixels[link.a], draft.pixels[link.b]
    length = distance(start, end) / draft.view.scale
    direction = angle_of(start, end)
    return point_along_link(link, draft.pixels, load.offset / length), (direction, direction + 180.0)


def _hits(draft: Draft, at: XY, middle: float) -> int:
    """How much of the arc would lie on other things."""
    steps = [middle + _SWEEP * (k / 16 - 0.5) for k in range(17)]
    return sum(
        not draft.occupied_except_members.is_free(Box.bounding((offset_point(at, step, _RADIUS),), 4.0))
        for step in steps
    )


def _cost(draft: Draft, at: XY, middle: float, directions: tuple[float, ...]) -> tuple[int, int]:
    crossed = sum(angle_gap(direction, middle) < _SWEEP / 2 + 12.0 for direction in directions)
    return _hits(draft, at, middle), crossed


def _label_candidates(draft: Draft, at: XY, middle: float, words: str) -> Iterator[Text]:
    text = draft.text(words, colour=draft.style.load_ink)
    for clearance in (_RADIUS + 8.0, _RADIUS + 18.0, _RADIUS + 32.0):
        for turn in (0.0, 30.0, -30.0, 55.0, -55.0, 80.0, -80.0, 110.0, -110.0, 180.0):
            yield from candidates_beside(text, at, middle + turn, (clearance,))
