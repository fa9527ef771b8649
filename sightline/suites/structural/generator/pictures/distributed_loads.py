"""Distributed loads, drawn as combs of arrows."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
from msgspec import Struct

from sightline.suites.structural.drawing.labels import candidates_beside
from sightline.suites.structural.drawing.loads import draw_comb
from sightline.suites.structural.drawing.shapes import Text
from sightline.suites.structural.drawing.vectors import XY, Box, angle_gap, angle_of, interpolate, offset_point
from sightline.suites.structural.generator.pictures.draft import Draft
from sightline.suites.structural.generator.pictures.notation import LINE_LOAD_UNIT, format_quantity, number_symbols
from sightline.suites.structural.generator.pictures.view import point_along_link
from sightline.suites.structural.model import DistributedLoad

_LEAST = 0.3
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
    drawn = [(group, _draw(draft, group, strongest)) for group in groups]
    named = [group.ids[0] for group in groups if not _is_trapezoid(group)] if draft.style.symbols else []
    names = number_symbols(named, "q")
    for group, tails in drawn:
        _label(draft, group, tails, names.get(group.ids[0], ""))


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


def _heights(group: _LoadGroup, full: float) -> tuple[float, float]:
    largest = max(map(abs, group.values))
    low, high = (value / largest if largest else 1.0 for value in group.values)
    if low > 0 and high > 0:
        low, high = max(low, _LEAST), max(high, _LEAST)
    return low * full, high * full


def _draw(draft: Draft, group: _LoadGroup, strongest: float) -> tuple[XY, XY]:
    """The comb, higher for stronger loads so that neighbours can be told apart; returns its outer corners."""
    style, angle = draft.style, group.angle
    edge = style.member / 2 + 1.0
    base = (offset_point(group.base[0], angle, -edge), offset_point(group.base[1], angle, -edge))
    heights = _heights(group, style.comb * (0.6 + 0.4 * max(group.values) / strongest))
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


def _label(draft: Draft, group: _LoadGroup, tails: tuple[XY, XY], symbol: str) -> None:
    away = group.angle + 180.0
    uniform = group.values[0] == group.values[1]
    if not _is_trapezoid(group):
        words = format_quantity(max(group.values, key=abs), LINE_LOAD_UNIT, draft.style, symbol)
        shares = (0.5, 0.35, 0.65, 0.2, 0.8) if uniform else _towards(group.values)
        draft.defer_label(_around(draft, words, [interpolate(*tails, share) for share in shares], away))
        return
    for value, shares in ((group.values[0], (0.0, 0.1, 0.2)), (group.values[1], (1.0, 0.9, 0.8))):
        words = format_quantity(value, LINE_LOAD_UNIT, draft.style)
        draft.defer_label(_around(draft, words, [interpolate(*tails, share) for share in shares], away))


def _is_trapezoid(group: _LoadGroup) -> bool:
    """Whether it has a value of its own at either end."""
    return group.values[0] != group.values[1] and 0.0 not in group.values


def _towards(values: tuple[float, float]) -> tuple[float, ...]:
    """Near the higher end, where the value is reached."""
    near = (1.0, 0.93, 0.86, 0.8)
    return near if abs(values[1]) > abs(values[0]) else tuple(1.0 - share for share in near)


def _around(draft: Draft, words: str, points: list[XY], away: float) -> Iterator[Text]:
    text = draft.text(words, colour=draft.style.load_ink)
    for clearance in (7.0, 16.0, 30.0):
        for turn in (0.0, 35.0, -35.0, 65.0, -65.0):
            for point in points:
                yield from candidates_beside(text, point, away + turn, (clearance,))
