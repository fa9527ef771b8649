"""Selection of cases for a data set, with balanced answers.

Kinds take turns. For each place a few cases of its kind are tried, and the one is taken that leaves every question, and
all of them together, most evenly answered: parameters are steered, answers never.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sightline.core.errors import UsageError
from sightline.suites.simulation.generator.case import Candidate, Case
from sightline.suites.simulation.generator.draw import ParameterRng
from sightline.suites.simulation.generator.kinds import DOMAINS, DomainKinds
from sightline.suites.simulation.solvers import DivergedError

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
        surplus = _with(surplus, case.answers)
        yield case


def _solve_first(candidates: Sequence[Candidate]) -> Case:
    """Solve the first candidate that converges."""
    for candidate in candidates[:-1]:
        try:
            return candidate.solve()
        except DivergedError:
            continue
    return candidates[-1].solve()


def _with(surplus: dict[str, int], answers: dict[str, bool]) -> dict[str, int]:
    return {qid: more + (1 if answers[qid] else -1) for qid, more in surplus.items()}


def _imbalance(surplus: dict[str, int], answers: dict[str, bool]) -> float:
    after = _with(surplus, answers).values()
    # the fourth power: a question that is always answered alike is worse than a few that lean to one side
    return sum(more**4 for more in after) + _WEIGHT_OF_TOTAL * sum(after) ** 2
