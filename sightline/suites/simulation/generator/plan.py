"""Kinds of simulation by domain, and selection of cases with balanced answers.

Kinds take turns. For each case a few candidates of its kind are tried, and the one is taken that leaves every
question, and all of them together, most evenly answered: parameters are steered, answers never.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from sightline.core.errors import UsageError
from sightline.suites.simulation.generator import EXACT
from sightline.suites.simulation.generator.case import Candidate, Case, Kind, Question, exact_kinds
from sightline.suites.simulation.generator.flows.computed import KINDS as FLOWS
from sightline.suites.simulation.generator.flows.exact_channels import make_channel, make_couette, make_slot
from sightline.suites.simulation.generator.flows.exact_vortices import make_cylinder, make_taylor_green, make_vortex
from sightline.suites.simulation.generator.flows.facts import QUESTIONS as FLUID_QUESTIONS
from sightline.suites.simulation.generator.rng import ParameterRng
from sightline.suites.simulation.generator.solids.computed import KINDS as SOLIDS
from sightline.suites.simulation.generator.solids.exact_bars import make_bar, make_beam, make_heated
from sightline.suites.simulation.generator.solids.exact_round_parts import make_plate, make_ring, make_shaft
from sightline.suites.simulation.generator.solids.facts import QUESTIONS as STRUCTURAL_QUESTIONS
from sightline.suites.simulation.solvers import DivergedError


class DomainKinds(Struct, frozen=True, kw_only=True):
    """What can be simulated in a domain, and what is asked about it."""

    name: str
    description: str
    questions: tuple[Question[Any], ...]
    kinds: tuple[Kind, ...]


STRUCTURAL = DomainKinds(
    name="structural",
    description="Questions on loaded structures with exact solutions",
    questions=STRUCTURAL_QUESTIONS,
    kinds=exact_kinds(
        beam=make_beam, heated=make_heated, shaft=make_shaft, bar=make_bar, ring=make_ring, plate=make_plate
    ),
)
FLUID = DomainKinds(
    name="fluid",
    description="Questions on flows with exact solutions",
    questions=FLUID_QUESTIONS,
    kinds=exact_kinds(
        channel=make_channel,
        taylor_green=make_taylor_green,
        couette=make_couette,
        cylinder=make_cylinder,
        slot=make_slot,
        vortex=make_vortex,
    ),
)
DOMAINS = (STRUCTURAL, FLUID)
COMPUTED_DOMAINS = (
    replace(STRUCTURAL, description="Questions on structures computed by finite elements", kinds=SOLIDS),
    replace(FLUID, description="Questions on flows computed by lattice Boltzmann and finite volumes", kinds=FLOWS),
)
"""The same questions on fields that a solver has worked out."""


def domains_by_method(fields: str) -> tuple[DomainKinds, ...]:
    """The kinds whose fields are `computed` or `exact`."""
    if fields == EXACT:
        return DOMAINS
    if find_spec("skfem") is None:
        raise UsageError(
            "Computed structures need scikit-fem, which is not installed.",
            hint='pip install "sightline[simulation]", or take --fields exact',
        )
    return COMPUTED_DOMAINS


_CANDIDATES = 18
_WEIGHT_OF_TOTAL = 4.0


def plan_cases(count: int, seed: int, domains: Sequence[DomainKinds] = DOMAINS) -> Iterator[tuple[DomainKinds, Case]]:
    """Structures first, then as many flows, one fewer where the count is odd."""
    if count < 1:
        raise UsageError("A data set needs at least one simulation, not {count}.", count=count)
    structural = (count + 1) // 2
    for number, (domain, numbers) in enumerate(zip(domains, (structural, count - structural), strict=True)):
        for case in balanced_cases(domain, numbers, (seed, number)):
            yield domain, case


def balanced_cases(domain: DomainKinds, numbers: int, key: tuple[int, ...]) -> Iterator[Case]:
    """Return cases of a domain whose answers are balanced."""
    surplus = {question.qid: 0 for question in domain.questions}
    for place in range(numbers):
        kind = domain.kinds[place % len(domain.kinds)]
        candidates = [kind.propose(ParameterRng(*key, place, attempt)) for attempt in range(_CANDIDATES)]
        case = _solve_first(sorted(candidates, key=lambda candidate: _imbalance(surplus, candidate.expected)))
        surplus = _add_answers(surplus, case.answers)
        yield case


def _solve_first(candidates: Sequence[Candidate]) -> Case:
    """Solve the first candidate that converges."""
    for candidate in candidates[:-1]:
        try:
            return candidate.solve()
        except DivergedError:
            continue
    return candidates[-1].solve()


def _add_answers(surplus: dict[str, int], answers: dict[str, bool]) -> dict[str, int]:
    return {qid: more + (1 if answers[qid] else -1) for qid, more in surplus.items()}


def _imbalance(surplus: dict[str, int], answers: dict[str, bool]) -> float:
    after = _add_answers(surplus, answers).values()
    # the fourth power: a question that is always answered alike is worse than a few that lean to one side
    return sum(more**4 for more in after) + _WEIGHT_OF_TOTAL * sum(after) ** 2
