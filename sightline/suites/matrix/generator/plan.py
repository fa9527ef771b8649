"""Distribution of samples over the cells and kinds of the matrix."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest

from msgspec import Struct

from sightline.core.errors import ConfigError, DataError
from sightline.suites.matrix.generator.item import Item, item_makers
from sightline.suites.matrix.generator.recipe import KINDS, LANGUAGES, LEVELS, Recipe
from sightline.suites.matrix.generator.sample_rng import SampleRng, SamplingExhaustedError

_MAX_ATTEMPTS = 8


class SampleSlot(Struct, frozen=True, kw_only=True):
    """A sample slot: dimension, kind, level and number."""

    dimension: str
    kind: str
    level: str
    number: int
    """Counted from 0 within its kind and level."""

    @property
    def id(self) -> str:
        """The sample id, unique in a data set."""
        return f"{self.kind}_{self.level}_{self.number + 1:04d}"


def plan_slots(count: int, recipe: Recipe) -> Iterator[SampleSlot]:
    """Yield sample slots in round-robin order over all cells, and within a cell over its kinds."""
    selected = {
        dimension: [kind for kind in kinds if not recipe.kind or kind in recipe.kind]
        for dimension, kinds in KINDS.items()
        if not recipe.dimension or dimension in recipe.dimension
    }
    levels = [level for level in LEVELS if not recipe.level or level in recipe.level]
    columns = [[(dimension, kind) for kind in kinds] for dimension, kinds in selected.items() if kinds]
    if not columns:
        raise ConfigError(
            "{dimension} has no {kind}", dimension=", ".join(recipe.dimension), kind=", ".join(recipe.kind)
        )
    cells = [(*task, level) for row in zip_longest(*columns) for task in row if task for level in levels]
    for index in range(count):
        number, cell = divmod(index, len(cells))
        dimension, kind, level = cells[cell]
        yield SampleSlot(dimension=dimension, kind=kind, level=level, number=number)


def slot_language(slot: SampleSlot, language: str) -> str:
    """Return the language of a slot; for `both` the languages alternate, starting with either in half of the cells."""
    if language in LANGUAGES:
        return language
    first = KINDS[slot.dimension].index(slot.kind) + LEVELS.index(slot.level)
    return LANGUAGES[(first + slot.number) % len(LANGUAGES)]


def make_item(slot: SampleSlot, seed: int, language: str) -> Item:
    """Make the sample of a slot, deterministically; retries with another random stream if sampling is exhausted."""
    make = item_makers()[slot.dimension, slot.kind]
    for attempt in range(_MAX_ATTEMPTS):
        try:
            return make(SampleRng(seed, slot.kind, slot.level, slot.number, attempt), slot.level, language)
        except SamplingExhaustedError:
            continue
    raise DataError("No sample could be made at {place}.", hint="Try another --seed.", place=slot.id)
