"""Structural model in normalized form, as read from FrameCalc JSON. Units are m and kN."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

STANDARD_E = 80918000.0
STANDARD_A = 0.007853981633974483
STANDARD_I = 4.908738521234054e-06


class Point(Struct, frozen=True):
    """A point of the model."""

    id: str
    x: float
    y: float


class Link(Struct, frozen=True, kw_only=True):
    """A member from point a to point b."""

    id: str
    a: str
    b: str
    E: float = STANDARD_E
    A: float = STANDARD_A
    Iz: float = STANDARD_I
    hinge_a: bool = False
    hinge_b: bool = False


SupportKind = Literal["pin", "fixed", "roller", "slider"]


class PointSupport(Struct, frozen=True, kw_only=True):
    """A support at a point; `angle` as in FrameCalc (a roller restrains along angle + 90°, a slider along angle)."""

    id: str
    point: str
    kind: SupportKind
    angle: float = 0.0


class Force(Struct, frozen=True, kw_only=True):
    """A point load, on a point or on a link at `offset` metres from its end a.

    `angle` is its direction in world axes, in degrees, with any flip applied; `value` may be negative.
    """

    id: str
    value: float
    angle: float
    point: str = ""
    link: str = ""
    offset: float = 0.0


class Moment(Struct, frozen=True, kw_only=True):
    """A moment, counter-clockwise positive, on a point or on a link at `offset` metres from its end a."""

    id: str
    value: float
    point: str = ""
    link: str = ""
    offset: float = 0.0


class DistributedLoad(Struct, frozen=True, kw_only=True):
    """A linearly varying distributed load on a link, from `w_begin` at `begin` to `w_end` at `end`, in metres from a.

    `angle` is its direction in world axes, in degrees, with any flip applied.
    """

    id: str
    link: str
    begin: float
    end: float
    w_begin: float
    w_end: float
    angle: float


Load = Force | Moment | DistributedLoad


class Model(Struct, frozen=True, kw_only=True):
    """A structure with its loads."""

    points: tuple[Point, ...]
    links: tuple[Link, ...]
    supports: tuple[PointSupport, ...] = ()
    loads: tuple[Load, ...] = ()
