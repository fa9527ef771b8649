"""Layouts of scene classes by name, and the scene of a number."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache

from msgspec import Struct

from sightline.suites.remote_sensing.generator.scene import Scene
from sightline.suites.remote_sensing.generator.scene_layouts import built_up, landscapes
from sightline.suites.remote_sensing.generator.scene_layouts.builder import SceneBuilder
from sightline.suites.remote_sensing.generator.seeded_random import SeededRandom


class SceneLayout(Struct, frozen=True):
    """Layout of a scene class: a function that adds areas, roads and objects to a scene builder."""

    lay_out: Callable[[SceneBuilder], None]
    base: Callable[[float], str]
    """Material of the ground, from a random number between 0 and 1."""
    swing: float = 0.0
    """Range of the rotation in radians; 0 for any direction."""


SCENE_LAYOUTS: dict[str, SceneLayout] = {
    "airport": SceneLayout(built_up.lay_out_airport, lambda u: "desert" if u > 0.75 else "grass", 1.2),
    "harbor": SceneLayout(landscapes.lay_out_harbor, lambda _: "sea"),
    "residential area": SceneLayout(built_up.lay_out_residential_area, lambda _: "lawn", 1.4),
    "industrial area": SceneLayout(
        built_up.lay_out_industrial_area, lambda u: ("gravel", "desert", "meadow")[int(u * 30) % 3], 1.0
    ),
    "farmland": SceneLayout(landscapes.lay_out_farmland, lambda _: "meadow", 1.6),
    "sports ground": SceneLayout(built_up.lay_out_sports_ground, lambda _: "lawn", 0.9),
    "river": SceneLayout(landscapes.lay_out_river, lambda _: "grass"),
    "road junction": SceneLayout(built_up.lay_out_road_junction, lambda u: "concrete" if u > 0.6 else "lawn", 1.5),
    "beach": SceneLayout(landscapes.lay_out_beach, lambda _: "sea"),
}
BLOCK = len(SCENE_LAYOUTS)
"""Number of consecutive scenes that contain each scene class once."""


@lru_cache(maxsize=8 * BLOCK)
def make_scene(seed: int, number: int) -> Scene:
    """The scene of a seed and number, deterministic and cached."""
    order = SeededRandom(seed, "block", number // BLOCK).shuffled(list(SCENE_LAYOUTS))
    name = order[number % BLOCK]
    rng = SeededRandom(seed, "scene", number)
    layout, choice = SCENE_LAYOUTS[name], rng.between(0, 1)
    turn = (choice - 0.5) * layout.swing if layout.swing else choice * 2 * math.pi
    builder = SceneBuilder(rng, layout.base(choice), turn)
    layout.lay_out(builder)
    return builder.finish(number, name)
