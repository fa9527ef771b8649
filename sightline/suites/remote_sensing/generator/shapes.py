"""Planar geometry of outlines in image coordinates: x to the right, y down, clockwise as seen."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

Point = tuple[float, float]
Outline = tuple[Point, ...]
Box = tuple[int, int, int, int]


def rotate(points: Iterable[Point], at: Point, angle: float) -> Outline:
    """Points rotated about the origin and then translated."""
    cosine, sine = math.cos(angle), math.sin(angle)
    return tuple((at[0] + x * cosine - y * sine, at[1] + x * sine + y * cosine) for x, y in points)


def rectangle(at: Point, length: float, width: float, angle: float = 0.0) -> Outline:
    """Corners clockwise."""
    a, b = length / 2, width / 2
    return rotate(((-a, -b), (a, -b), (a, b), (-a, b)), at, angle)


def circle(at: Point, radius: float, count: int = 32) -> Outline:
    """A regular polygon with a vertex at each quarter, so that its bounds are the circle's."""
    steps = (2 * math.pi * k / count for k in range(count))
    return tuple((at[0] + radius * math.cos(step), at[1] + radius * math.sin(step)) for step in steps)


def bounds(points: Iterable[Point]) -> tuple[float, float, float, float]:
    """Left, top, right, bottom."""
    xs, ys = zip(*points, strict=True)
    return min(xs), min(ys), max(xs), max(ys)


def signed_area(points: Sequence[Point]) -> float:
    """Signed area, positive for clockwise rings."""
    following = (*points[1:], points[0])
    return sum(a[0] * b[1] - b[0] * a[1] for a, b in zip(points, following, strict=True)) / 2


def order_clockwise(points: Sequence[Point]) -> list[Point]:
    """The ring in clockwise order, starting at the vertex nearest to the top left."""
    ring = list(points) if signed_area(points) >= 0 else list(reversed(points))
    first = min(range(len(ring)), key=lambda k: (ring[k][0] + ring[k][1], ring[k]))
    return ring[first:] + ring[:first]


def mirror(half: Sequence[Point]) -> Outline:
    """A closed outline from its upper half, given from front to rear along positive y."""
    return (*half, *((x, -y) for x, y in reversed(half) if y > 0))


def sweep(points: Sequence[Point], by: Point) -> list[Outline]:
    """Polygons that cover the area swept by a translated outline, such as a shadow."""
    moved = tuple((x + by[0], y + by[1]) for x, y in points)
    sides = [
        (a, b, d, c) for a, b, c, d in zip(points, (*points[1:], points[0]), moved, (*moved[1:], moved[0]), strict=True)
    ]
    return [moved, *sides]


def contains(points: Sequence[Point], at: Point) -> bool:
    """Point-in-polygon test by ray casting."""
    x, y = at
    inside = False
    for (ax, ay), (bx, by) in zip(points, (*points[1:], points[0]), strict=True):
        if (ay > y) != (by > y) and x < ax + (y - ay) * (bx - ax) / (by - ay):
            inside = not inside
    return inside


def distance(a: Point, b: Point) -> float:
    """Euclidean distance between two points."""
    return math.hypot(a[0] - b[0], a[1] - b[1])
