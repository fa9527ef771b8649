"""A square box whose lid drives the fluid around; perhaps its floor is warm."""

from __future__ import annotations

import numpy as np
from msgspec.structs import replace

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

TRANSITION = 8000.0
"""Where the flow in a driven square begins to swing (Auteri, Parolini and Quartapelle, J. Comput. Phys. 183, 2002)."""
_RANGES = ParameterRanges(laminar=(60, 500), turbulent=(2e4, 1.5e5), transition=TRANSITION)
_SIDE, _SPEED = 72, 0.1
_WALLS, _LID, _FLOOR = 0, 1, 2


def propose(draw: ParameterRng) -> Candidate:
    """At Reynolds numbers well on either side of transition."""
    parameters = draw_parameters(draw, _RANGES)
    outlook = ExpectedBehaviour(
        separates=parameters.reynolds > 350 and parameters.stop != "moving",
        runs_back=True,
        is_mirrored=False,
        settles=not parameters.is_turbulent and parameters.defect != "slip",
        loses_pressure=False,
        peaks_in_middle=False,
        peak=1.0,
    )
    return make_candidate(parameters, outlook, lambda: _setup(parameters))


def _setup(parameters: FlowParameters) -> FlowSetup:
    n, is_warm = _SIDE, parameters.heating != 0
    patch = framed_grid(n, n, _WALLS, _WALLS, _FLOOR, _LID)
    flow_domain = FlowDomain(
        patch=patch,
        patches=(
            Patch(),
            Patch(velocity=uniform_velocity(_SPEED), warmth=-0.5 if is_warm else None),
            Patch(warmth=0.5 if is_warm else None),
        ),
        viscosity=lattice_viscosity(parameters, n, _SPEED),
        is_heated=is_warm,
        gravity=(0.0, lattice_buoyancy(parameters, n, _SPEED)),
        prandtl=parameters.fluid.prandtl,
    )
    flow_domain = with_mixing_length(flow_domain, parameters, 0.06 * n)
    span = np.zeros(patch.shape, dtype=bool)
    span[-1, n // 3 : n // 2] = True
    flow_domain = with_defect(flow_domain, parameters, _WALLS, span, 0.3 * _SPEED * n)
    flow_domain = with_drain(flow_domain, parameters, (0.5 * n, 0.7 * n), 0.12 * n, 0.3 * _SPEED * n)
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


KIND = Kind("driven_cavity", propose)
