"""All kinds by domain, with the questions of the domain.

A small set shows the first four of each: they are those with which almost every question has cases on both sides.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from sightline.core.errors import UsageError
from sightline.suites.simulation.generator.case import Kind, exact_kind
from sightline.suites.simulation.generator.flows.computed import KINDS as FLOWS
from sightline.suites.simulation.generator.flows.exact import channel, couette, cylinder, slot, taylor_green, vortex
from sightline.suites.simulation.generator.flows.questions import QUESTIONS as FLUID_QUESTIONS
from sightline.suites.simulation.generator.question import Question
from sightline.suites.simulation.generator.recipe import EXACT
from sightline.suites.simulation.generator.solids.computed import KINDS as SOLIDS
from sightline.suites.simulation.generator.solids.exact import bar, beam, heated, plate, ring, shaft
from sightline.suites.simulation.generator.solids.questions import QUESTIONS as STRUCTURAL_QUESTIONS


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
    kinds=(
        exact_kind("beam", beam.make),
        exact_kind("heated", heated.make),
        exact_kind("shaft", shaft.make),
        exact_kind("bar", bar.make),
        exact_kind("ring", ring.make),
        exact_kind("plate", plate.make),
    ),
)
FLUID = DomainKinds(
    name="fluid",
    description="Questions on flows with exact solutions",
    questions=FLUID_QUESTIONS,
    kinds=(
        exact_kind("channel", channel.make),
        exact_kind("taylor_green", taylor_green.make),
        exact_kind("couette", couette.make),
        exact_kind("cylinder", cylinder.make),
        exact_kind("slot", slot.make),
        exact_kind("vortex", vortex.make),
    ),
)
DOMAINS = (STRUCTURAL, FLUID)
COMPUTED_DOMAINS = (
    replace(STRUCTURAL, description="Questions on structures computed by finite elements", kinds=SOLIDS),
    replace(FLUID, description="Questions on flows computed by lattice Boltzmann and finite volumes", kinds=FLOWS),
)
"""The same questions on fields that a solver has worked out."""


def domains_by_method(fields: str) -> tuple[DomainKinds, ...]:
    """The kinds whose fields are `computed` or `exact_kind`."""
    if fields == EXACT:
        return DOMAINS
    if find_spec("skfem") is None:
        raise UsageError(
            "Computed structures need scikit-fem, which is not installed.",
            hint='pip install "sightline[simulation]", or take --fields exact',
        )
    return COMPUTED_DOMAINS
