"""Supports as exact constraints: an orthonormal basis per node in which every direction is restrained or free.

No penalty springs. Directions that several supports at a node share are merged, so duplicates do no harm.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sightline.core.errors import SightlineError
from sightline.suites.structural.fem.algebra import multiply_each, orthonormal_basis
from sightline.suites.structural.fem.arrays import Floats, Indices, Mask, MemberArrays
from sightline.suites.structural.fem.model import Support

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
