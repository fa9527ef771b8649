"""Two dates of one place: what was built, what was pulled down, which field bears another crop."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from msgspec import Struct
from msgspec.structs import replace

from sightline.suites.remote_sensing.generator.dice import Dice
from sightline.suites.remote_sensing.generator.places.all import scene_of
from sightline.suites.remote_sensing.generator.places.farmland import CROPS
from sightline.suites.remote_sensing.generator.questions.base import Question, Shot, View, points_text, worded
from sightline.suites.remote_sensing.generator.questions.grounds import area_outlines
from sightline.suites.remote_sensing.generator.render.light import light_of
from sightline.suites.remote_sensing.generator.scene import Scene, pixels
from sightline.suites.remote_sensing.generator.shapes import area

BEFORE, AFTER = "a", "b"
_BUILT = ("building", "storage tank")
_LAID_OUT = ("swimming pool", "tennis court", "basketball court")
_UNCHANGED_SHARE = 0.12
_PLAIN_FIELD = 3_000.0


class Change(Struct, frozen=True, kw_only=True):
    """What differs between two dates: things by id, fields by index with their crop on the second date."""

    built: frozenset[int]
    removed: frozenset[int]
    crops: dict[int, str]


@lru_cache(maxsize=72)
def change_of(seed: int, number: int) -> Change:
    """Between the two dates of a scene."""
    dice = Dice(seed, number, "change")
    scene = scene_of(seed, number)
    if dice.chance(_UNCHANGED_SHARE):
        return Change(built=frozenset(), removed=frozenset(), crops={})
    groups = _BUILT if light_of(seed, number).mode == "thermal" else (*_BUILT, *_LAID_OUT)
    static = [thing.id for thing in scene.things if thing.group in groups and thing.length * thing.width > 250]
    chosen = dice.some(static, dice.whole(1, 5))
    built = frozenset(chosen[: dice.whole(0, len(chosen))])
    fields = [index for index, area in enumerate(scene.areas) if area.pattern == "furrows"]
    crops = {index: _other_crop(seed, scene, index) for index in dice.some(fields, dice.whole(1, 3))}
    shown = {index: crop for index, crop in crops.items() if _is_plain(scene, index)}
    return Change(built=built, removed=frozenset(chosen) - built, crops=shown)


def _is_plain(scene: Scene, index: int) -> bool:
    """Large enough to be noticed and simple enough to be outlined."""
    found = area_outlines(scene, index)
    return len(found) == 1 and len(found[0]) <= 40 and abs(area(found[0])) >= _PLAIN_FIELD


def _other_crop(seed: int, scene: Scene, index: int) -> str:
    """The crop that looks most different from the first, each as the sensor sees it on its date."""
    before, after = (light_of(seed, scene.number, date).palette for date in (0, 1))
    old = before.material(scene.areas[index].material)

    def contrast(crop: str) -> int:
        return sum(abs(a - b) for a, b in zip(old, after.material(crop), strict=True))

    return max(sorted(set(CROPS)), key=contrast)


def scene_at(seed: int, number: int, date: str) -> Scene:
    """The scene as it is on a date; without a date, all that was ever planned."""
    scene = scene_of(seed, number)
    if not date:
        return scene
    change = change_of(seed, number)
    missing = change.built if date == BEFORE else change.removed
    areas = list(scene.areas)
    if date == AFTER:
        for index, crop in change.crops.items():
            areas[index] = replace(areas[index], material=crop)
    things = tuple(thing for thing in scene.things if thing.id not in missing)
    return replace(scene, areas=tuple(areas), things=things)


def changed_rings(seed: int, number: int, scale: float) -> list[list[tuple[int, int]]]:
    """Outlines of all that changed, in pixels."""
    scene, change = scene_of(seed, number), change_of(seed, number)
    outlines = [thing.outline for thing in scene.things if thing.id in change.built | change.removed]
    outlines += [ring for index in sorted(change.crops) for ring in area_outlines(scene, index)]
    return [pixels(outline, scale) for outline in outlines]


def detection(views: Sequence[View], dice: Dice) -> Iterator[Question]:
    """Outlines of the changed regions."""
    view = views[0]
    number = view.scene.number
    rings = changed_rings(view.seed, number, view.scale)
    prompt = worded(
        dice,
        "The two pictures show one place on two dates. Outline what was built, removed or replanted (not light, season "
        "or traffic) with polygons in pixels: <dot><x1><y1><x2><y2>...</dot>; answer 0 if nothing changed.",
        "两张图片为同一地点不同时间的影像。请勾画新建、拆除或更换作物的区域（忽略光照、季节和车船变化），"
        "用像素坐标多边形回答：<dot><x1><y1><x2><y2>...</dot>；若没有变化则回答0。",
    )
    answer = "".join(points_text("dot", ring) for ring in rings) or "0"
    shots = (Shot(number, BEFORE), Shot(number, AFTER))
    yield Question(shots=shots, prompt=prompt, gt=answer, keys=("0" if answer == "0" else str(len(rings)),))
