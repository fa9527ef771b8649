"""Where things are: four options of the same kind, each right about as often as the others."""

from __future__ import annotations

from collections.abc import Callable

from sightline.suites.matrix.generator.item import Item
from sightline.suites.matrix.generator.perception import spatial_moves, spatial_plans, spatial_scenes
from sightline.suites.matrix.generator.sample_rng import SampleRng

_QUESTIONS: dict[str, tuple[Callable[[SampleRng, str], Item], ...]] = {
    "l1": (spatial_scenes.direction, spatial_scenes.extreme, spatial_scenes.direction, spatial_scenes.inside),
    "l2": (spatial_scenes.both, spatial_scenes.moved, spatial_scenes.between, spatial_scenes.nearest),
    "l3": (spatial_scenes.standpoint, spatial_plans.compass, spatial_plans.neighbour),
    "l4": (spatial_moves.steps, spatial_moves.robot, spatial_plans.doors),
}


def make(rng: SampleRng, level: str, language: str) -> Item:
    """Make a sample of this kind at a level."""
    return rng.balanced_choice("way", _QUESTIONS[level])(rng, language)
