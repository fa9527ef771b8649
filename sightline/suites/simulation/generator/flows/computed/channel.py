"""Flow that enters between two plates and changes its profile on the way."""

from __future__ import annotations

from sightline.suites.simulation.generator.case import Candidate, Case, Kind
from sightline.suites.simulation.generator.draw import ParameterRng
from sightline.suites.simulation.generator.flows.computed.parameters import (
    ExpectedBehaviour,
    FlowParameters,
    ParameterRanges,
    draw_parameters,
    expected_answers,
)

TRANSITION = 2300.0
RANGES = ParameterRanges(
    laminar=(60, 900),
    turbulent=(6e3, 1e5),
    transition=TRANSITION,
    heats=0.0,
    defects=("none", "slip", "porous"),
    stops=("settled", "early"),
    small=(8e-4, 4e-2),
    large=(0.01, 0.3),
)


def duct_outlook(parameters: FlowParameters, *, is_pipe: bool) -> ExpectedBehaviour:
    """What is expected of a duct; turbulent flow is fastest beside its layers at the walls while it enters."""
    return ExpectedBehaviour(
        separates=False,
        runs_back=False,
        is_mirrored=True,
        loses_pressure=not (parameters.is_turbulent and parameters.defect == "porous"),
        peaks_in_middle=not parameters.is_turbulent,
        even_defects=("slip", "porous") if is_pipe else (),
    )


def propose(draw: ParameterRng) -> Candidate:
    """The Reynolds number is that of the hydraulic diameter, twice the gap."""
    parameters = draw_parameters(draw, RANGES)
    length, is_flat = draw.between(5, 9), draw.chance(0.7)
    return Candidate(
        expected_answers(parameters, duct_outlook(parameters, is_pipe=False)),
        lambda: _solve(parameters, length, is_flat=is_flat),
    )


def _solve(parameters: FlowParameters, length: float, *, is_flat: bool) -> Case:
    from sightline.suites.simulation.generator.flows.computed.ducts import solve_duct_case
    from sightline.suites.simulation.solvers.flows.duct import Duct

    duct = Duct(
        viscosity=1 / parameters.reynolds,
        length=length / 2,
        has_closure=parameters.is_turbulent,
        is_flat=is_flat or parameters.is_turbulent,
    )
    return solve_duct_case(duct, parameters, kind="channel_entry", title="Flow into a channel between plates")


KIND = Kind("channel_entry", propose)
