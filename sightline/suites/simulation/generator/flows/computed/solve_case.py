"""Solution of a computed flow: lattice-Boltzmann run, conversion to SI units, measurement."""

from __future__ import annotations

import numpy as np
from msgspec.structs import replace

from sightline.suites.simulation.generator.arrays import Array
from sightline.suites.simulation.generator.case import Annotation, Arrow, Case, Disc, Hatch, Line, TextNote
from sightline.suites.simulation.generator.flows.build import case_from_flow
from sightline.suites.simulation.generator.flows.computed.flow_setup import MAX_WORK, BoundarySegment, FlowSetup
from sightline.suites.simulation.generator.flows.computed.parameters import FlowParameters
from sightline.suites.simulation.generator.flows.computed.snapshot_field import SnapshotField, UnitScales
from sightline.suites.simulation.generator.flows.flow import Flow, FlowBoundary
from sightline.suites.simulation.generator.residuals import Residuals
from sightline.suites.simulation.solvers.flows.flow_domain import FLUID, FlowDomain
from sightline.suites.simulation.solvers.flows.schedule import Schedule, Solution, solve

_FRAMES = 12
_EARLY = 8.0
"""A run that is stopped early ends with residuals so many times the tolerance."""
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
    if setup.is_restless:
        film = round(1.4 * setup.period * turn)
        return Schedule(
            every=every, most=round(setup.crossing * turn) + film, ramp=_ramp(setup), film=film, frames=_FRAMES
        )
    if parameters.stop == "moving":
        most = round(0.45 * setup.crossing * turn)
        # still speeding up at the end
        return Schedule(every=max(10, most // 40), most=most, ramp=round(1.3 * most), film=most // 2, frames=_FRAMES)
    level = parameters.tolerance * (0.6 if parameters.stop == "settled" else _EARLY)
    work = work_per_step(setup.flow_domain)
    return Schedule(
        every=every, most=round(MAX_WORK / work), ramp=_ramp(setup), stop_at=level, film=round(turn), frames=3
    )


def _ramp(setup: FlowSetup) -> int:
    """Return the number of ramp steps; 0 if the fluid starts in motion."""
    return 0 if setup.flow_domain.start is not None else round(setup.length / setup.speed / 2)


def work_per_step(flow_domain: FlowDomain) -> float:
    """Return the cost of a time step, in cells."""
    return flow_domain.patch.size * (2.0 if flow_domain.is_heated else 1.0)


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
    recorded = SnapshotField(solution, scales, setup.body)
    window = scales.window(setup.flow_domain)
    steps = solution.last.step - solution.snapshots[0].step
    show, flow_domain = parameters.units.show, setup.flow_domain
    return Flow(
        kind=setup.kind,
        title=setup.title,
        units=parameters.units,
        fluid=parameters.fluid,
        window=window,
        velocity=recorded.velocity,
        edges=tuple(_make_boundary(segment, solution, scales) for segment in setup.segments),
        length=parameters.length,
        speed=parameters.speed,
        reynolds=parameters.reynolds,
        critical_reynolds=parameters.transition,
        richardson=parameters.richardson,
        heating=parameters.heating,
        pressure_gradient=_pressure_gradient(solution, scales),
        duration=steps * scales.step,
        shows=parameters.shows,
        geometry=tuple((label, value * parameters.length, "length") for label, value in setup.geometry),
        set_up=(("Main direction", "x"), *setup.set_up),
        marks=tuple(_scaled(mark, parameters.length) for mark in setup.marks),
        margin=(setup.margin[0] * parameters.length, setup.margin[1] * parameters.length),
        may_turn=setup.may_turn and parameters.richardson == 0,
        has_through_flow=not setup.is_closed,
        station=setup.station,
        follows_lines=setup.follows_lines,
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
        passing=_passing(setup, solution, scales),
        probe=1.5 / setup.length,
        spin_limit=6 * parameters.speed / parameters.length,
    )


def _make_boundary(segment: BoundarySegment, solution: Solution, scales: UnitScales) -> FlowBoundary:
    """Return a flow boundary with the velocity of the solver's nearest links."""
    x, y = solution.links
    nearest = np.array([int(np.argmin((x - a) ** 2 + (y - b) ** 2)) for a, b in zip(segment.x, segment.y, strict=True)])
    u, v = (scales.speed * part[nearest] for part in solution.wall_velocity)
    speed = scales.speed * solution.ramp
    wanted = (speed * segment.velocity[0], speed * segment.velocity[1])
    return FlowBoundary(
        name=segment.name,
        condition=segment.condition,
        x=(segment.x - scales.origin[0]) * scales.cell,
        y=(segment.y - scales.origin[1]) * scales.cell,
        normal_x=segment.normal_x,
        normal_y=segment.normal_y,
        prescribed=lambda at_x, at_y: (np.full_like(at_x, wanted[0]), np.full_like(at_y, wanted[1])),
        is_wall=segment.is_wall,
        found=(u, v),
    )


def _column_means(flow_domain: FlowDomain, field: Array, column: int) -> float:
    wet = flow_domain.patch[:, column] == FLUID
    return float(field[wet, column].mean())


def _pressure_gradient(solution: Solution, scales: UnitScales) -> float:
    """Between the first and the last column."""
    flow_domain, across = solution.flow_domain, solution.flow_domain.size[0]
    change = _column_means(flow_domain, solution.last.pressure, across) - _column_means(
        flow_domain, solution.last.pressure, 1
    )
    return scales.density * scales.speed**2 * change / (across * scales.cell)


def _passing(setup: FlowSetup, solution: Solution, scales: UnitScales) -> tuple[float, float]:
    """Through the first and the last column, or up and down through the middle of a closed box."""
    flow_domain = solution.flow_domain
    unit = scales.density * scales.speed * scales.cell
    if setup.is_closed:
        # the mean over the film: sound waves go to and fro
        v = np.mean([shot.v[flow_domain.size[1] // 2 + 1, 1:-1] for shot in solution.snapshots], axis=0)
        return unit * float(np.maximum(v, 0).sum()), unit * float(np.maximum(-v, 0).sum())

    def through(column: int) -> float:
        return float(np.mean([_flow_through(flow_domain, shot.u, column) for shot in solution.snapshots]))

    return unit * through(1), unit * through(flow_domain.size[0])


def _flow_through(flow_domain: FlowDomain, u: Array, column: int) -> float:
    return float(u[flow_domain.patch[:, column] == FLUID, column].sum())


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
