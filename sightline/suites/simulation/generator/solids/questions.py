"""What is asked of every structure.

Opposed pairs: elastic/plastic and over the limit/safe differ in every case, by physics. Thermal/von Mises are not
logical opposites: one is about the load, the other about the material, so the key opposes them in about half of the
cases.
"""

from __future__ import annotations

from sightline.suites.simulation.generator.question import Question
from sightline.suites.simulation.generator.solids.facts import SolidFacts

UNIFORM_SHARE = 0.05
THERMAL_SHARE = 0.05
TORSION_SHARE = 0.05
SMALL_DISPLACEMENT = 1e-3


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
        lambda facts: facts.utilisation < 1,
    ),
    Question(
        "s-thermal",
        "Are thermal stresses negligible in this part (below 5 % of the peak stress)?",
        lambda facts: facts.thermal < THERMAL_SHARE * facts.von_mises_high,
    ),
    Question(
        "s-von-mises",
        "Judging by how much the material stretches before it breaks, is von Mises stress the appropriate measure of "
        "its failure?",
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
        "Is the part squeezed by more than its Euler buckling load?",
        lambda facts: facts.squeeze > facts.buckling_load,
    ),
    Question(
        "s-bending",
        "Does bending contribute more to the normal stress than axial force does?",
        lambda facts: facts.bending > facts.axial,
    ),
    Question(
        "s-torsion",
        "Is torsion of no account here (its shear stress below 5 % of the peak stress)?",
        lambda facts: facts.torsion < TORSION_SHARE * facts.von_mises_high,
    ),
    Question(
        "s-uniform",
        "Is the stress the same throughout the part, to within 5 %?",
        lambda facts: facts.von_mises_high - facts.von_mises_low < UNIFORM_SHARE * facts.von_mises_high,
    ),
    Question(
        "s-symmetric",
        "Is the loading mirror-symmetric about the centre line of the part (its x axis)?",
        lambda facts: facts.is_mirrored,
    ),
    Question(
        "s-compression",
        "Is the principal stress of largest magnitude compressive?",
        lambda facts: facts.compression > facts.tension,
    ),
    Question(
        "s-stiff",
        "Does the largest displacement stay under a thousandth of the longest dimension?",
        lambda facts: facts.displacement < SMALL_DISPLACEMENT * facts.length,
    ),
)
