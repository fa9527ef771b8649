"""Several steps, each reported: two from one picture, two pictures, a rule in the text, four steps and more."""

from __future__ import annotations

from collections.abc import Callable

from sightline.suites.matrix.generator.item import Item
from sightline.suites.matrix.generator.reasoning import circuits, gears, pipes, plans, prices, roads, scales
from sightline.suites.matrix.generator.reasoning.puzzle import StepsQuestion, make_item
from sightline.suites.matrix.generator.sample_rng import SampleRng

SCENES: dict[str, tuple[Callable[[SampleRng, str], StepsQuestion], ...]] = {
    "l1": (prices.two_items, gears.pair, roads.two_roads, scales.two_balances),
    "l2": (prices.table_and_slip, roads.map_and_table, plans.bars_and_wages, gears.train_and_table),
    "l3": (prices.discount, roads.speeds, pipes.told_shares, scales.told_weight),
    "l4": (
        prices.basket,
        gears.train,
        roads.shortest_routes,
        pipes.drawn_shares,
        circuits.chain,
        plans.network,
    ),
}


def make(rng: SampleRng, level: str, language: str) -> Item:
    """Make a sample of this kind at a level."""
    return make_item(rng.balanced_choice("scene", SCENES[level])(rng, language), rng, language)
