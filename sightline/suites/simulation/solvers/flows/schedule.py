"""Solution control of the lattice-Boltzmann solver: stopping criterion, snapshots and residual history."""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from sightline.suites.simulation.solvers import DivergedError
from sightline.suites.simulation.solvers.flows.flow_domain import FLUID, FlowDomain
from sightline.suites.simulation.solvers.flows.lattice import Doubles
from sightline.suites.simulation.solvers.flows.time_stepping import Snapshot, TimeStepper


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
        self._fluid = stepper.flow_domain.patch == FLUID
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
