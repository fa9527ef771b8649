"""What is asked of every flow.

Every opposed pair differs in every case: laminar or turbulent, buoyant or not, attached or separated. Where a limit
decides, the question names it.
"""

from __future__ import annotations

from sightline.suites.simulation.generator.flows.facts import FlowFacts
from sightline.suites.simulation.generator.question import Question

BUOYANT_RICHARDSON = 0.1
SAME_SHARE = 0.01
BACKFLOW_SHARE = 0.02
MIRROR_SHARE = 0.02
PRESSURE_SHARE = 0.02
MIDDLE = 1 / 6
FAST = 1.0


def _is_turbulent(facts: FlowFacts) -> bool:
    return facts.reynolds > facts.critical_reynolds


def _is_buoyant(facts: FlowFacts) -> bool:
    return facts.richardson >= BUOYANT_RICHARDSON


QUESTIONS: tuple[Question[FlowFacts], ...] = (
    Question(
        "f-laminar",
        "Going by its Reynolds number, is the regime laminar?",
        lambda facts: not _is_turbulent(facts),
    ),
    Question("f-turbulent", "Going by its Reynolds number, is the regime turbulent?", _is_turbulent),
    Question(
        "f-buoyancy",
        "Is buoyancy negligible beside the other forces (Richardson number below 0.1)?",
        lambda facts: not _is_buoyant(facts),
    ),
    Question("f-convection", "Is natural convection significant here (Richardson number of 0.1 or more)?", _is_buoyant),
    Question(
        "f-attached",
        "Does the flow stay attached to every wall and body, nowhere turning back along it by more than 1 % of the "
        "reference speed?",
        lambda facts: not facts.is_separated,
    ),
    Question(
        "f-separation",
        "Is there evidence of separation, with flow along a wall or body that turns back on its way by more than 1 % "
        "of the reference speed?",
        lambda facts: facts.is_separated,
    ),
    Question(
        "f-mass",
        "Does mass conservation hold to within 1 % between what enters and what leaves the domain?",
        lambda facts: facts.is_conserved,
    ),
    Question(
        "f-boundary",
        "Are the prescribed boundary conditions enforced on every boundary (to within 1 % of the reference speed)?",
        lambda facts: facts.is_enforced,
    ),
    Question(
        "f-converged",
        "Did the residuals of all equations converge to the tolerance set in the solver controls?",
        lambda facts: facts.residuals.within,
    ),
    Question(
        "f-steady",
        "Does the velocity stay the same over the last tenth of the run, to within 1 % of the highest speed?",
        lambda facts: facts.late_change < SAME_SHARE,
    ),
    Question(
        "f-backflow",
        "Does part of the fluid move against the main direction, faster than 2 % of the highest speed?",
        lambda facts: facts.backflow < -BACKFLOW_SHARE,
    ),
    Question(
        "f-symmetric",
        "Is the speed mirror-symmetric, to within 2 % of the highest, about the centre line of the domain that runs "
        "along the main direction?",
        lambda facts: facts.asymmetry < MIRROR_SHARE,
    ),
    Question("f-heat", "Are any temperature differences part of the simulation?", lambda facts: facts.heating != 0),
    Question(
        "f-pressure",
        "Does the mean pressure fall along the main direction, from the begin to the end of the domain, by more than "
        "2 % of the dynamic pressure of the reference speed?",
        lambda facts: facts.pressure_change < -PRESSURE_SHARE,
    ),
    Question(
        "f-peak-in-middle",
        "Is the fluid fastest within the middle third of the domain, measured across the main direction?",
        lambda facts: facts.peak_offset < MIDDLE,
    ),
    Question(
        "f-fast",
        "Does the fluid move faster than 1 m/s anywhere?",
        lambda facts: facts.peak_speed > FAST,
    ),
    Question("f-liquid", "Is the fluid a liquid?", lambda facts: facts.fluid.is_liquid),
)
