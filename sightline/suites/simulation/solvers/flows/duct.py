"""Developing flow between two plates or in a pipe by implicit sweeps, laminar or with a mixing length.

The width is 1 and the mean velocity at the inlet is 1. Parabolised: no station feels those downstream, which holds
where the flow runs forward everywhere. At each station of a sweep stands an implicit balance across the duct, with the
pressure that carries the given flow; coefficients are those of the sweep before. Convection along the duct is taken
from upstream; across it, half of each neighbour's, or all of the upstream one's where convection outweighs friction.
The mixing length is Nikuradse's with van Driest's damping at the wall (Schlichting, Boundary-Layer Theory, chapters XIX
and XX).
"""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from sightline.suites.simulation.solvers.flows.flow_domain import Doubles
from sightline.suites.simulation.solvers.flows.kernels import compile_kernel


@compile_kernel
def _solve_tridiagonal(low: Doubles, middle: Doubles, high: Doubles, right: Doubles) -> Doubles:
    """Thomas' elimination; `right` holds one column per right-hand side."""
    n = middle.size
    upper, result = np.empty(n), right.copy()
    upper[0] = high[0] / middle[0]
    result[0] /= middle[0]
    for j in range(1, n):
        pivot = middle[j] - low[j] * upper[j - 1]
        upper[j] = high[j] / pivot
        result[j] = (result[j] - low[j] * result[j - 1]) / pivot
    for j in range(n - 2, -1, -1):
        result[j] -= upper[j] * result[j + 1]
    return result


@compile_kernel
def sweep(
    u: Doubles, cross: Doubles, friction: Doubles, walls: Doubles, grid: tuple[Doubles, Doubles, float], flow: Doubles
) -> Doubles:
    """New velocities in place at all stations but the first; returns the pressure gradients.

    `cross` are volume flows through the faces between cells, wall to wall, and are renewed as well; `friction` is
    viscosity times area over distance at the faces; `walls` holds the two velocities along the walls; `grid` the areas
    of cells, the shares of each face (unused at walls), and the step; `flow` the volume flow that each station carries.
    """
    area, outer, step = grid
    stations, cells = u.shape
    gradients = np.zeros(stations)
    low, middle, high = np.zeros(cells), np.zeros(cells), np.zeros(cells)
    right = np.zeros((cells, 2))
    old = u[0].copy()
    for i in range(1, stations):
        for j in range(cells):
            carried = old[j] * area[j] / step
            below, above = cross[i, j], cross[i, j + 1]
            least_below, least_above = friction[i, j], friction[i, j + 1]
            # hybrid: never against the direction from which convection comes
            low[j] = -max(least_below + 0.5 * below, max(below, 0.0)) if j > 0 else 0.0
            high[j] = -max(least_above - 0.5 * above, max(-above, 0.0)) if j < cells - 1 else 0.0
            wall_low = max(least_below + 0.5 * below, max(below, 0.0)) if j == 0 else 0.0
            wall_high = max(least_above - 0.5 * above, max(-above, 0.0)) if j == cells - 1 else 0.0
            middle[j] = carried - low[j] - high[j] + wall_low + wall_high
            right[j, 0] = carried * u[i - 1, j] + wall_low * walls[i, 0] + wall_high * walls[i, 1]
            right[j, 1] = area[j]
        old = u[i].copy()
        answer = _solve_tridiagonal(low, middle, high, right)
        plain, pushed = np.sum(answer[:, 0] * area), np.sum(answer[:, 1] * area)
        push = (flow[i] - plain) / pushed
        gradients[i] = -push
        u[i] = answer[:, 0] + push * answer[:, 1]
        through = outer[i]
        for j in range(cells):
            cross[i, j] = through
            through += (u[i - 1, j] - u[i, j]) * area[j] / step
        cross[i, cells] = through
    gradients[0] = gradients[1]
    return gradients


_DAMPING = 26.0


class Duct(Struct, frozen=True, kw_only=True):
    """A channel lies between y = -1/2 and 1/2, a pipe around y = 0."""

    viscosity: float
    """One over the Reynolds number of width and mean velocity."""
    length: float
    is_pipe: bool = False
    has_closure: bool = False
    is_flat: bool = True
    """Whether fluid enters evenly, else with the profile of a long laminar duct."""
    slip: float = 0.0
    """Slip length of the upper wall, or of the pipe's: how far beyond it the fluid would be at rest."""
    leak: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """Begin and end of a porous stretch of that wall, as shares of the length, and the share of the flow it takes."""
    stations: int = 240
    cells: int = 96


class DuctFlow(Struct, frozen=True, kw_only=True):
    """The field at stations and cell centres, and what the sweeps changed one after the other."""

    duct: Duct
    x: Doubles
    y: Doubles
    """Cell centres, from wall to wall, or from the axis to the wall."""
    u: Doubles
    v: Doubles
    pressure_gradient: Doubles
    wall_speed: Doubles
    """Along the upper wall."""
    seepage: Doubles
    """Through the upper wall, outwards."""
    eddy: Doubles
    flow: Doubles
    """Volume flow carried by the stations."""
    residuals: Doubles
    """Largest changes by sweep: of u, and of v."""


def cell_faces(duct: Duct) -> Doubles:
    """Return the cell faces, refined towards the walls."""
    crowding = 2.6 if duct.has_closure else 1.0
    s = np.linspace(0 if duct.is_pipe else -1, 1, duct.cells + 1)
    return np.asarray(0.5 * np.tanh(crowding * s) / np.tanh(crowding))


def solve_duct(duct: Duct, sweeps: int, tolerance: float = 0.0) -> DuctFlow:
    """Sweep until both relative residuals are below the tolerance, or for at most `sweeps` sweeps."""
    edges = cell_faces(duct)
    y = 0.5 * (edges[1:] + edges[:-1])
    ring = 2 * np.pi * np.abs(edges) if duct.is_pipe else np.ones_like(edges)
    area = np.pi * np.diff(edges**2) if duct.is_pipe else np.diff(edges)
    x = np.linspace(0, duct.length, duct.stations)
    step = float(x[1] - x[0])
    total = float(area.sum())
    flow, seepage = _flow(duct, x, total, float(ring[-1]))
    u = np.ones((x.size, y.size))
    if not duct.is_flat:
        profile = 1 - 4 * y**2
        u[0] = profile * area.sum() / (profile * area).sum()
    cross = np.zeros((x.size, y.size + 1))
    eddy, outer, walls = np.zeros_like(cross), np.zeros(x.size), np.zeros((x.size, 2))
    # across the faces: between cell centres, or to the wall
    distances = np.concatenate([[y[0] - edges[0]], np.diff(y), [edges[-1] - y[-1]]])
    history = []
    gradient = np.zeros(x.size)
    for _ in range(sweeps):
        before_u, before_v = u.copy(), cross.copy()
        friction = (duct.viscosity + eddy) * ring / distances
        gradient = sweep(u, cross, friction, walls, (area, outer, step), flow)
        walls[:, 1] = duct.slip / (duct.slip + edges[-1] - y[-1]) * u[:, -1]
        if duct.has_closure:
            eddy = 0.5 * eddy + 0.5 * _eddy_viscosity(duct, edges, y, u, walls)
        change = np.abs(u - before_u).max(), np.abs(cross - before_v).max() / total
        history.append(change)
        if (history[-1] <= tolerance * np.max(history, axis=0)).all():
            break
    v = 0.5 * (cross[:, 1:] + cross[:, :-1]) / np.maximum(0.5 * (ring[1:] + ring[:-1]), 1e-12)
    return DuctFlow(
        duct=duct,
        x=x,
        y=y,
        u=u,
        v=v,
        pressure_gradient=gradient,
        wall_speed=walls[:, 1],
        seepage=seepage,
        eddy=eddy,
        flow=flow,
        residuals=np.array(history).T,
    )


def _flow(duct: Duct, x: Doubles, total: float, rim: float) -> tuple[Doubles, Doubles]:
    """What each station carries, and the velocity through the porous stretch."""
    begin, end, share = duct.leak
    way = np.clip((x / duct.length - begin) / max(end - begin, 1e-9), 0, 1) if share else np.zeros_like(x)
    flow = total * (1 - share * way)
    inside = (way > 0) & (way < 1)
    speed = share * total / (rim * max((end - begin) * duct.length, 1e-9))
    return flow, np.where(inside, speed, 0.0)


def _eddy_viscosity(duct: Duct, edges: Doubles, y: Doubles, u: Doubles, walls: Doubles) -> Doubles:
    """l² |du/dy| at the faces; none at walls and on the axis."""
    slope = np.zeros((u.shape[0], edges.size))
    slope[:, 1:-1] = np.diff(u, axis=1) / np.diff(y)
    if not duct.is_pipe:
        slope[:, 0] = (u[:, 0] - walls[:, 0]) / (y[0] - edges[0])
    slope[:, -1] = (walls[:, 1] - u[:, -1]) / (edges[-1] - y[-1])
    away = 0.5 - np.abs(edges)
    inner = 1 - 2 * away
    length = 0.5 * (0.14 - 0.08 * inner**2 - 0.06 * inner**4)
    shear = np.where(edges > 0, np.abs(slope[:, -1:]), np.abs(slope[:, :1]) if not duct.is_pipe else 0.0)
    plus = away * np.sqrt(duct.viscosity * shear) / duct.viscosity
    length = length * (1 - np.exp(-plus / _DAMPING))
    eddy = length**2 * np.abs(slope)
    eddy[:, -1] = 0
    eddy[:, 0] = 0
    return np.asarray(eddy)
