"""Assembly of the stiffness: supports as exact constraints, and the element matrices in terms of the unknowns.

There are no penalty springs: an orthonormal basis per node makes every direction restrained or free. Directions that
several supports at a node share are merged, so duplicates do no harm.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sightline.core.errors import SightlineError
from sightline.suites.structural.fem.elements import (
    Floats,
    Indices,
    Mask,
    MemberArrays,
    bending_factors,
    natural_stiffness,
    shape_matrices,
)
from sightline.suites.structural.fem.frame import Support
from sightline.suites.structural.fem.linear_algebra import multiply_each, orthonormal_basis

_SAME_DIRECTION = 1e-9


@dataclass(frozen=True, slots=True)
class Constraints:
    """Which coordinates are free, in the basis of each node; the basis is the world's but for the `turned` nodes."""

    free: Mask
    """(nodes, 3)."""
    idle: Mask
    """Joints whose rotation is no unknown: every member end there is hinged, and no support holds it."""
    rotated: Indices
    basis: Floats
    """(turned nodes, 3, 3): the basis vectors are the columns."""

    def to_world(self, values: Floats) -> Floats:
        """Vectors (nodes, 3, cases) from the nodes' bases to world axes."""
        if not len(self.rotated):
            return values
        values = values.copy()
        values[self.rotated] = multiply_each(self.basis, values[self.rotated])
        return values

    def to_basis(self, values: Floats) -> Floats:
        """Vectors (nodes, 3, cases) from world axes to the nodes' bases."""
        if not len(self.rotated):
            return values
        values = values.copy()
        values[self.rotated] = multiply_each(self.basis.transpose(0, 2, 1), values[self.rotated])
        return values


def constrain(supports: Sequence[Support], members: MemberArrays) -> Constraints:
    """The constraints that supports and wholly hinged joints put on the nodes."""
    free = np.ones((members.nodes, 3), dtype=bool)
    oblique: dict[int, list[tuple[float, float, float]]] = {}
    for support in supports:
        node = support.node
        if not 0 <= node < members.nodes:
            raise SightlineError("A support holds node {node}, which does not exist.", node=node)
        for direction in support.held:
            axes = [axis for axis in range(3) if direction[axis] != 0.0]
            if not axes or not all(map(math.isfinite, direction)):
                raise SightlineError(
                    "A support at node {node} holds {direction}, which is no direction.", node=node, direction=direction
                )
            if len(axes) == 1:
                free[node, axes[0]] = False
            else:
                oblique.setdefault(node, []).append(direction)
    bases = [_oblique_basis(free, node, directions) for node, directions in oblique.items()]
    rigid = np.bincount(members.ends.ravel(), weights=~members.hinged.ravel(), minlength=members.nodes)
    idle = (rigid == 0.0) & free[:, 2]
    # Where a support couples rotation with displacement the third coordinate is no pure rotation, and stays an unknown.
    for node, basis in zip(oblique, bases, strict=True):
        idle[node] &= basis[2, 2] == 1.0
    free[idle, 2] = False
    return Constraints(free, idle, np.array(list(oblique), dtype=np.int64), np.array(bases).reshape(-1, 3, 3))


def _oblique_basis(free: Mask, node: int, oblique: list[tuple[float, float, float]]) -> Floats:
    """The basis at a node with oblique supports; marks in `free` which of its coordinates remain."""
    held = np.vstack([np.eye(3)[~free[node]], oblique])
    held = held / np.sqrt((held * held).sum(axis=1, keepdims=True))
    basis = np.eye(3)
    if all(direction[2] == 0.0 for direction in oblique):
        rows, rank = orthonormal_basis(held[held[:, 2] == 0.0, :2].tolist(), _SAME_DIRECTION)
        basis[:2, :2] = rows.T
        free[node, :2] = np.arange(2) >= rank
        return basis
    rows, rank = orthonormal_basis(held.tolist(), _SAME_DIRECTION)
    free[node] = np.arange(3) >= rank
    return np.asarray(rows.T)


@dataclass(frozen=True, slots=True)
class Assembly:
    """The members' deformations and stiffnesses, and where their displacements stand among the unknowns."""

    shape: Floats
    """(members, 3, 6): world displacements of the ends to deformations."""
    shape_free: Floats
    """The same from displacements in the nodes' bases."""
    factors: Floats
    """(members, 2, 2): what multiplies EI/L between end rotations and end moments."""
    natural: Floats
    """(members, 3, 3): deformations to N, start moment, end moment."""
    stiffness: Floats
    """(members, 3, 6): world displacements of the ends to N, start moment, end moment."""
    dofs: Indices
    """(members, 6): which of the 3 × nodes displacements."""
    number: Indices
    """(3 × nodes): which unknown; the count of unknowns where it is none."""
    unknowns: int

    def element_stiffness(self) -> Floats:
        """(members, 6, 6), in the nodes' bases."""
        stiffness = self.stiffness if self.shape_free is self.shape else multiply_each(self.natural, self.shape_free)
        return multiply_each(self.shape_free.transpose(0, 2, 1), stiffness)


def assemble(members: MemberArrays, constraints: Constraints) -> Assembly:
    """All members at once."""
    shape = shape_matrices(members)
    shape_free = shape
    if len(constraints.rotated):
        basis = np.tile(np.eye(3), (members.nodes, 1, 1))
        basis[constraints.rotated] = constraints.basis
        sides = ((shape[:, :, :3], 0), (shape[:, :, 3:], 1))
        rotated = [multiply_each(side, basis[members.ends[:, end]]) for side, end in sides]
        shape_free = np.concatenate(rotated, axis=2)
    free = constraints.free.ravel()
    unknowns = int(np.count_nonzero(free))
    number = np.full(len(free), unknowns)
    number[free] = np.arange(unknowns)
    dofs = (3 * members.ends[:, :, None] + np.arange(3)).reshape(-1, 6)
    factors = bending_factors(members)
    natural = natural_stiffness(members, factors)
    return Assembly(shape, shape_free, factors, natural, multiply_each(natural, shape), dofs, number, unknowns)
