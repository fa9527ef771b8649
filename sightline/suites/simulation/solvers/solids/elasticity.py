"""Linear elasticity in the plane: Hooke's law, stiffness, loads by traction, pressure and heating, and supports.

A wall keeps an edge plane and lets it narrow freely, so that no corner of it has an infinite stress; the sideways force
is taken by holding the mean of the sideways displacement, as a distributing coupling does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from msgspec import Struct

from sightline.suites.simulation.solvers.solids import elements
from sightline.suites.simulation.solvers.solids.elements import ElementSpace, Matrix
from sightline.suites.simulation.solvers.solids.mesh import Array, Integers, Mesh

Traction: TypeAlias = Callable[[Array, Array], tuple[Array, Array]]
"""Force on an area of the edge, by place: along x and along y."""
_PLACES, _WEIGHTS = np.polynomial.legendre.leggauss(3)


class Elastic(Struct, frozen=True, kw_only=True):
    """An isotropic material in a slice of some thickness: free to strain across it (plane stress), or not at all."""

    young: float
    poisson: float
    expansion: float = 0.0
    thickness: float = 1.0
    is_plane_strain: bool = False

    @property
    def matrix(self) -> Array:
        """From strains xx, yy and 2 xy to stresses xx, yy and xy."""
        nu = self.poisson
        shear = self.young / (2 * (1 + nu))
        if self.is_plane_strain:
            lame = self.young * nu / ((1 + nu) * (1 - 2 * nu))
            direct, cross = lame + 2 * shear, lame
        else:
            direct, cross = self.young / (1 - nu**2), nu * self.young / (1 - nu**2)
        return np.array([[direct, cross, 0], [cross, direct, 0], [0, 0, shear]])

    @property
    def growth(self) -> float:
        """Strain in the plane by a kelvin; across a slice that can't grow the plane takes the rest."""
        return self.expansion * (1 + self.poisson if self.is_plane_strain else 1.0)


def stiffness(space: ElementSpace, elastic: Elastic) -> Matrix:
    """Of the whole body, no supports."""
    b = space.strains
    weighted = (elastic.thickness * space.weights)[:, :, None, None] * (elastic.matrix @ b)
    return elements.assemble_matrix((b.transpose(0, 1, 3, 2) @ weighted).sum(axis=1), space.unknowns, space.size)


def strain_at_points(space: ElementSpace, displacement: Array) -> Array:
    """Shape (elements, points, 3)."""
    return np.asarray((space.strains @ displacement[space.unknowns][:, None, :, None])[..., 0])


def stress_at_points(space: ElementSpace, elastic: Elastic, displacement: Array, heating: Array) -> Array:
    """Shape (elements, points, 3), of the strain that heating does not explain; `heating` is in kelvin by node."""
    strain = strain_at_points(space, displacement)
    strain[..., :2] -= elastic.growth * space.at_points(heating)[..., None]
    return strain @ elastic.matrix


def internal_force(space: ElementSpace, thickness: float, stress: Array) -> Array:
    """What a stress at the Gauss points does to the nodes."""
    forces = space.strains.transpose(0, 1, 3, 2) @ stress[..., None]
    return elements.assemble_vector(
        ((thickness * space.weights)[:, :, None, None] * forces).sum(axis=1), space.unknowns, space.size
    )


def thermal_load(space: ElementSpace, elastic: Elastic, heating: Array) -> Array:
    """The forces by which hindered growth pushes the nodes."""
    hindered = elastic.growth * space.at_points(heating)[..., None] * np.array([1.0, 1.0, 0.0])
    return internal_force(space, elastic.thickness, hindered @ elastic.matrix)


def traction_load(mesh: Mesh, edges: Integers, thickness: float, traction: Traction) -> Array:
    """Forces on the nodes of some edges."""
    load = np.zeros(2 * len(mesh.points))
    for place, weight in zip(_PLACES, _WEIGHTS, strict=True):
        shape, (x, y), (dx, dy) = _edge_shape_functions(mesh, edges, place)
        size = thickness * weight * np.hypot(dx, dy)
        for k, values in enumerate(traction(x, y)):
            np.add.at(load, 2 * edges + k, (size * values)[:, None] * shape)
    return load


def pressure_load(mesh: Mesh, edges: Integers, thickness: float, pressure: Callable[[Array, Array], Array]) -> Array:
    """Forces of a pressure that acts at right angles into the body."""
    load = np.zeros(2 * len(mesh.points))
    for place, weight in zip(_PLACES, _WEIGHTS, strict=True):
        shape, (x, y), (dx, dy) = _edge_shape_functions(mesh, edges, place)
        size = thickness * weight * pressure(x, y)
        # the body is on the left of the way along its rim, so the left normal points into it
        np.add.at(load, 2 * edges, (-size * dy)[:, None] * shape)
        np.add.at(load, 2 * edges + 1, (size * dx)[:, None] * shape)
    return load


def elastic_foundation(mesh: Mesh, edges: Integers, axis: int, rate: float) -> Matrix:
    """Springs spread over some edges, of so much force by displacement and length, along x (0) or y (1)."""
    size = 2 * len(mesh.points)
    matrix = elements.zero_matrix(size)
    for place, weight in zip(_PLACES, _WEIGHTS, strict=True):
        shape, _, (dx, dy) = _edge_shape_functions(mesh, edges, place)
        values = (rate * weight * np.hypot(dx, dy))[:, None, None] * np.outer(shape, shape)
        matrix = matrix + elements.assemble_matrix(values, 2 * edges + axis, size)
    return matrix


def _edge_shape_functions(mesh: Mesh, edges: Integers, place: float) -> tuple[Array, Array, Array]:
    """Shape functions at a place from -1 to 1 along each edge; the points there; the derivatives by the place."""
    shape = np.array([place * (place - 1) / 2, 1 - place**2, place * (place + 1) / 2])
    slope = np.array([place - 0.5, -2 * place, place + 0.5])
    nodes = mesh.points[edges]
    return shape, (shape @ nodes).T, (slope @ nodes).T


class SupportCondition(Struct, frozen=True, kw_only=True):
    """A support in one direction."""

    name: str
    edges: Integers
    axis: int
    """0 along x, 1 along y."""
    on_average: bool = False
    spring: float = 0.0
    """Stiffness of the whole support where it gives way, 0 where it is rigid."""


def averaging_weights(mesh: Mesh, support: SupportCondition) -> Array:
    """The weights by which a mean is taken along straight edges: on each piece a parabola that vanishes at its ends."""
    places = mesh.points[support.edges] @ np.abs(np.ptp(mesh.points[support.edges].reshape(-1, 2), axis=0))
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
        np.add.at(weights, 2 * support.edges[chosen] + support.axis, simpson * share * (1 - share))
    return np.asarray(weights / weights.sum())


def free_displacements(mesh: Mesh, supports: tuple[SupportCondition, ...]) -> Matrix:
    """Return the matrix that maps free unknowns to all unknowns under rigid supports."""
    size = 2 * len(mesh.points)
    fixed = np.zeros(size, dtype=bool)
    for support in supports:
        if not support.spring and not support.on_average:
            fixed[2 * np.unique(support.edges) + support.axis] = True
    rows: dict[int, Array] = {}
    for support in supports:
        if not support.spring and support.on_average:
            weights = np.where(fixed, 0.0, averaging_weights(mesh, support))
            chosen = int(weights.argmax())
            rows[chosen] = -weights / weights[chosen]
            fixed[chosen] = True
    return elements.identity_with_rows(size, rows)[:, ~fixed]


def spring_stiffness(mesh: Mesh, supports: tuple[SupportCondition, ...]) -> Matrix:
    """Return the stiffness matrix of all elastic supports."""
    matrix = elements.zero_matrix(2 * len(mesh.points))
    for support in supports:
        if support.spring and support.on_average:
            matrix = matrix + support.spring * elements.outer_product(averaging_weights(mesh, support))
        elif support.spring:
            length = np.hypot(*(mesh.points[support.edges[:, 2]] - mesh.points[support.edges[:, 0]]).T).sum()
            matrix = matrix + elastic_foundation(mesh, support.edges, support.axis, support.spring / length)
    return matrix


def support_displacement(mesh: Mesh, support: SupportCondition, displacement: Array) -> float:
    """Return the largest displacement of a support in its direction, or the mean one if only that is fixed."""
    if support.on_average:
        return float(averaging_weights(mesh, support) @ displacement)
    found = displacement[2 * np.unique(support.edges) + support.axis]
    return float(found[np.abs(found).argmax()])
