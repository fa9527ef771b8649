"""Flow in closed boxes: a square with a moving lid, and natural convection between walls of different temperature."""

from __future__ import annotations

import numpy as np
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

DRIVEN_TRANSITION = 8000.0
"""Where the flow in a driven square begins to swing (Auteri, Parolini and Quartapelle, J. Comput. Phys. 183, 2002)."""
_DRIVEN = ParameterRanges(laminar=(60, 500), turbulent=(2e4, 1.5e5), transition=DRIVEN_TRANSITION)
_SIDE, _SPEED = 72, 0.1
_WALLS, _LID, _FLOOR = 0, 1, 2


def propose_driven(draw: ParameterRng) -> Candidate:
    """At Reynolds numbers well on either side of transition."""
    parameters = draw_parameters(draw, _DRIVEN)
    outlook = ExpectedBehaviour(
        separates=parameters.reynolds > 350 and parameters.stop != "moving",
        runs_back=True,
        is_mirrored=False,
        settles=not parameters.is_turbulent and parameters.defect != "slip",
        loses_pressure=False,
        peaks_in_middle=False,
        peak=1.0,
    )
    return make_candidate(parameters, outlook, lambda: driven_cavity_setup(parameters))


def driven_cavity_setup(parameters: FlowParameters) -> FlowSetup:
    """Return the setup of a square box with a moving lid; its floor may be warm."""
    n, is_warm = _SIDE, parameters.heating != 0
    patch = framed_grid(n, n, _WALLS, _WALLS, _FLOOR, _LID)
    patches = (
        Patch(),
        Patch(velocity=uniform_velocity(_SPEED), warmth=-0.5 if is_warm else None),
        Patch(warmth=0.5 if is_warm else None),
    )
    flow_domain = make_flow_domain(parameters, patch, patches, n, _SPEED, 0.06 * n)
    drain = (0.5 * n, 0.7 * n, 0.12 * n)
    flow_domain = with_defect(flow_domain, parameters, 0.3 * _SPEED * n, _WALLS, slice(n // 3, n // 2), drain)
    lid = straight_wall((0.5, n + 0.5), (n + 0.5, n + 0.5), (0, -1), "lid", "no slip, moving")
    far = n + 0.5
    return FlowSetup(
        kind="driven_cavity",
        title="Box with a moving lid",
        flow_domain=flow_domain,
        length=n,
        speed=_SPEED,
        origin=(0.5, 0.5),
        segments=(
            replace(lid, velocity=(_SPEED, 0.0)),
            straight_wall((0.5, 0.5), (far, 0.5), (0, 1), "floor"),
            straight_wall((0.5, far), (0.5, 0.5), (1, 0), "left wall"),
            straight_wall((far, far), (far, 0.5), (-1, 0), "right wall"),
        ),
        marks=(
            Hatch((1, 0), (0, 0)),
            Hatch((0, 0), (0, 1)),
            Hatch((1, 1), (1, 0)),
            Arrow(((0.3, 1.07), (0.7, 1.07))),
            *((TextNote("warm", (0.5, -0.07)), TextNote("cool", (0.85, 1.07))) if is_warm else ()),
        ),
        margin=(0.1, 0.12),
        geometry=(("Side of the square", 1.0),),
        set_up=(("Lid", "moves along x"), ("Floor", "warm" if is_warm else "as the fluid")),
        crossing=16.0,
        is_closed=True,
    )


HEATED_TRANSITION = 3.7e4
"""That of a Rayleigh number of 1e9 in air."""
_HEATED = ParameterRanges(
    laminar=(60, 300),
    turbulent=(6e4, 3e5),
    transition=HEATED_TRANSITION,
    heats=1.0,
    richardson=1.0,
    turbulent_share=0.0,
)
_SIDES, _HOT, _COLD = 0, 1, 2


def propose_heated(draw: ParameterRng) -> Candidate:
    """Heated from the side, or from below."""
    parameters, from_below = draw_parameters(draw, _HEATED), draw.chance(0.4)
    outlook = ExpectedBehaviour(
        separates=from_below,
        runs_back=True,
        is_mirrored=False,
        loses_pressure=False,
        peaks_in_middle=True,
        peak=0.3,
    )
    return make_candidate(parameters, outlook, lambda: heated_cavity_setup(parameters, from_below=from_below))


def _heated_domain(parameters: FlowParameters, *, from_below: bool) -> FlowDomain:
    n = _SIDE
    across = 2 * n if from_below else n
    sides = (_SIDES, _SIDES, _HOT, _COLD) if from_below else (_HOT, _COLD, _SIDES, _SIDES)
    patch = framed_grid(across, n, *sides)
    patches = (Patch(), Patch(warmth=0.5), Patch(warmth=-0.5))
    flow_domain = make_flow_domain(parameters, patch, patches, n, _SPEED, 0.0)
    if from_below:
        # without a push a layer heated from below would rest for ever
        flow_domain = replace(flow_domain, start=_rolls(patch.shape))
    drain = (0.6 * across, 0.7 * n, 0.12 * n)
    porous = slice(across // 3, across // 2)
    return with_defect(flow_domain, parameters, 0.1 * _SPEED * across, _HOT, porous, drain)


def heated_cavity_setup(parameters: FlowParameters, *, from_below: bool) -> FlowSetup:
    """Return the setup of a closed box that is driven by buoyancy alone."""
    n, far, flow_domain = _SIDE, _SIDE + 0.5, _heated_domain(parameters, from_below=from_below)
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
