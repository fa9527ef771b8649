"""Questions on whole pictures: retrieval, classes, presence and counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from sightline.suites.remote_sensing.generator.catalog import COLOURED, KINDS, plural
from sightline.suites.remote_sensing.generator.questions import Question, View, article, format_prompt
from sightline.suites.remote_sensing.generator.scene import SIDE, SceneObject
from sightline.suites.remote_sensing.generator.scene_layouts import SCENE_LAYOUTS
from sightline.suites.remote_sensing.generator.seeded_random import SeededRandom

SCENE_CLASSES_ZH = dict(
    zip(
        SCENE_LAYOUTS, ("机场", "港口", "居民区", "工业区", "农田", "运动场", "河流", "道路交叉口", "海滩"), strict=True
    )
)


def retrieval(views: Sequence[View], rng: SeededRandom) -> Iterator[Question]:
    """Which of several pictures show something."""
    for _ in range(4):
        chosen = rng.some(views, rng.whole(4, 6))
        seen = Counter(name for view in chosen for name in {*(t.group for t in view.scene.objects), *_kinds(view)})
        askable = set.intersection(*(set(view.names) for view in chosen))
        names = [name for name, count in seen.items() if count < len(chosen) and name in askable]
        if not names:
            continue
        name = rng.pick(sorted(names))
        matching = [str(k) for k, view in enumerate(chosen, 1) if view.scene.objects_of(name)]
        prompt = format_prompt(rng, "retrieval", count=str(len(chosen)), name=name)
        answer = ",".join(matching)
        yield Question(
            image_refs=tuple(view.image_ref for view in chosen), prompt=prompt, gt=answer, keys=(answer, name)
        )


def _kinds(view: View) -> set[str]:
    return {view.name_of(obj) for obj in view.scene.objects}


def classification(views: Sequence[View], rng: SeededRandom) -> Iterator[Question]:
    """The kind of place, or all kinds of things that are there."""
    view = views[0]
    options = ", ".join(rng.shuffled(list(SCENE_LAYOUTS)))
    prompt = format_prompt(rng, "scene_class", options=options)
    scene_class = view.scene.scene_class
    if view.tells_scene_class:
        yield view.question(prompt, scene_class, "place", scene_class)
    present = sorted(_kinds(view))
    included = rng.some(present, rng.whole(1, 4))
    names = KINDS if view.tells_kinds else view.groups
    absent = rng.some([name for name in names if name not in present], 6 - len(included))
    if not included:
        return
    prompt = format_prompt(rng, "object_classes", options=", ".join(sorted((*included, *absent))))
    answer = ";".join(sorted(included))
    yield view.question(prompt, answer, "things", answer)


def presence(views: Sequence[View], rng: SeededRandom) -> Iterator[Question]:
    """Yes or no: is it there, are there more than so many, is there one of a colour."""
    view = views[0]
    for name in rng.some(view.names, 6):
        objects = view.scene.objects_of(name)
        prompt = format_prompt(rng, "is_present", name=name, a_name=article(name))
        yield _yes_no(view, prompt, bool(objects), name)
        if len(objects) > 1:
            limit = max(len(objects) + rng.pick((-1, 0, 1, -2)), 1)
            prompt = format_prompt(rng, "are_more_than", limit=str(limit), name=name, plural=plural(name))
            yield _yes_no(view, prompt, len(objects) > limit, f"more {name}")
        if objects and view.tells_colours and objects[0].group in COLOURED:
            paint = rng.pick(KINDS[objects[0].kind].paints)
            prompt = format_prompt(rng, "is_coloured", name=name, paint=paint)
            yield _yes_no(view, prompt, any(obj.paint == paint for obj in objects), f"colour {name}")


def _yes_no(view: View, prompt: str, holds: bool, subject: str) -> Question:
    answer = "Yes" if holds else "No"
    return view.question(prompt, answer, answer, f"{subject} {answer}")


_HALVES: dict[str, tuple[str, Callable[[SceneObject], bool]]] = {
    "left": ("左", lambda obj: obj.centre[0] < SIDE / 2),
    "right": ("右", lambda obj: obj.centre[0] >= SIDE / 2),
    "upper": ("上", lambda obj: obj.centre[1] < SIDE / 2),
    "lower": ("下", lambda obj: obj.centre[1] >= SIDE / 2),
}


def count_question(views: Sequence[View], rng: SeededRandom) -> Iterator[Question]:
    """How many of a kind, of a colour, or in one half of the picture."""
    view = views[0]
    for name in rng.some(view.names, 9):
        objects = view.scene.objects_of(name)
        if len(objects) > 25:
            continue
        prompt = format_prompt(rng, "count", name=name, plural=plural(name))
        yield _number(view, prompt, len(objects), name)
        if len(objects) < 2:
            continue
        half = rng.pick(list(_HALVES))
        half_zh, lies = _HALVES[half]
        prompt = format_prompt(rng, "count_in_half", name=name, plural=plural(name), half=half, half_zh=half_zh)
        yield _number(view, prompt, sum(map(lies, objects)), name)
        if view.tells_colours and objects[0].group in COLOURED:
            paint = rng.pick(objects).paint
            prompt = format_prompt(rng, "count_coloured", name=name, plural=plural(name), paint=paint)
            yield _number(view, prompt, sum(obj.paint == paint for obj in objects), name)


def counting(views: Sequence[View], rng: SeededRandom) -> Iterator[Question]:
    """How many of a group there are in all."""
    view = views[0]
    for name in rng.shuffled(sorted({obj.group for obj in view.scene.objects})):
        prompt = format_prompt(rng, "count_of_class", name=name)
        yield _number(view, prompt, len(view.scene.objects_of(name)), name)


def _number(view: View, prompt: str, count: int, name: str) -> Question:
    return view.question(prompt, str(count), str(count), name)
