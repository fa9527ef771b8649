"""Category of a structural model, and its difficulty from 1 to 5."""

from __future__ import annotations

import math
from typing import Literal

from sightline.suites.structural.model import Force, Model

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
