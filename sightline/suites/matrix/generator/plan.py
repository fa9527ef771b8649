"""Which samples a set holds."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest

from msgspec import Struct

from sightline.core.errors import ConfigError, DataError
from sightline.suites.matrix.generator.dice import Dice, StuckError
from sightline.suites.matrix.generator.frame import Item, makers
from sightline.suites.matrix.generator.recipe import KINDS, LANGUAGES, LEVELS, Recipe

_TRIES = 8


class Place(Struct, frozen=True, kw_only=True):
    """A sample's place in the matrix."""

    dimension: str
    kind: str
    level: str
    number: int
    """Counted from 0 within its kind and level."""

    @property
    def id(self) -> str:
        """The sample's name, unique in a set."""
        return f"{self.kind}_{self.level}_{self.number + 1:04d}"


def places(count: int, recipe: Recipe) -> Iterator[Place]:
    """So many places: all cells take turns, and within a cell its kinds."""
    wanted = {
        dimension: [kind for kind in kinds if not recipe.kind or kind in recipe.kind]
        for dimension, kinds in KINDS.items()
        if not recipe.dimension or dimension in recipe.dimension
    }
    levels = [level for level in LEVELS if not recipe.level or level in recipe.level]
    columns = [[(dimension, kind) for kind in kinds] for dimension, kinds in wanted.items() if kinds]
    if not columns:
        raise ConfigError(
            "{dimension} has no {kind}", dimension=", ".join(recipe.dimension), kind=", ".join(recipe.kind)
        )
    cells = [(*found, level) for row in zip_longest(*columns) for found in row if found for level in levels]
    for at in range(count):
        number, cell = divmod(at, len(cells))
        dimension, kind, level = cells[cell]
        yield Place(dimension=dimension, kind=kind, level=level, number=number)


def language_of(place: Place, asked: str) -> str:
    """The asked language; for both they take turns, and start with either one in half of the cells."""
    if asked in LANGUAGES:
        return asked
    first = KINDS[place.dimension].index(place.kind) + LEVELS.index(place.level)
    return LANGUAGES[(first + place.number) % len(LANGUAGES)]


def item_of(place: Place, seed: int, language: str) -> Item:
    """The sample at a place: it depends on nothing else. Where one throw of the dice leads nowhere, the next does."""
    make = makers()[place.dimension, place.kind]
    for again in range(_TRIES):
        try:
            return make(Dice(seed, place.kind, place.level, place.number, again), place.level, language)
        except StuckError:
            continue
    raise DataError("No sample could be made at {place}.", hint="Try another --seed.", place=place.id)
