"""Flow that enters a wider space: a channel with a backward-facing step, and a jet into a box."""

from __future__ import annotations

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from sightline.suites.simulation.generator.case import Array, Arrow, Candidate, Hatch, TextNote
from sightline.suites.simulation.generator.flows.computed.flow_setup import (
    FlowSetup,
    make_flow_domain,
    straight_wall,
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
from sightline.suites.simulation.solvers.flows.flow_domain import FlowDomain, Patch, framed_grid, uniform_velocity

STEP_TRANSITION = 1200.0
"""Up to here the flow over a step is laminar (Armaly et al., J. Fluid Mech. 127, 1983)."""
_STEP_RANGES = ParameterRanges(laminar=(60, 320), turbulent=(7e3, 6e4), transition=STEP_TRANSITION)
_STEP, _SPEED, _BEFORE, _BEHIND = 18, 0.08, 3, 11
_WALLS, _STEP_INLET, _STEP_OUTLET, _STEP_FLOOR = 0, 1, 2, 3


def propose_step(draw: ParameterRng) -> Candidate:
    """The Reynolds number is that of twice the inlet's height."""
    parameters = draw_parameters(draw, _STEP_RANGES)
    outlook = ExpectedBehaviour(
        separates=True,
        runs_back=True,
        is_mirrored=False,
        settles=not parameters.is_turbulent,
        loses_pressure=True,
        peaks_in_middle=False,
        peak=1.5,
    )
    return make_candidate(parameters, outlook, lambda: step_setup(parameters))


def _step_domain(parameters: FlowParameters) -> FlowDomain:
    h, across, up = _STEP, (_BEFORE + _BEHIND) * _STEP, 2 * _STEP
    edge = _BEFORE * h

    def inlet(x: Array, y: Array) -> tuple[Array, Array]:
        s = np.clip((y - 0.5) / h - 1, 0, 1)
        profile = (
            np.clip(1 - np.abs(2 * s - 1), 0, 1) ** (1 / 7) * 8 / 7 if parameters.is_turbulent else 6 * s * (1 - s)
        )
        return _SPEED * profile, np.zeros_like(x)

    patch = framed_grid(across, up, _STEP_INLET, _STEP_OUTLET, _STEP_FLOOR, _WALLS)
    patch[: h + 1, : edge + 1] = _WALLS
    is_warm = parameters.heating != 0
    start = np.zeros((2, *patch.shape))
    start[0, h + 1 : -1, : edge + 1], start[0, 1:-1, edge + 1 :] = _SPEED, _SPEED / 2
    patches = (
        Patch(),
        Patch(velocity=inlet, warmth=0.0 if is_warm else None),
        Patch(is_open=True),
        Patch(warmth=1.0 if is_warm else None),
    )
    flow_domain = make_flow_domain(parameters, patch, patches, 2 * h, _SPEED, 0.09 * h)
    drain = (0.7 * across, 0.6 * up, 0.5 * h)
    porous = slice(across // 2, 2 * across // 3)
    return with_defect(replace(flow_domain, start=start), parameters, _SPEED * h, _WALLS, porous, drain)


def step_setup(parameters: FlowParameters) -> FlowSetup:
    """Return the setup of a channel that widens at a step in its floor."""
    h, across, up = _STEP, (_BEFORE + _BEHIND) * _STEP, 2 * _STEP
    edge, is_warm = _BEFORE * h, parameters.heating != 0

    def block(x: Array, y: Array) -> Array:
        return np.asarray(np.maximum(x - (edge + 0.5), y - (h + 0.5)))

    left, lip, top, end = -_BEFORE / 2, 0.0, 0.5, _BEHIND / 2
    return FlowSetup(
        kind="backward_step",
        title="Channel with a backward-facing step",
        flow_domain=_step_domain(parameters),
        length=2 * h,
        speed=_SPEED,
        origin=(edge + 0.5, h + 0.5),
        segments=(
            straight_wall((edge + 0.5, 0.5), (across + 0.5, 0.5), (0, 1), "floor behind the step"),
            straight_wall((0.5, h + 0.5), (edge + 0.5, h + 0.5), (0, 1), "floor before the step"),
            straight_wall((0.5, up + 0.5), (across + 0.5, up + 0.5), (0, -1), "ceiling"),
        ),
        marks=(
            Hatch((end, -0.5), (0.0, -0.5)),
            Hatch((0.0, -0.5), (0.0, lip)),
            Hatch((0.0, lip), (left, lip)),
            Hatch((left, top), (end, top)),
            *(Arrow(((left - 0.35, y), (left - 0.08, y))) for y in (0.15, 0.35)),
            *((TextNote("warm floor", (end / 2, -0.68)),) if is_warm else ()),
        ),
        margin=(0.4, 0.3),
        geometry=(("Height of the step", 0.5), ("Height of the channel", 1.0), ("Length", (across / (2 * h)))),
        set_up=(
            ("Inlet, left side", "profile of the prescribed mean velocity"),
            ("Outlet, right side", "pressure"),
            ("Reference length", "twice the inlet's height"),
            ("Floor", "warm" if is_warm else "as the fluid"),
        ),
        body=block,
        crossing=20.0,
        station=0.4,
    )


JET_TRANSITION = 1500.0
_JET_RANGES = ParameterRanges(laminar=(20, 70), turbulent=(4e3, 5e4), transition=JET_TRANSITION)
_SLIT, _BOX_LENGTH, _BOX_HEIGHT = 12, 14, 7
_JET_OUTLET, _NOZZLE, _AROUND = 1, 2, 3


class Nozzle(Struct, frozen=True, kw_only=True):
    """Where the slit is, in slit widths above the middle, and how fast the fluid around flows along."""

    height: float
    along: float


def propose_jet(draw: ParameterRng) -> Candidate:
    """With or without a flow around it; in the middle, or to one side."""
    parameters = draw_parameters(draw, _JET_RANGES)
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
    return make_candidate(parameters, outlook, lambda: jet_setup(parameters, nozzle))


def jet_setup(parameters: FlowParameters, nozzle: Nozzle) -> FlowSetup:
    """Return the setup of a jet out of a slit into a box that is open at its far end."""
    b, across, up = _SLIT, _BOX_LENGTH * _SLIT, _BOX_HEIGHT * _SLIT
    half = _BOX_HEIGHT / 2
    around = [f for f in (-2.6, -1.3, 1.3, 2.6) if abs(f - nozzle.height) > 0.9] if nozzle.along else []
    return FlowSetup(
        kind="jet",
        title="Jet into a box" if not nozzle.along else "Jet into a slower stream",
        flow_domain=_jet_domain(parameters, nozzle),
        length=b,
        speed=_SPEED,
        origin=(0.5, up / 2 + 0.5),
        segments=(
            straight_wall((0.5, 0.5), (across + 0.5, 0.5), (0, 1), "lower wall"),
            straight_wall((0.5, up + 0.5), (across + 0.5, up + 0.5), (0, -1), "upper wall"),
        ),
        marks=(
            Hatch((_BOX_LENGTH, -half), (0, -half)),
            Hatch((0, half), (_BOX_LENGTH, half)),
            Arrow(((-0.95, nozzle.height), (-0.1, nozzle.height))),
            *(Arrow(((-0.5, f), (-0.1, f)), width=1.6) for f in around),
            *((TextNote("warm", (-0.55, nozzle.height + 0.5)),) if parameters.heating else ()),
        ),
        margin=(1.0, 0.35),
        geometry=(
            ("Width of the slit", 1.0),
            ("Length of the box", float(_BOX_LENGTH)),
            ("Height of the box", float(_BOX_HEIGHT)),
        ),
        set_up=(
            ("Slit, left side", "even velocity along x"),
            ("Around the slit", f"{nozzle.along:.2g} of that velocity" if nozzle.along else "wall"),
            ("Outlet, right side", "pressure"),
            ("Fluid of the jet", "warm" if parameters.heating else "as around it"),
        ),
        crossing=40.0,
        station=0.3,
    )


def _jet_domain(parameters: FlowParameters, nozzle: Nozzle) -> FlowDomain:
    b, across, up = _SLIT, _BOX_LENGTH * _SLIT, _BOX_HEIGHT * _SLIT
    is_warm = parameters.heating != 0
    patch = framed_grid(across, up, _AROUND, _JET_OUTLET, _WALLS, _WALLS)
    middle = up // 2 + round(nozzle.height * b)
    patch[middle - b // 2 + 1 : middle + b // 2 + 1, 0] = _NOZZLE
    patches = (
        Patch(),
        Patch(is_open=True),
        Patch(velocity=uniform_velocity(_SPEED), warmth=1.0 if is_warm else None),
        Patch(velocity=uniform_velocity(nozzle.along * _SPEED), warmth=0.0 if is_warm else None),
    )
    flow_domain = make_flow_domain(parameters, patch, patches, b, _SPEED, 0.12 * b)
    volume = _SPEED * b + nozzle.along * _SPEED * (up - b)
    drain = (0.7 * across, up / 2 + 0.5, b)
    return with_defect(flow_domain, parameters, volume, _WALLS, slice(across // 2, 3 * across // 4), drain)
