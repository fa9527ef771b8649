"""Several steps, each reported: two from one picture, two pictures, a rule in the text, four steps and more."""

from __future__ import annotations

from collections.abc import Callable

from sightline.suites.matrix.generator.dice import Dice
from sightline.suites.matrix.generator.frame import Item
from sightline.suites.matrix.generator.reasoning import circuits, gears, pipes, plans, prices, roads, scales
from sightline.suites.matrix.generator.reasoning.puzzle import Puzzle, item_of

SCENES: dict[str, tuple[Callable[[Dice, str], Puzzle], ...]] = {
    "l1": (prices.two_items, gears.pair, roads.two_roads, scales.two_balances),
    "l2": (prices.table_and_slip, roads.map_and_table, plans.bars_and_wages, gears.train_and_table),
    "l3": (prices.discount, roads.speeds, pipes.told_shares, scales.told_weight),
    "l4": (
        prices.basket,
        gears.train,
        roads.shortest,
        pipes.drawn_shares,
        circuits.chain,
        plans.network,
    ),
}


def make(dice: Dice, level: str, language: str) -> Item:
    """A sample."""
    return item_of(dice.turn("scene", SCENES[level])(dice, language), dice, language)
