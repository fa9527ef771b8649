"""Immutable data model of a plane frame: nodes, members, supports and loads, referenced by index."""

from __future__ import annotations

import math

from msgspec import Struct


class Node(Struct, frozen=True):
    """A joint."""

    x: float
    y: float


class Member(Struct, frozen=True, kw_only=True):
    """A straight Euler–Bernoulli member with axial deformation. Its x runs from start to end, its y 90° CCW from it."""

    start: int
    end: int
    E: float
    A: float
    I: float  # noqa: E741  # the usual letter
    hinge_start: bool = False
    """The moment is released at this end of this member only."""
    hinge_end: bool = False


class Support(Struct, frozen=True):
    """Directions of (ux, uy, rz) that are held at a node; each is a unit vector, and they are independent."""

    node: int
    held: tuple[tuple[float, float, float], ...]

    @classmethod
    def pin(cls, node: int) -> Support:
        """Both displacements."""
        return cls(node, ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0)))

    @classmethod
    def fixed(cls, node: int) -> Support:
        """Everything."""
        return cls(node, ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)))

    @classmethod
    def roller(cls, node: int, angle: float = 90.0) -> Support:
        """The displacement along one direction, given in degrees from global x; 90° holds uy."""
        return cls(node, ((*unit_vector(angle), 0.0),))

    @classmethod
    def slider(cls, node: int, angle: float = 0.0) -> Support:
        """The displacement along one direction, and the rotation."""
        return cls(node, ((*unit_vector(angle), 0.0), (0.0, 0.0, 1.0)))


_QUARTERS = {0.0: (1.0, 0.0), 90.0: (0.0, 1.0), 180.0: (-1.0, 0.0), 270.0: (0.0, -1.0)}


def unit_vector(angle: float) -> tuple[float, float]:
    """The unit vector at an angle in degrees, exact where it lies along an axis."""
    turn = angle % 360.0
    return _QUARTERS.get(turn) or (math.cos(math.radians(turn)), math.sin(math.radians(turn)))


class NodeLoad(Struct, frozen=True):
    """A force and a moment at a node, in world axes."""

    node: int
    fx: float = 0.0
    fy: float = 0.0
    m: float = 0.0


class MemberPointLoad(Struct, frozen=True):
    """A force and a moment on a member, `at` a distance from its start, in world axes."""

    member: int
    at: float
    fx: float = 0.0
    fy: float = 0.0
    m: float = 0.0


class MemberLineLoad(Struct, frozen=True):
    """A force per unit of member length between two distances from the start, varying linearly, in world axes."""

    member: int
    begin: float
    end: float
    fx_begin: float = 0.0
    fy_begin: float = 0.0
    fx_end: float = 0.0
    fy_end: float = 0.0


Load = NodeLoad | MemberPointLoad | MemberLineLoad


class Frame(Struct, frozen=True, kw_only=True):
    """A structure with its loads."""

    nodes: tuple[Node, ...]
    members: tuple[Member, ...]
    supports: tuple[Support, ...] = ()
    loads: tuple[Load, ...] = ()
