"""Flow past a circular cylinder that comes to rest: attached at the lowest speeds, else with two eddies behind it."""

from __future__ import annotations

from sightline.suites.simulation.generator.case import Candidate, Kind
from sightline.suites.simulation.generator.draw import ParameterRng
from sightline.suites.simulation.generator.flows.computed.candidate import make_candidate
from sightline.suites.simulation.generator.flows.computed.flow_setup import FlowSetup
from sightline.suites.simulation.generator.flows.computed.parameters import (
    ExpectedBehaviour,
    FlowParameters,
    ParameterRanges,
    draw_parameters,
)
from sightline.suites.simulation.generator.flows.computed.round_body import cylinder_setup

TRANSITION = 260.0
"""Where the wake turns three-dimensional (Williamson, Annu. Rev. Fluid Mech. 28, 1996: from 190 to 260)."""
_CREEPING = ParameterRanges(
    laminar=(1.5, 4), turbulent=(1.5, 4), transition=TRANSITION, turbulent_share=0.0, heats=0.35
)
_SLOW = ParameterRanges(laminar=(15, 42), turbulent=(15, 42), transition=TRANSITION, turbulent_share=0.0, heats=0.35)


def propose(draw: ParameterRng) -> Candidate:
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
    return make_candidate(parameters, outlook, lambda: _setup(parameters))


def _setup(parameters: FlowParameters) -> FlowSetup:
    return cylinder_setup(parameters, kind="cylinder_wake", is_restless=False)


KIND = Kind("cylinder_wake", propose)
