"""A scene before it is rendered: grounds, roads, trees and things, in a picture of side 512."""

from __future__ import annotations

import math
from collections.abc import Sequence

from msgspec import Struct

from sightline.suites.remote_sensing.generator.catalog import KINDS
from sightline.suites.remote_sensing.generator.materials import MATERIALS
from sightline.suites.remote_sensing.generator.shapes import (
    Box,
    Outline,
    Point,
    bounds,
    clockwise,
    contains,
    rectangle,
    turned,
)

SIDE = 512.0


class Area(Struct, frozen=True, kw_only=True):
    """A piece of ground."""

    material: str
    outline: Outline
    pattern: str = ""
    """`furrows`, `slabs` or none."""
    angle: float = 0.0

    @property
    def ground(self) -> str:
        """What a pixel of it shows."""
        return MATERIALS[self.material].ground


class Road(Struct, frozen=True, kw_only=True):
    """A strip along a line."""

    points: Outline
    width: float
    material: str = "asphalt"
    marking: str = "dashes"
    """`dashes`, `yellow`, `runway` or none."""
    kerb: bool = False


class Stripe(Struct, frozen=True):
    """A painted line."""

    points: Outline
    width: float
    material: str = "marking"


class Tree(Struct, frozen=True):
    """A crown."""

    at: Point
    radius: float
    shade: float


class Thing(Struct, frozen=True, kw_only=True):
    """Something that can be asked for; its truth follows from its geometry alone."""

    id: int
    kind: str
    at: Point
    length: float
    width: float
    angle: float
    paint: str
    place: str
    """Where it stands, in words."""

    @property
    def group(self) -> str:
        """The class that its kind belongs to."""
        return KINDS[self.kind].group

    @property
    def outline(self) -> Outline:
        """Its edge as seen from above."""
        local = ((x * self.length, y * self.width) for x, y in KINDS[self.kind].outline)
        return turned(local, self.at, self.angle)

    @property
    def frame(self) -> Outline:
        """The rectangle about it that is turned as it is."""
        return rectangle(self.at, self.length, self.width, self.angle)


class Scene(Struct, frozen=True, kw_only=True):
    """All that a picture shows, but for light and sensor."""

    number: int
    place: str
    base: str
    areas: tuple[Area, ...]
    roads: tuple[Road, ...]
    stripes: tuple[Stripe, ...]
    trees: tuple[Tree, ...]
    things: tuple[Thing, ...]

    def of(self, name: str) -> list[Thing]:
        """The things of a group or kind."""
        return [thing for thing in self.things if name in (thing.group, thing.kind)]


def ground_at(base: str, areas: Sequence[Area], at: Point) -> str:
    """What the ground is there, roads apart."""
    return next((area.ground for area in reversed(areas) if contains(area.outline, at)), MATERIALS[base].ground)


def afloat(base: str, areas: Sequence[Area], outline: Sequence[Point]) -> bool:
    """Whether all corners, and the middles between them, are over water."""
    pairs = zip(outline, (*outline[1:], outline[0]), strict=True)
    points = (*outline, *(((a[0] + b[0]) / 2, (a[1] + b[1]) / 2) for a, b in pairs))
    return all(ground_at(base, areas, point) == "water" for point in points)


def box(thing: Thing, scale: float) -> Box:
    """The upright box that just encloses the outline, in whole pixels."""
    left, top, right, bottom = (side * scale for side in bounds(thing.outline))
    # a hair's breadth is no pixel
    return math.floor(left + 1e-3), math.floor(top + 1e-3), math.ceil(right - 1e-3), math.ceil(bottom - 1e-3)


def quad(thing: Thing, scale: float) -> list[tuple[int, int]]:
    """The turned rectangle, clockwise from the corner nearest to the top left."""
    return pixels(thing.frame, scale)


def pixels(outline: Outline, scale: float) -> list[tuple[int, int]]:
    """An outline in whole pixels, clockwise, without points that add nothing."""
    ring = clockwise([(round(x * scale), round(y * scale)) for x, y in outline])
    whole = [(int(x), int(y)) for x, y in ring]
    apart = [point for k, point in enumerate(whole) if point != whole[k - 1]]
    count = len(apart)
    return [point for k, point in enumerate(apart) if not _straight(apart[k - 1], point, apart[(k + 1) % count])]


def _straight(a: tuple[int, int], b: tuple[int, int], c: tuple[int, int]) -> bool:
    """Whether the middle one of three points adds nothing."""
    return (b[0] - a[0]) * (c[1] - b[1]) == (b[1] - a[1]) * (c[0] - b[0])
