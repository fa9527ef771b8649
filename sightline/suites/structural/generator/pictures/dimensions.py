"""Dimensions: lines along members for the positions of loads, and chains that define the coordinates of all joints."""

from __future__ import annotations

from itertools import pairwise

from msgspec import Struct

from sightline.suites.structural.drawing.canvas import Text
from sightline.suites.structural.drawing.labels import candidates_beside, place_label
from sightline.suites.structural.drawing.symbols import draw_chain
from sightline.suites.structural.drawing.vectors import XY, Axes, angle_of, cos_sin, distance, interpolate, offset_point
from sightline.suites.structural.generator.pictures.draft import Draft
from sightline.suites.structural.generator.pictures.style import format_length, units_note
from sightline.suites.structural.model import DistributedLoad, Link, Load

_CLEARANCES = (34.0, 46.0, 60.0, 78.0)


def load_positions(load: Load, full: float) -> list[float]:
    """Positions of a load that need a dimension, in metres from end a; none if the load covers the whole member."""
    if isinstance(load, DistributedLoad):
        return [position for position in (load.begin, load.end) if 1e-9 < position < full - 1e-9]
    return [load.offset] if load.link else []


def dimension_positions(draft: Draft, link: Link) -> list[float]:
    """All positions on a member that need a dimension, with both ends; empty if there are none."""
    full = distance(draft.pixels[link.a], draft.pixels[link.b]) / draft.view.scale
    loads = [load for load in draft.model.loads if load.link == link.id]
    positions = sorted({round(position, 6) for load in loads for position in load_positions(load, full)})
    return [0.0, *positions, full] if positions else []


class _Line(Struct, frozen=True, kw_only=True):
    """A dimension line beside a member, with its texts."""

    points: tuple[XY, ...]
    side: float
    texts: tuple[tuple[Text, ...], ...]
    """Candidate labels for each part of the line."""


def draw_member_dimensions(draft: Draft) -> None:
    """Draw a dimension line beside every member that needs one."""
    for link in draft.model.links:
        positions = dimension_positions(draft, link)
        if positions:
            _draw_member_dimension(draft, link, positions)


def _draw_member_dimension(draft: Draft, link: Link, positions: list[float]) -> None:
    start, end = draft.pixels[link.a], draft.pixels[link.b]
    axes = Axes(start, angle_of(start, end))
    feet = axes.path(*((position * draft.view.scale, 0.0) for position in positions))
    line = _choose_line(draft, feet, [format_length(high - low, draft.style) for low, high in pairwise(positions)])
    # texts first: they interrupt the line, so its own ink must not count against them
    labels = [place_label(draft.occupied, options) or options[0] for options in line.texts]
    reach = draft.style.member / 2 + 5.0
    for foot, point in zip(feet, line.points, strict=True):
        ends = (offset_point(foot, line.side, reach), offset_point(point, line.side, 5.0))
        # where another member leaves from here, that one leads the eye
        if draft.occupied.is_clear(offset_point(foot, line.side, reach + 4.0), point, 2.0):
            draft.canvas.line(ends, draft.style.thin)
    draw_chain(draft.canvas, line.points, draft.style.dimensions)
    for text in labels:
        draft.canvas.text(text)
    draft.mark_drawn()


def _choose_line(draft: Draft, feet: tuple[XY, ...], words: list[str]) -> _Line:
    """The nearest free dimension line on either side of the member.

    First such that even its ends touch nothing; then one whose ends may touch the members that meet there.
    """
    angle = angle_of(feet[0], feet[-1])
    options = [_line(draft, feet, angle + side, gap, words) for gap in _CLEARANCES for side in (-90.0, 90.0)]
    for inset in (0.0, 20.0):
        for line in options:
            ends = (offset_point(line.points[0], angle, inset), offset_point(line.points[-1], angle, -inset))
            if draft.occupied.is_clear(*ends, 16.0) and all(_is_placeable(draft, texts) for texts in line.texts):
                return line
    draft.clashes.append("spots")
    return options[0]


def _line(draft: Draft, feet: tuple[XY, ...], side: float, gap: float, words: list[str]) -> _Line:
    points = tuple(offset_point(foot, side, gap) for foot in feet)
    texts = tuple(_label_options(draft, pair, text, side) for pair, text in zip(pairwise(points), words, strict=True))
    return _Line(points=points, side=side, texts=texts)


def _label_options(draft: Draft, pair: tuple[XY, XY], words: str, side: float) -> tuple[Text, ...]:
    """Label on the line, which it interrupts, or beside it if the line is short."""
    style = draft.style
    text = Text(interpolate(*pair), words, style.text - 1, style.dimension_ink, patch=style.paper)
    return (text,) if _fits(text, pair) else tuple(candidates_beside(text, text.at, side, (8.0, 14.0)))


def _is_placeable(draft: Draft, texts: tuple[Text, ...]) -> bool:
    return any(draft.occupied.is_free(text.box.expanded(3.0)) for text in texts)


def _fits(text: Text, pair: tuple[XY, XY]) -> bool:
    """Whether a text on the line leaves some of it visible at both ends."""
    c, s = cos_sin(angle_of(*pair))
    extent = min(text.box.width / max(abs(c), 1e-9), text.box.height / max(abs(s), 1e-9))
    return extent + 24.0 < distance(*pair)


_MAX_LEADER_GAP = 90.0
"""Pixels from a joint at which a leader may end, because of its support, arrow or label."""
_DECIMALS = 6
"""Decimals of a metre to which coordinates are rounded."""


def draw_dimension_chains(draft: Draft) -> None:
    """Below all, and on one side where the structure has a height."""
    box = draft.canvas.box
    style = draft.style
    xs = _horizontal_coordinates(draft)
    ys = sorted({round(point.y, _DECIMALS) for point in draft.model.points})
    if len(ys) > 1:
        left = style.dimensions_left
        x = box.left - style.text - 16.0 if left else box.right + style.text + 16.0
        _draw_dimension_chain(draft, [(x, draft.view.pixel(0.0, y)[1]) for y in ys], ys, 180.0 if left else 0.0)
    if len(xs) > 1:
        y = box.bottom + style.text + 18.0
        _draw_dimension_chain(draft, [(draft.view.pixel(x, 0.0)[0], y) for x in xs], xs, 270.0)
    if not style.unit_on_lengths:
        box = draft.canvas.box
        at = (draft.view.pixel(xs[-1], 0.0)[0], box.bottom + style.text)
        draft.canvas.text(Text(at, units_note(style), style.text - 1, style.dimension_ink, "r"))
        draft.mark_drawn()


def _horizontal_coordinates(draft: Draft) -> list[float]:
    """The x coordinates of joints; for a beam those of loads too."""
    coordinates = {round(point.x, _DECIMALS) for point in draft.model.points}
    if draft.is_beam:
        starts = {point.id: point.x for point in draft.model.points}
        for link in draft.model.links:
            sense = 1.0 if starts[link.b] > starts[link.a] else -1.0
            coordinates |= {
                round(starts[link.a] + sense * position, _DECIMALS) for position in dimension_positions(draft, link)
            }
    return sorted(coordinates)


def _draw_dimension_chain(draft: Draft, points: list[XY], coordinates: list[float], away: float) -> None:
    """One chain, and the total outside of it where that is the style."""
    _draw_leaders(draft, points, coordinates, away)
    _draw_row(draft, points, coordinates, away)
    if draft.style.total and len(points) > 2:
        further = [offset_point(point, away, draft.style.text + 20.0) for point in (points[0], points[-1])]
        for point in further:
            draft.canvas.line(
                (offset_point(point, away, -draft.style.text - 12.0), offset_point(point, away, 6.0)), draft.style.thin
            )
        _draw_row(draft, further, [coordinates[0], coordinates[-1]], away)


def _draw_row(draft: Draft, points: list[XY], coordinates: list[float], away: float) -> None:
    style = draft.style
    draw_chain(draft.canvas, points, style.dimensions)
    draft.mark_drawn()
    for pair, (low, high) in zip(pairwise(points), pairwise(coordinates), strict=True):
        text = Text((0.0, 0.0), format_length(high - low, style), style.text, style.dimension_ink)
        draft.label(_row_label_candidates(text, pair, away))


def _row_label_candidates(text: Text, pair: tuple[XY, XY], away: float) -> list[Text]:
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


def _draw_leaders(draft: Draft, points: list[XY], coordinates: list[float], away: float) -> None:
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
        if goal - free > _MAX_LEADER_GAP:
            free = 0.0
        if free > 6.0:
            draft.canvas.line((offset_point(point, away, 6.0), offset_point(start, away, 4.0 - free)), draft.style.thin)
