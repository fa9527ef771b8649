"""Code to write: one chart or formula, two pictures, a rule in the text, and a figure to draw again with Matplotlib."""

from __future__ import annotations

from collections.abc import Callable

from sightline.suites.matrix.generator.action import figures, flows, formulas, patterns
from sightline.suites.matrix.generator.action.programs import Program, make_item
from sightline.suites.matrix.generator.item import Item
from sightline.suites.matrix.generator.sample_rng import SampleRng

SCENES: dict[str, tuple[Callable[[SampleRng, str], Program], ...]] = {
    "l1": (formulas.formula, flows.branch, patterns.alphabet),
    "l2": (formulas.constants, patterns.fees),
    "l3": (flows.loop, patterns.automaton),
}


def make(rng: SampleRng, level: str, language: str) -> Item:
    """Make a sample of this kind at a level."""
    if level == "l4":
        return figures.make(rng, language)
    return make_item(rng.balanced_choice("scene", SCENES[level])(rng, language), rng, language)
