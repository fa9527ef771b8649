"""Choice of questions and scenes, with balanced answers.

Scenes come in blocks that contain each scene class once. A sample asks about a scene of its own block, so that few
scenes are in use at a time. Of a few candidate questions, the one with the rarest answer so far is chosen: questions
are selected, answers never altered. The samples of a task depend only on the seed and the task.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial

from sightline.core.errors import UsageError
from sightline.core.registry import unknown
from sightline.suites.remote_sensing.generator.conditions import MIN_KIND_SCALE, RESOLUTION, STANDARD, Conditions
from sightline.suites.remote_sensing.generator.questions import (
    Question,
    QuestionGenerator,
    View,
    captions,
    images,
    pixels,
    regions,
)
from sightline.suites.remote_sensing.generator.render.sensor import light_of
from sightline.suites.remote_sensing.generator.scene_layouts import BLOCK, make_scene
from sightline.suites.remote_sensing.generator.seeded_random import SeededRandom

_TASK_TABLE: tuple[tuple[str, str, QuestionGenerator], ...] = (
    ("图片检索", "image retrieval", images.retrieval),
    ("图片分类", "image classification", images.classification),
    ("VQA1", "presence question", images.presence),
    ("VQA2", "count question", images.count_question),
    ("VQA3", "box question", regions.box_question),
    ("计数", "counting", images.counting),
    ("简洁图片描述", "brief caption", captions.brief),
    ("详细图片描述", "detailed caption", captions.detailed),
    ("水平区域分类", "horizontal region class", regions.horizontal_class),
    ("旋转区域分类", "rotated region class", regions.rotated_class),
    ("水平区域检测", "horizontal detection", regions.horizontal_detection),
    ("旋转区域检测", "rotated detection", regions.rotated_detection),
    ("视觉定位", "visual grounding", regions.grounding),
    ("区域描述", "region caption", captions.region),
    ("像素分类", "pixel class", pixels.pixel_class),
    ("语义分割", "semantic segmentation", pixels.semantic),
    ("实例分割", "instance segmentation", pixels.instances),
    ("变化检测", "change detection", pixels.change_detection),
    ("细粒度识别", "fine-grained recognition", regions.fine_grained),
)
TASKS = {task: english for task, english, _ in _TASK_TABLE}
"""English names by the Chinese names used in the files."""
QUESTION_GENERATORS = {task: generator for task, _, generator in _TASK_TABLE}
OUTPUT_SUFFIXES = {"计数": "_output.json", "图片分类": "_output.json", "像素分类": "_output.jsonl"}
"""Suffixes of output files other than `_output.txt`."""


def file_stem(task: str) -> str:
    """File name of a task without suffix."""
    return f"{TASKS[task].replace(' ', '_').replace('-', '_')}_prompt"


def select_tasks(names: tuple[str, ...]) -> tuple[str, ...]:
    """The Chinese names of the selected tasks, in the order of the table; all if none is named."""
    known = {_key(name): zh for zh, en in TASKS.items() for name in (zh, en)}
    selected = set()
    for name in names:
        if _key(name) not in known:
            raise unknown("task", name, [*TASKS, *TASKS.values()])
        selected.add(known[_key(name)])
    return tuple(zh for zh in TASKS if not names or zh in selected)


def decidable_tasks(conditions: Conditions) -> tuple[str, ...]:
    """Tasks whose questions some picture under the conditions can decide."""
    is_radar = set(conditions.sensors) == {"sar"}
    is_coarse = all(RESOLUTION / resolution < MIN_KIND_SCALE for resolution in conditions.resolutions)
    return tuple(task for task in TASKS if task != "细粒度识别" or not (is_radar or is_coarse))


def _key(name: str) -> str:
    return name.strip().lower().replace("_", " ").replace("-", " ")


_ONE_SCENE = ("图片分类", "简洁图片描述", "详细图片描述", "变化检测")
"""Tasks with one answer per scene: each sample uses the next scene."""
_SCENES = 3
_MAX_SCENES = 6 * BLOCK
_JITTER = 2.5


def view_of(seed: int, number: int, size: int, conditions: Conditions = STANDARD) -> View:
    """A scene with its sensor mode."""
    scene, light = make_scene(seed, number, conditions), light_of(seed, number, 0, conditions)
    return View(seed=seed, scene=scene, mode=light.mode, size=size, conditions=conditions)


def plan_questions(
    task: str, count: int, seed: int, size: int, conditions: Conditions = STANDARD
) -> Iterator[Question]:
    """Generate `count` questions of a task lazily."""
    answer_counts: Counter[str] = Counter()
    used: set[tuple[str, str]] = set()
    for index in range(count):
        if index % BLOCK == 0:
            used.clear()
        views = partial(view_of, seed, size=size, conditions=conditions)
        question = _choose_question(task, index, seed, views, answer_counts, used)
        used.add((question.image_refs[0].source, question.gt))
        answer_counts.update(question.keys)
        yield question


def _choose_question(
    task: str,
    index: int,
    seed: int,
    view_at: Callable[[int], View],
    answer_counts: Counter[str],
    used: set[tuple[str, str]],
) -> Question:
    """The candidate with about the rarest answer so far; the first of equals."""
    first, at = index // BLOCK * BLOCK, index % BLOCK
    block = [view_at(first + (at + k) % BLOCK) for k in range(BLOCK)]
    rng = SeededRandom(seed, task, index)
    tries = 1 if task in _ONE_SCENE else _SCENES
    while tries <= _MAX_SCENES:
        candidates = [
            question for k in range(tries) for question in QUESTION_GENERATORS[task](block[k:] + block[:k], rng)
        ]
        fresh = [
            question for question in candidates if (question.image_refs[0].source, question.gt) not in used
        ] or candidates
        if fresh:
            # random jitter, so that answers do not simply alternate
            jitter = {question.keys[0]: rng.between(0, _JITTER) for question in fresh}
            return min(fresh, key=lambda question: _frequency(question, answer_counts, jitter))
        tries += 1
        if tries > len(block):  # this block shows nothing to ask for: another one
            block += [view_at(first + len(block) + k) for k in range(BLOCK)]
    raise UsageError(
        "Under these conditions no question of the task '{task}' could be decided from a picture.",
        hint="Leave the task out, or choose other conditions.",
        task=TASKS[task],
    )


def _frequency(question: Question, answer_counts: Counter[str], jitter: dict[str, float]) -> tuple[float, ...]:
    first, *others = question.keys
    return answer_counts[first] + jitter[first], *(answer_counts[key] for key in others)
