"""Solution of a computed flow: lattice-Boltzmann run, interpolation of snapshots in SI units, measurement."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from sightline.suites.simulation.generator.case import (
    Annotation,
    Array,
    Arrow,
    Case,
    Disc,
    Hatch,
    Line,
    Residuals,
    TextNote,
    Window,
)
from sightline.suites.simulation.generator.flows.case_builder import case_from_flow
from sightline.suites.simulation.generator.flows.computed.flow_setup import MAX_WORK, FlowParameters, FlowSetup
from sightline.suites.simulation.generator.flows.flow import Flow, FlowBoundary
from sightline.suites.simulation.solvers.flows.flow_domain import FLUID, Flags, FlowDomain
from sightline.suites.simulation.solvers.flows.lattice_boltzmann import Schedule, Snapshot, Solution, solve


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


_FRAMES = 12
_EARLY = 8.0
"""Residuals of a run that is stopped early, as multiples of the tolerance."""
_HARDLY_VISCOUS = 0.03
"""Lattice viscosity below which a sudden start would not be stable with the magic rate."""
CLOSURE = "mixing length, 0.41 of the wall distance, limited"


def solve_case(setup: FlowSetup, parameters: FlowParameters) -> Case:
    """Solve a flow setup and return its case."""
    schedule = _schedule(setup, parameters)
    if schedule.ramp and not setup.is_closed:
        setup = replace(setup, flow_domain=replace(setup.flow_domain, start=None))
    if setup.flow_domain.viscosity < _HARDLY_VISCOUS:
        setup = replace(setup, flow_domain=replace(setup.flow_domain, calm=1.0))
    solution = solve(setup.flow_domain, schedule)
    scales = UnitScales(
        cell=parameters.length / setup.length,
        speed=parameters.speed / setup.speed,
        density=parameters.fluid.density,
        origin=setup.origin,
    )
    return case_from_flow(_make_flow(setup, parameters, solution, scales), _residuals(parameters, solution))


def _schedule(setup: FlowSetup, parameters: FlowParameters) -> Schedule:
    turn = setup.length / setup.speed
    every = max(20, round(turn / 4))
    # none if the fluid starts in motion
    ramp = 0 if setup.flow_domain.start is not None else round(turn / 2)
    if setup.is_restless:
        film = round(1.4 * setup.period * turn)
        return Schedule(every=every, most=round(setup.crossing * turn) + film, ramp=ramp, film=film, frames=_FRAMES)
    if parameters.stop == "moving":
        most = round(0.45 * setup.crossing * turn)
        # still speeding up at the end
        return Schedule(every=max(10, most // 40), most=most, ramp=round(1.3 * most), film=most // 2, frames=_FRAMES)
    level = parameters.tolerance * (0.6 if parameters.stop == "settled" else _EARLY)
    work = setup.flow_domain.patch.size * (2.0 if setup.flow_domain.is_heated else 1.0)
    return Schedule(every=every, most=round(MAX_WORK / work), ramp=ramp, stop_at=level, film=round(turn), frames=3)


def _residuals(parameters: FlowParameters, solution: Solution) -> Residuals:
    last = max(float(values[-1]) for values in solution.history)
    # a tolerance of twice the value where the end of the run would lie too close to it to be read off
    unclear = 0.7 < last / parameters.tolerance < 1.4
    return Residuals(
        names=solution.names,
        iterations=solution.iterations,
        history=solution.history,
        tolerance=parameters.tolerance * (2 if unclear else 1),
    )


def _make_flow(setup: FlowSetup, parameters: FlowParameters, solution: Solution, scales: UnitScales) -> Flow:
    steps = solution.last.step - solution.snapshots[0].step
    show, flow_domain = parameters.units.format_value, setup.flow_domain
    return Flow(
        kind=setup.kind,
        title=setup.title,
        units=parameters.units,
        fluid=parameters.fluid,
        window=scales.window(setup.flow_domain),
        velocity=SnapshotField(solution, scales, setup.body).velocity,
        edges=tuple(_measured_boundary(edge, solution, scales) for edge in setup.boundaries),
        length=parameters.length,
        speed=parameters.speed,
        reynolds=parameters.reynolds,
        critical_reynolds=parameters.transition,
        richardson=parameters.richardson,
        heating=parameters.heating,
        pressure_gradient=_pressure_gradient(solution, scales),
        duration=steps * scales.step,
        shows=parameters.shows,
        geometry={label: value * parameters.length for label, value in setup.geometry.items()},
        set_up=(("Main direction", "x"), *setup.set_up),
        marks=tuple(_scaled(mark, parameters.length) for mark in setup.marks),
        margin=(setup.margin[0] * parameters.length, setup.margin[1] * parameters.length),
        may_turn=setup.may_turn and parameters.richardson == 0,
        has_through_flow=not setup.is_closed,
        station=setup.station,
        follows_lines=True,
        mesh=(
            ("Lattice", f"D2Q9, {flow_domain.size[0]} x {flow_domain.size[1]} cells of {show(scales.cell, 'length')}"),
            ("Cells in the fluid", f"{int((flow_domain.patch == FLUID).sum())}"),
        ),
        clock=(
            ("Time step", show(scales.step, "time")),
            ("Steps", f"{solution.last.step}"),
            ("Speed-up of inlets and moving walls", f"{100 * solution.ramp:.4g} % of the reference speed at the end"),
            ("Shown at the end of the run", f"{steps} steps, {show(steps * scales.step, 'time')}"),
        ),
        closure=CLOSURE if parameters.is_turbulent else "",
        eddy_ratio=float(solution.last.eddy[flow_domain.patch == FLUID].max()) / flow_domain.viscosity,
        mass_flow=_passing(setup, solution, scales),
        probe=1.5 / setup.length,
        spin_limit=6 * parameters.speed / parameters.length,
    )


def _measured_boundary(edge: FlowBoundary, solution: Solution, scales: UnitScales) -> FlowBoundary:
    """Return a boundary in SI units, with the velocity of the solver's nearest links."""
    x, y = solution.links
    nearest = np.array([int(np.argmin((x - a) ** 2 + (y - b) ** 2)) for a, b in zip(edge.x, edge.y, strict=True)])
    u, v = (scales.speed * part[nearest] for part in solution.wall_velocity)
    speed = scales.speed * solution.ramp
    return replace(
        edge,
        x=(edge.x - scales.origin[0]) * scales.cell,
        y=(edge.y - scales.origin[1]) * scales.cell,
        velocity=(speed * edge.velocity[0], speed * edge.velocity[1]),
        solved_velocity=(u, v),
    )


def _pressure_gradient(solution: Solution, scales: UnitScales) -> float:
    """Between the first and the last column."""
    patch, pressure, across = solution.flow_domain.patch, solution.last.pressure, solution.flow_domain.size[0]
    first, last = (float(pressure[patch[:, column] == FLUID, column].mean()) for column in (1, across))
    return scales.density * scales.speed**2 * (last - first) / (across * scales.cell)


def _passing(setup: FlowSetup, solution: Solution, scales: UnitScales) -> tuple[float, float]:
    """Through the first and the last column, or up and down through the middle of a closed box."""
    flow_domain = solution.flow_domain
    unit = scales.density * scales.speed * scales.cell
    if setup.is_closed:
        # the mean over the film: sound waves go to and fro
        v = np.mean([shot.v[flow_domain.size[1] // 2 + 1, 1:-1] for shot in solution.snapshots], axis=0)
        return unit * float(np.maximum(v, 0).sum()), unit * float(np.maximum(-v, 0).sum())

    def through(column: int) -> float:
        wet = flow_domain.patch[:, column] == FLUID
        return float(np.mean([float(shot.u[wet, column].sum()) for shot in solution.snapshots]))

    return unit * through(1), unit * through(flow_domain.size[0])


def _scaled(mark: Annotation, length: float) -> Annotation:
    """From reference lengths to metres."""
    match mark:
        case Line() | Arrow():
            return replace(mark, points=tuple((x * length, y * length) for x, y in mark.points))
        case Hatch():
            (x0, y0), (x1, y1) = mark.start, mark.end
            return Hatch((x0 * length, y0 * length), (x1 * length, y1 * length))
        case TextNote():
            return replace(mark, at=(mark.at[0] * length, mark.at[1] * length))
        case Disc():
            return Disc((mark.centre[0] * length, mark.centre[1] * length), mark.radius * length)
