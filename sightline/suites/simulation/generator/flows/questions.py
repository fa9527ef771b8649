"""What is asked of every flow.

Opposed pairs: laminar/turbulent and buoyancy/convection differ in every case. Developed/separated are never both true.
Both are false where a flow changes along its way without leaving a wall, as in a free vortex, so the key opposes them
in the other cases only, about four in ten.
"""

from __future__ import annotations

from sightline.suites.simulation.generator.flows.facts import FlowFacts
from sightline.suites.simulation.generator.question import Question

BUOYANT_RICHARDSON = 0.1
SAME_SHARE = 0.01
BACKFLOW_SHARE = 0.02
MIRROR_SHARE = 0.02
NEAR_WALL = 0.02
FAST_MACH = 0.3


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
        "f-developed",
        "Is the velocity profile fully developed, the same at all stations along the main direction?",
        lambda facts: facts.station_change < SAME_SHARE,
    ),
    Question(
        "f-separation",
        "Is there evidence of separation, with flow along a wall that turns back on its way?",
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
        "Does the velocity stay the same over time, to within 1 %?",
        lambda facts: facts.late_change < SAME_SHARE,
    ),
    Question(
        "f-backflow",
        "Does part of the fluid move in loops or against the main direction?",
        lambda facts: facts.backflow < -BACKFLOW_SHARE,
    ),
    Question(
        "f-symmetric",
        "Is the speed mirror-symmetric about the centre line of the domain that runs along the main direction?",
        lambda facts: facts.asymmetry < MIRROR_SHARE,
    ),
    Question("f-heat", "Are any temperature differences part of the simulation?", lambda facts: facts.heating != 0),
    Question(
        "f-pressure",
        "Does pressure fall along the main direction and so drive the flow?",
        lambda facts: facts.pressure_gradient < 0,
    ),
    Question(
        "f-peak-at-wall",
        "Is the fluid fastest right at a wall or at the surface of a body?",
        lambda facts: facts.peak_to_wall < NEAR_WALL,
    ),
    Question(
        "f-mach",
        "Does the flow stay below a Mach number of 0.3 everywhere?",
        lambda facts: facts.mach < FAST_MACH,
    ),
    Question("f-liquid", "Is the fluid a liquid?", lambda facts: facts.fluid.is_liquid),
)
