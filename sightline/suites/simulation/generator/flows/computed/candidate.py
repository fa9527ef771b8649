"""Candidates of computed flows: expected answers, and the solver run if selected."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from sightline.suites.simulation.generator.case import Candidate, Case
from sightline.suites.simulation.generator.flows.computed.parameters import (
    ExpectedBehaviour,
    FlowParameters,
    expected_answers,
)

if TYPE_CHECKING:
    from sightline.suites.simulation.generator.flows.computed.flow_setup import FlowSetup


def make_candidate(parameters: FlowParameters, outlook: ExpectedBehaviour, setup: Callable[[], FlowSetup]) -> Candidate:
    """Return a candidate that is solved only if it is selected."""
    return Candidate(expected_answers(parameters, outlook), lambda: _solve(setup(), parameters))


def _solve(setup: FlowSetup, parameters: FlowParameters) -> Case:
    from sightline.suites.simulation.generator.flows.computed.solve_case import solve_case

    return solve_case(setup, parameters)
