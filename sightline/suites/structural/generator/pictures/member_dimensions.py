"""Dimension lines along a member for the positions of its loads."""

from __future__ import annotations

from itertools import pairwise

from msgspec import Struct

from sightline.suites.structural.drawing.dimensions import draw_chain
from sightline.suites.structural.drawing.labels import candidates_beside, place_label
from sightline.suites.structural.drawing.shapes import Text
from sightline.suites.structural.drawing.vectors import XY, Axes, angle_of, cos_sin, distance, interpolate, offset_point
from sightline.suites.structural.generator.pictures.draft import Draft
from sightline.suites.structural.generator.pictures.notation import format_length
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
            _draw(draft, link, positions)


def _draw(draft: Draft, link: Link, positions: list[float]) -> None:
    start, end = draft.pixels[link.a], draft.pixels[link.b]
    axes = Axes(start, angle_of(start, end))
    feet = axes.path(*((position * draft.view.scale, 0.0) for position in positions))
    line = _choose(draft, feet, [format_length(high - low, draft.style) for low, high in pairwise(positions)])
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


def _choose(draft: Draft, feet: tuple[XY, ...], words: list[str]) -> _Line:
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
