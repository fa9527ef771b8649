"""Layouts of scene classes by name, and the scene of a number."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache

from msgspec import Struct
from msgspec.structs import replace

from sightline.suites.remote_sensing.generator.conditions import (
    CROWDED_SCALE,
    STANDARD,
    Acquisition,
    Conditions,
    acquisition_of,
)
from sightline.suites.remote_sensing.generator.scene import Scene
from sightline.suites.remote_sensing.generator.scene_layouts import built_up, crowded, landscapes
from sightline.suites.remote_sensing.generator.scene_layouts.builder import CENTRE, SceneBuilder
from sightline.suites.remote_sensing.generator.seeded_random import SeededRandom
from sightline.suites.remote_sensing.generator.shapes import Point
from sightline.suites.remote_sensing.generator.visibility import keep_visible


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


CROWDED_LAYOUTS: dict[str, SceneLayout] = {
    "airport": SceneLayout(crowded.lay_out_small_airfield, lambda _: "grass", 1.2),
    "harbor": SceneLayout(crowded.lay_out_marina, lambda _: "sea", 0.8),
    "residential area": SCENE_LAYOUTS["residential area"],
    "industrial area": SceneLayout(crowded.lay_out_storage_yard, lambda _: "concrete", 1.0),
}
"""Scene classes that hold hundreds of small objects where they are wished for."""
_FEWEST_OBJECTS = 3
_TRIES = 4


@lru_cache(maxsize=8 * BLOCK)
def make_scene(seed: int, number: int, conditions: Conditions = STANDARD) -> Scene:
    """The scene of a seed and number under conditions, deterministic and cached."""
    order = SeededRandom(seed, "block", number // BLOCK).shuffled(list(SCENE_LAYOUTS))
    name = order[number % BLOCK]
    if conditions == STANDARD:
        return _build_scene(seed, number, name, SCENE_LAYOUTS[name], Acquisition())
    acquisition = acquisition_of(seed, number, conditions)
    layout = SCENE_LAYOUTS[name]
    if conditions.crowded and name in CROWDED_LAYOUTS:
        layout = CROWDED_LAYOUTS[name]
        acquisition = replace(acquisition, scale=min(acquisition.scale, CROWDED_SCALE))
    centres = _centres(seed, number, name, layout, acquisition.scale)
    scene = None
    wishes = [replace(acquisition, clouds=acquisition.clouds * share) for share in (1.0, 0.5, 0.25, 0.0)]
    for wish in (*wishes, replace(wishes[-1], scale=1.0)):
        # where too little is to be seen: about another object, under fewer clouds, at the standard scale
        for centre in centres if wish.scale > 1 else (CENTRE,):
            whole = _build_scene(seed, number, name, layout, wish, centre, conditions.cut)
            scene = keep_visible(whole, seed, conditions)
            if len(scene.objects) >= _FEWEST_OBJECTS:
                return scene
    assert scene is not None
    return scene


def _build_scene(
    seed: int,
    number: int,
    name: str,
    layout: SceneLayout,
    acquisition: Acquisition,
    centre: Point = CENTRE,
    cut: bool = False,
) -> Scene:
    rng = SeededRandom(seed, "scene", number)
    choice = rng.between(0, 1)
    turn = (choice - 0.5) * layout.swing if layout.swing else choice * 2 * math.pi
    builder = SceneBuilder(rng, layout.base(choice), turn, acquisition.scale, centre, cut)
    layout.lay_out(builder)
    return replace(builder.finish(number, name), acquisition=acquisition)


def _centres(seed: int, number: int, name: str, layout: SceneLayout, scale: float) -> list[Point]:
    """Plan coordinates to centre a magnified picture on: objects of the standard one."""
    if scale <= 1:
        return [CENTRE]
    scene = _build_scene(seed, number, name, layout, Acquisition())
    rng = SeededRandom(seed, number, "centre")
    choice = SeededRandom(seed, "scene", number).between(0, 1)
    turn = (choice - 0.5) * layout.swing if layout.swing else choice * 2 * math.pi
    plan = SceneBuilder(rng, scene.base, turn)
    return [plan.to_plan(obj.at) for obj in rng.some(list(scene.objects), _TRIES)] or [CENTRE]
