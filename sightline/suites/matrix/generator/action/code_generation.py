"""Code to write: one chart or formula, two pictures, a rule in the text, and a figure to draw again with Matplotlib."""

from __future__ import annotations

from collections.abc import Callable

from sightline.suites.matrix.generator.action import figures, flows, formulas, patterns
from sightline.suites.matrix.generator.action.programs import Program, item_of
from sightline.suites.matrix.generator.dice import Dice
from sightline.suites.matrix.generator.frame import Item

SCENES: dict[str, tuple[Callable[[Dice, str], Program], ...]] = {
    "l1": (formulas.formula, flows.branch, patterns.alphabet),
    "l2": (formulas.constants, patterns.fees),
    "l3": (flows.loop, patterns.automaton),
}


def make(dice: Dice, level: str, language: str) -> Item:
    """A sample."""
    if level == "l4":
        return figures.make(dice, language)
    return item_of(dice.turn("scene", SCENES[level])(dice, language), dice, language)
