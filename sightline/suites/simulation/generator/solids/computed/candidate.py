"""Candidates of computed structures: a coarse linear solution predicts the answers; only the selected one is solved."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from msgspec.structs import replace

from sightline.suites.simulation.generator.case import Candidate, Case
from sightline.suites.simulation.generator.draw import ParameterRng
from sightline.suites.simulation.generator.question import answer_all
from sightline.suites.simulation.generator.solids.computed.analysis import (
    Analysis,
    analyse_at_utilisation,
    weaken_support,
)
from sightline.suites.simulation.generator.solids.computed.linear_case import solve_linear
from sightline.suites.simulation.generator.solids.computed.measure import measure_facts, von_mises_at_nodes
from sightline.suites.simulation.generator.solids.computed.part import Part
from sightline.suites.simulation.generator.solids.computed.plasticity_case import solve_plastic
from sightline.suites.simulation.generator.solids.computed.render_case import render_case
from sightline.suites.simulation.generator.solids.computed.solver_history import (
    SolverOutcome,
    SolverRun,
    normalized_residuals,
)
from sightline.suites.simulation.generator.solids.questions import QUESTIONS

_OVER = 1.15
"""The least utilisation of a part that is over its limit."""
_BELOW = 0.85
_MOST_HEAT = 400.0
"""Kelvin, beyond which no material of ours keeps its figures."""


def make_candidate(make: Callable[[ParameterRng], Part], draw: ParameterRng) -> Candidate:
    """Draw parameters and defects, and return a candidate with its expected answers."""
    part = make(draw)
    ending = draw_ending(draw)
    weakness = weaken_support(part, draw.between(0.12, 0.3), draw.between(0, 1)) if draw.chance() else None
    use = draw_utilisation(draw, part)
    coarse = analyse_at_utilisation(part, part.coarse, use, weakness)
    if abs(coarse.size * part.heat) > _MOST_HEAT:
        use = _cap_utilisation(use * _MOST_HEAT / abs(coarse.size * part.heat))
        coarse = analyse_at_utilisation(part, part.coarse, use, weakness)
    begun = draw.between(0.7, 0.82)

    def solve() -> Case:
        return _solve(analyse_at_utilisation(part, part.fine, use, weakness), ending, begun)

    return Candidate(expected_answers(coarse, ending), solve)


def _cap_utilisation(use: float) -> float:
    """A utilisation that heat allows, clearly on one side of the limit."""
    return use if use > _OVER else min(use, _BELOW)


def draw_ending(draw: ParameterRng) -> SolverOutcome:
    """Both laws kept or broken, each by itself."""
    return SolverOutcome(is_balanced=draw.chance(), is_converged=draw.chance(), tolerance=draw.pick((1e-4, 1e-5, 1e-6)))


def draw_utilisation(draw: ParameterRng, part: Part) -> float:
    """Stress over strength: a ductile part is mostly over its yield strength, a brittle one mostly below its own."""
    ductile = part.material.is_ductile
    if draw.chance(0.75 if ductile else 0.25):
        return draw.between(_OVER, part.most_over if ductile else 1.6)
    return draw.between(0.3, _BELOW)


def expected_answers(analysis: Analysis, ending: SolverOutcome) -> dict[str, bool]:
    """The answers of a linear solution, and of the laws that are meant to be kept."""
    size = np.array([0.5 if ending.is_converged else 2.0]) * ending.tolerance
    run = SolverRun(
        displacement=analysis.displacement,
        stress=analysis.stress,
        reaction=analysis.problem.reactions(analysis.displacement, analysis.load, analysis.heating),
        residuals=normalized_residuals(size, size, ending.tolerance),
        flowed=np.zeros(len(analysis.stress)),
        snapshots=(),
        steps=1,
    )
    facts = measure_facts(analysis, run)
    if not ending.is_balanced:
        facts = replace(facts, balances=tuple(replace(row, reaction=0.9 * row.reaction) for row in facts.balances))
    return answer_all(QUESTIONS, facts)


def _solve(analysis: Analysis, ending: SolverOutcome, begun: float) -> Case:
    material = analysis.part.material
    use = float(von_mises_at_nodes(analysis.stress).max()) / material.yield_strength if material.is_ductile else 0.0
    run = solve_plastic(analysis, ending, 1 / use) if use > 1 else solve_linear(analysis, ending, begun)
    return render_case(analysis, run)
