"""Flow past a circular cylinder: attached, with two standing eddies, or with a wake that sheds vortices."""

from __future__ import annotations

import numpy as np

from sightline.suites.simulation.generator.case import Array, Arrow, Candidate, Disc
from sightline.suites.simulation.generator.flows.computed.flow_setup import (
    BODY,
    BoundarySegment,
    FlowSetup,
    moving_sides,
    stream_past_body,
    with_defect,
)
from sightline.suites.simulation.generator.flows.computed.parameters import (
    ExpectedBehaviour,
    FlowParameters,
    ParameterRanges,
    draw_parameters,
    make_candidate,
)
from sightline.suites.simulation.generator.rng import ParameterRng
from sightline.suites.simulation.solvers.flows.flow_domain import FlowDomain

_DIAMETER = 12
_WIDE, _HIGH, _AT = 14, 8, 4


def cylinder_setup(parameters: FlowParameters, kind: str, *, is_restless: bool) -> FlowSetup:
    """Return the setup; for vortex shedding the cylinder is slightly off-centre, which triggers the instability."""
    speed = 0.1 if is_restless or parameters.is_turbulent else min(0.08, 0.012 * parameters.reynolds)
    across, up = _WIDE * _DIAMETER, _HIGH * _DIAMETER
    centre = (_AT * _DIAMETER + 0.5, up / 2 + 0.5 + (0.08 * _DIAMETER if is_restless else 0.0))

    def body(x: Array, y: Array) -> Array:
        return np.asarray(np.hypot(x - centre[0], y - centre[1]) - _DIAMETER / 2)

    return FlowSetup(
        kind=kind,
        title="Flow past a circular cylinder",
        flow_domain=_flow_domain(parameters, speed, centre),
        length=_DIAMETER,
        speed=speed,
        origin=centre,
        segments=(
            _half(centre, "cylinder, upper half", 1),
            _half(centre, "cylinder, lower half", -1),
            *moving_sides(across, up, speed),
        ),
        marks=(
            Disc((0.0, 0.0), 0.5),
            *(Arrow(((-_AT - 0.75, f), (-_AT - 0.1, f))) for f in (-2.0, 0.0, 2.0)),
        ),
        margin=(0.8, 0.1),
        geometry=(("Diameter", 1.0), ("Width of the domain", float(_WIDE)), ("Height of the domain", float(_HIGH))),
        set_up=(
            ("Inlet, left side", "even velocity along x"),
            ("Outlet, right side", "pressure"),
            ("Cylinder", "warm" if parameters.heating else "as the fluid"),
        ),
        body=body,
        crossing=55.0 if is_restless else 24.0,
        is_restless=is_restless,
        period=5.6,
        station=0.5,
    )


def _flow_domain(parameters: FlowParameters, speed: float, centre: tuple[float, float]) -> FlowDomain:
    across, up = _WIDE * _DIAMETER, _HIGH * _DIAMETER
    row, column = np.indices((up + 2, across + 2)).astype(float)
    distance = np.hypot(column - centre[0], row - centre[1]) - _DIAMETER / 2
    distance[0] = distance[-1] = distance[:, 0] = distance[:, -1] = 1.0
    flow_domain = stream_past_body(parameters, distance, _DIAMETER, speed, 0.09 * _DIAMETER)
    drain = (0.72 * across, up / 2 + 0.5, 1.2 * _DIAMETER)
    return with_defect(flow_domain, parameters, speed * up, BODY, slice(across // 3, across // 2), drain)


def _half(centre: tuple[float, float], name: str, side: int) -> BoundarySegment:
    """From the front to the rear; both stagnation points are left out."""
    angle = np.linspace(np.pi - 0.1, 0.1, 121)
    x, y = np.cos(angle), side * np.sin(angle)
    radius = _DIAMETER / 2
    return BoundarySegment(
        name=name,
        condition="no slip",
        x=centre[0] + radius * x,
        y=centre[1] + radius * y,
        normal_x=x,
        normal_y=y,
    )


CYLINDER_TRANSITION = 260.0
"""Where the wake turns three-dimensional (Williamson, Annu. Rev. Fluid Mech. 28, 1996: from 190 to 260)."""
_CREEPING = ParameterRanges(
    laminar=(1.5, 4), turbulent=(1.5, 4), transition=CYLINDER_TRANSITION, turbulent_share=0.0, heats=0.35
)
_SLOW = ParameterRanges(
    laminar=(15, 42), turbulent=(15, 42), transition=CYLINDER_TRANSITION, turbulent_share=0.0, heats=0.35
)


def propose_wake(draw: ParameterRng) -> Candidate:
    """Below Re 4 or above Re 15, so that it is plain whether the flow separates; at higher ones it would not settle."""
    parameters = draw_parameters(draw, draw.pick((_CREEPING, _CREEPING, _SLOW)))
    outlook = ExpectedBehaviour(
        # while the stream speeds up the eddies have not formed yet
        separates=parameters.reynolds > 6 and parameters.stop != "moving",
        runs_back=parameters.reynolds > 10 and parameters.stop != "moving",
        is_mirrored=True,
        even_defects=("slip", "drain"),
        # a drain behind it slows the stream, and so raises the pressure
        loses_pressure=parameters.defect != "drain" or parameters.reynolds < 10 or parameters.stop == "moving",
        peaks_in_middle=parameters.reynolds > 10,
    )
    return make_candidate(parameters, outlook, lambda: cylinder_setup(parameters, "cylinder_wake", is_restless=False))


_SHEDDING = ParameterRanges(
    laminar=(90, 170),
    turbulent=(2e3, 6e4),
    transition=CYLINDER_TRANSITION,
    stops=("moving",),
    heats=0.3,
    turbulent_share=0.6,
)


def propose_shedding(draw: ParameterRng) -> Candidate:
    """Above the Reynolds number at which the wake begins to swing, about 47."""
    parameters = draw_parameters(draw, _SHEDDING)
    outlook = ExpectedBehaviour(
        separates=True,
        runs_back=True,
        is_mirrored=False,
        loses_pressure=parameters.defect != "drain",
        peaks_in_middle=True,
        peak=1.5,
        is_restless=True,
    )
    return make_candidate(parameters, outlook, lambda: cylinder_setup(parameters, "eddy_street", is_restless=True))
