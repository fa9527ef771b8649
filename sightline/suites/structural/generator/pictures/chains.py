"""Dimension chains below and beside the structure, from which every joint's place can be read."""

from __future__ import annotations

from itertools import pairwise

from sightline.suites.structural.drawing.dimensions import chain
from sightline.suites.structural.drawing.shapes import Text
from sightline.suites.structural.drawing.vectors import XY, along, between, distance
from sightline.suites.structural.generator.pictures.draft import Draft
from sightline.suites.structural.generator.pictures.spots import spots_of
from sightline.suites.structural.generator.pictures.words import length, note

_NEAR = 90.0
"""How far from a joint a leader may end: its support, arrow or label may be there."""
_SAME = 6
"""Decimals of a metre to which two places are the same."""


def draw_chains(draft: Draft) -> None:
    """Below all, and on one side where the structure has a height."""
    box = draft.canvas.box
    style = draft.style
    xs = _across(draft)
    ys = sorted({round(point.y, _SAME) for point in draft.model.points})
    if len(ys) > 1:
        left = style.dimensions_left
        x = box.left - style.text - 16.0 if left else box.right + style.text + 16.0
        _draw(draft, [(x, draft.view.pixel(0.0, y)[1]) for y in ys], ys, 180.0 if left else 0.0)
    if len(xs) > 1:
        y = box.bottom + style.text + 18.0
        _draw(draft, [(draft.view.pixel(x, 0.0)[0], y) for x in xs], xs, 270.0)
    if not style.unit_on_lengths:
        box = draft.canvas.box
        at = (draft.view.pixel(xs[-1], 0.0)[0], box.bottom + style.text)
        draft.canvas.text(Text(at, note(style), style.text - 1, style.dimension_ink, "r"))
        draft.settle()


def _across(draft: Draft) -> list[float]:
    """The places of joints along x; on a beam those of loads too."""
    places = {round(point.x, _SAME) for point in draft.model.points}
    if draft.is_beam:
        starts = {point.id: point.x for point in draft.model.points}
        for link in draft.model.links:
            sense = 1.0 if starts[link.b] > starts[link.a] else -1.0
            places |= {round(starts[link.a] + sense * spot, _SAME) for spot in spots_of(draft, link)}
    return sorted(places)


def _draw(draft: Draft, points: list[XY], places: list[float], away: float) -> None:
    """One chain, and the total outside of it where that is the style."""
    _leaders(draft, points, places, away)
    _row(draft, points, places, away)
    if draft.style.total and len(points) > 2:
        further = [along(point, away, draft.style.text + 20.0) for point in (points[0], points[-1])]
        for point in further:
            draft.canvas.line((along(point, away, -draft.style.text - 12.0), along(point, away, 6.0)), draft.style.thin)
        _row(draft, further, [places[0], places[-1]], away)


def _row(draft: Draft, points: list[XY], places: list[float], away: float) -> None:
    style = draft.style
    chain(draft.canvas, points, style.dimensions)
    draft.settle()
    for pair, (low, high) in zip(pairwise(points), pairwise(places), strict=True):
        text = Text((0.0, 0.0), length(high - low, style), style.text, style.dimension_ink)
        draft.label(_beside(text, pair, away))


def _beside(text: Text, pair: tuple[XY, XY], away: float) -> list[Text]:
    """Above a level line or left of an upright one, turned with it; where it is too wide, below, or smaller."""
    upright = away in (0.0, 180.0)
    lift = 0.35 * text.size + 8.0
    # read from the right-hand side, as draughtsmen do
    first, turn = (180.0, 90.0) if upright else (90.0, 0.0)
    middle = between(*pair)
    sides = (first, first + 180.0) if text.box.width + 6.0 < distance(*pair) else (first + 180.0, first)
    return [
        Text(along(middle, side, lift), text.words, size, text.colour, "m", turn)
        for size in (text.size, text.size - 3)
        for side in sides
    ]


def _leaders(draft: Draft, points: list[XY], places: list[float], away: float) -> None:
    """Thin lines from the chain towards the joints, as far as nothing is in the way."""
    pixels = list(draft.pixels.values())
    upright = away in (0.0, 180.0)
    for point, _ in zip(points, places, strict=True):
        axis = 1 if upright else 0
        level = [pixel for pixel in pixels if abs(pixel[axis] - point[axis]) < 0.5]
        goal = min((distance(point, pixel) for pixel in level), default=0.0)
        start = along(point, away, -4.0)
        end = along(point, away, -goal)
        free = draft.ink.reach(start, end, 3.0) if level else 0.0
        # a line that ends at something else on its way would point at the wrong place
        if goal - free > _NEAR:
            free = 0.0
        if free > 6.0:
            draft.canvas.line((along(point, away, 6.0), along(start, away, 4.0 - free)), draft.style.thin)
