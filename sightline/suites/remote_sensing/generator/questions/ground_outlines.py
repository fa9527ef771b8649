"""Visible parts of ground areas as polygons without holes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from shapely import LineString, MultiPolygon, Polygon, box, unary_union  # type: ignore[import-untyped]  # no stubs
from shapely.geometry.base import BaseGeometry  # type: ignore[import-untyped]  # no stubs

from sightline.suites.remote_sensing.generator.materials import MATERIALS
from sightline.suites.remote_sensing.generator.scene import SIDE, Scene, pixels
from sightline.suites.remote_sensing.generator.scene_layouts.registry import make_scene
from sightline.suites.remote_sensing.generator.shapes import Outline, circle

_MIN_AREA = 60.0
_MAX_RINGS, _MAX_POINTS = 12, 90
_PICTURE = box(0, 0, SIDE, SIDE)


def _solid(points: Sequence[tuple[float, float]]) -> BaseGeometry:
    return Polygon(points).buffer(0)


def _covers(scene: Scene) -> BaseGeometry:
    """Union of all objects and tree crowns."""
    objects = [_solid(obj.outline) for obj in scene.objects]
    crowns = [_solid(circle(tree.at, tree.radius, 12)) for tree in scene.trees]
    return unary_union([*objects, *crowns])


def _strips(scene: Scene, ground: str, *, same: bool) -> BaseGeometry:
    kept = [road for road in scene.roads if (MATERIALS[road.material].ground == ground) == same]
    return unary_union(
        [LineString(road.points).buffer((road.width + (8 if road.kerb else 0)) / 2, cap_style="flat") for road in kept]
    )


@lru_cache(maxsize=256)
def ground_rings(seed: int, number: int, ground: str, scale: float) -> list[list[tuple[int, int]]]:
    """Visible polygons of a ground class in pixels; empty if there is none or if they are too complex."""
    scene = make_scene(seed, number)
    materials = {scene.base, *(area.material for area in scene.areas), *(road.material for road in scene.roads)}
    if ground not in {MATERIALS[material].ground for material in materials}:
        return []
    region = _PICTURE if MATERIALS[scene.base].ground == ground else Polygon()
    for area in scene.areas:
        piece = _solid(area.outline)
        region = region.union(piece) if area.ground == ground else region.difference(piece)
    region = region.difference(_strips(scene, ground, same=False)).union(_strips(scene, ground, same=True))
    whole = [pixels(ring, scale) for ring in outlines(region.difference(_covers(scene)))]
    # rounding to pixels can make a thin ring cross itself
    sound = all(len(ring) >= 3 and Polygon(ring).is_valid for ring in whole)
    return whole if sound else []


def area_outlines(scene: Scene, index: int) -> list[Outline]:
    """Visible polygons of an area, in units of the scene."""
    region = _solid(scene.areas[index].outline)
    for later in scene.areas[index + 1 :]:
        region = region.difference(_solid(later.outline))
    region = region.difference(_strips(scene, "", same=False))
    return outlines(region.difference(_covers(scene)))


def outlines(region: BaseGeometry) -> list[Outline]:
    """Polygons within the picture, without slivers and holes; empty if they are too complex."""
    rings: list[Outline] = []
    for piece in _pieces(region.intersection(_PICTURE).buffer(-0.4).simplify(0.5)):
        rings.extend(_without_holes(piece))
    large = [ring for ring in rings if Polygon(ring).area >= _MIN_AREA]
    ragged = len(large) > _MAX_RINGS or sum(map(len, large)) > _MAX_POINTS * max(len(large), 1)
    return [] if ragged else large


def _pieces(region: BaseGeometry) -> list[Polygon]:
    if isinstance(region, Polygon):
        return [] if region.is_empty else [region]
    return [part for part in region.geoms if isinstance(part, Polygon)] if isinstance(region, MultiPolygon) else []


def _without_holes(piece: Polygon) -> list[Outline]:
    """Split recursively through the first hole until there is none."""
    if not piece.interiors:
        return [tuple((float(x), float(y)) for x, y in piece.exterior.coords[:-1])]
    middle = float(Polygon(piece.interiors[0]).centroid.x)
    halves = (box(-1, -1, middle, SIDE + 1), box(middle, -1, SIDE + 1, SIDE + 1))
    return [ring for half in halves for part in _pieces(piece.intersection(half)) for ring in _without_holes(part)]
