"""Loads of a drawing: point loads with their angles, concentrated moments, and combs of distributed loads."""

from __future__ import annotations

import math
from collections.abc import Iterator

import msgspec
from msgspec import Struct

from sightline.suites.structural.drawing.canvas import Text
from sightline.suites.structural.drawing.labels import candidates_beside
from sightline.suites.structural.drawing.symbols import draw_comb, draw_force, draw_moment, draw_reference_line
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
from sightline.suites.structural.generator.pictures.draft import Draft, point_along_link
from sightline.suites.structural.generator.pictures.style import (
    FORCE_UNIT,
    LINE_LOAD_UNIT,
    MOMENT_UNIT,
    format_number,
    format_quantity,
    number_symbols,
)
from sightline.suites.structural.model import DistributedLoad, Force, Moment

_ANGLE_RADIUS = 40.0
_SQUARE = 18.0
_FREE_START = 16.0
"""Pixels from its point within which an arrow may touch other members."""


class _Arrow(Struct, frozen=True):
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
    arrows = [_draw_force_arrow(draft, load) for load in loads]
    for load, arrow in zip(loads, arrows, strict=True):
        if min(arrow.outside % 90.0, 90.0 - arrow.outside % 90.0) < 0.01:
            continue
        if load.link and abs(angle_gap(arrow.angle, _link_direction(draft, load.link)) - 90.0) < 0.01:
            _draw_square(draft, arrow, _link_direction(draft, load.link))
        else:
            _draw_angle(draft, arrow)
    for load, arrow in zip(loads, arrows, strict=True):
        words = format_quantity(load.value, FORCE_UNIT, draft.style, names.get(load.id, ""))
        draft.defer_label(_force_label_candidates(draft, arrow, words))


def load_pixel(draft: Draft, load: Force) -> XY:
    """The pixel of its point."""
    if load.point:
        return draft.pixels[load.point]
    link = draft.links[load.link]
    length = distance(draft.pixels[link.a], draft.pixels[link.b]) / draft.view.scale
    return point_along_link(link, draft.pixels, load.offset / length)


def _draw_force_arrow(draft: Draft, load: Force) -> _Arrow:
    at, style = load_pixel(draft, load), draft.style
    angle = load.angle if load.value >= 0 else load.angle + 180.0
    joint = draft.joints.get(load.point)
    gap = style.hinge + 3.0 if joint and any(joint.hinged) else style.member / 2 + 1.0
    arrow = _choose_arrow(draft, at, angle, gap)
    draw_force(draft.canvas, arrow.tip, angle, distance(arrow.tail, arrow.tip), style.loads)
    draft.mark_drawn()
    return arrow


def _choose_arrow(draft: Draft, at: XY, angle: float, gap: float) -> _Arrow:
    """Towards the point from outside, away from it, or through a comb on it: the first that crosses nothing."""
    length, high = draft.style.arrow, draft.style.arrow + draft.style.comb
    push = _Arrow(at, offset_point(at, angle, -gap - length), offset_point(at, angle, -gap), angle, pushes=True)
    pull = _Arrow(at, offset_point(at, angle, gap), offset_point(at, angle, gap + length), angle, pushes=False)
    tall = _Arrow(at, offset_point(at, angle, -gap - high), push.tip, angle, pushes=True)
    combed = any(box.overlaps(Box.bounding((interpolate(push.tail, push.tip),), 2.0)) for box in draft.combs)
    if combed and angle % 90.0 == 0.0:
        # through the comb: only what lies beyond it must be free; a slanting arrow would leave no room for its angle
        beyond = offset_point(at, tall.outside, gap + draft.style.comb + 14.0)
        if draft.occupied.is_clear(beyond, offset_point(tall.far, tall.outside, 4.0), 12.0):
            return tall
    for arrow in (push, pull):
        if draft.occupied.is_clear(
            offset_point(at, arrow.outside, gap + _FREE_START), offset_point(arrow.far, arrow.outside, 4.0), 12.0
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
    radius = min(_ANGLE_RADIUS, 0.7 * length)
    if not _member_along(draft, arrow, level):
        draw_reference_line(draft.canvas, arrow.at, level, radius + 24.0, style.thin)
    draft.canvas.arc(arrow.at, radius, level, sweep, style.thin)
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


def _force_label_candidates(draft: Draft, arrow: _Arrow, words: str) -> Iterator[Text]:
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


_MOMENT_RADIUS = 27.0
_MOMENT_SWEEP = 230.0
_MOMENT_MIDDLES = (90.0, 0.0, 180.0, 270.0, 45.0, 135.0, 225.0, 315.0)


def draw_moments(draft: Draft, names: dict[str, str]) -> None:
    """Arcs around their points, then their values."""
    loads = [load for load in draft.model.loads if isinstance(load, Moment)]
    drawn = [(load, _draw_moment_arc(draft, load)) for load in loads]
    for load, (at, middle) in drawn:
        words = format_quantity(load.value, MOMENT_UNIT, draft.style, names.get(load.id, ""))
        draft.defer_label(_moment_label_candidates(draft, at, middle, words))


def _draw_moment_arc(draft: Draft, load: Moment) -> tuple[XY, float]:
    at, directions = _moment_position(draft, load)
    middle = min(_MOMENT_MIDDLES, key=lambda angle: _arc_cost(draft, at, angle, directions))
    if _count_hits(draft, at, middle):
        draft.clashes.append("moment")
    sense = math.copysign(1.0, load.value)
    draw_moment(
        draft.canvas, at, _MOMENT_RADIUS, middle - sense * _MOMENT_SWEEP / 2, sense * _MOMENT_SWEEP, draft.style.loads
    )
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


def _count_hits(draft: Draft, at: XY, middle: float) -> int:
    """How much of the arc would lie on other things."""
    steps = [middle + _MOMENT_SWEEP * (k / 16 - 0.5) for k in range(17)]
    return sum(
        not draft.occupied_except_members.is_free(Box.bounding((offset_point(at, step, _MOMENT_RADIUS),), 4.0))
        for step in steps
    )


def _arc_cost(draft: Draft, at: XY, middle: float, directions: tuple[float, ...]) -> tuple[int, int]:
    crossed = sum(angle_gap(direction, middle) < _MOMENT_SWEEP / 2 + 12.0 for direction in directions)
    return _count_hits(draft, at, middle), crossed


def _moment_label_candidates(draft: Draft, at: XY, middle: float, words: str) -> Iterator[Text]:
    text = draft.text(words, colour=draft.style.load_ink)
    for clearance in (_MOMENT_RADIUS + 8.0, _MOMENT_RADIUS + 18.0, _MOMENT_RADIUS + 32.0):
        for turn in (0.0, 30.0, -30.0, 55.0, -55.0, 80.0, -80.0, 110.0, -110.0, 180.0):
            yield from candidates_beside(text, at, middle + turn, (clearance,))


_MIN_TRAPEZOID = 0.3
"""Minimum height of the lower end of a trapezoid relative to the higher, so that it does not look triangular."""


class _LoadGroup(Struct, frozen=True, kw_only=True):
    """A load, or several equal collinear loads drawn as one."""

    ids: tuple[str, ...]
    base: tuple[XY, XY]
    angle: float
    values: tuple[float, float]


def draw_distributed_loads(draft: Draft) -> None:
    """All combs first, then their values."""
    groups = _merge_groups(
        [_load_group(draft, load) for load in draft.model.loads if isinstance(load, DistributedLoad)]
    )
    strongest = max((max(group.values) for group in groups), default=1.0) or 1.0
    drawn = [(group, _draw_comb(draft, group, strongest)) for group in groups]
    named = [group.ids[0] for group in groups if not _is_trapezoid(group)] if draft.style.symbols else []
    names = number_symbols(named, "q")
    for group, tails in drawn:
        _label_comb(draft, group, tails, names.get(group.ids[0], ""))


def _load_group(draft: Draft, load: DistributedLoad) -> _LoadGroup:
    link = draft.links[load.link]
    length = _length(draft, load)
    base = (
        point_along_link(link, draft.pixels, load.begin / length),
        point_along_link(link, draft.pixels, load.end / length),
    )
    values = (load.w_begin, load.w_end)
    # a load drawn from one side of a member comes with positive values
    if max(values, key=abs) < 0:
        return _LoadGroup(ids=(load.id,), base=base, angle=load.angle + 180.0, values=(-values[0], -values[1]))
    return _LoadGroup(ids=(load.id,), base=base, angle=load.angle, values=values)


def _length(draft: Draft, load: DistributedLoad) -> float:
    link = draft.links[load.link]
    (ax, ay), (bx, by) = draft.pixels[link.a], draft.pixels[link.b]
    return float(((bx - ax) ** 2 + (by - ay) ** 2) ** 0.5) / draft.view.scale


def _merge_groups(groups: list[_LoadGroup]) -> list[_LoadGroup]:
    """Equal uniform loads that continue each other become one."""
    merged: list[_LoadGroup] = []
    for group in groups:
        combined = group
        for existing in list(merged):
            if _continues(existing, combined) or _continues(combined, existing):
                first, second = (existing, combined) if _continues(existing, combined) else (combined, existing)
                combined = msgspec.structs.replace(
                    first, ids=first.ids + second.ids, base=(first.base[0], second.base[1])
                )
                merged.remove(existing)
        merged.append(combined)
    return merged


def _continues(first: _LoadGroup, second: _LoadGroup) -> bool:
    meets = all(abs(p - q) < 0.5 for p, q in zip(first.base[1], second.base[0], strict=True))
    same = first.values == second.values and first.values[0] == first.values[1]
    straight = angle_gap(angle_of(*first.base), angle_of(*second.base)) < 0.1
    return meets and same and straight and angle_gap(first.angle, second.angle) < 0.1


def _comb_heights(group: _LoadGroup, full: float) -> tuple[float, float]:
    largest = max(map(abs, group.values))
    low, high = (value / largest if largest else 1.0 for value in group.values)
    if low > 0 and high > 0:
        low, high = max(low, _MIN_TRAPEZOID), max(high, _MIN_TRAPEZOID)
    return low * full, high * full


def _draw_comb(draft: Draft, group: _LoadGroup, strongest: float) -> tuple[XY, XY]:
    """The comb, higher for stronger loads so that neighbours can be distinguished; returns its outer corners."""
    style, angle = draft.style, group.angle
    edge = style.member / 2 + 1.0
    base = (offset_point(group.base[0], angle, -edge), offset_point(group.base[1], angle, -edge))
    heights = _comb_heights(group, style.comb * (0.6 + 0.4 * max(group.values) / strongest))
    tails = (offset_point(base[0], angle, -heights[0]), offset_point(base[1], angle, -heights[1]))
    for share in (0.08, 0.25, 0.5, 0.75, 0.92):
        foot, top = interpolate(*base, share), interpolate(*tails, share)
        if abs(heights[0] + (heights[1] - heights[0]) * share) > 14.0 and not draft.occupied.is_clear(
            top, offset_point(foot, angle, -8.0), 6.0
        ):
            draft.clashes.append("comb")
            break
    draw_comb(draft.canvas, base, angle, heights, style.loads)
    draft.mark_drawn()
    draft.reserve((*base, tails[1], tails[0]))
    draft.combs.append(Box.bounding((*base, *tails)))
    return tails


def _label_comb(draft: Draft, group: _LoadGroup, tails: tuple[XY, XY], symbol: str) -> None:
    away = group.angle + 180.0
    uniform = group.values[0] == group.values[1]
    if not _is_trapezoid(group):
        words = format_quantity(max(group.values, key=abs), LINE_LOAD_UNIT, draft.style, symbol)
        shares = (0.5, 0.35, 0.65, 0.2, 0.8) if uniform else _towards(group.values)
        draft.defer_label(_comb_label_candidates(draft, words, [interpolate(*tails, share) for share in shares], away))
        return
    for value, shares in ((group.values[0], (0.0, 0.1, 0.2)), (group.values[1], (1.0, 0.9, 0.8))):
        words = format_quantity(value, LINE_LOAD_UNIT, draft.style)
        draft.defer_label(_comb_label_candidates(draft, words, [interpolate(*tails, share) for share in shares], away))


def _is_trapezoid(group: _LoadGroup) -> bool:
    """Whether it has a value of its own at either end."""
    return group.values[0] != group.values[1] and 0.0 not in group.values


def _towards(values: tuple[float, float]) -> tuple[float, ...]:
    """Near the higher end, where the value is reached."""
    near = (1.0, 0.93, 0.86, 0.8)
    return near if abs(values[1]) > abs(values[0]) else tuple(1.0 - share for share in near)


def _comb_label_candidates(draft: Draft, words: str, points: list[XY], away: float) -> Iterator[Text]:
    text = draft.text(words, colour=draft.style.load_ink)
    for clearance in (7.0, 16.0, 30.0):
        for turn in (0.0, 35.0, -35.0, 65.0, -65.0):
            for point in points:
                yield from candidates_beside(text, point, away + turn, (clearance,))
