"""Renderer of a scene under given light."""

from __future__ import annotations

from collections.abc import Callable

from PIL import Image

from sightline.suites.remote_sensing.generator.render import aircraft, buildings, ships, sports_grounds, vehicles
from sightline.suites.remote_sensing.generator.render.canvas import Canvas, ObjectCanvas
from sightline.suites.remote_sensing.generator.render.ground import (
    cast_shadows,
    paint_areas,
    paint_roads,
    paint_trees,
    paint_wakes,
)
from sightline.suites.remote_sensing.generator.render.light import Light
from sightline.suites.remote_sensing.generator.render.sensor import expose, roughness
from sightline.suites.remote_sensing.generator.scene import Scene, SceneObject
from sightline.suites.remote_sensing.generator.seeded_random import SeededRandom

Painter = Callable[[ObjectCanvas, Light, SeededRandom], None]
PAINTERS: dict[str, Painter] = {
    "airliner": aircraft.airliner,
    "fighter jet": aircraft.fighter_jet,
    "propeller plane": aircraft.propeller_plane,
    "cargo ship": ships.cargo_ship,
    "tanker": ships.tanker,
    "speed boat": ships.speed_boat,
    "car": vehicles.car,
    "van": vehicles.van,
    "truck": vehicles.truck,
    "bus": vehicles.bus,
    "storage tank": buildings.storage_tank,
    "house": buildings.house,
    "apartment block": buildings.apartment_block,
    "warehouse": buildings.warehouse,
    "bridge": buildings.bridge,
    "roundabout": buildings.roundabout,
    "swimming pool": sports_grounds.swimming_pool,
    "tennis court": sports_grounds.tennis_court,
    "basketball court": sports_grounds.basketball_court,
    "football pitch": sports_grounds.football_pitch,
    "running track": sports_grounds.running_track,
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
