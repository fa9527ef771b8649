"""What would be: one change, two pictures, a rule in the text, several changes. The answer comes from a simulation."""

from __future__ import annotations

from collections.abc import Callable

from sightline.suites.matrix.generator.dice import Dice
from sightline.suites.matrix.generator.frame import Item
from sightline.suites.matrix.generator.reasoning import arrows, changed_charts, changed_plans, dominoes, lamps, tanks
from sightline.suites.matrix.generator.reasoning.change import Change, item_of

SCENES: dict[str, tuple[Callable[[Dice, str], Change], ...]] = {
    "l1": (changed_charts.one_bar, dominoes.plain),
    "l2": (changed_charts.two_charts, tanks.joined),
    "l3": (arrows.one_arrow, lamps.flipped, dominoes.gaps),
    "l4": (arrows.two_arrows, changed_plans.delays, changed_plans.opened),
}


def make(dice: Dice, level: str, language: str) -> Item:
    """A sample."""
    return item_of(dice.turn("scene", SCENES[level])(dice, language))
