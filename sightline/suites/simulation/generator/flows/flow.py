"""Data model of a flow field with its boundaries, before measurement."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from msgspec import Struct

from sightline.suites.simulation.generator.arrays import Array, Point, VectorField, Window
from sightline.suites.simulation.generator.case import Annotation
from sightline.suites.simulation.generator.draw import ParameterRng
from sightline.suites.simulation.generator.flows.fluids import Fluid
from sightline.suites.simulation.generator.units import Units

GRAVITY = 9.81


class FlowBoundary(Struct, frozen=True, kw_only=True):
    """A boundary on which a velocity is prescribed, as points in the order of the main direction."""

    name: str
    condition: str
    x: Array
    y: Array
    normal_x: Array
    """Into the fluid."""
    normal_y: Array
    prescribed: Callable[[Array, Array], tuple[Array, Array]]
    is_wall: bool = True
    normal_only: bool = False
    """Whether the fluid may slip along it."""
    found: tuple[Array, Array] | None = None
    """The velocity that a solver gave it; else that of the field."""


class Flow(Struct, frozen=True, kw_only=True):
    """A flow in a window. `velocity` is not a number within solids; moments run from 0 to 1."""

    kind: str
    title: str
    units: Units
    fluid: Fluid
    window: Window
    velocity: VectorField
    edges: tuple[FlowBoundary, ...]
    length: float
    """The reference length, with `speed` the base of the Reynolds number."""
    speed: float
    reynolds: float
    critical_reynolds: float
    richardson: float = 0.0
    heating: float = 0.0
    pressure_gradient: float = 0.0
    duration: float = 0.0
    """Seconds that the moments from 0 to 1 stand for, 0 where there is no clock."""
    goes_up: bool = False
    """Whether the main direction is y, not x."""
    shows: str = "speed"
    """speed, velocity (along the main direction, with its sign) or vorticity"""
    geometry: tuple[tuple[str, float, str], ...]
    set_up: tuple[tuple[str, str], ...] = ()
    marks: tuple[Annotation, ...] = ()
    margin: Point = (0.0, 0.0)
    may_turn: bool = True
    has_through_flow: bool = True
    """Whether fluid goes from one end to the other, or only around."""
    station: float = 0.5
    """Where the chart cuts across the main direction, as a share of the way."""
    follows_lines: bool = False
    """Whether streamlines tell more than arrows."""
    mesh: tuple[tuple[str, str], ...] = (("Cells", "120 x 80, structured"),)
    clock: tuple[tuple[str, str], ...] = ()
    """How the time is integrated, where a solver did."""
    closure: str = ""
    """How eddies are modelled; empty where they are not."""
    eddy_ratio: float = 0.0
    """Highest eddy viscosity over that of the fluid."""
    passing: tuple[float, float] | None = None
    """Mass flow in and out as a solver counts it; else through the four sides of the window."""
    spin_limit: float = float("inf")
    """Colours of vorticity end here: at bodies it is far higher than anywhere else."""
    probe: float = 0.01
    """Where the flow along a wall is looked at, as a share of the reference length."""


def straight_wall(
    name: str, start: Point, end: Point, normal: Point, speed: Point = (0.0, 0.0), condition: str = "no slip"
) -> FlowBoundary:
    """Return a plane wall, at rest or moving in its own plane."""
    x, y = np.linspace(start[0], end[0], 81), np.linspace(start[1], end[1], 81)
    one = np.ones_like(x)
    return FlowBoundary(
        name=name,
        condition=condition,
        x=x,
        y=y,
        normal_x=normal[0] * one,
        normal_y=normal[1] * one,
        prescribed=lambda at_x, at_y: (speed[0] * np.ones_like(at_x), speed[1] * np.ones_like(at_y)),
    )


def draw_slip(draw: ParameterRng) -> float:
    """How far the boundaries are missed, as a share of the reference speed; 0 in half of the cases."""
    return draw.between(0.06, 0.2) if draw.chance() else 0.0
