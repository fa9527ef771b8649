"""Dimension chains below and beside the structure, which define the coordinates of all joints."""

from __future__ import annotations

from itertools import pairwise

from sightline.suites.structural.drawing.dimensions import draw_chain
from sightline.suites.structural.drawing.shapes import Text
from sightline.suites.structural.drawing.vectors import XY, distance, interpolate, offset_point
from sightline.suites.structural.generator.pictures.draft import Draft
from sightline.suites.structural.generator.pictures.member_dimensions import dimension_positions
from sightline.suites.structural.generator.pictures.notation import format_length, units_note

_NEAR = 90.0
"""Pixels from a joint at which a leader may end, because of its support, arrow or label."""
_SAME = 6
"""Decimals of a metre to which coordinates are rounded."""


def draw_dimension_chains(draft: Draft) -> None:
    """Below all, and on one side where the structure has a height."""
    box = draft.canvas.box
    style = draft.style
    xs = _horizontal_coordinates(draft)
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
        draft.canvas.text(Text(at, units_note(style), style.text - 1, style.dimension_ink, "r"))
        draft.mark_drawn()


def _horizontal_coordinates(draft: Draft) -> list[float]:
    """The x coordinates of joints; for a beam those of loads too."""
    coordinates = {round(point.x, _SAME) for point in draft.model.points}
    if draft.is_beam:
        starts = {point.id: point.x for point in draft.model.points}
        for link in draft.model.links:
            sense = 1.0 if starts[link.b] > starts[link.a] else -1.0
            coordinates |= {
                round(starts[link.a] + sense * position, _SAME) for position in dimension_positions(draft, link)
            }
    return sorted(coordinates)


def _draw(draft: Draft, points: list[XY], coordinates: list[float], away: float) -> None:
    """One chain, and the total outside of it where that is the style."""
    _leaders(draft, points, coordinates, away)
    _row(draft, points, coordinates, away)
    if draft.style.total and len(points) > 2:
        further = [offset_point(point, away, draft.style.text + 20.0) for point in (points[0], points[-1])]
        for point in further:
            draft.canvas.line(
                (offset_point(point, away, -draft.style.text - 12.0), offset_point(point, away, 6.0)), draft.style.thin
            )
        _row(draft, further, [coordinates[0], coordinates[-1]], away)


def _row(draft: Draft, points: list[XY], coordinates: list[float], away: float) -> None:
    style = draft.style
    draw_chain(draft.canvas, points, style.dimensions)
    draft.mark_drawn()
    for pair, (low, high) in zip(pairwise(points), pairwise(coordinates), strict=True):
        text = Text((0.0, 0.0), format_length(high - low, style), style.text, style.dimension_ink)
        draft.label(_beside(text, pair, away))


def _beside(text: Text, pair: tuple[XY, XY], away: float) -> list[Text]:
    """Above a level line or left of an upright one, turned with it; where it is too wide, below, or smaller."""
    upright = away in (0.0, 180.0)
    lift = 0.35 * text.size + 8.0
    # read from the right-hand side, as draughtsmen do
    first, turn = (180.0, 90.0) if upright else (90.0, 0.0)
    middle = interpolate(*pair)
    sides = (first, first + 180.0) if text.box.width + 6.0 < distance(*pair) else (first + 180.0, first)
    return [
        Text(offset_point(middle, side, lift), text.words, size, text.colour, "m", turn)
        for size in (text.size, text.size - 3)
        for side in sides
    ]


def _leaders(draft: Draft, points: list[XY], coordinates: list[float], away: float) -> None:
    """Thin lines from the chain towards the joints, as far as nothing is in the way."""
    pixels = list(draft.pixels.values())
    upright = away in (0.0, 180.0)
    for point, _ in zip(points, coordinates, strict=True):
        axis = 1 if upright else 0
        level = [pixel for pixel in pixels if abs(pixel[axis] - point[axis]) < 0.5]
        goal = min((distance(point, pixel) for pixel in level), default=0.0)
        start = offset_point(point, away, -4.0)
        end = offset_point(point, away, -goal)
        free = draft.occupied.reach(start, end, 3.0) if level else 0.0
        # a line that ends at something else on its way would point at the wrong place
        if goal - free > _NEAR:
            free = 0.0
        if free > 6.0:
            draft.canvas.line((offset_point(point, away, 6.0), offset_point(start, away, 4.0 - free)), draft.style.thin)
