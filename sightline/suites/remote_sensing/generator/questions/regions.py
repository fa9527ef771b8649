"""Region-level questions: detection, region classes, visual grounding."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sightline.suites.remote_sensing.generator.catalog import COLOURED, GROUPS, KINDS, ZH, plural
from sightline.suites.remote_sensing.generator.questions import (
    Question,
    View,
    box_text,
    format_prompt,
    points_text,
    sort_by_position,
)
from sightline.suites.remote_sensing.generator.scene import SIDE, SceneObject
from sightline.suites.remote_sensing.generator.seeded_random import SeededRandom
from sightline.suites.remote_sensing.generator.shapes import distance

MAX_BOXES = 40
"""Maximum number of boxes per question."""
_ZERO_SHARE = 0.05
_CORNERS = {
    "top left": ("左上", (0.0, 0.0)),
    "top right": ("右上", (SIDE, 0.0)),
    "bottom left": ("左下", (0.0, SIDE)),
    "bottom right": ("右下", (SIDE, SIDE)),
}


def box_question(views: Sequence[View], rng: SeededRandom) -> Iterator[Question]:
    """Where are all of a kind, or the biggest of them."""
    view = views[0]
    for name in rng.some(sorted({view.name_of(obj) for obj in view.scene.objects}), 4):
        objects = view.scene.objects_of(name)
        if len(objects) > view.limit(12):
            continue
        prompt = format_prompt(rng, "boxes", name=name, plural=plural(name))
        yield view.question(prompt, _boxes(view, objects), str(len(objects)), name)


def _boxes(view: View, objects: list[SceneObject]) -> str:
    return "".join(box_text(view.box(obj)) for obj in sort_by_position(view, objects))


def horizontal_detection(views: Sequence[View], rng: SeededRandom) -> Iterator[Question]:
    """All of a group as upright boxes, the number of them first."""
    view = views[0]
    for name in _groups(view, rng):
        objects = view.scene.objects_of(name)
        yield _detection(view, rng, "horizontal_detection", name, len(objects), _boxes(view, objects))


def rotated_detection(views: Sequence[View], rng: SeededRandom) -> Iterator[Question]:
    """All of a group as turned rectangles, the number of them first."""
    view = views[0]
    for name in _groups(view, rng):
        objects = sort_by_position(view, view.scene.objects_of(name))
        if any(obj.is_cut for obj in objects) or not view.has_outlines(objects):
            continue  # what is left of a turned rectangle at the border has no four corners
        quads = "".join(points_text("quad", view.quad(obj)) for obj in objects)
        yield _detection(view, rng, "rotated_detection", name, len(objects), quads)


def _detection(view: View, rng: SeededRandom, text: str, name: str, count: int, shapes: str) -> Question:
    return view.question(format_prompt(rng, text, name=name), f"{count} {shapes}".strip(), name, str(count))


def _groups(view: View, rng: SeededRandom) -> list[str]:
    """Groups to look for; now and then one that is not there."""
    present = {obj.group for obj in view.scene.objects}
    absent = [group for group in view.groups if group not in present]
    if rng.chance(_ZERO_SHARE) and absent:
        return [rng.pick(absent)]
    most = view.limit(MAX_BOXES)
    return rng.some([group for group in sorted(present) if len(view.scene.objects_of(group)) <= most], 5)


def horizontal_class(views: Sequence[View], rng: SeededRandom) -> Iterator[Question]:
    """The group of what is in an upright box."""
    view = views[0]
    for obj in _one_each(view, rng, "group"):
        options = ", ".join(sorted((obj.group, *rng.some([g for g in view.groups if g != obj.group], 5))))
        prompt = format_prompt(rng, "horizontal_class", region=box_text(view.box(obj)), options=options)
        yield view.question(prompt, obj.group, obj.group)


def rotated_class(views: Sequence[View], rng: SeededRandom) -> Iterator[Question]:
    """The class of what is in a turned rectangle; vehicles by kind."""
    view = views[0]
    labels = sorted({_label(kind) for kind in KINDS}) if view.tells_kinds else view.groups
    for obj in _one_each(view, rng, "kind" if view.tells_kinds else "group"):
        if obj.is_cut or not view.has_outlines((obj,)):
            continue
        label = _label(obj.kind) if view.tells_kinds else obj.group
        options = ", ".join(sorted((label, *rng.some([other for other in labels if other != label], 5))))
        prompt = format_prompt(rng, "rotated_class", region=points_text("quad", view.quad(obj)), options=options)
        yield view.question(prompt, label, label)


def _label(kind: str) -> str:
    return kind if KINDS[kind].group == "vehicle" else KINDS[kind].group


def fine_grained(views: Sequence[View], rng: SeededRandom) -> Iterator[Question]:
    """The kind within its group."""
    view = views[0]
    if not view.tells_kinds:
        return
    for obj in _one_each(view, rng, "kind"):
        kinds = GROUPS[obj.group]
        if len(kinds) < 2:
            continue
        options, region = ", ".join(rng.shuffled(kinds)), box_text(view.box(obj))
        prompt = format_prompt(rng, "fine_grained", name=obj.group, region=region, options=options)
        yield view.question(prompt, obj.kind, obj.kind)


def _one_each(view: View, rng: SeededRandom, by: str) -> list[SceneObject]:
    """One thing of each group or kind; never one inside another's frame, as a pitch in a track."""
    by_name = {getattr(obj, by): obj for obj in rng.shuffled(view.scene.objects) if obj.kind != "running track"}
    return [by_name[name] for name in rng.shuffled(sorted(by_name))]


def grounding(views: Sequence[View], rng: SeededRandom) -> Iterator[Question]:
    """One box for a phrase that fits one thing only."""
    view = views[0]
    for obj, english, chinese in _phrases(view, rng):
        prompt = format_prompt(rng, "grounding", phrase=english, phrase_zh=chinese)
        yield view.question(prompt, box_text(view.box(obj)), view.name_of(obj))


def _phrases(view: View, rng: SeededRandom) -> Iterator[tuple[SceneObject, str, str]]:
    for kind in rng.shuffled(sorted({view.name_of(obj) for obj in view.scene.objects})):
        objects = view.scene.objects_of(kind)
        if len(objects) == 1:
            yield objects[0], f"the only {kind}", f"图中唯一的{ZH[kind]}"
            continue
        if view.tells_colours and objects[0].group in COLOURED:
            for paint in rng.shuffled(sorted({obj.paint for obj in objects})):
                same_paint = [obj for obj in objects if obj.paint == paint]
                if len(same_paint) == 1:
                    yield same_paint[0], f"the only {paint} {kind}", f"图中唯一的{ZH[paint]}{ZH[kind]}"
                else:
                    yield from _extreme(same_paint, (f"{paint} {kind}", f"{ZH[paint]}{ZH[kind]}"), rng)
        yield from _extreme(objects, (kind, ZH[kind]), rng)


def _extreme(
    objects: list[SceneObject], names: tuple[str, str], rng: SeededRandom
) -> Iterator[tuple[SceneObject, str, str]]:
    """The one nearest to a corner, or the biggest, by a clear margin."""
    corner = rng.pick(list(_CORNERS))
    word, at = _CORNERS[corner]
    near = sorted(objects, key=lambda obj: distance(obj.centre, at))
    if distance(near[1].centre, at) > distance(near[0].centre, at) + 14:
        yield near[0], f"the {names[0]} nearest to the {corner} corner", f"离图像{word}角最近的{names[1]}"
    big = sorted(objects, key=lambda obj: -obj.length * obj.width)
    is_cut = any(obj.is_cut for obj in objects)
    if not is_cut and big[0].length * big[0].width > 1.3 * big[1].length * big[1].width:
        yield big[0], f"the largest {names[0]}", f"最大的{names[1]}"
