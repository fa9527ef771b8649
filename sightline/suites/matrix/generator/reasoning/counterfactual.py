"""What would be: one change, two pictures, a rule in the text, several changes. The answer comes from a simulation."""

from __future__ import annotations

from collections.abc import Callable

from sightline.suites.matrix.generator.item import Item
from sightline.suites.matrix.generator.reasoning import arrows, changed_charts, changed_plans, dominoes, lamps, tanks
from sightline.suites.matrix.generator.reasoning.change import CounterfactualQuestion, make_item
from sightline.suites.matrix.generator.sample_rng import SampleRng

SCENES: dict[str, tuple[Callable[[SampleRng, str], CounterfactualQuestion], ...]] = {
    "l1": (changed_charts.one_bar, dominoes.without_gaps),
    "l2": (changed_charts.two_charts, tanks.open_valve),
    "l3": (arrows.one_arrow, lamps.flip_switches, dominoes.with_gaps),
    "l4": (arrows.two_arrows, changed_plans.delays, changed_plans.opened),
}


def make(rng: SampleRng, level: str, language: str) -> Item:
    """Make a sample of this kind at a level."""
    return make_item(rng.balanced_choice("scene", SCENES[level])(rng, language))
