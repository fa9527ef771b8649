"""Data model of a flow field with its boundaries, and the measurement of its facts."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from msgspec import Struct

from sightline.suites.simulation.generator.case import (
    Annotation,
    Array,
    Point,
    Residuals,
    VectorField,
    Window,
    trapezoidal_integral,
)
from sightline.suites.simulation.generator.flows.facts import Boundary, FlowFacts, Fluid
from sightline.suites.simulation.generator.rng import ParameterRng
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
    velocity: Point = (0.0, 0.0)
    """The prescribed velocity, unless it varies along the boundary."""
    prescribed: Callable[[Array, Array], tuple[Array, Array]] | None = None
    is_wall: bool = True
    normal_only: bool = False
    """Whether the fluid may slip along it."""
    solved_velocity: tuple[Array, Array] | None = None
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
    geometry: dict[str, float]
    """Lengths by label."""
    speeds: dict[str, float] = {}
    """Speeds of walls, listed with the geometry."""
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
    mass_flow: tuple[float, float] | None = None
    """Mass flow in and out as a solver counts it; else through the four sides of the window."""
    spin_limit: float = float("inf")
    """Colours of vorticity end here: at bodies it is far higher than anywhere else."""
    probe: float = 0.01
    """Distance from a wall at which the flow along it is measured, as a share of the reference length."""


def straight_wall(
    name: str, start: Point, end: Point, normal: Point, speed: Point = (0.0, 0.0), condition: str = "no slip"
) -> FlowBoundary:
    """Return a plane wall, at rest or moving in its own plane."""
    x, y = np.linspace(start[0], end[0], 81), np.linspace(start[1], end[1], 81)
    one = np.ones_like(x)
    return FlowBoundary(
        name=name, condition=condition, x=x, y=y, normal_x=normal[0] * one, normal_y=normal[1] * one, velocity=speed
    )


def draw_slip(draw: ParameterRng) -> float:
    """How far the boundaries are missed, as a share of the reference speed; 0 in half of the cases."""
    return draw.between(0.06, 0.2) if draw.chance() else 0.0


def measure_flow(flow: Flow, residuals: Residuals) -> FlowFacts:
    """Measure all facts of a flow on a grid at its end; a column of the grid is a station of the main direction."""
    window, goes_up = flow.window, flow.goes_up
    x, y = (axis.T for axis in window.grid(81, 121)) if goes_up else window.grid(121, 81)

    def velocities(moment: float) -> tuple[Array, Array]:
        """Along the main direction, and across it."""
        u, v = flow.velocity(x, y, moment)
        return (v, u) if goes_up else (u, v)

    main, cross = velocities(1.0)
    earlier = velocities(0.9) if flow.duration else (main, cross)
    speed = np.hypot(main, cross)
    # a grid may miss the highest speed where that is on a boundary
    every_x = np.concatenate([x.ravel(), *(edge.x for edge in flow.edges)])
    every_y = np.concatenate([y.ravel(), *(edge.y for edge in flow.edges)])
    speeds = np.hypot(*flow.velocity(every_x, every_y, 1.0))
    fastest = int(np.nanargmax(speeds))
    peak, peak_at = float(speeds[fastest]), (float(every_x[fastest]), float(every_y[fastest]))
    if goes_up:
        way, offset = window.height, abs(peak_at[0] - (window.left + window.right) / 2) / window.width
    else:
        way, offset = window.width, abs(peak_at[1] - (window.bottom + window.top) / 2) / window.height
    inflow, outflow = flow.mass_flow or mass_flows(flow)
    return FlowFacts(
        fluid=flow.fluid,
        reynolds=flow.reynolds,
        critical_reynolds=flow.critical_reynolds,
        richardson=flow.richardson,
        heating=flow.heating,
        reference_speed=flow.speed,
        mean_speed=float(np.nanmean(speed)),
        peak_speed=peak,
        peak_at=peak_at,
        inflow=inflow,
        outflow=outflow,
        boundaries=tuple(_boundary(flow, edge) for edge in flow.edges),
        station_change=float(np.nanmax(np.hypot(main - main[:, :1], cross))) / peak,
        late_change=float(np.nanmax(np.hypot(main - earlier[0], cross - earlier[1]))) / peak,
        backflow=float(np.nanmin(main)) / peak,
        asymmetry=float(np.nanmax(np.abs(speed - speed[::-1]))) / peak,
        pressure_gradient=flow.pressure_gradient,
        pressure_change=flow.pressure_gradient * way / (0.5 * flow.fluid.density * flow.speed**2),
        peak_offset=offset,
        eddy_ratio=flow.eddy_ratio,
        residuals=residuals,
    )


def mass_flows(flow: Flow) -> tuple[float, float]:
    """What enters and what leaves through the four sides of the window, per metre of depth."""
    window, into, out = flow.window, 0.0, 0.0
    along_x, along_y = np.linspace(window.left, window.right, 801), np.linspace(window.bottom, window.top, 801)
    sides = (
        (np.full(801, window.left), along_y, (-1, 0)),
        (np.full(801, window.right), along_y, (1, 0)),
        (along_x, np.full(801, window.bottom), (0, -1)),
        (along_x, np.full(801, window.top), (0, 1)),
    )
    for x, y, (outward_x, outward_y) in sides:
        u, v = flow.velocity(x, y, 1.0)
        step = (window.height if outward_x else window.width) / 800
        through = flow.fluid.density * (u * outward_x + v * outward_y)
        out += trapezoidal_integral(np.maximum(through, 0), step)
        into += trapezoidal_integral(np.maximum(-through, 0), step)
    return into, out


def _boundary(flow: Flow, edge: FlowBoundary) -> Boundary:
    u, v = edge.solved_velocity or flow.velocity(edge.x, edge.y, 1.0)
    wanted_u, wanted_v = edge.prescribed(edge.x, edge.y) if edge.prescribed else edge.velocity
    du, dv = u - wanted_u, v - wanted_v
    miss = np.abs(du * edge.normal_x + dv * edge.normal_y) if edge.normal_only else np.hypot(du, dv)
    off = flow.probe * flow.length
    near_u, near_v = flow.velocity(edge.x + off * edge.normal_x, edge.y + off * edge.normal_y, 1.0)
    tangent_x, tangent_y = np.gradient(edge.x), np.gradient(edge.y)
    length = np.hypot(tangent_x, tangent_y)
    along = ((near_u - wanted_u) * tangent_x + (near_v - wanted_v) * tangent_y) / length
    return Boundary(
        name=edge.name,
        condition=edge.condition,
        miss=float(np.nanmax(miss)),
        is_wall=edge.is_wall,
        slowest=float(np.nanmin(along)),
        fastest=float(np.nanmax(along)),
    )
