"""Frame elements as arrays: geometry of all members, and their stiffness in natural modes.

A member has three deformations: elongation and the end rotations from the chord. Releases are condensed by the
stiffness of these deformations alone: 4, 2 for a rigid pair of ends, 3 where the other end is hinged, 0 at a hinge.
Rigid-body motion gives exactly no deformation, whatever the stiffnesses.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from operator import attrgetter

import numpy as np
from numpy.typing import NDArray

from sightline.core.errors import SightlineError
from sightline.suites.structural.fem.frame import Frame

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]
Mask = NDArray[np.bool_]

_COORDINATES = attrgetter("x", "y")
_MEMBER_FIELDS = attrgetter("start", "end", "E", "A", "I", "hinge_start", "hinge_end")


@dataclass(frozen=True, slots=True)
class MemberArrays:
    """One row per member: ends, length, direction, stiffnesses and releases; and the coordinates of the nodes."""

    xy: Floats
    ends: Indices
    length: Floats
    cos: Floats
    sin: Floats
    ea: Floats
    ei: Floats
    hinged: Mask

    @property
    def nodes(self) -> int:
        """How many nodes."""
        return len(self.xy)


def member_arrays(frame: Frame) -> MemberArrays:
    """The members of a frame, after checking that each can be computed with."""
    if not frame.members:
        raise SightlineError("The frame has no members.")
    xy = np.fromiter(chain.from_iterable(map(_COORDINATES, frame.nodes)), float).reshape(-1, 2)
    table = np.fromiter(chain.from_iterable(map(_MEMBER_FIELDS, frame.members)), float).reshape(-1, 7)
    if not np.isfinite(xy).all():
        bad = int(np.flatnonzero(~np.isfinite(xy).all(axis=1))[0])
        raise SightlineError("Node {node} has a coordinate that is not a finite number.", node=bad)
    ends = _checked_ends(table[:, :2], len(xy))
    delta = xy[ends[:, 1]] - xy[ends[:, 0]]
    length = _lengths(delta)
    young, area, inertia = table[:, 2], table[:, 3], table[:, 4]
    hinged = table[:, 5:] != 0.0
    ea, ei = young * area, young * inertia
    bends = ~hinged.all(axis=1)
    good = (ea > 0.0) & (young > 0.0) & (ei >= 0.0) & ((ei > 0.0) | ~bends) & np.isfinite(ea) & np.isfinite(ei)
    if not (good.all() and length.all()):
        _refuse(good, length)
    return MemberArrays(xy, ends, length, delta[:, 0] / length, delta[:, 1] / length, ea, ei, hinged)


def _lengths(delta: Floats) -> Floats:
    """√(x² + y²) by operations that are rounded alike everywhere; `hypot` is not, from one C library to another."""
    _, power = np.frexp(np.abs(delta).max())  # a power of two takes care of the largest and smallest numbers, exactly
    unit = np.ldexp(delta, -power)
    return np.asarray(np.ldexp(np.sqrt(unit[:, 0] * unit[:, 0] + unit[:, 1] * unit[:, 1]), power))


def _checked_ends(node_indices: Floats, nodes: int) -> Indices:
    if not (node_indices.min() >= 0 and node_indices.max() < nodes):
        bad = int(np.flatnonzero(~((node_indices >= 0) & (node_indices < nodes)).all(axis=1))[0])
        raise SightlineError("Member {member} refers to a node that does not exist.", member=bad)
    return node_indices.astype(np.int64)


def _refuse(good: Mask, length: Floats) -> None:
    if not length.all():
        raise SightlineError("Member {member} has no length.", member=int(np.flatnonzero(length == 0.0)[0]))
    raise SightlineError(
        "Member {member} needs finite positive E, A and I (I may be 0 where both ends are hinged).",
        member=int(np.flatnonzero(~good)[0]),
    )


def shape_matrices(members: MemberArrays) -> Floats:
    """(members, 3, 6): world displacements of the ends to elongation and end rotations from the chord."""
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


def natural_stiffness(members: MemberArrays, factors: Floats) -> Floats:
    """(members, 3, 3): deformations to N, start moment, end moment."""
    natural = np.zeros((len(members.length), 3, 3))
    natural[:, 0, 0] = members.ea / members.length
    natural[:, 1:, 1:] = factors * (members.ei / members.length)[:, None, None]
    return natural


def unit_stiffness_roots(members: MemberArrays) -> Floats:
    """(members, 3, 3): deformations to numbers whose squares add up to twice the energy at EA = 1/L, EI = L/4."""
    factors = bending_factors(members) / 4.0
    start, both, end = factors[:, 0, 0], factors[:, 0, 1], factors[:, 1, 1]
    rows = np.zeros((len(start), 3, 3))
    rows[:, 0, 0] = 1.0 / members.length
    rows[:, 1, 1] = np.sqrt(start)
    rows[:, 1, 2] = both / np.where(start > 0.0, rows[:, 1, 1], 1.0)
    rows[:, 2, 2] = np.sqrt(end - rows[:, 1, 2] ** 2)
    return rows
