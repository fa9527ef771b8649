"""Points, bounding boxes and local axes in pixel coordinates (y down)."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TypeAlias

from msgspec import Struct

XY: TypeAlias = tuple[float, float]

_EXACT = {0.0: (1.0, 0.0), 90.0: (0.0, 1.0), 180.0: (-1.0, 0.0), 270.0: (0.0, -1.0)}


def cos_sin(angle: float) -> XY:
    """Cosine and sine of an angle in degrees, exact at right angles so that upright lines stay upright."""
    turn = angle % 360.0
    return _EXACT.get(turn) or (math.cos(math.radians(turn)), math.sin(math.radians(turn)))


def offset_point(at: XY, angle: float, distance: float) -> XY:
    """The point at a distance from another, in the direction of an angle."""
    c, s = cos_sin(angle)
    return at[0] + distance * c, at[1] - distance * s


def angle_of(start: XY, end: XY) -> float:
    """The direction from one point to another, from 0 to 360."""
    return math.degrees(math.atan2(start[1] - end[1], end[0] - start[0])) % 360.0


def distance(start: XY, end: XY) -> float:
    """How far two points are apart."""
    return math.hypot(end[0] - start[0], end[1] - start[1])


def interpolate(start: XY, end: XY, share: float = 0.5) -> XY:
    """Linear interpolation between two points."""
    return start[0] + (end[0] - start[0]) * share, start[1] + (end[1] - start[1]) * share


def angle_gap(first: float, second: float) -> float:
    """The smaller angle between two directions, from 0 to 180."""
    gap = abs(first - second) % 360.0
    return min(gap, 360.0 - gap)


class Axes(Struct, frozen=True):
    """Local axes: x along `angle`, y 90° counter-clockwise from it, so that glyphs are told as on paper with y up."""

    at: XY
    angle: float = 0.0

    def to_sheet(self, x: float, y: float) -> XY:
        """Where a local point lies on the sheet."""
        c, s = cos_sin(self.angle)
        return self.at[0] + x * c - y * s, self.at[1] - x * s - y * c

    def path(self, *points: XY) -> tuple[XY, ...]:
        """Several local points on the sheet."""
        return tuple(self.to_sheet(x, y) for x, y in points)


class Box(Struct, frozen=True):
    """An axis-aligned rectangle."""

    left: float
    top: float
    right: float
    bottom: float

    @classmethod
    def bounding(cls, points: Iterable[XY], margin: float = 0.0) -> Box:
        """The smallest that holds all points."""
        xs, ys = zip(*points, strict=True)
        return cls(min(xs) - margin, min(ys) - margin, max(xs) + margin, max(ys) + margin)

    @property
    def width(self) -> float:
        """Extent along x."""
        return self.right - self.left

    @property
    def height(self) -> float:
        """Extent along y."""
        return self.bottom - self.top

    def expanded(self, by: float) -> Box:
        """With a margin on all sides."""
        return Box(self.left - by, self.top - by, self.right + by, self.bottom + by)

    def joined(self, other: Box) -> Box:
        """The smallest that holds both."""
        return Box(
            min(self.left, other.left),
            min(self.top, other.top),
            max(self.right, other.right),
            max(self.bottom, other.bottom),
        )

    def overlaps(self, other: Box) -> bool:
        """Whether the interiors intersect."""
        return (
            self.left < other.right and other.left < self.right and self.top < other.bottom and other.top < self.bottom
        )

    def contains(self, other: Box) -> bool:
        """Whether the other lies within."""
        return (
            self.left <= other.left
            and self.top <= other.top
            and self.right >= other.right
            and self.bottom >= other.bottom
        )
