"""Change detection: buildings built or removed, and fields with another crop, between two dates."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from msgspec import Struct
from msgspec.structs import replace

from sightline.suites.remote_sensing.generator.questions.base import (
    ImageRef,
    Question,
    View,
    format_prompt,
    points_text,
)
from sightline.suites.remote_sensing.generator.questions.ground_outlines import area_outlines
from sightline.suites.remote_sensing.generator.render.light import light_of
from sightline.suites.remote_sensing.generator.scene import Scene, pixels
from sightline.suites.remote_sensing.generator.scene_layouts.farmland import CROPS
from sightline.suites.remote_sensing.generator.scene_layouts.registry import make_scene
from sightline.suites.remote_sensing.generator.seeded_random import SeededRandom
from sightline.suites.remote_sensing.generator.shapes import area

BEFORE, AFTER = "a", "b"
_BUILT = ("building", "storage tank")
_LAID_OUT = ("swimming pool", "tennis court", "basketball court")
_UNCHANGED_SHARE = 0.12
_MIN_FIELD_AREA = 3_000.0


class Change(Struct, frozen=True, kw_only=True):
    """Differences between two dates: objects by id, fields by index with their crop on the second date."""

    built: frozenset[int]
    removed: frozenset[int]
    crops: dict[int, str]


@lru_cache(maxsize=72)
def change_of(seed: int, number: int) -> Change:
    """The changes between the two dates of a scene."""
    rng = SeededRandom(seed, number, "change")
    scene = make_scene(seed, number)
    if rng.chance(_UNCHANGED_SHARE):
        return Change(built=frozenset(), removed=frozenset(), crops={})
    groups = _BUILT if light_of(seed, number).mode == "thermal" else (*_BUILT, *_LAID_OUT)
    static = [obj.id for obj in scene.objects if obj.group in groups and obj.length * obj.width > 250]
    chosen = rng.some(static, rng.whole(1, 5))
    built = frozenset(chosen[: rng.whole(0, len(chosen))])
    fields = [index for index, area in enumerate(scene.areas) if area.pattern == "furrows"]
    crops = {index: _other_crop(seed, scene, index) for index in rng.some(fields, rng.whole(1, 3))}
    visible_crops = {index: crop for index, crop in crops.items() if _is_simple_field(scene, index)}
    return Change(built=built, removed=frozenset(chosen) - built, crops=visible_crops)


def _is_simple_field(scene: Scene, index: int) -> bool:
    """Whether a field is large enough to be noticed and simple enough to be outlined."""
    rings = area_outlines(scene, index)
    return len(rings) == 1 and len(rings[0]) <= 40 and abs(area(rings[0])) >= _MIN_FIELD_AREA


def _other_crop(seed: int, scene: Scene, index: int) -> str:
    """The crop that looks most different from the first, each as the sensor sees it on its date."""
    before, after = (light_of(seed, scene.number, date).palette for date in (0, 1))
    old = before.material(scene.areas[index].material)

    def contrast(crop: str) -> int:
        return sum(abs(a - b) for a, b in zip(old, after.material(crop), strict=True))

    return max(sorted(set(CROPS)), key=contrast)


def scene_at(seed: int, number: int, date: str) -> Scene:
    """The scene on a date; without a date, with all objects."""
    scene = make_scene(seed, number)
    if not date:
        return scene
    change = change_of(seed, number)
    missing = change.built if date == BEFORE else change.removed
    areas = list(scene.areas)
    if date == AFTER:
        for index, crop in change.crops.items():
            areas[index] = replace(areas[index], material=crop)
    objects = tuple(obj for obj in scene.objects if obj.id not in missing)
    return replace(scene, areas=tuple(areas), objects=objects)


def changed_rings(seed: int, number: int, scale: float) -> list[list[tuple[int, int]]]:
    """Outlines of all that changed, in pixels."""
    scene, change = make_scene(seed, number), change_of(seed, number)
    outlines = [obj.outline for obj in scene.objects if obj.id in change.built | change.removed]
    outlines += [ring for index in sorted(change.crops) for ring in area_outlines(scene, index)]
    return [pixels(outline, scale) for outline in outlines]


def detection(views: Sequence[View], rng: SeededRandom) -> Iterator[Question]:
    """Outlines of the changed regions."""
    view = views[0]
    number = view.scene.number
    rings = changed_rings(view.seed, number, view.scale)
    prompt = format_prompt(
        rng,
        "The two pictures show one place on two dates. Outline what was built, removed or replanted (not light, season "
        "or traffic) with polygons in pixels: <dot><x1><y1><x2><y2>...</dot>; answer 0 if nothing changed.",
        "两张图片为同一地点不同时间的影像。请勾画新建、拆除或更换作物的区域（忽略光照、季节和车船变化），"
        "用像素坐标多边形回答：<dot><x1><y1><x2><y2>...</dot>；若没有变化则回答0。",
    )
    answer = "".join(points_text("dot", ring) for ring in rings) or "0"
    image_refs = (ImageRef(number, BEFORE), ImageRef(number, AFTER))
    yield Question(image_refs=image_refs, prompt=prompt, gt=answer, keys=("0" if answer == "0" else str(len(rings)),))
