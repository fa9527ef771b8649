"""What is seen of a scene's objects: leaning walls, cut borders, clouds; removal of what is seen too little of."""

from __future__ import annotations

import math

import numpy as np
from msgspec.structs import replace
from PIL import Image, ImageDraw
from shapely import Polygon, STRtree, box, unary_union  # type: ignore[import-untyped]  # no stubs
from shapely.geometry.base import BaseGeometry  # type: ignore[import-untyped]  # no stubs

from sightline.suites.remote_sensing.generator.catalog import KINDS, RADAR_GROUPS
from sightline.suites.remote_sensing.generator.conditions import (
    MIN_INSIDE,
    MIN_UNCOVERED,
    Acquisition,
    Conditions,
    cloud_opacity,
)
from sightline.suites.remote_sensing.generator.scene import SIDE, Scene, SceneObject, Tree
from sightline.suites.remote_sensing.generator.seeded_random import Floats
from sightline.suites.remote_sensing.generator.shapes import Outline, Point, sweep

CLEAR_OPACITY = 0.2
"""A pixel below this opacity of cloud shows what is on the ground."""
_LEAST_LEAN = 0.5
_PICTURE = box(0, 0, SIDE, SIDE)


def lean_of(obj: SceneObject, acquisition: Acquisition) -> Point:
    """How far the top of an object is displaced in the picture; nothing if it would not be noticed."""
    height = KINDS[obj.kind].height * acquisition.scale
    x, y = height * acquisition.lean[0], height * acquisition.lean[1]
    return (x, y) if math.hypot(x, y) >= _LEAST_LEAN else (0.0, 0.0)


def paint_order(scene: Scene) -> list[SceneObject]:
    """Objects in the order in which they are painted: where they lean, low ones first."""
    if scene.acquisition.lean == (0.0, 0.0):
        return list(scene.objects)
    return sorted(scene.objects, key=lambda obj: (KINDS[obj.kind].height, obj.id))


def keep_visible(scene: Scene, seed: int, conditions: Conditions) -> Scene:
    """The scene with what is seen of each object, without objects that are seen too little of (see `conditions`)."""
    acquisition = scene.acquisition
    objects = [obj for obj in scene.objects if not acquisition.is_radar or obj.group in RADAR_GROUPS]
    if acquisition.lean != (0.0, 0.0):
        leaning = [_lean(obj, acquisition, conditions) for obj in objects]
        objects = _uncovered([obj for obj in leaning if obj is not None], acquisition)
    if acquisition.clouds:
        opacity = cloud_opacity(seed, scene.number, acquisition.clouds, int(SIDE))
        objects = [obj for obj in objects if _clear_share(obj, opacity) >= MIN_UNCOVERED]
    trees = _uncovered_trees(scene, objects) if acquisition.lean != (0.0, 0.0) else scene.trees
    return replace(scene, objects=tuple(objects), trees=trees)


def _lean(obj: SceneObject, acquisition: Acquisition, conditions: Conditions) -> SceneObject | None:
    """The object with its walls; None if too little of it is within the picture."""
    lean = lean_of(obj, acquisition)
    if lean == (0.0, 0.0):
        return obj
    whole = unary_union([Polygon(piece).buffer(0) for piece in (obj.outline, *sweep(obj.outline, lean))])
    inside = whole.intersection(_PICTURE)
    is_cut = inside.area < whole.area - 1e-6
    if inside.geom_type != "Polygon" or (is_cut and (not conditions.cut or inside.area < MIN_INSIDE * whole.area)):
        return None
    return replace(obj, silhouette=_ring(inside), is_cut=is_cut)


def _ring(shape: BaseGeometry) -> Outline:
    return tuple((float(x), float(y)) for x, y in shape.exterior.coords[:-1])


def _uncovered(objects: list[SceneObject], acquisition: Acquisition) -> list[SceneObject]:
    """Objects that no later one covers; the highest are kept first."""
    kept: list[SceneObject] = []
    covers: list[BaseGeometry] = []
    for obj in sorted(objects, key=lambda obj: (-KINDS[obj.kind].height, -obj.id)):
        shape = Polygon(obj.visible_outline).buffer(0)
        hits = [covers[k] for k in STRtree(covers).query(shape)] if covers else []
        if not hits or shape.difference(unary_union(hits)).area >= MIN_UNCOVERED * shape.area:
            kept.append(obj)
            if lean_of(obj, acquisition) != (0.0, 0.0):
                covers.append(shape.union(_radar_shadow(obj, acquisition)) if acquisition.is_radar else shape)
    return sorted(kept, key=lambda obj: obj.id)


def _radar_shadow(obj: SceneObject, acquisition: Acquisition) -> BaseGeometry:
    """What the rays of the radar do not reach behind an object."""
    x, y = acquisition.lean
    reach = KINDS[obj.kind].height * acquisition.scale / (x * x + y * y)
    pieces = sweep(obj.outline, (-x * reach, -y * reach))
    return unary_union([Polygon(piece).buffer(0) for piece in pieces])


def _uncovered_trees(scene: Scene, objects: list[SceneObject]) -> tuple[Tree, ...]:
    """Trees beside the leaning walls; one within them would be painted over a wall."""
    mask = Image.new("1", (int(SIDE), int(SIDE)))
    pen = ImageDraw.Draw(mask)
    for obj in objects:
        if obj.silhouette:
            pen.polygon(obj.silhouette, fill=1)
    covered = np.asarray(mask)

    def is_free(tree: Tree) -> bool:
        (x, y), reach = tree.at, tree.radius
        window = covered[max(int(y - reach), 0) : int(y + reach) + 2, max(int(x - reach), 0) : int(x + reach) + 2]
        return not window.any()

    return tuple(tree for tree in scene.trees if is_free(tree))


def _clear_share(obj: SceneObject, opacity: Floats) -> float:
    """Share of an object's pixels that no cloud hides."""
    mask = Image.new("1", (int(SIDE), int(SIDE)))
    ImageDraw.Draw(mask).polygon(obj.visible_outline, fill=1)
    inside = np.asarray(mask)
    return float((opacity[inside] < CLEAR_OPACITY).mean()) if inside.any() else 0.0
