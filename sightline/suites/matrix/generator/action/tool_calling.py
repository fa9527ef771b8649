"""Tools to call: one argument, two facts, a rule in the text, sums over what the picture shows."""

from __future__ import annotations

from sightline.suites.matrix.generator.action import calendars, orders, panels, pins
from sightline.suites.matrix.generator.item import Item, Scenes
from sightline.suites.matrix.generator.sample_rng import SampleRng

SCENES: Scenes = {
    "l1": (panels.single_fact, orders.single_fact, calendars.single_fact, pins.single_fact),
    "l2": (panels.two_facts, orders.two_facts, calendars.two_facts, pins.two_facts),
    "l3": (panels.text_rule, orders.text_rule, calendars.text_rule, pins.text_rule),
    "l4": (panels.aggregate, orders.aggregate, calendars.aggregate, pins.aggregate),
}


def make(rng: SampleRng, level: str, language: str) -> Item:
    """Make a sample of this kind at a level."""
    return rng.balanced_choice("scene", SCENES[level])(rng, language)
