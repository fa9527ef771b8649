"""Generator of simulation data sets whose answers are computed from the fields.

    draw        seeded random parameters
    solids/     structures: exact/ and computed/ have one file per kind; questions and reports serve both
    flows/      fluids, likewise
    plan        which kinds, in which order, and which of a few candidates keeps the answers balanced
    pictures/   a scene as a still image and an animation
    reporting/  the same case as a solver's report

A kind proposes candidates from a `ParameterRng`; the chosen one is solved and becomes a `Case`, whose fields are
functions of position: closed-form expressions, or interpolations of a solver's mesh values.
"""

from __future__ import annotations

from pathlib import Path

from sightline.suites.simulation.generator.recipe import COMPUTED


def generate(out: Path, count: int, seed: int, fields: str = COMPUTED) -> None:
    """Write a data set of `count` simulations; the same seed writes the same bytes."""
    from sightline.suites.simulation.generator.kinds import domains_by_method
    from sightline.suites.simulation.generator.plan import plan_cases
    from sightline.suites.simulation.generator.writing import write

    write(out, plan_cases(count, seed, domains_by_method(fields)), seed)
