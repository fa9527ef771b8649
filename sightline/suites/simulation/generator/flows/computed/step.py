"""A channel that widens at a step in its floor."""

from __future__ import annotations

import numpy as np

from sightline.suites.simulation.generator.arrays import Array
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
from sightline.suites.simulation.solvers.flows.flow_domain import FlowDomain, Patch, framed_grid

TRANSITION = 1200.0
"""Up to here the flow over a step is laminar (Armaly et al., J. Fluid Mech. 127, 1983)."""
_RANGES = ParameterRanges(laminar=(60, 320), turbulent=(7e3, 6e4), transition=TRANSITION)
_STEP, _SPEED, _BEFORE, _BEHIND = 18, 0.08, 3, 11
_WALLS, _INLET, _OUTLET, _FLOOR = 0, 1, 2, 3


def propose(draw: ParameterRng) -> Candidate:
    """The Reynolds number is that of twice the inlet's height."""
    parameters = draw_parameters(draw, _RANGES)
    outlook = ExpectedBehaviour(
        separates=True,
        runs_back=True,
        is_mirrored=False,
        settles=not parameters.is_turbulent,
        loses_pressure=True,
        peaks_in_middle=False,
        peak=1.5,
    )
    return make_candidate(parameters, outlook, lambda: _setup(parameters))


def _flow_domain(parameters: FlowParameters) -> FlowDomain:
    h, across, up = _STEP, (_BEFORE + _BEHIND) * _STEP, 2 * _STEP
    edge = _BEFORE * h

    def inlet(x: Array, y: Array) -> tuple[Array, Array]:
        s = np.clip((y - 0.5) / h - 1, 0, 1)
        profile = (
            np.clip(1 - np.abs(2 * s - 1), 0, 1) ** (1 / 7) * 8 / 7 if parameters.is_turbulent else 6 * s * (1 - s)
        )
        return _SPEED * profile, np.zeros_like(x)

    patch = framed_grid(across, up, _INLET, _OUTLET, _FLOOR, _WALLS)
    patch[: h + 1, : edge + 1] = _WALLS
    is_warm = parameters.heating != 0
    start = np.zeros((2, *patch.shape))
    start[0, h + 1 : -1, : edge + 1], start[0, 1:-1, edge + 1 :] = _SPEED, _SPEED / 2
    flow_domain = FlowDomain(
        patch=patch,
        patches=(
            Patch(),
            Patch(velocity=inlet, warmth=0.0 if is_warm else None),
            Patch(is_open=True),
            Patch(warmth=1.0 if is_warm else None),
        ),
        viscosity=lattice_viscosity(parameters, 2 * h, _SPEED),
        is_heated=is_warm,
        gravity=(0.0, lattice_buoyancy(parameters, 2 * h, _SPEED)),
        prandtl=parameters.fluid.prandtl,
        start=start,
    )
    flow_domain = with_mixing_length(flow_domain, parameters, 0.09 * h)
    span = np.zeros(patch.shape, dtype=bool)
    span[-1, across // 2 : 2 * across // 3] = True
    flow_domain = with_defect(flow_domain, parameters, _WALLS, span, _SPEED * h)
    return with_drain(flow_domain, parameters, (0.7 * across, 0.6 * up), 0.5 * h, _SPEED * h)


def _setup(parameters: FlowParameters) -> FlowSetup:
    h, across, up = _STEP, (_BEFORE + _BEHIND) * _STEP, 2 * _STEP
    edge, is_warm = _BEFORE * h, parameters.heating != 0

    def block(x: Array, y: Array) -> Array:
        return np.asarray(np.maximum(x - (edge + 0.5), y - (h + 0.5)))

    left, lip, top, end = -_BEFORE / 2, 0.0, 0.5, _BEHIND / 2
    return FlowSetup(
        kind="backward_step",
        title="Channel with a backward-facing step",
        flow_domain=_flow_domain(parameters),
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


KIND = Kind("backward_step", propose)
