"""Which question is asked of which scene.

Scenes come in blocks that hold each kind of place once. The sample at a place of a task asks about a scene of its own
block, so that few scenes are in use at a time. Of a few candidates the one is taken whose answer was rarest so far:
questions are steered, answers never. A task's samples depend on the seed and on the task alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from sightline.suites.remote_sensing.generator.dice import Dice
from sightline.suites.remote_sensing.generator.places.all import BLOCK, scene_of
from sightline.suites.remote_sensing.generator.questions import captions, changes, images, pixels, regions
from sightline.suites.remote_sensing.generator.questions.base import Asker, Question, View
from sightline.suites.remote_sensing.generator.render.light import light_of

ASKERS: dict[str, Asker] = {
    "图片检索": images.retrieval,
    "图片分类": images.classification,
    "VQA1": images.presence,
    "VQA2": images.count_question,
    "VQA3": regions.box_question,
    "计数": images.counting,
    "简洁图片描述": captions.brief,
    "详细图片描述": captions.detailed,
    "水平区域分类": regions.horizontal_class,
    "旋转区域分类": regions.rotated_class,
    "水平区域检测": regions.horizontal_detection,
    "旋转区域检测": regions.rotated_detection,
    "视觉定位": regions.grounding,
    "区域描述": captions.region,
    "像素分类": pixels.pixel_class,
    "语义分割": pixels.semantic,
    "实例分割": pixels.instances,
    "变化检测": changes.detection,
    "细粒度识别": regions.fine_grained,
}
_ONE_SCENE = ("图片分类", "简洁图片描述", "详细图片描述", "变化检测")
"""Tasks for which a scene has one answer: each sample takes the next scene."""
_SCENES = 3
_LUCK = 2.5


def view_of(seed: int, number: int, size: int) -> View:
    """The scene with its sensor."""
    return View(seed=seed, scene=scene_of(seed, number), mode=light_of(seed, number).mode, size=size)


def plan(task: str, count: int, seed: int, size: int) -> Iterator[Question]:
    """So many questions of a task, one after the other."""
    given: Counter[str] = Counter()
    used: set[tuple[str, str]] = set()
    for place in range(count):
        if place % BLOCK == 0:
            used.clear()
        question = _next(task, place, (seed, size), given, used)
        used.add((question.shots[0].source, question.gt))
        given.update(question.keys)
        yield question


def _next(task: str, place: int, look: tuple[int, int], given: Counter[str], used: set[tuple[str, str]]) -> Question:
    """The candidate with about the rarest answer; the first of equals."""
    seed, size = look
    first, at = place // BLOCK * BLOCK, place % BLOCK
    block = [view_of(seed, first + (at + k) % BLOCK, size) for k in range(BLOCK)]
    dice = Dice(seed, task, place)
    tries = 1 if task in _ONE_SCENE else _SCENES
    while True:
        asked = [question for k in range(tries) for question in ASKERS[task](block[k:] + block[:k], dice)]
        fresh = [question for question in asked if (question.shots[0].source, question.gt) not in used] or asked
        if fresh:
            # a little chance, so that answers do not simply take turns
            luck = {question.keys[0]: dice.between(0, _LUCK) for question in fresh}
            return min(fresh, key=lambda question: _frequency(question, given, luck))
        tries += 1


def _frequency(question: Question, given: Counter[str], luck: dict[str, float]) -> tuple[float, ...]:
    first, *others = question.keys
    return given[first] + luck[first], *(given[key] for key in others)
