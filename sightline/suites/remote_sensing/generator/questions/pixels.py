"""Pixel-level questions: pixel class, semantic and instance segmentation, change detection between two dates."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from PIL import Image, ImageDraw
from shapely import LineString, MultiPolygon, Polygon, box, unary_union  # type: ignore[import-untyped]  # no stubs
from shapely.geometry.base import BaseGeometry  # type: ignore[import-untyped]  # no stubs

from sightline.suites.remote_sensing.generator.catalog import GROUNDS, GROUPS, MATERIALS, RADAR_GROUPS
from sightline.suites.remote_sensing.generator.conditions import STANDARD, Conditions, cloud_opacity
from sightline.suites.remote_sensing.generator.questions import (
    ImageRef,
    Question,
    View,
    format_prompt,
    points_text,
    sort_by_position,
)
from sightline.suites.remote_sensing.generator.render.sensor import light_of
from sightline.suites.remote_sensing.generator.scene import SIDE, Scene, to_pixels
from sightline.suites.remote_sensing.generator.scene_layouts import make_scene
from sightline.suites.remote_sensing.generator.scene_layouts.landscapes import CROPS
from sightline.suites.remote_sensing.generator.seeded_random import SeededRandom
from sightline.suites.remote_sensing.generator.shapes import Outline, Point, circle, signed_area
from sightline.suites.remote_sensing.generator.visibility import paint_order

_MIN_AREA = 60.0
_MAX_RINGS, _MAX_POINTS = 12, 90
_PICTURE = box(0, 0, SIDE, SIDE)


def _solid(points: Sequence[tuple[float, float]]) -> BaseGeometry:
    return Polygon(points).buffer(0)


def _covers(scene: Scene) -> BaseGeometry:
    """Union of all objects and tree crowns."""
    objects = [_solid(obj.visible_outline) for obj in scene.objects]
    crowns = [_solid(circle(tree.at, tree.radius, 12)) for tree in scene.trees]
    return unary_union([*objects, *crowns])


def _strips(scene: Scene, ground: str, *, same: bool) -> BaseGeometry:
    roads = [road for road in scene.roads if (MATERIALS[road.material].ground == ground) == same]
    return unary_union(
        [
            LineString(road.points).buffer((road.width + (8 * scene.scale if road.kerb else 0)) / 2, cap_style="flat")
            for road in roads
        ]
    )


@lru_cache(maxsize=256)
def ground_rings(
    seed: int, number: int, ground: str, scale: float, conditions: Conditions = STANDARD
) -> list[list[tuple[int, int]]]:
    """Visible polygons of a ground class in pixels; empty if there is none or if they are too complex."""
    scene = make_scene(seed, number, conditions)
    materials = {scene.base, *(area.material for area in scene.areas), *(road.material for road in scene.roads)}
    if ground not in {MATERIALS[material].ground for material in materials}:
        return []
    region = _PICTURE if MATERIALS[scene.base].ground == ground else Polygon()
    for area in scene.areas:
        piece = _solid(area.outline)
        region = region.union(piece) if area.ground == ground else region.difference(piece)
    region = region.difference(_strips(scene, ground, same=False)).union(_strips(scene, ground, same=True))
    whole = [to_pixels(ring, scale) for ring in outlines(region.difference(_covers(scene)))]
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


LABELS = (*GROUNDS, *GROUPS)
RADAR_LABELS = ("water", "trees", *RADAR_GROUPS)
"""Labels of pixels that a radar image tells apart."""
_AMBIGUOUS = 255
_FAINT = 0.02
"""Opacity of a cloud that hides nothing."""
_CLEARANCE = 3


def label_map(scene: Scene, seed: int = 0) -> Image.Image:
    """Label map of the scene as indices of LABELS; 255 for ambiguous pixels, and for those that clouds hide."""
    side = int(SIDE)
    image = Image.new("L", (side, side), LABELS.index(MATERIALS[scene.base].ground))
    pen = ImageDraw.Draw(image)
    for area in scene.areas:
        pen.polygon(area.outline, fill=LABELS.index(area.ground))
    for road in scene.roads:
        if road.kerb:
            width = round(road.width + 8 * scene.scale)
            pen.line(road.points, fill=LABELS.index("pavement"), width=width, joint="curve")
    for road in scene.roads:
        ground = LABELS.index(MATERIALS[road.material].ground)
        pen.line(road.points, fill=ground, width=round(road.width), joint="curve")
    for stripe in scene.stripes:
        if stripe.width > 3:
            pen.line(stripe.points, fill=_AMBIGUOUS, width=round(stripe.width + 2))
    for obj in paint_order(scene):
        pen.polygon(obj.visible_outline, fill=LABELS.index(obj.group))
    for tree in scene.trees:
        (x, y), reach = tree.at, tree.radius
        pen.ellipse((x - reach, y - reach, x + reach, y + reach), fill=LABELS.index("trees"))
    if scene.acquisition.clouds:
        opacity = cloud_opacity(seed, scene.number, scene.acquisition.clouds, side)
        hidden = Image.fromarray((opacity > _FAINT).astype(np.uint8) * 255)
        image.paste(_AMBIGUOUS, (0, 0), hidden)
    return image


def main_ground(scene: Scene, seed: int = 0) -> str:
    """The ground class with the largest visible area."""
    counts = np.bincount(np.asarray(label_map(scene, seed)).ravel(), minlength=len(GROUNDS))[: len(GROUNDS)]
    return GROUNDS[int(counts.argmax())]


def clear_points(scene: Scene, rng: SeededRandom, seed: int = 0) -> dict[str, Point]:
    """For each visible label, a point surrounded by pixels of the same label."""
    labels = np.asarray(label_map(scene, seed))
    near = _CLEARANCE
    core = labels[near:-near, near:-near]
    alike = np.ones((labels.shape[0], core.shape[1]), bool)
    for shift in range(2 * near + 1):
        alike &= labels[:, shift : shift + core.shape[1]] == labels[:, near:-near]
    same = np.ones(core.shape, bool)
    for shift in range(2 * near + 1):
        same &= alike[shift : shift + core.shape[0]] & (labels[shift : shift + core.shape[0], near:-near] == core)
    points: dict[str, Point] = {}
    for index in np.unique(core[same]):
        if index != _AMBIGUOUS:
            rows, columns = np.nonzero(same & (core == index))
            k = rng.whole(0, len(rows) - 1)
            points[LABELS[index]] = (float(columns[k] + near) + 0.5, float(rows[k] + near) + 0.5)
    return points


def pixel_class(views: Sequence[View], rng: SeededRandom) -> Iterator[Question]:
    """What a pixel shows."""
    view = views[0]
    askable = RADAR_LABELS if view.mode == "sar" else LABELS
    for label, (x, y) in clear_points(view.scene, rng, view.seed).items():
        if label not in askable:
            continue
        options = ", ".join(sorted((label, *rng.some([other for other in askable if other != label], 6))))
        at = f"({int(x * view.scale)}, {int(y * view.scale)})"
        yield view.question(format_prompt(rng, "pixel_class", at=at, options=options), label, label)


def semantic(views: Sequence[View], rng: SeededRandom) -> Iterator[Question]:
    """All pixels of a class as polygons."""
    view = views[0]
    for name in rng.some(sorted({obj.group for obj in view.scene.objects} - {"running track"}), 3):
        objects = sort_by_position(view, view.scene.objects_of(name))
        is_few = len(objects) <= view.limit(30) and view.has_outlines(objects)
        if is_few and not (name == "football pitch" and view.scene.objects_of("running track")):
            yield _segments(view, rng, name, [view.poly(obj) for obj in objects])
    if view.scene.acquisition.clouds:
        return  # what they hide of the ground is not known
    for ground in ("water",) if view.mode == "sar" else ("water", "cropland", "runway"):
        rings = ground_rings(view.seed, view.scene.number, ground, view.scale, view.conditions)
        if rings:
            yield _segments(view, rng, ground, rings)


def _segments(view: View, rng: SeededRandom, name: str, rings: list[list[tuple[int, int]]]) -> Question:
    answer = "".join(points_text("poly", ring) for ring in rings)
    return view.question(format_prompt(rng, "semantic_segmentation", name=name), answer, name)


def instances(views: Sequence[View], rng: SeededRandom) -> Iterator[Question]:
    """One polygon for each member of a group."""
    view = views[0]
    for name in rng.some(sorted({obj.group for obj in view.scene.objects} - {"running track"}), 4):
        objects = sort_by_position(view, view.scene.objects_of(name))
        if len(objects) > view.limit(20) or not view.has_outlines(objects):
            continue
        prompt = format_prompt(rng, "instance_segmentation", name=name)
        answer = "".join(points_text("poly", view.poly(obj)) for obj in objects)
        yield view.question(prompt, answer, name, str(len(objects)))


BEFORE, AFTER = "a", "b"
_BUILT = ("building", "storage tank")
_LAID_OUT = ("swimming pool", "tennis court", "basketball court")
_UNCHANGED_SHARE = 0.12
_MIN_FIELD_AREA = 3_000.0
_MIN_CHANGED_AREA = 250.0


class Change(Struct, frozen=True, kw_only=True):
    """Differences between two dates: objects by id, fields by index with their crop on the second date."""

    built: frozenset[int]
    removed: frozenset[int]
    crops: dict[int, str]


@lru_cache(maxsize=72)
def change_of(seed: int, number: int, conditions: Conditions = STANDARD) -> Change:
    """The changes between the two dates of a scene."""
    rng = SeededRandom(seed, number, "change")
    scene = make_scene(seed, number, conditions)
    mode = light_of(seed, number, 0, conditions).mode
    if rng.chance(_UNCHANGED_SHARE):
        return Change(built=frozenset(), removed=frozenset(), crops={})
    groups = _BUILT if mode in ("thermal", "sar") else (*_BUILT, *_LAID_OUT)
    smallest = _MIN_CHANGED_AREA * min(scene.scale, 1) ** 2
    static = [obj.id for obj in scene.objects if obj.group in groups and obj.length * obj.width > smallest]
    chosen = rng.some(static, rng.whole(1, 5))
    built = frozenset(chosen[: rng.whole(0, len(chosen))])
    fields = [index for index, area in enumerate(scene.areas) if area.pattern == "furrows" and mode != "sar"]
    crops = {index: _other_crop(seed, scene, index) for index in rng.some(fields, rng.whole(1, 3))}
    visible_crops = {index: crop for index, crop in crops.items() if _is_simple_field(scene, index)}
    return Change(built=built, removed=frozenset(chosen) - built, crops=visible_crops)


def _is_simple_field(scene: Scene, index: int) -> bool:
    """Whether a field is large enough to be noticed and simple enough to be outlined."""
    rings = area_outlines(scene, index)
    return len(rings) == 1 and len(rings[0]) <= 40 and abs(signed_area(rings[0])) >= _MIN_FIELD_AREA


def _other_crop(seed: int, scene: Scene, index: int) -> str:
    """The crop that looks most different from the first, each as the sensor sees it on its date."""
    before, after = (light_of(seed, scene.number, date).palette for date in (0, 1))
    old = before.material(scene.areas[index].material)

    def contrast(crop: str) -> int:
        return sum(abs(a - b) for a, b in zip(old, after.material(crop), strict=True))

    return max(sorted(set(CROPS)), key=contrast)


def scene_at(seed: int, number: int, date: str, conditions: Conditions = STANDARD) -> Scene:
    """The scene on a date, under a clear sky, or without a date, with all objects."""
    scene = make_scene(seed, number, conditions)
    if not date:
        return scene
    if scene.acquisition.clouds:
        scene = replace(scene, acquisition=replace(scene.acquisition, clouds=0.0))
    change = change_of(seed, number, conditions)
    missing = change.built if date == BEFORE else change.removed
    areas = list(scene.areas)
    if date == AFTER:
        for index, crop in change.crops.items():
            areas[index] = replace(areas[index], material=crop)
    objects = tuple(obj for obj in scene.objects if obj.id not in missing)
    return replace(scene, areas=tuple(areas), objects=objects)


def changed_rings(
    seed: int, number: int, scale: float, conditions: Conditions = STANDARD
) -> list[list[tuple[int, int]]]:
    """Outlines of all that changed, in pixels."""
    scene, change = make_scene(seed, number, conditions), change_of(seed, number, conditions)
    outlines = [obj.visible_outline for obj in scene.objects if obj.id in change.built | change.removed]
    outlines += [ring for index in sorted(change.crops) for ring in area_outlines(scene, index)]
    return [to_pixels(outline, scale) for outline in outlines]


def change_detection(views: Sequence[View], rng: SeededRandom) -> Iterator[Question]:
    """Outlines of the changed regions."""
    view = views[0]
    number = view.scene.number
    rings = changed_rings(view.seed, number, view.scale, view.conditions)
    prompt = format_prompt(rng, "change_detection")
    answer = "".join(points_text("dot", ring) for ring in rings) or "0"
    image_refs = (ImageRef(number, BEFORE), ImageRef(number, AFTER))
    yield Question(image_refs=image_refs, prompt=prompt, gt=answer, keys=("0" if answer == "0" else str(len(rings)),))
