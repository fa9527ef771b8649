"""Lengths along a member: where loads begin, end or stand on it."""

from __future__ import annotations

from itertools import pairwise

from msgspec import Struct

from sightline.suites.structural.drawing.dimensions import chain
from sightline.suites.structural.drawing.labels import beside, place
from sightline.suites.structural.drawing.shapes import Text
from sightline.suites.structural.drawing.vectors import XY, Axes, along, angle_of, between, cos_sin, distance
from sightline.suites.structural.generator.pictures.draft import Draft
from sightline.suites.structural.generator.pictures.words import length
from sightline.suites.structural.model import DistributedLoad, Link, Load

_CLEARANCES = (34.0, 46.0, 60.0, 78.0)


def marked_spots(load: Load, full: float) -> list[float]:
    """The distances from end a that a reader must be told, in metres; none where the load fills the member."""
    if isinstance(load, DistributedLoad):
        return [spot for spot in (load.begin, load.end) if 1e-9 < spot < full - 1e-9]
    return [load.offset] if load.link else []


def spots_of(draft: Draft, link: Link) -> list[float]:
    """All marked distances on a member with its two ends, or nothing if there is none."""
    full = distance(draft.pixels[link.a], draft.pixels[link.b]) / draft.view.scale
    mine = [load for load in draft.model.loads if load.link == link.id]
    found = sorted({round(spot, 6) for load in mine for spot in marked_spots(load, full)})
    return [0.0, *found, full] if found else []


class _Line(Struct, frozen=True, kw_only=True):
    """A dimension line beside a member, with its texts."""

    points: tuple[XY, ...]
    side: float
    texts: tuple[tuple[Text, ...], ...]
    """For each part of the line, the places where its length may stand."""


def draw_spots(draft: Draft) -> None:
    """A small chain beside every member that needs one."""
    for link in draft.model.links:
        spots = spots_of(draft, link)
        if spots:
            _draw(draft, link, spots)


def _draw(draft: Draft, link: Link, spots: list[float]) -> None:
    start, end = draft.pixels[link.a], draft.pixels[link.b]
    axes = Axes(start, angle_of(start, end))
    feet = axes.path(*((spot * draft.view.scale, 0.0) for spot in spots))
    line = _choose(draft, feet, [length(high - low, draft.style) for low, high in pairwise(spots)])
    # texts first: they interrupt the line, so its own ink must not count against them
    found = [place(draft.ink, options) or options[0] for options in line.texts]
    reach = draft.style.member / 2 + 5.0
    for foot, point in zip(feet, line.points, strict=True):
        ends = (along(foot, line.side, reach), along(point, line.side, 5.0))
        # where another member leaves from here, that one leads the eye
        if draft.ink.is_clear(along(foot, line.side, reach + 4.0), point, 2.0):
            draft.canvas.line(ends, draft.style.thin)
    chain(draft.canvas, line.points, draft.style.dimensions)
    for text in found:
        draft.canvas.text(text)
    draft.settle()


def _choose(draft: Draft, feet: tuple[XY, ...], words: list[str]) -> _Line:
    """The nearest place on either side of the member along which nothing else lies.

    First such that even its ends touch nothing; then one whose ends may touch the members that meet there.
    """
    angle = angle_of(feet[0], feet[-1])
    options = [_line(draft, feet, angle + side, gap, words) for gap in _CLEARANCES for side in (-90.0, 90.0)]
    for inset in (0.0, 20.0):
        for line in options:
            ends = (along(line.points[0], angle, inset), along(line.points[-1], angle, -inset))
            if draft.ink.is_clear(*ends, 16.0) and all(_is_placeable(draft, texts) for texts in line.texts):
                return line
    draft.clashes.append("spots")
    return options[0]


def _line(draft: Draft, feet: tuple[XY, ...], side: float, gap: float, words: list[str]) -> _Line:
    points = tuple(along(foot, side, gap) for foot in feet)
    texts = tuple(_places(draft, pair, said, side) for pair, said in zip(pairwise(points), words, strict=True))
    return _Line(points=points, side=side, texts=texts)


def _places(draft: Draft, pair: tuple[XY, XY], words: str, side: float) -> tuple[Text, ...]:
    """On the line, which the text interrupts, or beside it where the line is short."""
    style = draft.style
    text = Text(between(*pair), words, style.text - 1, style.dimension_ink, patch=style.paper)
    return (text,) if _fits(text, pair) else tuple(beside(text, text.at, side, (8.0, 14.0)))


def _is_placeable(draft: Draft, texts: tuple[Text, ...]) -> bool:
    return any(draft.ink.is_free(text.box.grown(3.0)) for text in texts)


def _fits(text: Text, pair: tuple[XY, XY]) -> bool:
    """Whether a text on the line leaves some of it visible at both ends."""
    c, s = cos_sin(angle_of(*pair))
    extent = min(text.box.width / max(abs(c), 1e-9), text.box.height / max(abs(s), 1e-9))
    return extent + 24.0 < distance(*pair)
