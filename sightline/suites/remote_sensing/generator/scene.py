"""Scene before rendering: areas, roads, trees and objects, in units of a 512 × 512 picture."""

from __future__ import annotations

import math
from collections.abc import Sequence

from msgspec import Struct

from sightline.suites.remote_sensing.generator.catalog import KINDS, MATERIALS
from sightline.suites.remote_sensing.generator.conditions import Acquisition
from sightline.suites.remote_sensing.generator.shapes import (
    Box,
    Outline,
    Point,
    bounds,
    contains,
    order_clockwise,
    rectangle,
    rotate,
)

SIDE = 512.0


class Area(Struct, frozen=True, kw_only=True):
    """An area of ground."""

    material: str
    outline: Outline
    pattern: str = ""
    """`furrows`, `slabs` or none."""
    angle: float = 0.0

    @property
    def ground(self) -> str:
        """Its ground class."""
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


class SceneObject(Struct, frozen=True, kw_only=True):
    """An object that questions can refer to; its ground truth follows from its geometry."""

    id: int
    kind: str
    at: Point
    length: float
    width: float
    angle: float
    paint: str
    location: str
    """Description of its location, such as "on the apron"."""
    silhouette: Outline = ()
    """What is seen of it where that is not its outline: with its leaning walls, without what the border cuts off."""
    is_cut: bool = False
    """Whether the border of the picture cuts it."""

    @property
    def group(self) -> str:
        """The class that its kind belongs to."""
        return KINDS[self.kind].group

    @property
    def outline(self) -> Outline:
        """Its outline as seen from above."""
        local = ((x * self.length, y * self.width) for x, y in KINDS[self.kind].outline)
        return rotate(local, self.at, self.angle)

    @property
    def visible_outline(self) -> Outline:
        """Its outline in the picture."""
        return self.silhouette or self.outline

    @property
    def centre(self) -> Point:
        """Middle of what is seen of it."""
        if not self.silhouette:
            return self.at
        left, top, right, bottom = bounds(self.silhouette)
        return (left + right) / 2, (top + bottom) / 2

    @property
    def frame(self) -> Outline:
        """Its oriented bounding rectangle."""
        return rectangle(self.at, self.length, self.width, self.angle)

    @property
    def visible_frame(self) -> Outline:
        """The rectangle along its axis about what is seen of it."""
        if not self.silhouette:
            return self.frame
        left, top, right, bottom = bounds(rotate(self.silhouette, (0.0, 0.0), -self.angle))
        middle = rotate((((left + right) / 2, (top + bottom) / 2),), (0.0, 0.0), self.angle)[0]
        return rectangle(middle, right - left, bottom - top, self.angle)


class Scene(Struct, frozen=True, kw_only=True):
    """The content of a picture, independent of light and sensor."""

    number: int
    scene_class: str
    base: str
    areas: tuple[Area, ...]
    roads: tuple[Road, ...]
    stripes: tuple[Stripe, ...]
    trees: tuple[Tree, ...]
    objects: tuple[SceneObject, ...]
    acquisition: Acquisition = Acquisition()

    @property
    def scale(self) -> float:
        """Size of things relative to the standard scale."""
        return self.acquisition.scale

    def objects_of(self, name: str) -> list[SceneObject]:
        """The objects of a group or kind."""
        return [obj for obj in self.objects if name in (obj.group, obj.kind)]


def ground_at(base: str, areas: Sequence[Area], at: Point) -> str:
    """Ground class at a point, ignoring roads."""
    return next((area.ground for area in reversed(areas) if contains(area.outline, at)), MATERIALS[base].ground)


def is_over_water(base: str, areas: Sequence[Area], outline: Sequence[Point]) -> bool:
    """Whether all corners and edge midpoints of an outline are over water."""
    pairs = zip(outline, (*outline[1:], outline[0]), strict=True)
    points = (*outline, *(((a[0] + b[0]) / 2, (a[1] + b[1]) / 2) for a, b in pairs))
    return all(ground_at(base, areas, point) == "water" for point in points)


def box(obj: SceneObject, scale: float) -> Box:
    """The axis-aligned bounding box of an object in integer pixels."""
    left, top, right, bottom = (side * scale for side in bounds(obj.visible_outline))
    # ignore overlaps of less than 0.001 pixels
    return math.floor(left + 1e-3), math.floor(top + 1e-3), math.ceil(right - 1e-3), math.ceil(bottom - 1e-3)


def quad(obj: SceneObject, scale: float) -> list[tuple[int, int]]:
    """The oriented bounding rectangle in pixels, clockwise from the corner nearest to the top left."""
    return to_pixels(obj.visible_frame, scale)


def to_pixels(outline: Outline, scale: float) -> list[tuple[int, int]]:
    """An outline in integer pixels, clockwise, without duplicate or collinear points."""
    ring = order_clockwise([(round(x * scale), round(y * scale)) for x, y in outline])
    whole = [(int(x), int(y)) for x, y in ring]
    apart = [point for k, point in enumerate(whole) if point != whole[k - 1]]
    count = len(apart)
    return [point for k, point in enumerate(apart) if not _straight(apart[k - 1], point, apart[(k + 1) % count])]


def _straight(a: tuple[int, int], b: tuple[int, int], c: tuple[int, int]) -> bool:
    """Whether three points are collinear."""
    return (b[0] - a[0]) * (c[1] - b[1]) == (b[1] - a[1]) * (c[0] - b[0])
