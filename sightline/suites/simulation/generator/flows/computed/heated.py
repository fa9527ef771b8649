"""A closed box with walls of different temperature: buoyancy alone drives the fluid."""

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
)
from sightline.suites.simulation.generator.flows.computed.parameters import (
    ExpectedBehaviour,
    FlowParameters,
    ParameterRanges,
    draw_parameters,
)
from sightline.suites.simulation.solvers.flows.flow_domain import FlowDomain, Patch, framed_grid

TRANSITION = 3.7e4
"""That of a Rayleigh number of 1e9 in air."""
_RANGES = ParameterRanges(
    laminar=(60, 300), turbulent=(6e4, 3e5), transition=TRANSITION, heats=1.0, richardson=1.0, turbulent_share=0.0
)
_SIDE, _SPEED = 72, 0.1
_SIDES, _HOT, _COLD = 0, 1, 2


def propose(draw: ParameterRng) -> Candidate:
    """Heated from the side, or from below."""
    parameters, from_below = draw_parameters(draw, _RANGES), draw.chance(0.4)
    outlook = ExpectedBehaviour(
        separates=from_below,
        runs_back=True,
        is_mirrored=False,
        loses_pressure=False,
        peaks_in_middle=True,
        peak=0.3,
    )
    return make_candidate(parameters, outlook, lambda: _setup(parameters, from_below=from_below))


def _flow_domain(parameters: FlowParameters, *, from_below: bool) -> FlowDomain:
    n = _SIDE
    across = 2 * n if from_below else n
    sides = (_SIDES, _SIDES, _HOT, _COLD) if from_below else (_HOT, _COLD, _SIDES, _SIDES)
    patch = framed_grid(across, n, *sides)
    flow_domain = FlowDomain(
        patch=patch,
        patches=(Patch(), Patch(warmth=0.5), Patch(warmth=-0.5)),
        viscosity=lattice_viscosity(parameters, n, _SPEED),
        is_heated=True,
        gravity=(0.0, lattice_buoyancy(parameters, n, _SPEED)),
        prandtl=parameters.fluid.prandtl,
        # without a push a layer heated from below would rest for ever
        start=_rolls(patch.shape) if from_below else None,
    )
    span = np.zeros(patch.shape, dtype=bool)
    span[-1, across // 3 : across // 2] = True
    volume = 0.1 * _SPEED * across
    flow_domain = with_defect(flow_domain, parameters, _HOT, span, volume)
    return with_drain(flow_domain, parameters, (0.6 * across, 0.7 * n), 0.12 * n, volume)


def _setup(parameters: FlowParameters, *, from_below: bool) -> FlowSetup:
    n, far, flow_domain = _SIDE, _SIDE + 0.5, _flow_domain(parameters, from_below=from_below)
    across = flow_domain.size[0]
    right = across + 0.5
    wide = across / n
    notes = (
        (TextNote("hot", (0.5 * wide, -0.07)), TextNote("cold", (0.5 * wide, 1.07)))
        if from_below
        else (TextNote("hot", (-0.1, 0.85)), TextNote("cold", (1.11, 0.85)))
    )
    return FlowSetup(
        kind="heated_cavity",
        title="Closed box with a hot and a cold wall",
        flow_domain=flow_domain,
        length=n,
        speed=_SPEED,
        origin=(0.5, 0.5),
        segments=(
            straight_wall((0.5, 0.5), (right, 0.5), (0, 1), "floor"),
            straight_wall((0.5, far), (right, far), (0, -1), "ceiling"),
            straight_wall((0.5, 0.5), (0.5, far), (1, 0), "left wall"),
            straight_wall((right, 0.5), (right, far), (-1, 0), "right wall"),
        ),
        marks=(
            Hatch((wide, 0), (0, 0)),
            Hatch((0, 0), (0, 1)),
            Hatch((wide, 1), (wide, 0)),
            Hatch((0, 1), (wide, 1)),
            *notes,
            Arrow(((wide + 0.1, 0.5), (wide + 0.1, 0.3)), "#24292f"),
            TextNote("g", (wide + 0.1, 0.56)),
        ),
        margin=(0.16, 0.12),
        geometry=(("Width", wide), ("Height", 1.0)),
        set_up=(
            ("Gravity", "against y"),
            ("Hot wall", "floor" if from_below else "left"),
            ("Reference speed from", "buoyancy: root of g beta dT H"),
        ),
        crossing=14.0,
        is_closed=True,
        may_turn=False,
    )


def _rolls(shape: tuple[int, ...]) -> Array:
    """Two that turn against each other, rising left of the middle."""

    row, column = np.indices(shape)
    x, y = (column - 0.5) / (shape[1] - 2), (row - 0.5) / (shape[0] - 2)
    u = -0.2 * np.sin(2.2 * np.pi * x) * np.cos(np.pi * y)
    v = 0.2 * np.cos(2.2 * np.pi * x) * np.sin(np.pi * y)
    return np.asarray(_SPEED * np.stack([u, v]))


KIND = Kind("heated_cavity", propose)
