"""Renderer of a scene as an overhead picture.

canvas      shapes at twice the size of the picture
ground      terrain, roads, markings, trees, shadows
vehicles, structures   one painter per kind of object
sensor      light, season and sensor mode; from the canvas to the picture: haze, blur, noise
"""

from __future__ import annotations

from collections.abc import Callable

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
from sightline.suites.remote_sensing.generator.render.sensor import Light, expose, roughness
from sightline.suites.remote_sensing.generator.scene import Scene, SceneObject
from sightline.suites.remote_sensing.generator.seeded_random import SeededRandom

Painter = Callable[[ObjectCanvas, Light, SeededRandom], None]
_functions: dict[str, Painter] = {**vars(vehicles), **vars(structures)}
PAINTERS = {kind: _functions[f"paint_{kind.replace(' ', '_')}"] for kind in KINDS}
"""The painter of each kind of object: the function `paint_KIND` of `vehicles` or `structures`."""


def paint(canvas: Canvas, obj: SceneObject, light: Light, rng: SeededRandom) -> None:
    """Draw an object within its outline."""
    PAINTERS[obj.kind](ObjectCanvas(canvas, obj), light, rng)


def render(scene: Scene, light: Light, size: int, key: tuple[int | str, ...]) -> Image.Image:
    """Render a scene; the same key gives the same ground texture and details."""
    palette = light.palette
    canvas = Canvas(size, palette, palette.material(scene.base))
    paint_areas(canvas, scene)
    paint_roads(canvas, scene)
    paint_wakes(canvas, scene)
    cast_shadows(canvas, scene, light)
    for obj in scene.objects:
        paint(canvas, obj, light, SeededRandom(*key, "thing", obj.id))
    paint_trees(canvas, scene, light, SeededRandom(*key, "trees"))
    texture = roughness(canvas, SeededRandom(*key, "ground"))
    return expose(canvas, light, texture, SeededRandom(*key, "noise", str(light.sun)))
