"""Interpolation of lattice-Boltzmann snapshots in space and time, in SI units."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from msgspec import Struct

from sightline.suites.simulation.generator.arrays import Array, Window
from sightline.suites.simulation.solvers.flows.flow_domain import FLUID, FlowDomain
from sightline.suites.simulation.solvers.flows.lattice import Flags
from sightline.suites.simulation.solvers.flows.schedule import Solution
from sightline.suites.simulation.solvers.flows.time_stepping import Snapshot


class UnitScales(Struct, frozen=True, kw_only=True):
    """Conversion from lattice units to SI; the origin is in cells."""

    cell: float
    speed: float
    density: float
    origin: tuple[float, float]

    @property
    def step(self) -> float:
        """Seconds per time step."""
        return self.cell / self.speed

    def window(self, flow_domain: FlowDomain) -> Window:
        """The whole flow domain."""
        across, up = flow_domain.size
        left, bottom = self.plane(0.5, 0.5)
        return Window(left, left + across * self.cell, bottom, bottom + up * self.cell)

    def plane(self, x: float, y: float) -> tuple[float, float]:
        """Convert a position from cells to metres."""
        return (x - self.origin[0]) * self.cell, (y - self.origin[1]) * self.cell

    def columns(self, x: Array, y: Array) -> tuple[Array, Array]:
        """Convert positions from metres to cells."""
        return x / self.cell + self.origin[0], y / self.cell + self.origin[1]


class SnapshotField:
    """Velocities between cells by linear interpolation, and between snapshots likewise."""

    def __init__(
        self, solution: Solution, scales: UnitScales, body: Callable[[Array, Array], Array] | None = None
    ) -> None:
        self._scales, self._body = scales, body
        self._grids = [_nodes(solution, shot) for shot in solution.snapshots]
        first, last = solution.snapshots[0].step, solution.snapshots[-1].step
        self._moments = np.array([(shot.step - first) / max(last - first, 1) for shot in solution.snapshots])

    def velocity(self, x: Array, y: Array, moment: float) -> tuple[Array, Array]:
        """In metres and seconds; not a number within bodies."""
        column, row = self._scales.columns(x, y)
        u, v = (self._scales.speed * part for part in _interpolate(self._grid(moment), column, row))
        if self._body is None:
            return u, v
        inside = self._body(column, row) < 0
        return np.where(inside, np.nan, u), np.where(inside, np.nan, v)

    def _grid(self, moment: float) -> Array:
        place = int(np.searchsorted(self._moments, moment, side="right"))
        if place == 0 or place == len(self._grids):
            return self._grids[max(place - 1, 0)]
        before, after = self._moments[place - 1], self._moments[place]
        share = (moment - before) / (after - before)
        return np.asarray((1 - share) * self._grids[place - 1] + share * self._grids[place])


def _nodes(solution: Solution, shot: Snapshot) -> Array:
    """Both components where the lattice has them, walls included: the frame's nodes are moved onto the walls."""
    flow_domain = solution.flow_domain
    u, v = shot.u.copy(), shot.v.copy()
    _fill_bodies(flow_domain, u, v)
    for field in (u, v):
        field[0], field[-1], field[:, 0], field[:, -1] = field[1], field[-2], field[:, 1], field[:, -2]
    x, y = solution.links
    rows, columns = flow_domain.patch.shape
    column = np.where(x < 0.75, 0, np.where(x > columns - 1.75, columns - 1, np.rint(x))).astype(int)
    row = np.where(y < 0.75, 0, np.where(y > rows - 1.75, rows - 1, np.rint(y))).astype(int)
    on_frame = (column == 0) | (column == columns - 1) | (row == 0) | (row == rows - 1)
    straight = on_frame & ((x == np.rint(x)) | (y == np.rint(y)))
    for field, wall in ((u, solution.wall_velocity[0]), (v, solution.wall_velocity[1])):
        field[row[straight], column[straight]] = wall[straight]
    for r, c, near_r, near_c in ((0, 0, 0, 1), (0, -1, 0, -2), (-1, 0, -1, 1), (-1, -1, -1, -2)):
        u[r, c], v[r, c] = u[near_r, near_c], v[near_r, near_c]
    return np.stack([u, v])


def _fill_bodies(flow_domain: FlowDomain, u: Array, v: Array) -> None:
    """Cells within bodies mirror those outside, so that the surface between them is at rest."""
    solid: Flags = flow_domain.patch != FLUID
    solid_inside = solid.copy()
    solid_inside[0] = solid_inside[-1] = False
    solid_inside[:, 0] = solid_inside[:, -1] = False
    for field in (u, v):
        field[solid] = 0
    row, column = np.nonzero(solid_inside)
    sums, weights = np.zeros((2, row.size)), np.zeros(row.size)
    for up in (-1, 0, 1):
        for across in (-1, 0, 1):
            near_row, near_column = row + up, column + across
            wet = ~solid[near_row, near_column]
            ratio = np.ones(row.size)
            if flow_domain.distance is not None:
                out = np.maximum(flow_domain.distance[near_row, near_column], 0.3)
                ratio = np.minimum(-flow_domain.distance[row, column] / out, 1.2)
            sums += wet * ratio * np.stack([u[near_row, near_column], v[near_row, near_column]])
            weights += wet
    safe = np.maximum(weights, 1)
    u[row, column], v[row, column] = -sums[0] / safe, -sums[1] / safe


def _interpolate(grid: Array, column: Array, row: Array) -> tuple[Array, Array]:
    """Linear interpolation; the first and the last stretch are half as long as the others."""
    up, across = grid.shape[1:]

    def place(at: Array, last: int) -> tuple[Array, Array]:
        squeezed = np.where(at < 1, 2 * at - 1, np.where(at > last - 1, 2 * at - last + 1, at))
        inside = np.clip(squeezed, 0, last - 1e-9)
        return np.floor(inside).astype(int), inside - np.floor(inside)

    c, share_x = place(column, across - 1)
    r, share_y = place(row, up - 1)
    low = grid[:, r, c] * (1 - share_x) + grid[:, r, c + 1] * share_x
    high = grid[:, r + 1, c] * (1 - share_x) + grid[:, r + 1, c + 1] * share_x
    u, v = low * (1 - share_y) + high * share_y
    return u, v
