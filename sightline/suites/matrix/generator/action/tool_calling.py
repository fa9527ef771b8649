"""Tools to call: one argument, two facts, a rule in the text, sums over what the picture shows."""

from __future__ import annotations

from collections.abc import Callable

from sightline.suites.matrix.generator.action import calendars, orders, panels, pins
from sightline.suites.matrix.generator.action.tools import Errand, item_of
from sightline.suites.matrix.generator.dice import Dice
from sightline.suites.matrix.generator.frame import Item

SCENES: dict[str, tuple[Callable[[Dice, str], Errand], ...]] = {
    "l1": (panels.one, orders.one, calendars.one, pins.one),
    "l2": (panels.two, orders.two, calendars.two, pins.two),
    "l3": (panels.ruled, orders.ruled, calendars.ruled, pins.ruled),
    "l4": (panels.summed, orders.summed, calendars.summed, pins.summed),
}


def make(dice: Dice, level: str, language: str) -> Item:
    """A sample."""
    return item_of(dice.turn("scene", SCENES[level])(dice, language), dice, language)
