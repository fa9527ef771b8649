"""Element stiffness in natural modes: three deformations per member, elongation and the end rotations from the chord.

Releases are condensed by the stiffness of these deformations alone: 4, 2 for a rigid pair of ends, 3 where the other
end is hinged, 0 at a hinge. Rigid-body motion gives exactly no deformation, whatever the stiffnesses.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sightline.suites.structural.fem.algebra import multiply_each
from sightline.suites.structural.fem.arrays import Floats, Indices, MemberArrays
from sightline.suites.structural.fem.constraints import Constraints


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
    shape = _shape(members)
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
    natural = _natural(members, factors)
    return Assembly(shape, shape_free, factors, natural, multiply_each(natural, shape), dofs, number, unknowns)


def _shape(members: MemberArrays) -> Floats:
    cos, sin = members.cos, members.sin
    across_x, across_y = sin / members.length, cos / members.length
    shape = np.zeros((len(cos), 3, 6))
    shape[:, 0, 0], shape[:, 0, 1], shape[:, 0, 3], shape[:, 0, 4] = -cos, -sin, cos, sin
    chord = shape[:, 1:]
    chord[:, :, 0], chord[:, :, 1] = -across_x[:, None], across_y[:, None]
    chord[:, :, 3], chord[:, :, 4] = across_x[:, None], -across_y[:, None]
    shape[:, 1, 2] = shape[:, 2, 5] = 1.0
    return shape


def bending_factors(members: MemberArrays) -> Floats:
    """(members, 2, 2): what multiplies EI/L between end rotations and end moments."""
    rigid_start, rigid_end = ~members.hinged[:, 0], ~members.hinged[:, 1]
    factors = np.zeros((len(members.length), 2, 2))
    factors[:, 0, 0] = np.where(rigid_start, np.where(rigid_end, 4.0, 3.0), 0.0)
    factors[:, 1, 1] = np.where(rigid_end, np.where(rigid_start, 4.0, 3.0), 0.0)
    factors[:, 0, 1] = factors[:, 1, 0] = np.where(rigid_start & rigid_end, 2.0, 0.0)
    return factors


def _natural(members: MemberArrays, factors: Floats) -> Floats:
    natural = np.zeros((len(members.length), 3, 3))
    natural[:, 0, 0] = members.ea / members.length
    natural[:, 1:, 1:] = factors * (members.ei / members.length)[:, None, None]
    return natural
