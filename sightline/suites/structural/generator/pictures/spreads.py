"""Distributed loads."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
from msgspec import Struct

from sightline.suites.structural.drawing.labels import beside
from sightline.suites.structural.drawing.loads import comb
from sightline.suites.structural.drawing.shapes import Text
from sightline.suites.structural.drawing.vectors import XY, Box, along, angle_gap, angle_of, between
from sightline.suites.structural.generator.pictures.draft import Draft
from sightline.suites.structural.generator.pictures.view import on_link
from sightline.suites.structural.generator.pictures.words import SPREAD, numbered, quantity
from sightline.suites.structural.model import DistributedLoad

_LEAST = 0.3
"""The lower end of a trapezoid is at least so high, as a share of the higher: it must not look like a triangle."""


class _Stretch(Struct, frozen=True, kw_only=True):
    """A comb: one load, or several equal ones that continue each other in a line."""

    ids: tuple[str, ...]
    base: tuple[XY, XY]
    angle: float
    values: tuple[float, float]


def draw_spreads(draft: Draft) -> None:
    """All combs first, then their values."""
    stretches = _merged([_stretch(draft, load) for load in draft.model.loads if isinstance(load, DistributedLoad)])
    strongest = max((max(stretch.values) for stretch in stretches), default=1.0) or 1.0
    drawn = [(stretch, _draw(draft, stretch, strongest)) for stretch in stretches]
    named = [stretch.ids[0] for stretch in stretches if not _is_trapezoid(stretch)] if draft.style.symbols else []
    names = numbered(named, "q")
    for stretch, tails in drawn:
        _label(draft, stretch, tails, names.get(stretch.ids[0], ""))


def _stretch(draft: Draft, load: DistributedLoad) -> _Stretch:
    link = draft.links[load.link]
    length = _length(draft, load)
    base = (
        on_link(link, draft.pixels, load.begin / length),
        on_link(link, draft.pixels, load.end / length),
    )
    values = (load.w_begin, load.w_end)
    # a load drawn from one side of a member comes with positive values
    if max(values, key=abs) < 0:
        return _Stretch(ids=(load.id,), base=base, angle=load.angle + 180.0, values=(-values[0], -values[1]))
    return _Stretch(ids=(load.id,), base=base, angle=load.angle, values=values)


def _length(draft: Draft, load: DistributedLoad) -> float:
    link = draft.links[load.link]
    (ax, ay), (bx, by) = draft.pixels[link.a], draft.pixels[link.b]
    return float(((bx - ax) ** 2 + (by - ay) ** 2) ** 0.5) / draft.view.scale


def _merged(stretches: list[_Stretch]) -> list[_Stretch]:
    """Equal uniform loads that continue each other become one."""
    done: list[_Stretch] = []
    for stretch in stretches:
        whole = stretch
        for known in list(done):
            if _continues(known, whole) or _continues(whole, known):
                first, second = (known, whole) if _continues(known, whole) else (whole, known)
                whole = msgspec.structs.replace(first, ids=first.ids + second.ids, base=(first.base[0], second.base[1]))
                done.remove(known)
        done.append(whole)
    return done


def _continues(first: _Stretch, second: _Stretch) -> bool:
    meets = all(abs(p - q) < 0.5 for p, q in zip(first.base[1], second.base[0], strict=True))
    same = first.values == second.values and first.values[0] == first.values[1]
    straight = angle_gap(angle_of(*first.base), angle_of(*second.base)) < 0.1
    return meets and same and straight and angle_gap(first.angle, second.angle) < 0.1


def _heights(stretch: _Stretch, full: float) -> tuple[float, float]:
    largest = max(map(abs, stretch.values))
    low, high = (value / largest if largest else 1.0 for value in stretch.values)
    if low > 0 and high > 0:
        low, high = max(low, _LEAST), max(high, _LEAST)
    return low * full, high * full


def _draw(draft: Draft, stretch: _Stretch, strongest: float) -> tuple[XY, XY]:
    """The comb, higher for stronger loads so that neighbours can be told apart; returns its outer corners."""
    style, angle = draft.style, stretch.angle
    edge = style.member / 2 + 1.0
    base = (along(stretch.base[0], angle, -edge), along(stretch.base[1], angle, -edge))
    heights = _heights(stretch, style.comb * (0.6 + 0.4 * max(stretch.values) / strongest))
    tails = (along(base[0], angle, -heights[0]), along(base[1], angle, -heights[1]))
    for share in (0.08, 0.25, 0.5, 0.75, 0.92):
        foot, top = between(*base, share), between(*tails, share)
        if abs(heights[0] + (heights[1] - heights[0]) * share) > 14.0 and not draft.ink.is_clear(
            top, along(foot, angle, -8.0), 6.0
        ):
            draft.clashes.append("comb")
            break
    comb(draft.canvas, base, angle, heights, style.loads)
    draft.settle()
    draft.take((*base, tails[1], tails[0]))
    draft.combs.append(Box.around((*base, *tails)))
    return tails


def _label(draft: Draft, stretch: _Stretch, tails: tuple[XY, XY], symbol: str) -> None:
    away = stretch.angle + 180.0
    uniform = stretch.values[0] == stretch.values[1]
    if not _is_trapezoid(stretch):
        words = quantity(max(stretch.values, key=abs), SPREAD, draft.style, symbol)
        shares = (0.5, 0.35, 0.65, 0.2, 0.8) if uniform else _towards(stretch.values)
        draft.later(_around(draft, words, [between(*tails, share) for share in shares], away))
        return
    for value, shares in ((stretch.values[0], (0.0, 0.1, 0.2)), (stretch.values[1], (1.0, 0.9, 0.8))):
        words = quantity(value, SPREAD, draft.style)
        draft.later(_around(draft, words, [between(*tails, share) for share in shares], away))


def _is_trapezoid(stretch: _Stretch) -> bool:
    """Whether it has a value of its own at either end."""
    return stretch.values[0] != stretch.values[1] and 0.0 not in stretch.values


def _towards(values: tuple[float, float]) -> tuple[float, ...]:
    """Near the higher end, where the value is reached."""
    near = (1.0, 0.93, 0.86, 0.8)
    return near if abs(values[1]) > abs(values[0]) else tuple(1.0 - share for share in near)


def _around(draft: Draft, words: str, spots: list[XY], away: float) -> Iterator[Text]:
    text = draft.text(words, colour=draft.style.load_ink)
    for clearance in (7.0, 16.0, 30.0):
        for turn in (0.0, 35.0, -35.0, 65.0, -65.0):
            for spot in spots:
                yield from beside(text, spot, away + turn, (clearance,))
