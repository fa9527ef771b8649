"""Setup of a computed flow: flow domain, boundary segments, annotations and simulation time."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from sightline.suites.simulation.generator.arrays import Array, Point
from sightline.suites.simulation.generator.case import Annotation
from sightline.suites.simulation.generator.flows.computed.parameters import FlowParameters
from sightline.suites.simulation.solvers.flows.flow_domain import FLUID, Drain, FlowDomain

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


def lattice_viscosity(parameters: FlowParameters, length: float, speed: float) -> float:
    """Return the lattice viscosity for the Reynolds number."""
    return speed * length / parameters.reynolds


def lattice_buoyancy(parameters: FlowParameters, length: float, speed: float) -> float:
    """Return the buoyant acceleration per unit temperature for the Richardson number."""
    return parameters.richardson * speed**2 / length


def with_mixing_length(flow_domain: FlowDomain, parameters: FlowParameters, longest: float) -> FlowDomain:
    """With a mixing length that grows from the walls as von Karman's 0.41 of the distance, up to the longest."""
    if not parameters.is_turbulent:
        return flow_domain
    away = _distance_from_walls(flow_domain)
    return replace(flow_domain, mixing=np.clip(0.41 * away, _LEAST_MIXING, max(longest, _LEAST_MIXING)), calm=1.0)


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
    flow_domain: FlowDomain, parameters: FlowParameters, wall: int, span: NDArray[np.bool_], volume: float
) -> FlowDomain:
    """The drawn defect: on a wall's patch (slip), on a span of the frame below or above (porous), or in the fluid.

    `volume` is the flow of which the defect takes its share.
    """
    if parameters.defect == "slip":
        patches = tuple(replace(p, slip=0.9) if k == wall else p for k, p in enumerate(flow_domain.patches))
        return replace(flow_domain, patches=patches)
    taken = parameters.leak * volume
    if parameters.defect == "porous":
        return _with_porous(flow_domain, span, taken / int(span.sum()))
    return flow_domain


def _with_porous(flow_domain: FlowDomain, span: NDArray[np.bool_], through: float) -> FlowDomain:
    """The span goes on as it is but also lets fluid out."""
    base = flow_domain.patches[int(flow_domain.patch[span][0])]
    outward = -through if span[0].any() else through

    def leaking(x: Array, y: Array) -> tuple[Array, Array]:
        u, v = base.velocity(x, y)
        return u, v + outward

    patch = np.where(span, len(flow_domain.patches), flow_domain.patch)
    return replace(flow_domain, patch=patch, patches=(*flow_domain.patches, replace(base, velocity=leaking)))


def with_drain(
    flow_domain: FlowDomain, parameters: FlowParameters, at: Point, radius: float, volume: float
) -> FlowDomain:
    """Return the domain with a mass sink in a small disc, if that is the drawn defect."""
    if parameters.defect != "drain":
        return flow_domain
    row, column = np.indices(flow_domain.patch.shape)
    inside = (np.hypot(column - at[0], row - at[1]) < radius) & (flow_domain.patch == FLUID)
    cells = np.flatnonzero(inside)
    return replace(flow_domain, drain=Drain(cells=cells, rate=parameters.leak * volume / cells.size))
