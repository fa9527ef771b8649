"""Developing flow in a channel between plates or in a round pipe: parameters, marching solver, measurement."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from msgspec.structs import replace

from sightline.suites.simulation.generator.case import (
    Annotation,
    Array,
    Arrow,
    Candidate,
    Case,
    Hatch,
    Line,
    Residuals,
    VectorField,
    Window,
)
from sightline.suites.simulation.generator.flows.case_builder import case_from_flow
from sightline.suites.simulation.generator.flows.computed import flow_setup
from sightline.suites.simulation.generator.flows.computed.flow_setup import ExpectedBehaviour, FlowParameters
from sightline.suites.simulation.generator.flows.flow import Flow, FlowBoundary, straight_wall
from sightline.suites.simulation.generator.rng import ParameterRng

if TYPE_CHECKING:
    from sightline.suites.simulation.solvers.flows.duct import DuctFlow

_SWEEPS = 80
_PROBE = 0.02
_SLIP, _THIN_SLIP = 0.03, 35.0
"""Slip lengths in widths; in turbulent flow over the Reynolds number, for the shear at the wall grows with it."""
_BEGIN, _STRETCH = 0.4, 0.5
"""Of the porous stretch: begin as a share of the length, and its own length in widths."""


def propose_channel(draw: ParameterRng) -> Candidate:
    """Propose a flow into a channel; its Reynolds number is that of the hydraulic diameter, twice the gap."""
    return _propose(draw, (5, 9), is_pipe=False)


def propose_pipe(draw: ParameterRng) -> Candidate:
    """Propose a flow into a round pipe; its Reynolds number is that of the diameter."""
    return _propose(draw, (4, 8), is_pipe=True)


def _propose(draw: ParameterRng, lengths: tuple[float, float], *, is_pipe: bool) -> Candidate:
    parameters = flow_setup.draw_parameters(draw, flow_setup.RANGES["duct"])
    length, is_flat = draw.between(*lengths), draw.chance(0.7)
    expected = ExpectedBehaviour(
        separates=False,
        runs_back=False,
        is_mirrored=True,
        loses_pressure=not (parameters.is_turbulent and parameters.defect == "porous"),
        # turbulent flow is fastest beside its layers at the walls while it enters
        peaks_in_middle=not parameters.is_turbulent,
        even_defects=("slip", "porous") if is_pipe else (),
    )
    return Candidate(
        flow_setup.expected_answers(parameters, expected),
        lambda: solve_duct_case(parameters, length, is_pipe=is_pipe, is_flat=is_flat),
    )


def solve_duct_case(parameters: FlowParameters, length: float, *, is_pipe: bool, is_flat: bool) -> Case:
    """Solve a duct flow with the drawn defect; the length is in reference lengths, the inlet may be flat."""
    from sightline.suites.simulation.solvers.flows.duct import Duct, solve_duct

    is_turbulent = parameters.is_turbulent
    duct = Duct(
        viscosity=1 / parameters.reynolds,
        length=length if is_pipe else length / 2,
        is_pipe=is_pipe,
        has_closure=is_turbulent,
        is_flat=is_flat or is_turbulent,
    )
    if parameters.defect == "slip":
        duct = replace(duct, slip=_THIN_SLIP / parameters.reynolds if is_turbulent else _SLIP)
    if parameters.defect == "porous":
        duct = replace(duct, leak=(_BEGIN, _BEGIN + _STRETCH / duct.length, parameters.leak))
    # a march that is stopped early still changes by several times the tolerance
    level = parameters.tolerance * (0.03 if parameters.stop == "settled" else 0.5)
    flow = solve_duct(duct, _SWEEPS, level)
    return case_from_flow(_make_flow(flow, parameters), _residuals(flow, parameters))


def _residuals(flow: DuctFlow, parameters: FlowParameters) -> Residuals:
    """Changes over the largest so far; the tolerance of ducts is finer, for their sweeps draw together fast."""
    changes = flow.residuals
    history = changes / np.maximum(np.maximum.accumulate(changes, axis=1), 1e-30)
    last = float(history[:, -1].max())
    tolerance = 0.05 * parameters.tolerance
    # clear of the tolerance on either side
    tolerance *= 0.25 if 0.7 < last / tolerance < 2 else 1
    return Residuals(
        names=("x-mom", "continuity"),
        iterations=np.arange(1.0, changes.shape[1] + 1),
        history=tuple(history),
        tolerance=tolerance,
    )


def _make_flow(flow: DuctFlow, parameters: FlowParameters) -> Flow:
    duct = flow.duct
    # a channel's Reynolds number is that of twice its gap
    width = parameters.length if duct.is_pipe else parameters.length / 2
    length = duct.length * width
    window = Window(0, length, -width / 2, width / 2)
    speed = parameters.speed
    wall = straight_wall("pipe wall, upper line" if duct.is_pipe else "upper plate", (0, 0), (1, 0), (0, -1))
    lower = straight_wall("pipe wall, lower line" if duct.is_pipe else "lower plate", (0, 0), (1, 0), (0, 1))
    base = duct.is_pipe
    gradient = float(np.trapezoid(flow.pressure_gradient, flow.x)) / duct.length
    return Flow(
        kind="pipe_entry" if base else "channel_entry",
        title="Flow into a round pipe, section along the axis" if base else "Flow into a channel between plates",
        units=parameters.units,
        fluid=parameters.fluid,
        window=window,
        velocity=_velocity(flow, width, speed),
        edges=(
            _edge(lower, flow, width, speed, follows=base, side=-1),
            _edge(wall, flow, width, speed, follows=True, side=1),
        ),
        length=parameters.length,
        speed=speed,
        reynolds=parameters.reynolds,
        critical_reynolds=parameters.transition,
        pressure_gradient=gradient * parameters.fluid.density * speed**2 / width,
        shows="velocity" if parameters.shows == "velocity" else "speed",
        geometry={"Diameter" if base else "Gap": width, "Length": length},
        set_up=(
            ("Main direction", "x"),
            ("Inlet, left side", "even velocity" if duct.is_flat else "parabola of the prescribed mean velocity"),
            ("Outlet, right side", "open"),
        ),
        marks=_marks(length, width, is_pipe=base),
        margin=(0.3 * width, 0.16 * width),
        station=0.75,
        mesh=(("Grid", f"{duct.stations} stations x {duct.cells} cells, {'axial' if base else 'plane'}"),),
        clock=(("Iterations", f"{flow.residuals.shape[1]} sweeps from inlet to outlet"),),
        closure="mixing length of Nikuradse, damped at walls after van Driest" if duct.has_closure else "",
        eddy_ratio=float(flow.eddy.max()) / duct.viscosity,
        mass_flow=_passing(flow, parameters, width),
        probe=_PROBE,
    )


def _passing(flow: DuctFlow, parameters: FlowParameters, width: float) -> tuple[float, float]:
    unit = parameters.fluid.density * parameters.speed * (width**2 if flow.duct.is_pipe else width)
    return unit * float(flow.flow[0]), unit * float(flow.flow[-1])


def _velocity(flow: DuctFlow, width: float, speed: float) -> VectorField:
    """Between stations and cells by linear interpolation; a pipe is mirrored about its axis."""
    duct = flow.duct
    y, u, v = flow.y, flow.u, flow.v
    rim = np.full(flow.x.size, 0.0)
    if duct.is_pipe:
        y, u, v = np.append(y, 0.5), np.column_stack([u, flow.wall_speed]), np.column_stack([v, flow.seepage])
    else:
        y = np.concatenate([[-0.5], y, [0.5]])
        u, v = np.column_stack([rim, u, flow.wall_speed]), np.column_stack([rim, v, flow.seepage])

    def velocity(x: Array, at: Array, moment: float) -> tuple[Array, Array]:
        height = np.clip(at / width, -0.5, 0.5)
        sign = np.sign(height) if duct.is_pipe else np.ones_like(height)
        height = np.abs(height) if duct.is_pipe else height
        station = np.clip(x / width / duct.length, 0, 1) * (flow.x.size - 1)
        i = np.minimum(station.astype(int), flow.x.size - 2)
        j = np.clip(np.searchsorted(y, height) - 1, 0, y.size - 2)
        a, b = station - i, np.clip((height - y[j]) / (y[j + 1] - y[j]), 0, 1)

        def mixed(field: Array) -> Array:
            low, high = field[i, j] * (1 - b) + field[i, j + 1] * b, field[i + 1, j] * (1 - b) + field[i + 1, j + 1] * b
            return np.asarray(speed * (low * (1 - a) + high * a))

        return mixed(u), sign * mixed(v)

    return velocity


def _edge(edge: FlowBoundary, flow: DuctFlow, width: float, speed: float, *, follows: bool, side: int) -> FlowBoundary:
    """With what the solver has at this wall; the lower plate of a channel always is at rest."""
    share = np.linspace(0.02, 1, 81)
    at = share * flow.duct.length
    along, through = (np.interp(at, flow.x, field) for field in (flow.wall_speed, flow.seepage))
    return replace(
        edge,
        x=at * width,
        y=np.full_like(at, side * width / 2),
        normal_x=np.zeros_like(at),
        normal_y=np.full_like(at, -float(side)),
        solved_velocity=(speed * along * follows, side * speed * through * follows),
    )


def _marks(length: float, width: float, *, is_pipe: bool) -> tuple[Annotation, ...]:
    half = width / 2
    axis = (Line(((0, 0), (length, 0)), colour="#57606a", width=1.0, dashed=True),) if is_pipe else ()
    inlets = (Arrow(((-0.26 * width, f * half), (-0.05 * width, f * half))) for f in (-0.6, 0.0, 0.6))
    return (Hatch((length, -half), (0.0, -half)), Hatch((0.0, half), (length, half)), *inlets, *axis)
