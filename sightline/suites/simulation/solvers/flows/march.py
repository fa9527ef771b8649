"""Steps in time: the state of a tank, its residuals, and snapshots of it."""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from sightline.suites.simulation.solvers.flows import heat_kernels, lattice_kernels
from sightline.suites.simulation.solvers.flows.lattice import ACROSS, MAGIC, SOUND_SQUARED, UP, WEIGHT, Doubles, Singles
from sightline.suites.simulation.solvers.flows.links import (
    Crossings,
    heat_links,
    inflow,
    opening_links,
    prescribed,
    push,
    wall_links,
)
from sightline.suites.simulation.solvers.flows.tank import FLUID, Tank

_TIDY = 50
"""Steps after which the cells outside of the fluid are emptied: what collects there means nothing."""


class Snapshot(Struct, frozen=True, kw_only=True):
    """Fields of the framed grid at a step; what they hold outside of the fluid means nothing."""

    step: int
    u: Doubles
    v: Doubles
    pressure: Doubles
    """Over density, above that of the openings."""
    warmth: Doubles
    eddy: Doubles
    """Eddy viscosity."""


class March:
    """A tank in the course of its steps. The walls come up to their speed over the first `ramp` steps."""

    def __init__(self, tank: Tank, ramp: int = 0) -> None:
        self.tank, self.step, self._ramp = tank, 0, ramp
        cells, row = tank.patch.size, tank.patch.shape[1]
        self._size = (row, cells)
        self._now, self._next = np.zeros((9, cells), np.float32), np.zeros((9, cells), np.float32)
        self._warm_now, self._warm_next = np.zeros((5, cells), np.float32), np.zeros((5, cells), np.float32)
        self._fields = np.zeros((5, cells), np.float32)
        if tank.mixing is not None:
            self._fields[0] = tank.mixing.ravel() ** 2
        self._work = np.zeros(lattice_kernels.WORK, np.float32)
        self._heat_work = np.zeros(heat_kernels.WORK, np.float32)
        self._solid = np.flatnonzero(tank.patch.ravel() != FLUID)
        self._walls = wall_links(tank)
        self._openings = opening_links(tank)
        self._heat = heat_links(tank) if tank.is_heated else None
        if tank.start is not None:
            self._now[:] = _flowing(*tank.start.reshape(2, -1))
        self._wanted = prescribed(tank, self._walls.at)
        self.wall_velocity = self._wanted
        """What the walls really do, link by link."""
        self._slip = _even_slip(tank, self._walls.at)
        self._walls.shares[:, 2] = push(self._walls, *self._wanted)
        drained = tank.drain.rate * tank.drain.cells.size if tank.drain else 0.0
        straight = int((self._openings[1][:, 0] * self._openings[1][:, 1] == 0).sum())
        self._outflow = (inflow(self._walls, *self._wanted) - drained) / max(straight, 1)
        gravity = tank.gravity if tank.is_heated else (0.0, 0.0)
        viscous = 0.5 + tank.viscosity / SOUND_SQUARED
        self._physics = np.array([viscous, MAGIC, tank.calm, *gravity, tank.prandtl], np.float32)

    @property
    def ramp(self) -> float:
        """Share of their speed that the walls have reached."""
        share = min(1.0, self.step / self._ramp) if self._ramp else 1.0
        return float(0.5 - 0.5 * np.cos(np.pi * share))

    @property
    def links(self) -> tuple[Doubles, Doubles]:
        """Where the walls are met."""
        return self._walls.at.x, self._walls.at.y

    def advance(self, steps: int) -> None:
        """So many steps."""
        reads = self.tank.is_heated or self.tank.mixing is not None
        for left in range(steps, 0, -1):
            if self.step % _TIDY == 0:
                self._tidy()
            ramp = np.float32(self.ramp)
            lattice_kernels.meet_walls(self._now, self._walls.places, self._walls.shares, ramp)
            lattice_kernels.meet_openings(self._now, *self._openings, np.float32(ramp * self._outflow))
            # fields are told where somebody looks at them: heat, slipping walls, the caller
            grid = (*self._size, reads, self.tank.is_heated or left == 1 or (self.step + 1) % _TIDY == 0)
            lattice_kernels.collide_and_stream(self._now, self._next, self._fields, self._work, grid, self._physics)
            self._now, self._next = self._next, self._now
            if self.tank.drain:
                lattice_kernels.swallow(self._now, self.tank.drain.cells, np.float32(ramp * self.tank.drain.rate))
            if self._heat:
                self._carry()
            self.step += 1

    def _carry(self) -> None:
        assert self._heat is not None
        lattice_kernels.meet_walls(self._warm_now, *self._heat, np.float32(1.0))
        heat_kernels.carry_heat(
            self._warm_now, self._warm_next, self._fields, self._heat_work, self._size, self._physics
        )
        self._warm_now, self._warm_next = self._warm_next, self._warm_now

    def _tidy(self) -> None:
        """Empty the cells outside, and let slipping walls follow the fluid."""
        self._now[:, self._solid] = 0
        self._fields[2:4, self._solid] = 0
        self._warm_now[:, self._solid] = 0
        if self._slip.any():
            at = self._walls.at.inner
            near_u, near_v = self._fields[2, at].astype(float), self._fields[3, at].astype(float)
            u, v = self._wanted
            # only along the wall: across it nothing passes
            level = self._slip > 0
            nx, ny = self._normals()
            across = (near_u - u) * nx + (near_v - v) * ny
            self.wall_velocity = (
                u + self._slip * level * (near_u - u - across * nx),
                v + self._slip * level * (near_v - v - across * ny),
            )
            pushed = push(self._walls, *self.wall_velocity)
            # on curved walls the pushes don't quite cancel: evened out, for no fluid comes through
            pushed[level] -= pushed[level].mean()
            self._walls.shares[:, 2] = pushed

    def _normals(self) -> tuple[Doubles, Doubles]:
        """Of the walls at each link: across the frame, or up the distance from a body."""
        row, columns = np.divmod(self._walls.at.outer, self._size[0])
        rows = self.tank.patch.shape[0]
        nx = np.where(columns == 0, 1.0, np.where(columns == self._size[0] - 1, -1.0, 0.0))
        ny = np.where(row == 0, 1.0, np.where(row == rows - 1, -1.0, 0.0))
        nx = np.where(ny != 0, 0.0, nx)
        if self.tank.distance is not None:
            up, across = np.gradient(self.tank.distance)
            inner = self._walls.at.inner
            on_body = (nx == 0) & (ny == 0)
            length = np.maximum(np.hypot(up, across).ravel()[inner], 1e-9)
            nx = np.where(on_body, across.ravel()[inner] / length, nx)
            ny = np.where(on_body, up.ravel()[inner] / length, ny)
        return nx, ny

    def snapshot(self) -> Snapshot:
        """The fields as they are."""
        shape = self.tank.patch.shape
        fields = self._fields.astype(float).reshape(5, *shape)
        density = self._now.sum(axis=0, dtype=float).reshape(shape)
        return Snapshot(
            step=self.step,
            u=fields[2],
            v=fields[3],
            pressure=SOUND_SQUARED * density,
            warmth=fields[1] if self.tank.is_heated else np.zeros(shape),
            eddy=np.maximum((fields[4] - 0.5) * SOUND_SQUARED - self.tank.viscosity, 0.0),
        )


def _even_slip(tank: Tank, at: Crossings) -> Doubles:
    """The slip of each link: none where a straight wall ends, for there the pushes along it would not cancel."""
    slip = np.array([patch.slip for patch in tank.patches])[at.patch]
    loose = slip > 0
    sums = np.zeros((2, tank.patch.size))
    for total, parts in zip(sums, (ACROSS, UP), strict=True):
        np.add.at(total, at.inner[loose], np.array(parts)[at.direction[loose]])
    on_frame = at.share == 0.5
    is_end = on_frame & (sums[0] != 0)[at.inner] & (sums[1] != 0)[at.inner]
    return np.where(is_end, 0.0, slip)


def _flowing(u: Doubles, v: Doubles) -> Singles:
    """Populations at equilibrium with these velocities."""
    along = np.outer(ACROSS, u) + np.outer(UP, v)
    return np.asarray(np.array(WEIGHT)[:, None] * (3 * along + 4.5 * along**2 - 1.5 * (u**2 + v**2)), dtype=np.float32)
