"""Flow that enters a round pipe, in a section along its axis."""

from __future__ import annotations

from sightline.suites.simulation.generator.case import Candidate, Case, Kind
from sightline.suites.simulation.generator.draw import ParameterRng
from sightline.suites.simulation.generator.flows.computed.channel import RANGES, duct_outlook
from sightline.suites.simulation.generator.flows.computed.parameters import (
    FlowParameters,
    draw_parameters,
    expected_answers,
)


def propose(draw: ParameterRng) -> Candidate:
    """The Reynolds number is that of the diameter."""
    parameters = draw_parameters(draw, RANGES)
    length, is_flat = draw.between(4, 8), draw.chance(0.7)
    return Candidate(
        expected_answers(parameters, duct_outlook(parameters, is_pipe=True)),
        lambda: _solve(parameters, length, is_flat=is_flat),
    )


def _solve(parameters: FlowParameters, length: float, *, is_flat: bool) -> Case:
    from sightline.suites.simulation.generator.flows.computed.ducts import solve_duct_case
    from sightline.suites.simulation.solvers.flows.duct import Duct

    duct = Duct(
        viscosity=1 / parameters.reynolds,
        length=length,
        is_pipe=True,
        has_closure=parameters.is_turbulent,
        is_flat=is_flat or parameters.is_turbulent,
    )
    return solve_duct_case(duct, parameters, kind="pipe_entry", title="Flow into a round pipe, section along the axis")


KIND = Kind("pipe_entry", propose)
