"""Renderer of a scene as an overhead picture.

canvas      shapes at twice the size of the picture
ground      terrain, roads, markings, trees, shadows
vehicles, structures   one painter per kind of object
sensor      light, season and sensor mode; from the canvas to the picture: haze, blur, noise
"""

from __future__ import annotations

from collections.abc import Callable

from PIL import Image

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
PAINTERS: dict[str, Painter] = {
    "airliner": vehicles.paint_airliner,
    "fighter jet": vehicles.paint_fighter_jet,
    "propeller plane": vehicles.paint_propeller_plane,
    "cargo ship": vehicles.paint_cargo_ship,
    "tanker": vehicles.paint_tanker,
    "speed boat": vehicles.paint_speed_boat,
    "car": vehicles.paint_car,
    "van": vehicles.paint_van,
    "truck": vehicles.paint_truck,
    "bus": vehicles.paint_bus,
    "storage tank": structures.paint_storage_tank,
    "house": structures.paint_house,
    "apartment block": structures.paint_apartment_block,
    "warehouse": structures.paint_warehouse,
    "bridge": structures.paint_bridge,
    "roundabout": structures.paint_roundabout,
    "swimming pool": structures.paint_swimming_pool,
    "tennis court": structures.paint_tennis_court,
    "basketball court": structures.paint_basketball_court,
    "football pitch": structures.paint_football_pitch,
    "running track": structures.paint_running_track,
}


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
