"""Lattice-Boltzmann solver: time stepping, stopping criterion, snapshots and residual history."""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from sightline.suites.simulation.solvers import DivergedError
from sightline.suites.simulation.solvers.flows import boundary_links, kernels
from sightline.suites.simulation.solvers.flows import flow_domain as lattice
from sightline.suites.simulation.solvers.flows.flow_domain import Doubles, FlowDomain, Singles

_CLEANUP_INTERVAL = 50
"""Steps after which the cells outside of the fluid are emptied: what collects there means nothing."""


class Snapshot(Struct, frozen=True, kw_only=True):
    """Fields on the framed grid at a time step; values outside the fluid are undefined."""

    step: int
    u: Doubles
    v: Doubles
    pressure: Doubles
    """Over density, above that of the openings."""
    warmth: Doubles
    eddy: Doubles
    """Eddy viscosity."""


class TimeStepper:
    """Time stepper of a flow domain. Walls are accelerated to their speed over the first `ramp` steps."""

    def __init__(self, flow_domain: FlowDomain, ramp: int = 0) -> None:
        self.flow_domain, self.step, self._ramp = flow_domain, 0, ramp
        cells, row = flow_domain.patch.size, flow_domain.patch.shape[1]
        self._size = (row, cells)
        self._now, self._next = np.zeros((9, cells), np.float32), np.zeros((9, cells), np.float32)
        self._warm_now, self._warm_next = np.zeros((5, cells), np.float32), np.zeros((5, cells), np.float32)
        self._fields = np.zeros((5, cells), np.float32)
        if flow_domain.mixing is not None:
            self._fields[0] = flow_domain.mixing.ravel() ** 2
        self._work = np.zeros(kernels.WORK, np.float32)
        self._heat_work = np.zeros(kernels.HEAT_WORK, np.float32)
        self._solid = np.flatnonzero(flow_domain.patch.ravel() != lattice.FLUID)
        self._walls = boundary_links.wall_links(flow_domain)
        self._openings = boundary_links.opening_links(flow_domain)
        self._heat = boundary_links.heat_links(flow_domain) if flow_domain.is_heated else None
        if flow_domain.start is not None:
            self._now[:] = _equilibrium_populations(*flow_domain.start.reshape(2, -1))
        self._wanted = boundary_links.prescribed_velocity(flow_domain, self._walls.at)
        self.wall_velocity = self._wanted
        """What the walls really do, link by link."""
        self._slip = _even_slip(flow_domain, self._walls.at)
        self._walls.shares[:, 2] = boundary_links.wall_momentum(self._walls, *self._wanted)
        drained = flow_domain.drain.rate * flow_domain.drain.cells.size if flow_domain.drain else 0.0
        straight = int((self._openings[1][:, 0] * self._openings[1][:, 1] == 0).sum())
        self._outflow = (boundary_links.net_inflow(self._walls, *self._wanted) - drained) / max(straight, 1)
        gravity = flow_domain.gravity if flow_domain.is_heated else (0.0, 0.0)
        viscous = 0.5 + flow_domain.viscosity / lattice.SOUND_SQUARED
        self._physics = np.array([viscous, lattice.MAGIC, flow_domain.calm, *gravity, flow_domain.prandtl], np.float32)

    @property
    def ramp(self) -> float:
        """Fraction of their final speed that the walls have reached."""
        share = min(1.0, self.step / self._ramp) if self._ramp else 1.0
        return float(0.5 - 0.5 * np.cos(np.pi * share))

    @property
    def links(self) -> tuple[Doubles, Doubles]:
        """The links that cross walls."""
        return self._walls.at.x, self._walls.at.y

    def advance(self, steps: int) -> None:
        """Advance by a number of time steps."""
        reads = self.flow_domain.is_heated or self.flow_domain.mixing is not None
        for left in range(steps, 0, -1):
            if self.step % _CLEANUP_INTERVAL == 0:
                self._clean_up()
            ramp = np.float32(self.ramp)
            kernels.apply_wall_boundaries(self._now, self._walls.places, self._walls.shares, ramp)
            kernels.apply_open_boundaries(self._now, *self._openings, np.float32(ramp * self._outflow))
            # fields are computed only where they are used: heat, slipping walls, the caller
            grid = (
                *self._size,
                reads,
                self.flow_domain.is_heated or left == 1 or (self.step + 1) % _CLEANUP_INTERVAL == 0,
            )
            kernels.collide_and_stream(self._now, self._next, self._fields, self._work, grid, self._physics)
            self._now, self._next = self._next, self._now
            if self.flow_domain.drain:
                kernels.remove_density(
                    self._now, self.flow_domain.drain.cells, np.float32(ramp * self.flow_domain.drain.rate)
                )
            if self._heat:
                self._stream_heat()
            self.step += 1

    def _stream_heat(self) -> None:
        assert self._heat is not None
        kernels.apply_wall_boundaries(self._warm_now, *self._heat, np.float32(1.0))
        kernels.stream_heat(self._warm_now, self._warm_next, self._fields, self._heat_work, self._size, self._physics)
        self._warm_now, self._warm_next = self._warm_next, self._warm_now

    def _clean_up(self) -> None:
        """Clear cells outside the fluid, and update the velocity of slip walls."""
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
            pushed = boundary_links.wall_momentum(self._walls, *self.wall_velocity)
            # on curved walls the pushes don't quite cancel: evened out, for no fluid comes through
            pushed[level] -= pushed[level].mean()
            self._walls.shares[:, 2] = pushed

    def _normals(self) -> tuple[Doubles, Doubles]:
        """Wall normals at each link: across the frame, or along the gradient of the signed distance."""
        row, columns = np.divmod(self._walls.at.outer, self._size[0])
        rows = self.flow_domain.patch.shape[0]
        nx = np.where(columns == 0, 1.0, np.where(columns == self._size[0] - 1, -1.0, 0.0))
        ny = np.where(row == 0, 1.0, np.where(row == rows - 1, -1.0, 0.0))
        nx = np.where(ny != 0, 0.0, nx)
        if self.flow_domain.distance is not None:
            up, across = np.gradient(self.flow_domain.distance)
            inner = self._walls.at.inner
            on_body = (nx == 0) & (ny == 0)
            length = np.maximum(np.hypot(up, across).ravel()[inner], 1e-9)
            nx = np.where(on_body, across.ravel()[inner] / length, nx)
            ny = np.where(on_body, up.ravel()[inner] / length, ny)
        return nx, ny

    def snapshot(self) -> Snapshot:
        """Return a snapshot of the current fields."""
        shape = self.flow_domain.patch.shape
        fields = self._fields.astype(float).reshape(5, *shape)
        density = self._now.sum(axis=0, dtype=float).reshape(shape)
        return Snapshot(
            step=self.step,
            u=fields[2],
            v=fields[3],
            pressure=lattice.SOUND_SQUARED * density,
            warmth=fields[1] if self.flow_domain.is_heated else np.zeros(shape),
            eddy=np.maximum((fields[4] - 0.5) * lattice.SOUND_SQUARED - self.flow_domain.viscosity, 0.0),
        )


def _even_slip(flow_domain: FlowDomain, at: boundary_links.BoundaryLinks) -> Doubles:
    """The slip of each link: none where a straight wall ends, for there the pushes along it would not cancel."""
    slip = np.array([patch.slip for patch in flow_domain.patches])[at.patch]
    loose = slip > 0
    sums = np.zeros((2, flow_domain.patch.size))
    for total, parts in zip(sums, (lattice.ACROSS, lattice.UP), strict=True):
        np.add.at(total, at.inner[loose], np.array(parts)[at.direction[loose]])
    on_frame = at.share == 0.5
    is_end = on_frame & (sums[0] != 0)[at.inner] & (sums[1] != 0)[at.inner]
    return np.where(is_end, 0.0, slip)


def _equilibrium_populations(u: Doubles, v: Doubles) -> Singles:
    """Return the equilibrium populations of a velocity field."""
    along = np.outer(lattice.ACROSS, u) + np.outer(lattice.UP, v)
    return np.asarray(
        np.array(lattice.WEIGHT)[:, None] * (3 * along + 4.5 * along**2 - 1.5 * (u**2 + v**2)), dtype=np.float32
    )


class Schedule(Struct, frozen=True, kw_only=True):
    """Number of steps, stopping residual, and the frames recorded after convergence."""

    every: int
    """Steps between two looks at the residuals."""
    most: int
    """Steps after which it ends in any case."""
    ramp: int = 0
    stop_at: float = 0.0
    """Residual at which it ends earlier; 0 goes all the way."""
    film: int = 0
    """Steps over which snapshots are taken at the end."""
    frames: int = 2


class Solution(Struct, frozen=True, kw_only=True):
    """A solution. Residuals are changes per step, relative to the largest so far."""

    flow_domain: FlowDomain
    snapshots: tuple[Snapshot, ...]
    names: tuple[str, ...]
    iterations: Doubles
    history: tuple[Doubles, ...]
    links: tuple[Doubles, Doubles]
    """Where the walls were met, and with what velocity."""
    wall_velocity: tuple[Doubles, Doubles]
    ramp: float
    """Share of their speed that walls and inlets have reached."""

    @property
    def last(self) -> Snapshot:
        """The last snapshot."""
        return self.snapshots[-1]


def solve(flow_domain: FlowDomain, schedule: Schedule) -> Solution:
    """Solve a flow domain according to a schedule."""
    stepper = TimeStepper(flow_domain, schedule.ramp)
    watch = _ResidualMonitor(stepper)
    while stepper.step + schedule.film < schedule.most:
        stepper.advance(schedule.every)
        watch.record()
        if watch.largest < schedule.stop_at and stepper.step > 2 * schedule.ramp:
            break
    shots = [stepper.snapshot()]
    for k in range(1, schedule.frames):
        whole = round(schedule.film * k / (schedule.frames - 1)) - round(
            schedule.film * (k - 1) / (schedule.frames - 1)
        )
        for _ in range(whole // schedule.every):
            stepper.advance(schedule.every)
            watch.record()
        stepper.advance(whole % schedule.every)
        shots.append(stepper.snapshot())
    return Solution(
        flow_domain=flow_domain,
        snapshots=tuple(shots),
        names=watch.names,
        iterations=np.array(watch.steps, dtype=float),
        history=watch.history(),
        links=stepper.links,
        wall_velocity=(stepper.ramp * stepper.wall_velocity[0], stepper.ramp * stepper.wall_velocity[1]),
        ramp=stepper.ramp,
    )


class _ResidualMonitor:
    """Residual monitor: records how much the fields change between checks."""

    def __init__(self, stepper: TimeStepper) -> None:
        self._march = stepper
        self._fluid = stepper.flow_domain.patch == lattice.FLUID
        self.names = ("continuity", "x-mom", "y-mom") + (("energy",) if stepper.flow_domain.is_heated else ())
        self._is_closed = not any(patch.is_open for patch in stepper.flow_domain.patches)
        self.steps: list[int] = []
        self._changes: list[Doubles] = []
        self._before = self._fields()

    def _fields(self) -> Doubles:
        shot = self._march.snapshot()
        fields = (shot.pressure, shot.u, shot.v, shot.warmth)[: len(self.names)]
        return np.stack([field[self._fluid] for field in fields])

    def record(self) -> None:
        """Record the change since the last check."""
        now = self._fields()
        if not np.isfinite(now).all():
            raise DivergedError(f"the flow diverged before step {self._march.step}")
        change = now - self._before
        if self._is_closed:
            # the level of the pressure means nothing in a closed box
            change[0] -= change[0].mean()
        steps = self._march.step - (self.steps[-1] if self.steps else 0)
        self._changes.append(np.sqrt(np.mean(change**2, axis=1)) / steps)
        self._before = now
        self.steps.append(self._march.step)

    def history(self) -> tuple[Doubles, ...]:
        """Return one row per equation."""
        changes = np.array(self._changes)
        peaks = np.maximum(np.maximum.accumulate(changes, axis=0), 1e-30)
        return tuple((np.maximum(changes, 1e-9 * peaks) / peaks).T)

    @property
    def largest(self) -> float:
        """Return the largest current residual."""
        return float(max(values[-1] for values in self.history()))
