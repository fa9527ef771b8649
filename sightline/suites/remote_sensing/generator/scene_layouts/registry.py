"""Registry of scene layouts by class name, and the scene of a number."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from msgspec import Struct

from sightline.suites.remote_sensing.generator.scene import Scene
from sightline.suites.remote_sensing.generator.scene_layouts import (
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
from sightline.suites.remote_sensing.generator.scene_layouts.builder import SceneBuilder
from sightline.suites.remote_sensing.generator.seeded_random import SeededRandom


class SceneLayout(Struct, frozen=True):
    """Layout functions of a scene class."""

    base: Callable[[float], tuple[str, float]]
    lay_out: Callable[[SceneBuilder], None]


SCENE_LAYOUTS: dict[str, SceneLayout] = {
    "airport": SceneLayout(airport.base, airport.lay_out),
    "harbor": SceneLayout(harbour.base, harbour.lay_out),
    "residential area": SceneLayout(town.base, town.lay_out),
    "industrial area": SceneLayout(industry.base, industry.lay_out),
    "farmland": SceneLayout(farmland.base, farmland.lay_out),
    "sports ground": SceneLayout(sports.base, sports.lay_out),
    "river": SceneLayout(river.base, river.lay_out),
    "road junction": SceneLayout(junction.base, junction.lay_out),
    "beach": SceneLayout(coast.base, coast.lay_out),
}
BLOCK = len(SCENE_LAYOUTS)
"""Number of consecutive scenes that contain each scene class once."""


@lru_cache(maxsize=8 * BLOCK)
def make_scene(seed: int, number: int) -> Scene:
    """The scene of a seed and number, deterministic and cached."""
    order = SeededRandom(seed, "block", number // BLOCK).shuffled(list(SCENE_LAYOUTS))
    name = order[number % BLOCK]
    rng = SeededRandom(seed, "scene", number)
    base, turn = SCENE_LAYOUTS[name].base(rng.between(0, 1))
    builder = SceneBuilder(rng, base, turn)
    SCENE_LAYOUTS[name].lay_out(builder)
    return builder.finish(number, name)
