"""Support conditions: edges fixed along an axis, pointwise or on average, rigid or elastic.

A wall keeps an edge plane and lets it narrow freely, so that no corner of it has an infinite stress; the sideways force
is taken by holding the mean of the sideways displacement, as a distributing coupling does.
"""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from sightline.suites.simulation.solvers.solids.blocks import Array
from sightline.suites.simulation.solvers.solids.elasticity import elastic_foundation
from sightline.suites.simulation.solvers.solids.matrices import Matrix, identity_with_rows, outer_product, zero_matrix
from sightline.suites.simulation.solvers.solids.mesh import Integers, Mesh


class SupportCondition(Struct, frozen=True, kw_only=True):
    """A support in one direction."""

    name: str
    edges: Integers
    axis: int
    """0 along x, 1 along y."""
    on_average: bool = False
    spring: float = 0.0
    """Stiffness of the whole support where it gives way, 0 where it is rigid."""


def averaging_weights(mesh: Mesh, hold: SupportCondition) -> Array:
    """The weights by which a mean is taken along straight edges: on each piece a parabola that vanishes at its ends."""
    places = mesh.points[hold.edges] @ np.abs(np.ptp(mesh.points[hold.edges].reshape(-1, 2), axis=0))
    low, high = places.min(axis=1), places.max(axis=1)
    order = np.argsort(low)
    gaps = low[order][1:] > high[order][:-1] + 1e-6 * float(np.ptp(places))
    piece = np.empty(len(order), dtype=np.int64)
    piece[order] = np.concatenate([[0], np.cumsum(gaps)])
    weights = np.zeros(2 * len(mesh.points))
    for number in range(int(piece.max()) + 1):
        chosen = piece == number
        first, last = float(low[chosen].min()), float(high[chosen].max())
        share = (places[chosen] - first) / (last - first)
        simpson = (high - low)[chosen][:, None] * np.array([1.0, 4.0, 1.0])
        np.add.at(weights, 2 * hold.edges[chosen] + hold.axis, simpson * share * (1 - share))
    return np.asarray(weights / weights.sum())


def free_displacements(mesh: Mesh, holds: tuple[SupportCondition, ...]) -> Matrix:
    """Return the matrix that maps free unknowns to all unknowns under rigid supports."""
    size = 2 * len(mesh.points)
    fixed = np.zeros(size, dtype=bool)
    for hold in holds:
        if not hold.spring and not hold.on_average:
            fixed[2 * np.unique(hold.edges) + hold.axis] = True
    rows: dict[int, Array] = {}
    for hold in holds:
        if not hold.spring and hold.on_average:
            weights = np.where(fixed, 0.0, averaging_weights(mesh, hold))
            chosen = int(weights.argmax())
            rows[chosen] = -weights / weights[chosen]
            fixed[chosen] = True
    return identity_with_rows(size, rows)[:, ~fixed]


def spring_stiffness(mesh: Mesh, holds: tuple[SupportCondition, ...]) -> Matrix:
    """Return the stiffness matrix of all elastic supports."""
    matrix = zero_matrix(2 * len(mesh.points))
    for hold in holds:
        if hold.spring and hold.on_average:
            matrix = matrix + hold.spring * outer_product(averaging_weights(mesh, hold))
        elif hold.spring:
            length = np.hypot(*(mesh.points[hold.edges[:, 2]] - mesh.points[hold.edges[:, 0]]).T).sum()
            matrix = matrix + elastic_foundation(mesh, hold.edges, hold.axis, hold.spring / length)
    return matrix


def support_displacement(mesh: Mesh, hold: SupportCondition, displacement: Array) -> float:
    """Return the largest displacement of a support in its direction, or the mean one if only that is fixed."""
    if hold.on_average:
        return float(averaging_weights(mesh, hold) @ displacement)
    found = displacement[2 * np.unique(hold.edges) + hold.axis]
    return float(found[np.abs(found).argmax()])
