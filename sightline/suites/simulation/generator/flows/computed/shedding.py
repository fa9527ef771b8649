"""Flow past a circular cylinder whose wake swings: eddies leave in turn from both sides."""

from __future__ import annotations

from sightline.suites.simulation.generator.case import Candidate, Kind
from sightline.suites.simulation.generator.draw import ParameterRng
from sightline.suites.simulation.generator.flows.computed.candidate import make_candidate
from sightline.suites.simulation.generator.flows.computed.cylinder import TRANSITION
from sightline.suites.simulation.generator.flows.computed.flow_setup import FlowSetup
from sightline.suites.simulation.generator.flows.computed.parameters import (
    ExpectedBehaviour,
    FlowParameters,
    ParameterRanges,
    draw_parameters,
)
from sightline.suites.simulation.generator.flows.computed.round_body import cylinder_setup

_RANGES = ParameterRanges(
    laminar=(90, 170), turbulent=(2e3, 6e4), transition=TRANSITION, stops=("moving",), heats=0.3, turbulent_share=0.6
)


def propose(draw: ParameterRng) -> Candidate:
    """Above the Reynolds number at which the wake begins to swing, about 47."""
    parameters = draw_parameters(draw, _RANGES)
    outlook = ExpectedBehaviour(
        separates=True,
        runs_back=True,
        is_mirrored=False,
        loses_pressure=parameters.defect != "drain",
        peaks_in_middle=True,
        peak=1.5,
        is_restless=True,
    )
    return make_candidate(parameters, outlook, lambda: _setup(parameters))


def _setup(parameters: FlowParameters) -> FlowSetup:
    return cylinder_setup(parameters, kind="eddy_street", is_restless=True)


KIND = Kind("eddy_street", propose)
