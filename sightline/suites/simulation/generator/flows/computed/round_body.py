"""Setup of the flow past a cylinder between a uniform inlet and an outlet."""

from __future__ import annotations

import numpy as np

from sightline.suites.simulation.generator.arrays import Array
from sightline.suites.simulation.generator.case import Arrow, Disc
from sightline.suites.simulation.generator.flows.computed.flow_setup import (
    BoundarySegment,
    FlowSetup,
    lattice_buoyancy,
    lattice_viscosity,
    moving_sides,
    with_defect,
    with_drain,
    with_mixing_length,
)
from sightline.suites.simulation.generator.flows.computed.parameters import FlowParameters
from sightline.suites.simulation.solvers.flows.flow_domain import FlowDomain, Patch, framed_grid, uniform_velocity

_DIAMETER = 12
_WIDE, _HIGH, _AT = 14, 8, 4
_INLET, _OUTLET, _SIDES, _BODY = 0, 1, 2, 3


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
    patch = framed_grid(across, up, _INLET, _OUTLET, _SIDES, _SIDES)
    row, column = np.indices(patch.shape).astype(float)
    distance = np.hypot(column - centre[0], row - centre[1]) - _DIAMETER / 2
    distance[0] = distance[-1] = distance[:, 0] = distance[:, -1] = 1.0
    patch[distance < 0] = _BODY
    flow_domain = FlowDomain(
        patch=patch,
        patches=(
            Patch(velocity=uniform_velocity(speed), warmth=0.0),
            Patch(is_open=True),
            Patch(velocity=uniform_velocity(speed), warmth=0.0),
            Patch(warmth=1.0 if parameters.heating else None),
        ),
        viscosity=lattice_viscosity(parameters, _DIAMETER, speed),
        distance=distance,
        is_heated=parameters.heating != 0,
        gravity=(0.0, lattice_buoyancy(parameters, _DIAMETER, speed)),
        prandtl=parameters.fluid.prandtl,
        start=np.stack([np.where(distance < 0, 0.0, speed), np.zeros(patch.shape)]),
    )
    flow_domain = with_mixing_length(flow_domain, parameters, 0.09 * _DIAMETER)
    span = np.zeros(patch.shape, dtype=bool)
    span[-1, across // 3 : across // 2] = True
    flow_domain = with_defect(flow_domain, parameters, _BODY, span, speed * up)
    return with_drain(flow_domain, parameters, (0.72 * across, up / 2 + 0.5), 1.2 * _DIAMETER, speed * up)


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
