"""A scene in a light as a picture."""

from __future__ import annotations

from collections.abc import Callable

from PIL import Image

from sightline.suites.remote_sensing.generator.dice import Dice
from sightline.suites.remote_sensing.generator.render import aircraft, buildings, grounds_for_sport, ships, vehicles
from sightline.suites.remote_sensing.generator.render.canvas import Canvas, Stencil
from sightline.suites.remote_sensing.generator.render.ground import (
    cast_shadows,
    paint_areas,
    paint_roads,
    paint_trees,
    paint_wakes,
)
from sightline.suites.remote_sensing.generator.render.light import Light
from sightline.suites.remote_sensing.generator.render.sensor import expose, roughness
from sightline.suites.remote_sensing.generator.scene import Scene, Thing

Painter = Callable[[Stencil, Light, Dice], None]
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
    "swimming pool": grounds_for_sport.swimming_pool,
    "tennis court": grounds_for_sport.tennis_court,
    "basketball court": grounds_for_sport.basketball_court,
    "football pitch": grounds_for_sport.football_pitch,
    "running track": grounds_for_sport.running_track,
}


def paint(canvas: Canvas, thing: Thing, light: Light, dice: Dice) -> None:
    """One thing, within its outline."""
    PAINTERS[thing.kind](Stencil(canvas, thing), light, dice)


def render(scene: Scene, light: Light, size: int, key: tuple[int | str, ...]) -> Image.Image:
    """The whole scene; the same key gives the same ground and the same details."""
    palette = light.palette
    canvas = Canvas(size, palette, palette.material(scene.base))
    paint_areas(canvas, scene)
    paint_roads(canvas, scene)
    paint_wakes(canvas, scene)
    cast_shadows(canvas, scene, light)
    for thing in scene.things:
        paint(canvas, thing, light, Dice(*key, "thing", thing.id))
    paint_trees(canvas, scene, light, Dice(*key, "trees"))
    texture = roughness(canvas, Dice(*key, "ground"))
    return expose(canvas, light, texture, Dice(*key, "noise", str(light.sun)))
