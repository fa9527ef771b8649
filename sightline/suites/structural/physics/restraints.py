"""Restrained directions of supports, by vertex."""

from __future__ import annotations

import numpy as np

from sightline.suites.structural.fem.algebra import multiply, orthonormal_basis
from sightline.suites.structural.framecalc.convert import direction
from sightline.suites.structural.model import PointSupport
from sightline.suites.structural.physics.overlay import Floats, MappedModel
from sightline.suites.structural.physics.response import Restraints

FIXED: Restraints = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


def restraints_of(support: PointSupport) -> Restraints:
    """The directions of (ux, uy, rz) that a support restrains."""
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


def same_restraints(truth: dict[int, Restraints], answer: dict[int, Restraints]) -> bool:
    """Whether the same motions are restrained at the same vertices."""
    return truth.keys() == answer.keys() and all(
        np.allclose(restraint_projector(truth[vertex]), restraint_projector(answer[vertex]), atol=1e-9)
        for vertex in truth
    )


def restraint_projector(restraints: Restraints) -> Floats:
    """Projector onto the restrained motions: the same for a support rotated by 180° and for one given twice."""
    if not restraints:
        return np.zeros((3, 3))
    rows, rank = orthonormal_basis(restraints, 1e-6)
    return multiply(rows[:rank].T, rows[:rank])


def restraints_by_vertex(mapped: MappedModel) -> dict[int, Restraints]:
    """Restraints of all supports of a model; those of several supports at a vertex are combined."""
    result: dict[int, Restraints] = {}
    for support in mapped.model.supports:
        vertex = mapped.vertex_of[support.point]
        result[vertex] = result.get(vertex, ()) + restraints_of(support)
    return result
