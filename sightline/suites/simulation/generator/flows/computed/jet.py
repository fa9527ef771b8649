"""A jet out of a slit into a box that is open at its far end; perhaps the fluid around it flows along."""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from sightline.suites.simulation.generator.case import Arrow, Candidate, Hatch, Kind, TextNote
from sightline.suites.simulation.generator.draw import ParameterRng
from sightline.suites.simulation.generator.flows.computed.candidate import make_candidate
from sightline.suites.simulation.generator.flows.computed.flow_setup import (
    FlowSetup,
    lattice_buoyancy,
    lattice_viscosity,
    straight_wall,
    with_defect,
    with_drain,
    with_mixing_length,
)
from sightline.suites.simulation.generator.flows.computed.parameters import (
    ExpectedBehaviour,
    FlowParameters,
    ParameterRanges,
    draw_parameters,
)
from sightline.suites.simulation.solvers.flows.flow_domain import FlowDomain, Patch, framed_grid, uniform_velocity

TRANSITION = 1500.0
_RANGES = ParameterRanges(laminar=(20, 70), turbulent=(4e3, 5e4), transition=TRANSITION)
_SLIT, _WIDE, _HIGH, _SPEED = 12, 14, 7, 0.08
_WALLS, _OUTLET, _NOZZLE, _AROUND = 0, 1, 2, 3


class Nozzle(Struct, frozen=True, kw_only=True):
    """Where the slit is, in slit widths above the middle, and how fast the fluid around flows along."""

    height: float
    along: float


def propose(draw: ParameterRng) -> Candidate:
    """With or without a flow around it; in the middle, or to one side."""
    parameters = draw_parameters(draw, _RANGES)
    nozzle = Nozzle(height=draw.pick((0.0, 0.0, 0.0, 0.0, -1.5, 1.5)), along=draw.pick((0.0, 0.35)))
    outlook = ExpectedBehaviour(
        separates=nozzle.along == 0,
        runs_back=nozzle.along == 0,
        is_mirrored=nozzle.height == 0,
        even_defects=("slip", "drain"),
        settles=not parameters.is_turbulent,
        loses_pressure=nozzle.along > 0 or parameters.stop == "moving",
        peaks_in_middle=nozzle.height == 0,
        peak=1.1,
    )
    return make_candidate(parameters, outlook, lambda: _setup(parameters, nozzle))


def _setup(parameters: FlowParameters, nozzle: Nozzle) -> FlowSetup:
    b, across, up = _SLIT, _WIDE * _SLIT, _HIGH * _SLIT
    volume = _SPEED * b + nozzle.along * _SPEED * (up - b)
    flow_domain = with_drain(_flow_domain(parameters, nozzle), parameters, (0.7 * across, up / 2 + 0.5), b, volume)
    half = _HIGH / 2
    around = [f for f in (-2.6, -1.3, 1.3, 2.6) if abs(f - nozzle.height) > 0.9] if nozzle.along else []
    return FlowSetup(
        kind="jet",
        title="Jet into a box" if not nozzle.along else "Jet into a slower stream",
        flow_domain=flow_domain,
        length=b,
        speed=_SPEED,
        origin=(0.5, up / 2 + 0.5),
        segments=(
            straight_wall((0.5, 0.5), (across + 0.5, 0.5), (0, 1), "lower wall"),
            straight_wall((0.5, up + 0.5), (across + 0.5, up + 0.5), (0, -1), "upper wall"),
        ),
        marks=(
            Hatch((_WIDE, -half), (0, -half)),
            Hatch((0, half), (_WIDE, half)),
            Arrow(((-0.95, nozzle.height), (-0.1, nozzle.height))),
            *(Arrow(((-0.5, f), (-0.1, f)), width=1.6) for f in around),
            *((TextNote("warm", (-0.55, nozzle.height + 0.5)),) if parameters.heating else ()),
        ),
        margin=(1.0, 0.35),
        geometry=(("Width of the slit", 1.0), ("Length of the box", float(_WIDE)), ("Height of the box", float(_HIGH))),
        set_up=(
            ("Slit, left side", "even velocity along x"),
            ("Around the slit", f"{nozzle.along:.2g} of that velocity" if nozzle.along else "wall"),
            ("Outlet, right side", "pressure"),
            ("Fluid of the jet", "warm" if parameters.heating else "as around it"),
        ),
        crossing=40.0,
        station=0.3,
    )


def _flow_domain(parameters: FlowParameters, nozzle: Nozzle) -> FlowDomain:
    b, across, up = _SLIT, _WIDE * _SLIT, _HIGH * _SLIT
    is_warm = parameters.heating != 0
    patch = framed_grid(across, up, _AROUND, _OUTLET, _WALLS, _WALLS)
    middle = up // 2 + round(nozzle.height * b)
    patch[middle - b // 2 + 1 : middle + b // 2 + 1, 0] = _NOZZLE
    flow_domain = FlowDomain(
        patch=patch,
        patches=(
            Patch(),
            Patch(is_open=True),
            Patch(velocity=uniform_velocity(_SPEED), warmth=1.0 if is_warm else None),
            Patch(velocity=uniform_velocity(nozzle.along * _SPEED), warmth=0.0 if is_warm else None),
        ),
        viscosity=lattice_viscosity(parameters, b, _SPEED),
        is_heated=is_warm,
        gravity=(0.0, lattice_buoyancy(parameters, b, _SPEED)),
        prandtl=parameters.fluid.prandtl,
    )
    flow_domain = with_mixing_length(flow_domain, parameters, 0.12 * b)
    span = np.zeros(patch.shape, dtype=bool)
    span[-1, across // 2 : 3 * across // 4] = True
    volume = _SPEED * b + nozzle.along * _SPEED * (up - b)
    return with_defect(flow_domain, parameters, _WALLS, span, volume)


KIND = Kind("jet", propose)
