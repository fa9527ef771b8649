"""Point loads, with angle dimensions for inclined ones."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from sightline.suites.structural.drawing.dimensions import draw_angle_mark, draw_reference_line
from sightline.suites.structural.drawing.labels import candidates_beside
from sightline.suites.structural.drawing.loads import draw_force
from sightline.suites.structural.drawing.shapes import Text
from sightline.suites.structural.drawing.vectors import (
    XY,
    Axes,
    Box,
    angle_gap,
    angle_of,
    distance,
    interpolate,
    offset_point,
)
from sightline.suites.structural.generator.pictures.draft import Draft
from sightline.suites.structural.generator.pictures.notation import FORCE_UNIT, format_number, format_quantity
from sightline.suites.structural.generator.pictures.view import point_along_link
from sightline.suites.structural.model import Force

_RADIUS = 40.0
_SQUARE = 18.0
_START = 16.0
"""Pixels from its point within which an arrow may touch other members."""


class _Arrow(Struct, frozen=True, kw_only=True):
    at: XY
    """The point on which it acts."""
    tail: XY
    tip: XY
    angle: float
    pushes: bool
    """Whether it ends at its point, else it begins there."""

    @property
    def outside(self) -> float:
        """The direction from the point to the arrow."""
        return (self.angle + 180.0) % 360.0 if self.pushes else self.angle % 360.0

    @property
    def far(self) -> XY:
        """The end away from the point."""
        return self.tail if self.pushes else self.tip


def draw_forces(draft: Draft, names: dict[str, str]) -> None:
    """All arrows first, then their angles, then their values."""
    loads = [load for load in draft.model.loads if isinstance(load, Force)]
    arrows = [_draw(draft, load) for load in loads]
    for load, arrow in zip(loads, arrows, strict=True):
        if min(arrow.outside % 90.0, 90.0 - arrow.outside % 90.0) < 0.01:
            continue
        if load.link and abs(angle_gap(arrow.angle, _link_direction(draft, load.link)) - 90.0) < 0.01:
            _draw_square(draft, arrow, _link_direction(draft, load.link))
        else:
            _draw_angle(draft, arrow)
    for load, arrow in zip(loads, arrows, strict=True):
        draft.defer_label(
            _label_candidates(
                draft, arrow, format_quantity(load.value, FORCE_UNIT, draft.style, names.get(load.id, ""))
            )
        )


def load_pixel(draft: Draft, load: Force) -> XY:
    """The pixel of its point."""
    if load.point:
        return draft.pixels[load.point]
    link = draft.links[load.link]
    length = distance(draft.pixels[link.a], draft.pixels[link.b]) / draft.view.scale
    return point_along_link(link, draft.pixels, load.offset / length)


def _draw(draft: Draft, load: Force) -> _Arrow:
    at, style = load_pixel(draft, load), draft.style
    angle = load.angle if load.value >= 0 else load.angle + 180.0
    joint = draft.joints.get(load.point)
    gap = style.hinge + 3.0 if joint and any(joint.hinged) else style.member / 2 + 1.0
    arrow = _choose(draft, at, angle, gap)
    draw_force(draft.canvas, arrow.tip, angle, distance(arrow.tail, arrow.tip), style.loads)
    draft.mark_drawn()
    return arrow


def _choose(draft: Draft, at: XY, angle: float, gap: float) -> _Arrow:
    """Towards the point from outside, away from it, or through a comb on it: the first that crosses nothing."""
    length, high = draft.style.arrow, draft.style.arrow + draft.style.comb
    push = _Arrow(
        at=at, tail=offset_point(at, angle, -gap - length), tip=offset_point(at, angle, -gap), angle=angle, pushes=True
    )
    pull = _Arrow(
        at=at, tail=offset_point(at, angle, gap), tip=offset_point(at, angle, gap + length), angle=angle, pushes=False
    )
    tall = _Arrow(at=at, tail=offset_point(at, angle, -gap - high), tip=push.tip, angle=angle, pushes=True)
    combed = any(box.overlaps(Box.bounding((interpolate(push.tail, push.tip),), 2.0)) for box in draft.combs)
    if combed and angle % 90.0 == 0.0:
        # through the comb: only what lies beyond it must be free; a slanting arrow would leave no room for its angle
        beyond = offset_point(at, tall.outside, gap + draft.style.comb + 14.0)
        if draft.occupied.is_clear(beyond, offset_point(tall.far, tall.outside, 4.0), 12.0):
            return tall
    for arrow in (push, pull):
        if draft.occupied.is_clear(
            offset_point(at, arrow.outside, gap + _START), offset_point(arrow.far, arrow.outside, 4.0), 12.0
        ):
            return arrow
    draft.clashes.append("force")
    return push


def _link_direction(draft: Draft, link: str) -> float:
    member = draft.links[link]
    return angle_of(draft.pixels[member.a], draft.pixels[member.b])


def _draw_square(draft: Draft, arrow: _Arrow, direction: float) -> None:
    """The sign of a right angle between an arrow and its member."""
    axes = Axes(arrow.at, direction)
    up = _SQUARE if abs(angle_gap(direction + 90.0, arrow.outside)) < 1.0 else -_SQUARE
    draft.canvas.line(axes.path((_SQUARE, 0.0), (_SQUARE, up), (0.0, up)), draft.style.thin)
    draft.mark_drawn()


def _draw_angle(draft: Draft, arrow: _Arrow) -> None:
    """Between the arrow and the level line through its point, on the side where the angle is acute."""
    out, style = arrow.outside, draft.style
    level = 0.0 if angle_gap(out, 0.0) < 90.0 else 180.0
    sweep = (out - level + 180.0) % 360.0 - 180.0
    length = distance(arrow.at, arrow.far)
    radius = min(_RADIUS, 0.7 * length)
    if not _member_along(draft, arrow, level):
        draw_reference_line(draft.canvas, arrow.at, level, radius + 24.0, style.thin)
    draw_angle_mark(draft.canvas, arrow.at, radius, level, sweep, style.thin)
    draft.mark_drawn()
    text = draft.text(f"{format_number(sweep)}°", colour=style.dimension_ink)
    draft.defer_label(
        option
        for turn in (0.5, 0.4, 0.6, 0.3, 0.7, 0.2)
        for option in candidates_beside(
            text, arrow.at, level + turn * sweep, (radius + 4, radius + 10, radius + 18, radius + 30)
        )
    )


def _member_along(draft: Draft, arrow: _Arrow, level: float) -> bool:
    """Whether a member leaves the point along the level line, so that the angle can be measured from it."""
    for joint in draft.joints.values():
        if distance(joint.at, arrow.at) < 1.0:
            return joint.room(level) < 0.1
    return draft.is_beam


def _label_candidates(draft: Draft, arrow: _Arrow, words: str) -> Iterator[Text]:
    """Beyond the far end, then beside the arrow."""
    text = draft.text(words, colour=draft.style.load_ink)
    yield from candidates_beside(text, arrow.far, arrow.outside, (6.0,))
    near_far = [interpolate(arrow.at, arrow.far, share) for share in (0.85, 0.7, 0.55)]
    for clearance in (8.0, 14.0):
        for point in near_far:
            for side in (90.0, -90.0):
                yield from candidates_beside(text, point, arrow.outside + side, (clearance,))
    for clearance in (6.0, 14.0, 26.0, 40.0):
        for turn in (0.0, 40.0, -40.0, 70.0, -70.0):
            yield from candidates_beside(text, arrow.far, arrow.outside + turn, (clearance,))
