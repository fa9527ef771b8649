"""Generator of simulation data sets whose answers are computed from the fields.

    rng             seeded random parameters
    case            data model: fields, scene, report tables, questions and answers
    solids/         structures: exact_* are closed-form solutions, computed/ is solved by finite elements
    flows/          fluids, likewise
    plan            which kinds, in which order, and which of a few candidates keeps the answers balanced
    pictures/       a scene as a still image and an animation
    report          the same case as a solver's report
    dataset_writer  all of it on disk

A kind proposes candidates from a `ParameterRng`; the chosen one is solved and becomes a `Case`, whose fields are
functions of position: closed-form expressions, or interpolations of a solver's mesh values.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from msgspec import Struct

from sightline.core.settings import setting

COMPUTED, EXACT = "computed", "exact"


class Recipe(Struct, frozen=True, kw_only=True):
    """Settings of the generator: how the fields are obtained."""

    fields: Annotated[
        str,
        setting(
            "computed: finite elements and lattice Boltzmann, a few seconds per case; exact: closed-form, instant",
            choices=(COMPUTED, EXACT),
        ),
    ] = COMPUTED


def generate(out: Path, count: int, seed: int, fields: str = COMPUTED) -> None:
    """Write a data set of `count` simulations; the same seed writes the same bytes."""
    from sightline.suites.simulation.generator.dataset_writer import write
    from sightline.suites.simulation.generator.plan import domains_by_method, plan_cases

    write(out, plan_cases(count, seed, domains_by_method(fields)), seed)
