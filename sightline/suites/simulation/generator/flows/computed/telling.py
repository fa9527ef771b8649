"""From a basin to a case: march it, scale it, measure it."""

from __future__ import annotations

import numpy as np
from msgspec.structs import replace

from sightline.suites.simulation.generator.arrays import Array
from sightline.suites.simulation.generator.case import Arrow, Case, Disc, Hatch, Line, Mark, Note
from sightline.suites.simulation.generator.flows.build import case_of
from sightline.suites.simulation.generator.flows.computed.basin import WORK_MOST, Basin, Shore
from sightline.suites.simulation.generator.flows.computed.recorded import Recorded, Scales
from sightline.suites.simulation.generator.flows.computed.setting import Setting
from sightline.suites.simulation.generator.flows.stream import Edge, Stream
from sightline.suites.simulation.generator.residuals import Residuals
from sightline.suites.simulation.solvers.flows.schedule import Schedule, Solution, solve
from sightline.suites.simulation.solvers.flows.tank import FLUID, Tank

_FRAMES = 12
_EARLY = 8.0
"""A run that is stopped early ends with residuals so many times the tolerance."""
_HARDLY_VISCOUS = 0.03
"""Lattice viscosity below which a sudden start would not be stable with the magic rate."""
CLOSURE = "mixing length, 0.41 of the wall distance, limited"


def tell(basin: Basin, setting: Setting) -> Case:
    """Solve and measure."""
    schedule = _schedule(basin, setting)
    if schedule.ramp and not basin.is_closed:
        basin = replace(basin, tank=replace(basin.tank, start=None))
    if basin.tank.viscosity < _HARDLY_VISCOUS:
        basin = replace(basin, tank=replace(basin.tank, calm=1.0))
    solution = solve(basin.tank, schedule)
    scales = Scales(
        cell=setting.length / basin.length,
        speed=setting.speed / basin.speed,
        density=setting.fluid.density,
        origin=basin.origin,
    )
    return case_of(_stream(basin, setting, solution, scales), _residuals(setting, solution))


def _schedule(basin: Basin, setting: Setting) -> Schedule:
    turn = basin.length / basin.speed
    every = max(20, round(turn / 4))
    if basin.is_restless:
        film = round(1.4 * basin.period * turn)
        return Schedule(
            every=every, most=round(basin.crossing * turn) + film, ramp=_ramp(basin), film=film, frames=_FRAMES
        )
    if setting.stop == "moving":
        most = round(0.45 * basin.crossing * turn)
        # still speeding up at the end
        return Schedule(every=max(10, most // 40), most=most, ramp=round(1.3 * most), film=most // 2, frames=_FRAMES)
    level = setting.tolerance * (0.6 if setting.stop == "settled" else _EARLY)
    work = tank_work(basin.tank)
    return Schedule(
        every=every, most=round(WORK_MOST / work), ramp=_ramp(basin), stop_at=level, film=round(turn), frames=3
    )


def _ramp(basin: Basin) -> int:
    """None where the fluid is set going as a whole."""
    return 0 if basin.tank.start is not None else round(basin.length / basin.speed / 2)


def tank_work(tank: Tank) -> float:
    """What a step costs, in cells."""
    return tank.patch.size * (2.0 if tank.is_heated else 1.0)


def _residuals(setting: Setting, solution: Solution) -> Residuals:
    last = max(float(values[-1]) for values in solution.history)
    # a tolerance of twice the value where the end of the run would lie too close to it to be read off
    unclear = 0.7 < last / setting.tolerance < 1.4
    return Residuals(
        names=solution.names,
        iterations=solution.iterations,
        history=solution.history,
        tolerance=setting.tolerance * (2 if unclear else 1),
    )


def _stream(basin: Basin, setting: Setting, solution: Solution, scales: Scales) -> Stream:
    recorded = Recorded(solution, scales, basin.body)
    window = scales.window(basin.tank)
    steps = solution.last.step - solution.snapshots[0].step
    show, tank = setting.units.show, basin.tank
    return Stream(
        kind=basin.kind,
        title=basin.title,
        units=setting.units,
        fluid=setting.fluid,
        window=window,
        velocity=recorded.velocity,
        edges=tuple(_edge(shore, solution, scales) for shore in basin.shores),
        length=setting.length,
        speed=setting.speed,
        reynolds=setting.reynolds,
        critical_reynolds=setting.transition,
        richardson=setting.richardson,
        heating=setting.heating,
        pressure_gradient=_pressure_gradient(solution, scales),
        duration=steps * scales.step,
        shows=setting.shows,
        geometry=tuple((label, value * setting.length, "length") for label, value in basin.geometry),
        set_up=(("Main direction", "x"), *basin.set_up),
        marks=tuple(_scaled(mark, setting.length) for mark in basin.marks),
        margin=(basin.margin[0] * setting.length, basin.margin[1] * setting.length),
        may_turn=basin.may_turn and setting.richardson == 0,
        has_through_flow=not basin.is_closed,
        station=basin.station,
        follows_lines=basin.follows_lines,
        mesh=(
            ("Lattice", f"D2Q9, {tank.size[0]} x {tank.size[1]} cells of {show(scales.cell, 'length')}"),
            ("Cells in the fluid", f"{int((tank.patch == FLUID).sum())}"),
        ),
        clock=(
            ("Time step", show(scales.step, "time")),
            ("Steps", f"{solution.last.step}"),
            ("Speed-up of inlets and moving walls", f"{100 * solution.ramp:.4g} % of the reference speed at the end"),
            ("Shown at the end of the run", f"{steps} steps, {show(steps * scales.step, 'time')}"),
        ),
        closure=CLOSURE if setting.is_turbulent else "",
        eddy_ratio=float(solution.last.eddy[tank.patch == FLUID].max()) / tank.viscosity,
        passing=_passing(basin, solution, scales),
        probe=1.5 / basin.length,
        spin_limit=6 * setting.speed / setting.length,
    )


def _edge(shore: Shore, solution: Solution, scales: Scales) -> Edge:
    """With the velocity of the nearest link of the solver."""
    x, y = solution.links
    nearest = np.array([int(np.argmin((x - a) ** 2 + (y - b) ** 2)) for a, b in zip(shore.x, shore.y, strict=True)])
    u, v = (scales.speed * part[nearest] for part in solution.wall_velocity)
    speed = scales.speed * solution.ramp
    wanted = (speed * shore.velocity[0], speed * shore.velocity[1])
    return Edge(
        name=shore.name,
        condition=shore.condition,
        x=(shore.x - scales.origin[0]) * scales.cell,
        y=(shore.y - scales.origin[1]) * scales.cell,
        normal_x=shore.normal_x,
        normal_y=shore.normal_y,
        prescribed=lambda at_x, at_y: (np.full_like(at_x, wanted[0]), np.full_like(at_y, wanted[1])),
        is_wall=shore.is_wall,
        found=(u, v),
    )


def _column_means(tank: Tank, field: Array, column: int) -> float:
    wet = tank.patch[:, column] == FLUID
    return float(field[wet, column].mean())


def _pressure_gradient(solution: Solution, scales: Scales) -> float:
    """Between the first and the last column."""
    tank, across = solution.tank, solution.tank.size[0]
    change = _column_means(tank, solution.last.pressure, across) - _column_means(tank, solution.last.pressure, 1)
    return scales.density * scales.speed**2 * change / (across * scales.cell)


def _passing(basin: Basin, solution: Solution, scales: Scales) -> tuple[float, float]:
    """Through the first and the last column, or up and down through the middle of a closed box."""
    tank = solution.tank
    unit = scales.density * scales.speed * scales.cell
    if basin.is_closed:
        # the mean over the film: sound waves go to and fro
        v = np.mean([shot.v[tank.size[1] // 2 + 1, 1:-1] for shot in solution.snapshots], axis=0)
        return unit * float(np.maximum(v, 0).sum()), unit * float(np.maximum(-v, 0).sum())

    def through(column: int) -> float:
        return float(np.mean([_flow_through(tank, shot.u, column) for shot in solution.snapshots]))

    return unit * through(1), unit * through(tank.size[0])


def _flow_through(tank: Tank, u: Array, column: int) -> float:
    return float(u[tank.patch[:, column] == FLUID, column].sum())


def _scaled(mark: Mark, length: float) -> Mark:
    """From reference lengths to metres."""
    match mark:
        case Line() | Arrow():
            return replace(mark, points=tuple((x * length, y * length) for x, y in mark.points))
        case Hatch():
            (x0, y0), (x1, y1) = mark.start, mark.end
            return Hatch((x0 * length, y0 * length), (x1 * length, y1 * length))
        case Note():
            return replace(mark, at=(mark.at[0] * length, mark.at[1] * length))
        case Disc():
            return Disc((mark.centre[0] * length, mark.centre[1] * length), mark.radius * length)
