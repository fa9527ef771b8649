"""Point loads, with the angles of those that are neither level nor upright."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from sightline.suites.structural.drawing.dimensions import angle_mark, reference
from sightline.suites.structural.drawing.labels import beside
from sightline.suites.structural.drawing.loads import force
from sightline.suites.structural.drawing.shapes import Text
from sightline.suites.structural.drawing.vectors import XY, Axes, Box, along, angle_gap, angle_of, between, distance
from sightline.suites.structural.generator.pictures.draft import Draft
from sightline.suites.structural.generator.pictures.view import on_link
from sightline.suites.structural.generator.pictures.words import FORCE, number, quantity
from sightline.suites.structural.model import Force

_RADIUS = 40.0
_SQUARE = 18.0
_START = 16.0
"""So near to its point an arrow may touch other members."""


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
        if load.link and abs(angle_gap(arrow.angle, _way(draft, load.link)) - 90.0) < 0.01:
            _draw_square(draft, arrow, _way(draft, load.link))
        else:
            _draw_angle(draft, arrow)
    for load, arrow in zip(loads, arrows, strict=True):
        draft.later(_spots(draft, arrow, quantity(load.value, FORCE, draft.style, names.get(load.id, ""))))


def place_of(draft: Draft, load: Force) -> XY:
    """The pixel of its point."""
    if load.point:
        return draft.pixels[load.point]
    link = draft.links[load.link]
    length = distance(draft.pixels[link.a], draft.pixels[link.b]) / draft.view.scale
    return on_link(link, draft.pixels, load.offset / length)


def _draw(draft: Draft, load: Force) -> _Arrow:
    at, style = place_of(draft, load), draft.style
    angle = load.angle if load.value >= 0 else load.angle + 180.0
    joint = draft.joints.get(load.point)
    gap = style.hinge + 3.0 if joint and any(joint.hinged) else style.member / 2 + 1.0
    arrow = _choose(draft, at, angle, gap)
    force(draft.canvas, arrow.tip, angle, distance(arrow.tail, arrow.tip), style.loads)
    draft.settle()
    return arrow


def _choose(draft: Draft, at: XY, angle: float, gap: float) -> _Arrow:
    """Towards the point from outside, away from it, or through a comb on it: the first that crosses nothing."""
    length, high = draft.style.arrow, draft.style.arrow + draft.style.comb
    push = _Arrow(at=at, tail=along(at, angle, -gap - length), tip=along(at, angle, -gap), angle=angle, pushes=True)
    pull = _Arrow(at=at, tail=along(at, angle, gap), tip=along(at, angle, gap + length), angle=angle, pushes=False)
    tall = _Arrow(at=at, tail=along(at, angle, -gap - high), tip=push.tip, angle=angle, pushes=True)
    combed = any(box.overlaps(Box.around((between(push.tail, push.tip),), 2.0)) for box in draft.combs)
    if combed and angle % 90.0 == 0.0:
        # through the comb: only what lies beyond it must be free; a slanting arrow would leave no room for its angle
        beyond = along(at, tall.outside, gap + draft.style.comb + 14.0)
        if draft.ink.is_clear(beyond, along(tall.far, tall.outside, 4.0), 12.0):
            return tall
    for arrow in (push, pull):
        if draft.ink.is_clear(along(at, arrow.outside, gap + _START), along(arrow.far, arrow.outside, 4.0), 12.0):
            return arrow
    draft.clashes.append("force")
    return push


def _way(draft: Draft, link: str) -> float:
    known = draft.links[link]
    return angle_of(draft.pixels[known.a], draft.pixels[known.b])


def _draw_square(draft: Draft, arrow: _Arrow, way: float) -> None:
    """The sign of a right angle between an arrow and its member."""
    axes = Axes(arrow.at, way)
    up = _SQUARE if abs(angle_gap(way + 90.0, arrow.outside)) < 1.0 else -_SQUARE
    draft.canvas.line(axes.path((_SQUARE, 0.0), (_SQUARE, up), (0.0, up)), draft.style.thin)
    draft.settle()


def _draw_angle(draft: Draft, arrow: _Arrow) -> None:
    """Between the arrow and the level line through its point, on the side where the angle is acute."""
    out, style = arrow.outside, draft.style
    level = 0.0 if angle_gap(out, 0.0) < 90.0 else 180.0
    sweep = (out - level + 180.0) % 360.0 - 180.0
    length = distance(arrow.at, arrow.far)
    radius = min(_RADIUS, 0.7 * length)
    if not _member_along(draft, arrow, level):
        reference(draft.canvas, arrow.at, level, radius + 24.0, style.thin)
    angle_mark(draft.canvas, arrow.at, radius, level, sweep, style.thin)
    draft.settle()
    text = draft.text(f"{number(sweep)}°", colour=style.dimension_ink)
    draft.later(
        option
        for turn in (0.5, 0.4, 0.6, 0.3, 0.7, 0.2)
        for option in beside(text, arrow.at, level + turn * sweep, (radius + 4, radius + 10, radius + 18, radius + 30))
    )


def _member_along(draft: Draft, arrow: _Arrow, level: float) -> bool:
    """Whether a member leaves the point along the level line, so that the angle can be measured from it."""
    for joint in draft.joints.values():
        if distance(joint.at, arrow.at) < 1.0:
            return joint.room(level) < 0.1
    return draft.is_beam


def _spots(draft: Draft, arrow: _Arrow, words: str) -> Iterator[Text]:
    """Beyond the far end, then beside the arrow."""
    text = draft.text(words, colour=draft.style.load_ink)
    yield from beside(text, arrow.far, arrow.outside, (6.0,))
    near_far = [between(arrow.at, arrow.far, share) for share in (0.85, 0.7, 0.55)]
    for clearance in (8.0, 14.0):
        for spot in near_far:
            for side in (90.0, -90.0):
                yield from beside(text, spot, arrow.outside + side, (clearance,))
    for clearance in (6.0, 14.0, 26.0, 40.0):
        for turn in (0.0, 40.0, -40.0, 70.0, -70.0):
            yield from beside(text, arrow.far, arrow.outside + turn, (clearance,))
