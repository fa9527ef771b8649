"""What supports hold, by place."""

from __future__ import annotations

import numpy as np

from sightline.suites.structural.fem.algebra import multiply, orthonormal_basis
from sightline.suites.structural.framecalc.convert import direction
from sightline.suites.structural.model import PointSupport
from sightline.suites.structural.physics.places import Floats, Laid
from sightline.suites.structural.physics.response import Held

FIXED: Held = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


def held_by(support: PointSupport) -> Held:
    """The directions of (ux, uy, rz) that a support holds."""
    match support.kind:
        case "pin":
            return FIXED[:2]
        case "fixed":
            return FIXED
        case "roller":
            x, y = direction(support.angle + 90.0)
            return ((x, y, 0.0),)
        case "slider":
            x, y = direction(support.angle)
            return ((x, y, 0.0), FIXED[2])


def same_holding(one: dict[int, Held], other: dict[int, Held]) -> bool:
    """Whether the same motions are held at the same places."""
    return one.keys() == other.keys() and all(
        np.allclose(held_space(one[place]), held_space(other[place]), atol=1e-9) for place in one
    )


def held_space(held: Held) -> Floats:
    """The projector onto the motions that are held: the same for a support turned by 180° and for one given twice."""
    if not held:
        return np.zeros((3, 3))
    rows, rank = orthonormal_basis(held, 1e-6)
    return multiply(rows[:rank].T, rows[:rank])


def held_by_place(laid: Laid) -> dict[int, Held]:
    """All supports of a model; several on one place hold together."""
    found: dict[int, Held] = {}
    for support in laid.model.supports:
        place = laid.place_of[support.point]
        found[place] = found.get(place, ()) + held_by(support)
    return found
