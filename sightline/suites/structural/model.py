"""Structural model in normalized form, as read from FrameCalc JSON, its category and difficulty. Units are m and kN."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import Literal

from msgspec import Struct

STANDARD_E = 80918000.0
STANDARD_A = 0.007853981633974483
STANDARD_I = 4.908738521234054e-06


class Point(Struct, frozen=True):
    """A point of the model."""

    id: str
    x: float
    y: float


class Link(Struct, frozen=True, kw_only=True):
    """A member from point a to point b."""

    id: str
    a: str
    b: str
    E: float = STANDARD_E
    A: float = STANDARD_A
    Iz: float = STANDARD_I
    hinge_a: bool = False
    hinge_b: bool = False


SupportKind = Literal["pin", "fixed", "roller", "slider"]


class PointSupport(Struct, frozen=True, kw_only=True):
    """A support at a point; `angle` as in FrameCalc (a roller restrains along angle + 90°, a slider along angle)."""

    id: str
    point: str
    kind: SupportKind
    angle: float = 0.0


class Force(Struct, frozen=True, kw_only=True):
    """A point load, on a point or on a link at `offset` metres from its end a.

    `angle` is its direction in world axes, in degrees, with any flip applied; `value` may be negative.
    """

    id: str
    value: float
    angle: float
    point: str = ""
    link: str = ""
    offset: float = 0.0


class Moment(Struct, frozen=True, kw_only=True):
    """A moment, counter-clockwise positive, on a point or on a link at `offset` metres from its end a."""

    id: str
    value: float
    point: str = ""
    link: str = ""
    offset: float = 0.0


class DistributedLoad(Struct, frozen=True, kw_only=True):
    """A linearly varying distributed load on a link, from `w_begin` at `begin` to `w_end` at `end`, in metres from a.

    `angle` is its direction in world axes, in degrees, with any flip applied.
    """

    id: str
    link: str
    begin: float
    end: float
    w_begin: float
    w_end: float
    angle: float


Load = Force | Moment | DistributedLoad


class Model(Struct, frozen=True, kw_only=True):
    """A structure with its loads."""

    points: tuple[Point, ...]
    links: tuple[Link, ...]
    supports: tuple[PointSupport, ...] = ()
    loads: tuple[Load, ...] = ()


_ALIGNED = 0.02
"""Members whose directions differ by less than this angle, in radians, lie on one line."""


def find_crossing_points(
    groups: Iterable[Sequence[Point]], points: Mapping[str, Point], links: Iterable[Link]
) -> set[str]:
    """Of groups of coincident points, those where members only cross: at each of the group one member runs straight on.

    Two members that were split where they cross, each at a point of its own, are not connected there. In any other
    group, points are the same joint that was written twice.
    """
    ends: dict[str, list[float]] = {}
    for link in links:
        for start, end in ((link.a, link.b), (link.b, link.a)):
            angle = math.atan2(points[end].y - points[start].y, points[end].x - points[start].x)
            ends.setdefault(start, []).append(angle)
    crossing: set[str] = set()
    for group in groups:
        lines = [ends.get(point.id, []) for point in group]
        if all(len(line) == 2 and abs(math.cos((line[0] - line[1]) / 2)) < _ALIGNED for line in lines) and all(
            abs(math.sin(one[0] - other[0])) > _ALIGNED for one, other in combinations(lines, 2)
        ):
            crossing.update(point.id for point in group)
    return crossing


Category = Literal["beam", "frame", "truss"]
CATEGORIES: tuple[Category, ...] = ("beam", "frame", "truss")

_STRAIGHT = 1e-6
_HELD = {"pin": 2, "fixed": 2, "roller": 1, "slider": 1}


def category_of(model: Model, name: str = "") -> Category:
    """`beam`, `frame` or `truss`: by the name's prefix (`beam_…`) where it has one, else by the structure.

    All points on one line: a beam. Forces on points alone, and at least as many bars and held displacements as the
    joints have displacements (m + r ≥ 2j, Maxwell's count): a truss, since pinned joints would do. Else a frame.
    """
    for category in CATEGORIES:
        if name.casefold().startswith(category):
            return category
    if _straight(model):
        return "beam"
    held = sum(_HELD[support.kind] for support in model.supports)
    on_joints = all(isinstance(load, Force) and load.point for load in model.loads)
    return "truss" if on_joints and len(model.links) + held >= 2 * len(model.points) else "frame"


def difficulty_of(model: Model, category: Category) -> int:
    """A beam is 1, with a hinge 2; a truss 2, above 10 links 3, above 20 4; a frame 2, from 5, 10, 14 links 3, 4, 5."""
    links = len(model.links)
    if category == "beam":
        return 2 if any(link.hinge_a or link.hinge_b for link in model.links) else 1
    if category == "truss":
        return 2 + (links > 10) + (links > 20)
    return 2 + (links >= 5) + (links >= 10) + (links >= 14)


def _straight(model: Model) -> bool:
    first = model.points[0]
    far = max(model.points, key=lambda point: math.hypot(point.x - first.x, point.y - first.y))
    x, y = far.x - first.x, far.y - first.y
    reach = math.hypot(x, y)
    return all(abs(x * (p.y - first.y) - y * (p.x - first.x)) <= _STRAIGHT * reach * reach for p in model.points)
