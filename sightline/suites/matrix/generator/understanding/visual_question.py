"""Short questions with short answers, as ten people would give them."""

from __future__ import annotations

from collections.abc import Callable

from sightline.suites.matrix.generator.item import Item
from sightline.suites.matrix.generator.sample_rng import SampleRng
from sightline.suites.matrix.generator.understanding import counting_questions as scenes
from sightline.suites.matrix.generator.understanding import dial_questions as dials
from sightline.suites.matrix.generator.understanding import table_questions as tables

_QUESTIONS: dict[str, tuple[Callable[[SampleRng, str], Item], ...]] = {
    "l1": (dials.time, dials.reading, dials.temperature, scenes.count, tables.cell, tables.marked_day, dials.charge),
    "l2": (dials.minutes_between, dials.difference, scenes.together, tables.sum_of_two, tables.days_between),
    "l3": (dials.slow_clock, dials.margin, scenes.points, tables.bill, tables.nth_weekday),
    "l4": (dials.panel, scenes.remainder, tables.best_row, tables.working_days, dials.shift),
}
"""The questions of each level take turns."""


def make(rng: SampleRng, level: str, language: str) -> Item:
    """Make a sample of this kind at a level."""
    return rng.balanced_choice("way", _QUESTIONS[level])(rng, language)
