"""Computed candidates: a coarse linear solution forecasts the answers, the chosen one is computed in full."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from msgspec.structs import replace

from sightline.suites.simulation.generator.case import Candidate, Case
from sightline.suites.simulation.generator.draw import Draw
from sightline.suites.simulation.generator.question import answer_all
from sightline.suites.simulation.generator.solids.computed.analysis import Analysis, sized, weakened
from sightline.suites.simulation.generator.solids.computed.flowing import flowed
from sightline.suites.simulation.generator.solids.computed.iterating import iterated
from sightline.suites.simulation.generator.solids.computed.measuring import measured, mises
from sightline.suites.simulation.generator.solids.computed.part import Part
from sightline.suites.simulation.generator.solids.computed.presenting import presented
from sightline.suites.simulation.generator.solids.computed.running import Ending, Run, history
from sightline.suites.simulation.generator.solids.questions import QUESTIONS

_OVER = 1.15
"""The least utilisation of a part that is over its limit."""
_BELOW = 0.85
_MOST_HEAT = 400.0
"""Kelvin, beyond which no material of ours keeps its figures."""


def propose(make: Callable[[Draw], Part], draw: Draw) -> Candidate:
    """Parameters, defects, and what is to be expected of them."""
    part = make(draw)
    ending = draw_ending(draw)
    weakness = weakened(part, draw.between(0.12, 0.3), draw.between(0, 1)) if draw.chance() else None
    use = draw_use(draw, part)
    coarse = sized(part, part.coarse, use, weakness)
    if abs(coarse.size * part.heat) > _MOST_HEAT:
        use = _cooler(use * _MOST_HEAT / abs(coarse.size * part.heat))
        coarse = sized(part, part.coarse, use, weakness)
    begun = draw.between(0.7, 0.82)

    def solve() -> Case:
        return _solved(sized(part, part.fine, use, weakness), ending, begun)

    return Candidate(expected_of(coarse, ending), solve)


def _cooler(use: float) -> float:
    """A utilisation that heat allows, clearly on one side of the limit."""
    return use if use > _OVER else min(use, _BELOW)


def draw_ending(draw: Draw) -> Ending:
    """Both laws kept or broken, each by itself."""
    return Ending(is_balanced=draw.chance(), is_converged=draw.chance(), tolerance=draw.pick((1e-4, 1e-5, 1e-6)))


def draw_use(draw: Draw, part: Part) -> float:
    """Stress over strength: a ductile part is mostly over its yield strength, a brittle one mostly below its own."""
    ductile = part.material.is_ductile
    if draw.chance(0.75 if ductile else 0.25):
        return draw.between(_OVER, part.most_over if ductile else 1.6)
    return draw.between(0.3, _BELOW)


def expected_of(analysis: Analysis, ending: Ending) -> dict[str, bool]:
    """The answers of a linear solution, and of the laws that are meant to be kept."""
    size = np.array([0.5 if ending.is_converged else 2.0]) * ending.tolerance
    run = Run(
        displacement=analysis.displacement,
        stress=analysis.stress,
        reaction=analysis.problem.reactions(analysis.displacement, analysis.load, analysis.heating),
        residuals=history(size, size, ending.tolerance),
        flowed=np.zeros(len(analysis.stress)),
        snapshots=(),
        steps=1,
    )
    facts = measured(analysis, run)
    if not ending.is_balanced:
        facts = replace(facts, balances=tuple(replace(row, reaction=0.9 * row.reaction) for row in facts.balances))
    return answer_all(QUESTIONS, facts)


def _solved(analysis: Analysis, ending: Ending, begun: float) -> Case:
    material = analysis.part.material
    use = float(mises(analysis.stress).max()) / material.yield_strength if material.is_ductile else 0.0
    run = flowed(analysis, ending, 1 / use) if use > 1 else iterated(analysis, ending, begun)
    return presented(analysis, run)
