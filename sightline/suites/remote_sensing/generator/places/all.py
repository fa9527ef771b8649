"""All places by name, and the scene of a number."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from msgspec import Struct

from sightline.suites.remote_sensing.generator.dice import Dice
from sightline.suites.remote_sensing.generator.places import (
    airport,
    coast,
    farmland,
    harbour,
    industry,
    junction,
    river,
    sports,
    town,
)
from sightline.suites.remote_sensing.generator.places.builder import Builder
from sightline.suites.remote_sensing.generator.scene import Scene


class Place(Struct, frozen=True):
    """How one kind of place is laid out."""

    base: Callable[[float], tuple[str, float]]
    lay_out: Callable[[Builder], None]


PLACES: dict[str, Place] = {
    "airport": Place(airport.base, airport.lay_out),
    "harbor": Place(harbour.base, harbour.lay_out),
    "residential area": Place(town.base, town.lay_out),
    "industrial area": Place(industry.base, industry.lay_out),
    "farmland": Place(farmland.base, farmland.lay_out),
    "sports ground": Place(sports.base, sports.lay_out),
    "river": Place(river.base, river.lay_out),
    "road junction": Place(junction.base, junction.lay_out),
    "beach": Place(coast.base, coast.lay_out),
}
BLOCK = len(PLACES)
"""Scenes in a row that hold each place once."""


@lru_cache(maxsize=8 * BLOCK)
def scene_of(seed: int, number: int) -> Scene:
    """The scene with this number; it depends on nothing else."""
    order = Dice(seed, "block", number // BLOCK).shuffled(list(PLACES))
    name = order[number % BLOCK]
    dice = Dice(seed, "scene", number)
    base, turn = PLACES[name].base(dice.between(0, 1))
    build = Builder(dice, base, turn)
    PLACES[name].lay_out(build)
    return build.finished(number, name)
