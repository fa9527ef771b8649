"""Setup of a computed flow: flow domain, boundary segments, annotations and simulation time."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from sightline.suites.simulation.generator.case import Annotation, Array, Point
from sightline.suites.simulation.generator.flows.computed.parameters import FlowParameters
from sightline.suites.simulation.solvers.flows.flow_domain import (
    FLUID,
    Drain,
    FlowDomain,
    Patch,
    Places,
    framed_grid,
    uniform_velocity,
)

BODY = 3
"""Number of the patch of a body in a stream."""
MAX_WORK = 2.4e8
"""Cells times steps after which a march ends in any case; heat costs as much again."""


_LEAST_MIXING = 0.5
"""In cells: layers at walls that are thinner than a cell can't be resolved and are mixed instead."""


class BoundarySegment(Struct, frozen=True, kw_only=True):
    """A boundary segment, in cells, in the order of the main direction."""

    name: str
    condition: str
    x: Array
    y: Array
    normal_x: Array
    """Into the fluid."""
    normal_y: Array
    velocity: Point = (0.0, 0.0)
    is_wall: bool = True


class FlowSetup(Struct, frozen=True, kw_only=True):
    """Lengths in cells, marks in reference lengths from the origin."""

    kind: str
    title: str
    flow_domain: FlowDomain
    length: float
    """The reference length."""
    speed: float
    """The reference speed, in cells a step."""
    origin: Point
    segments: tuple[BoundarySegment, ...]
    marks: tuple[Annotation, ...]
    margin: Point
    geometry: tuple[tuple[str, float], ...]
    """Label, and value in reference lengths."""
    set_up: tuple[tuple[str, str], ...]
    body: Callable[[Array, Array], Array] | None = None
    """Distance from a body's surface at places in cells, negative within."""
    crossing: float = 10.0
    """Reference lengths over which the flow settles, in round figures."""
    is_closed: bool = False
    is_restless: bool = False
    period: float = 0.0
    """Of a restless flow, in reference lengths over the reference speed."""
    station: float = 0.5
    follows_lines: bool = True
    may_turn: bool = True


def straight_wall(start: Point, end: Point, normal: Point, name: str, condition: str = "no slip") -> BoundarySegment:
    """Return a straight wall without its end points."""
    s = np.linspace(0.03, 0.97, 81)
    return BoundarySegment(
        name=name,
        condition=condition,
        x=start[0] + s * (end[0] - start[0]),
        y=start[1] + s * (end[1] - start[1]),
        normal_x=np.full_like(s, normal[0]),
        normal_y=np.full_like(s, normal[1]),
    )


def moving_sides(across: int, up: int, speed: float) -> tuple[BoundarySegment, BoundarySegment]:
    """Return the lower and upper boundary of an unbounded stream, which move with it."""
    lower = straight_wall((0.5, 0.5), (across + 0.5, 0.5), (0.0, 1.0), "lower edge", "moves with the inlet")
    upper = straight_wall((0.5, up + 0.5), (across + 0.5, up + 0.5), (0.0, -1.0), "upper edge", "moves with the inlet")
    return replace(lower, velocity=(speed, 0.0), is_wall=False), replace(upper, velocity=(speed, 0.0), is_wall=False)


def make_flow_domain(
    parameters: FlowParameters,
    patch: Places,
    patches: tuple[Patch, ...],
    length: float,
    speed: float,
    longest_mixing: float,
) -> FlowDomain:
    """Flow domain whose lattice viscosity and buoyancy give the Reynolds and Richardson number of the parameters.

    In turbulent flow the mixing length grows from the walls as von Karman's 0.41 of the distance, up to the longest.
    """
    flow_domain = FlowDomain(
        patch=patch,
        patches=patches,
        viscosity=speed * length / parameters.reynolds,
        is_heated=parameters.heating != 0,
        gravity=(0.0, parameters.richardson * speed**2 / length),
        prandtl=parameters.fluid.prandtl,
    )
    if not parameters.is_turbulent:
        return flow_domain
    mixing = np.clip(0.41 * _distance_from_walls(flow_domain), _LEAST_MIXING, max(longest_mixing, _LEAST_MIXING))
    return replace(flow_domain, mixing=mixing, calm=1.0)


def stream_past_body(
    parameters: FlowParameters, distance: Array, length: float, speed: float, longest_mixing: float
) -> FlowDomain:
    """Flow domain between an inlet at the left and an outlet at the right, with the body where `distance` is negative.

    Its patches are inlet, outlet, lower and upper boundary, and the body (`BODY`).
    """
    patch = framed_grid(distance.shape[1] - 2, distance.shape[0] - 2, 0, 1, 2, 2)
    patch[distance < 0] = BODY
    stream = Patch(velocity=uniform_velocity(speed), warmth=0.0)
    patches = (stream, Patch(is_open=True), stream, Patch(warmth=1.0 if parameters.heating else None))
    flow_domain = make_flow_domain(parameters, patch, patches, length, speed, longest_mixing)
    start = np.stack([np.where(distance < 0, 0.0, speed), np.zeros(patch.shape)])
    return replace(flow_domain, distance=distance, start=start)


def _distance_from_walls(flow_domain: FlowDomain) -> Array:
    """From the nearest wall at rest or moving, in cells, up to 40; openings and inlets are no walls."""
    is_wall = np.array([not patch.is_open and patch.warmth != 0.0 for patch in flow_domain.patches])
    walls = (flow_domain.patch != FLUID) & is_wall[np.maximum(flow_domain.patch, 0)]
    away = np.where(walls, 0.0, 40.0)
    for _ in range(40):
        grown = away.copy()
        for up, across in ((0, 1), (0, -1), (1, 0), (-1, 0), (1, 1), (1, -1), (-1, 1), (-1, -1)):
            reach = float(np.hypot(up, across))
            moved = np.full_like(away, 40.0)
            rows, columns = away.shape
            moved[max(up, 0) : rows + min(up, 0), max(across, 0) : columns + min(across, 0)] = away[
                max(-up, 0) : rows + min(-up, 0), max(-across, 0) : columns + min(-across, 0)
            ]
            grown = np.minimum(grown, moved + reach)
        away = grown
    return np.maximum(away - 0.5, 0.0)


def with_defect(
    flow_domain: FlowDomain,
    parameters: FlowParameters,
    volume: float,
    wall: int,
    porous: slice,
    drain: tuple[float, float, float],
) -> FlowDomain:
    """Return the domain with the drawn defect, which takes its share of the flow `volume`.

    A slipping wall is a whole patch, a porous wall some columns of the upper boundary, a drain a disc (x, y, radius).
    """
    patch, patches, taken = flow_domain.patch, flow_domain.patches, parameters.leak * volume
    if parameters.defect == "slip":
        return replace(
            flow_domain, patches=tuple(replace(p, slip=0.9) if k == wall else p for k, p in enumerate(patches))
        )
    if parameters.defect == "porous":
        base, through = patches[int(patch[-1, porous][0])], taken / patch[-1, porous].size

        def leaking(x: Array, y: Array) -> tuple[Array, Array]:
            u, v = base.velocity(x, y)
            return u, v + through

        patch = patch.copy()
        patch[-1, porous] = len(patches)
        return replace(flow_domain, patch=patch, patches=(*patches, replace(base, velocity=leaking)))
    if parameters.defect == "drain":
        row, column = np.indices(patch.shape)
        x, y, radius = drain
        cells = np.flatnonzero((np.hypot(column - x, row - y) < radius) & (patch == FLUID))
        return replace(flow_domain, drain=Drain(cells=cells, rate=taken / cells.size))
    return flow_domain
