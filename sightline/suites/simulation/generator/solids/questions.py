"""What is asked of every structure.

Opposed pairs: elastic/plastic and over the limit/safe are complements of each other in every case. The questions on
heat and on the von Mises criterion are no pair: one is about the load, the other about the material.
"""

from __future__ import annotations

from sightline.suites.simulation.generator.question import Question
from sightline.suites.simulation.generator.solids.facts import SolidFacts

THERMAL_SHARE = 0.05
IDLE_SHARE = 0.1
COMPRESSION_LEAD = 1.05
"""Bending alone has as much of both, and rounding must not decide."""
SMALL_DISPLACEMENT = 2e-3


def _is_plastic(facts: SolidFacts) -> bool:
    # a brittle material breaks where a ductile one would flow
    return facts.material.is_ductile and facts.utilisation > 1


QUESTIONS: tuple[Question[SolidFacts], ...] = (
    Question(
        "s-elastic",
        "Does the part stay primarily elastic under the reported load, without passing a yield strength anywhere?",
        lambda facts: not _is_plastic(facts),
    ),
    Question("s-plastic", "Does the load leave any plastic deformation in the part?", _is_plastic),
    Question(
        "s-limit",
        "Do peak stresses or stress concentrations exceed what the material bears (its yield strength, or its rupture "
        "strength where the data list no yield)?",
        lambda facts: facts.utilisation > 1,
    ),
    Question(
        "s-safety",
        "Is the factor of safety greater than 1 at every point of the part?",
        lambda facts: facts.utilisation <= 1,
    ),
    Question(
        "s-thermal",
        "Does restrained thermal expansion cause a stress of 5 % or more of the peak von Mises stress?",
        lambda facts: facts.thermal >= THERMAL_SHARE * facts.von_mises_high,
    ),
    Question(
        "s-von-mises",
        "Does the material stretch enough before it breaks (5 % or more) to be judged by its von Mises stress?",
        lambda facts: facts.material.is_ductile,
    ),
    Question(
        "s-balance",
        "Do the reaction forces balance the applied loads to within 1 %?",
        lambda facts: facts.is_balanced,
    ),
    Question(
        "s-boundary",
        "Are the displacement boundary conditions enforced at every support (to within 1 % of the largest "
        "displacement)?",
        lambda facts: facts.is_held,
    ),
    Question(
        "s-converged",
        "Did all residuals converge to the tolerance set in the solver controls?",
        lambda facts: facts.residuals.within,
    ),
    Question(
        "s-buckling",
        "Is the part squeezed by more than its lowest buckling load?",
        lambda facts: facts.squeeze > facts.buckling_load,
    ),
    Question(
        "s-bending",
        "Does bending contribute more to the normal stress than axial force does?",
        lambda facts: facts.bending > facts.axial,
    ),
    Question(
        "s-combined",
        "Do two or more loads act together (a change of temperature is one; all arrows of a pressure are one)?",
        lambda facts: facts.acting > 1,
    ),
    Question(
        "s-idle",
        "Is there a place in the part where the von Mises stress is below 10 % of its peak?",
        lambda facts: facts.von_mises_low < IDLE_SHARE * facts.von_mises_high,
    ),
    Question(
        "s-symmetric",
        "Is the loading mirror-symmetric about the centre line of the part (its x axis)?",
        lambda facts: facts.is_mirrored,
    ),
    Question(
        "s-compression",
        "Does the largest compressive principal stress exceed the largest tensile one by more than 5 % in magnitude?",
        lambda facts: facts.compression > COMPRESSION_LEAD * facts.tension,
    ),
    Question(
        "s-stiff",
        "Does the largest displacement stay under a five-hundredth of the longest dimension?",
        lambda facts: facts.displacement < SMALL_DISPLACEMENT * facts.length,
    ),
)
