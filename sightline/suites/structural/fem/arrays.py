"""A frame as validated arrays, the input of the vectorized solver."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from operator import attrgetter

import numpy as np
from numpy.typing import NDArray

from sightline.core.errors import SightlineError
from sightline.suites.structural.fem.model import Frame

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
