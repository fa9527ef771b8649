"""Renderer of a scene as an overhead picture.

canvas      shapes at twice the size of the picture
ground      terrain, roads, markings, trees, shadows
vehicles, structures   one painter per kind of object
walls       sides of leaning objects in pictures taken off nadir
radar       synthetic-aperture radar: speckle, layover, bright targets
png16       files with 16 bits per channel
sensor      light, season and sensor mode; from the canvas to the picture: haze, clouds, blur, noise
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from msgspec.structs import replace
from PIL import Image

from sightline.suites.remote_sensing.generator.catalog import KINDS
from sightline.suites.remote_sensing.generator.render import structures, vehicles
from sightline.suites.remote_sensing.generator.render.canvas import Canvas, ObjectCanvas
from sightline.suites.remote_sensing.generator.render.ground import (
    cast_shadows,
    paint_areas,
    paint_roads,
    paint_trees,
    paint_wakes,
)
from sightline.suites.remote_sensing.generator.render.radar import render_radar
from sightline.suites.remote_sensing.generator.render.sensor import Light, Weather, expose, roughness, to_bytes
from sightline.suites.remote_sensing.generator.render.walls import paint_walls
from sightline.suites.remote_sensing.generator.scene import Scene, SceneObject
from sightline.suites.remote_sensing.generator.seeded_random import Floats, SeededRandom
from sightline.suites.remote_sensing.generator.visibility import lean_of, paint_order

Painter = Callable[[ObjectCanvas, Light, SeededRandom], None]
_functions: dict[str, Painter] = {**vars(vehicles), **vars(structures)}
PAINTERS = {kind: _functions[f"paint_{kind.replace(' ', '_')}"] for kind in KINDS}
"""The painter of each kind of object: the function `paint_KIND` of `vehicles` or `structures`."""


def paint(canvas: Canvas, obj: SceneObject, light: Light, rng: SeededRandom) -> None:
    """Draw an object within its outline."""
    PAINTERS[obj.kind](ObjectCanvas(canvas, obj), light, rng)


def render(scene: Scene, light: Light, size: int, key: tuple[int, int]) -> Image.Image:
    """Render a scene; the same key of seed and number gives the same ground texture and details."""
    return to_bytes(render_pixels(scene, light, size, key))


def render_pixels(scene: Scene, light: Light, size: int, key: tuple[int, int], deep: bool = False) -> Floats:
    """Render a scene as values from 0 to 255 that are not rounded; with `deep`, nothing before is rounded either."""
    palette, acquisition = light.palette, scene.acquisition
    canvas = Canvas(size, palette, palette.material(scene.base), scene.scale)
    paint_areas(canvas, scene)
    paint_roads(canvas, scene)
    if acquisition.is_radar:
        cast_shadows(canvas, scene, light)
        amplitude = render_radar(canvas, scene, light.date, key)
        return np.repeat(amplitude[..., None], 3, axis=2)
    paint_wakes(canvas, scene)
    cast_shadows(canvas, scene, light)
    for obj in paint_order(scene):
        lean = lean_of(obj, acquisition)
        if lean != (0.0, 0.0):
            paint_walls(canvas, obj, lean, light)
        top = replace(obj, at=(obj.at[0] + lean[0], obj.at[1] + lean[1]))
        paint(canvas, top, light, SeededRandom(*key, "thing", obj.id))
    paint_trees(canvas, scene, light, SeededRandom(*key, "trees"))
    texture = roughness(canvas, SeededRandom(*key, "ground"))
    weather = Weather.of(key[0], scene, light, size) if acquisition.clouds or acquisition.haze else None
    return expose(canvas, light, texture, SeededRandom(*key, "noise", str(light.sun)), weather, deep)
