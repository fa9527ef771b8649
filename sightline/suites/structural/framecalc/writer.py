"""`Model` → FrameCalc JSON in canonical form, with every field explicit."""

from __future__ import annotations

import math
from typing import Any

from sightline.suites.structural.model import DistributedLoad, Force, Link, Load, Model, Moment

_DENSITY = 7850


def write_model(model: Model) -> dict[str, Any]:
    """The model as JSON-serializable data that `read_model` reads back unchanged; load angles are world angles."""
    at = {point.id: point for point in model.points}
    lengths = {link.id: math.hypot(at[link.b].x - at[link.a].x, at[link.b].y - at[link.a].y) for link in model.links}
    return {
        "points": [{"id": point.id, "x": point.x, "y": point.y} for point in model.points],
        "links": [_link(link) for link in model.links],
        "supports": [
            {
                "id": support.id,
                "at": {"type": "point", "id": support.point},
                "kind": support.kind,
                "angleDeg": support.angle,
            }
            for support in model.supports
        ],
        "loads": [_load(load, lengths) for load in model.loads],
    }


def _link(link: Link) -> dict[str, Any]:
    return {
        "id": link.id,
        "a": link.a,
        "b": link.b,
        "E": link.E,
        "A": link.A,
        "Iz": link.Iz,
        "density": _DENSITY,
        "endA": "hinge" if link.hinge_a else "rigid",
        "endB": "hinge" if link.hinge_b else "rigid",
    }


def _load(load: Load, lengths: dict[str, float]) -> dict[str, Any]:
    at = {"type": "link", "id": load.link} if load.link else {"type": "point", "id": getattr(load, "point", "")}
    if isinstance(load, DistributedLoad):
        return {
            "id": load.id,
            "kind": "distributedLoad",
            "at": at,
            "fromStart": load.begin,
            "fromEnd": lengths[load.link] - load.end,
            "wStart": load.w_begin,
            "wEnd": load.w_end,
            **_direction(load),
        }
    position = {"refEnd": "A", "offsetMode": "m", "offset": load.offset} if load.link else {}
    if isinstance(load, Moment):
        return {"id": load.id, "kind": "bendingMoment", "at": at, "value": load.value, "flip": 1, **position}
    return {"id": load.id, "kind": "pointLoad", "at": at, "value": load.value, **_direction(load), **position}


def _direction(load: Force | DistributedLoad) -> dict[str, Any]:
    return {"angleDeg": load.angle, "angleMode": "world", "flip": 1}
