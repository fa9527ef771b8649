"""Questions on regions: boxes to find, classes of boxes, the one thing that a phrase means."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sightline.suites.remote_sensing.generator.catalog import COLOURED, GROUPS, KINDS, ZH, plural
from sightline.suites.remote_sensing.generator.dice import Dice
from sightline.suites.remote_sensing.generator.questions.base import (
    Question,
    View,
    box_text,
    ordered,
    points_text,
    worded,
)
from sightline.suites.remote_sensing.generator.scene import SIDE, Thing
from sightline.suites.remote_sensing.generator.shapes import distance

MOST = 40
"""So many boxes are still a fair question."""
_ZERO_SHARE = 0.05
_CORNERS = {
    "top left": ("左上", (0.0, 0.0)),
    "top right": ("右上", (SIDE, 0.0)),
    "bottom left": ("左下", (0.0, SIDE)),
    "bottom right": ("右下", (SIDE, SIDE)),
}


def box_question(views: Sequence[View], dice: Dice) -> Iterator[Question]:
    """Where are all of a kind, or the biggest of them."""
    view = views[0]
    for name in dice.some(sorted({thing.kind for thing in view.scene.things}), 4):
        found = view.scene.of(name)
        if len(found) > 12:
            continue
        prompt = worded(
            dice,
            f"Where are the {plural(name)}? Give one box for each, in pixels: <box><x1><y1><x2><y2></box>.",
            "图中的{name}在哪里？请用像素坐标为每一个给出一个框：<box><x1><y1><x2><y2></box>。",
            name=name,
        )
        yield Question(shots=(view.shot,), prompt=prompt, gt=_boxes(view, found), keys=(str(len(found)), name))


def _boxes(view: View, things: list[Thing]) -> str:
    return "".join(box_text(view.box(thing)) for thing in ordered(view, things))


def horizontal_detection(views: Sequence[View], dice: Dice) -> Iterator[Question]:
    """All of a group as upright boxes, the number of them first."""
    view = views[0]
    for name in _groups(view, dice):
        found = view.scene.of(name)
        prompt = worded(
            dice,
            f"Detect all objects of the class {name}. Answer with their number and then one upright box for each, in "
            "pixels, such as 2 <box><x1><y1><x2><y2></box><box><x1><y1><x2><y2></box>; answer 0 if there is none.",
            f"请检测图中所有{ZH[name]}（{name}）。先回答数量，再用像素坐标逐个给出水平框，"
            "例如 2 <box><x1><y1><x2><y2></box><box><x1><y1><x2><y2></box>；若没有则回答0。",
        )
        answer = f"{len(found)} {_boxes(view, found)}".strip()
        yield Question(shots=(view.shot,), prompt=prompt, gt=answer, keys=(name, str(len(found))))


def rotated_detection(views: Sequence[View], dice: Dice) -> Iterator[Question]:
    """All of a group as turned rectangles, the number of them first."""
    view = views[0]
    for name in _groups(view, dice):
        found = ordered(view, view.scene.of(name))
        quads = "".join(points_text("quad", view.quad(thing)) for thing in found)
        prompt = worded(
            dice,
            f"Detect all objects of the class {name} with rotated boxes. Answer with their number and then the four "
            "corners of each, clockwise, in pixels: 1 <quad><x1><y1><x2><y2><x3><y3><x4><y4></quad>; "
            "answer 0 if there is none.",
            f"请用旋转框检测图中所有{ZH[name]}（{name}）。先回答数量，再按顺时针给出每个目标四个角点的像素坐标："
            "1 <quad><x1><y1><x2><y2><x3><y3><x4><y4></quad>；若没有则回答0。",
        )
        answer = f"{len(found)} {quads}".strip()
        yield Question(shots=(view.shot,), prompt=prompt, gt=answer, keys=(name, str(len(found))))


def _groups(view: View, dice: Dice) -> list[str]:
    """Groups to look for; now and then one that is not there."""
    present = {thing.group for thing in view.scene.things}
    if dice.chance(_ZERO_SHARE):
        return [dice.pick([group for group in GROUPS if group not in present])]
    return dice.some([group for group in sorted(present) if len(view.scene.of(group)) <= MOST], 5)


def horizontal_class(views: Sequence[View], dice: Dice) -> Iterator[Question]:
    """The group of what is in an upright box."""
    view = views[0]
    for thing in _one_each(view, dice, "group"):
        options = ", ".join(sorted((thing.group, *dice.some([g for g in GROUPS if g != thing.group], 5))))
        where = box_text(view.box(thing))
        prompt = worded(
            dice,
            f"What is the object in the region {where} (pixels)? Answer with one of: {options}.",
            f"区域 {where}（像素坐标）中的目标是什么类别？请只回答以下英文类别之一：{options}。",
        )
        yield Question(shots=(view.shot,), prompt=prompt, gt=thing.group, keys=(thing.group,))


def rotated_class(views: Sequence[View], dice: Dice) -> Iterator[Question]:
    """The class of what is in a turned rectangle; vehicles by kind."""
    view = views[0]
    labels = sorted({_label(kind) for kind in KINDS})
    for thing in _one_each(view, dice, "kind"):
        label = _label(thing.kind)
        options = ", ".join(sorted((label, *dice.some([each for each in labels if each != label], 5))))
        where = points_text("quad", view.quad(thing))
        prompt = worded(
            dice,
            f"Name the class of the object inside the rotated box {where} (corners in pixels). "
            f"Answer with one of: {options}.",
            f"旋转框 {where}（角点为像素坐标）内的目标属于哪一类？请只回答以下英文类别之一：{options}。",
        )
        yield Question(shots=(view.shot,), prompt=prompt, gt=label, keys=(label,))


def _label(kind: str) -> str:
    return kind if KINDS[kind].group == "vehicle" else KINDS[kind].group


def fine_grained(views: Sequence[View], dice: Dice) -> Iterator[Question]:
    """The kind within its group."""
    view = views[0]
    for thing in _one_each(view, dice, "kind"):
        kinds = GROUPS[thing.group]
        if len(kinds) < 2:
            continue
        options, where = ", ".join(dice.shuffled(kinds)), box_text(view.box(thing))
        prompt = worded(
            dice,
            f"Which kind of {thing.group} is in {where} (pixels)? Answer with one of: {options}.",
            f"{where}（像素坐标）中的{ZH[thing.group]}具体属于哪一种？请只回答以下英文名称之一：{options}。",
        )
        yield Question(shots=(view.shot,), prompt=prompt, gt=thing.kind, keys=(thing.kind,))


def _one_each(view: View, dice: Dice, by: str) -> list[Thing]:
    """One thing of each group or kind; never one inside another's frame, as a pitch in a track."""
    found = {getattr(thing, by): thing for thing in dice.shuffled(view.scene.things) if thing.kind != "running track"}
    return [found[name] for name in dice.shuffled(sorted(found))]


def grounding(views: Sequence[View], dice: Dice) -> Iterator[Question]:
    """One box for a phrase that fits one thing only."""
    view = views[0]
    for thing, english, chinese in _phrases(view, dice):
        prompt = worded(
            dice,
            f"Locate {english}. Answer with one box in pixels: <box><x1><y1><x2><y2></box>.",
            f"请定位{chinese}，用像素坐标回答一个框：<box><x1><y1><x2><y2></box>。",
        )
        yield Question(shots=(view.shot,), prompt=prompt, gt=box_text(view.box(thing)), keys=(thing.kind,))


def _phrases(view: View, dice: Dice) -> Iterator[tuple[Thing, str, str]]:
    for kind in dice.shuffled(sorted({thing.kind for thing in view.scene.things})):
        found = view.scene.of(kind)
        if len(found) == 1:
            yield found[0], f"the only {kind}", f"图中唯一的{ZH[kind]}"
            continue
        if view.mode == "colour" and found[0].group in COLOURED:
            for paint in dice.shuffled(sorted({thing.paint for thing in found})):
                like = [thing for thing in found if thing.paint == paint]
                if len(like) == 1:
                    yield like[0], f"the only {paint} {kind}", f"图中唯一的{ZH[paint]}{ZH[kind]}"
                else:
                    yield from _extreme(like, (f"{paint} {kind}", f"{ZH[paint]}{ZH[kind]}"), dice)
        yield from _extreme(found, (kind, ZH[kind]), dice)


def _extreme(found: list[Thing], names: tuple[str, str], dice: Dice) -> Iterator[tuple[Thing, str, str]]:
    """The one nearest to a corner, or the biggest, by a clear margin."""
    corner = dice.pick(list(_CORNERS))
    word, at = _CORNERS[corner]
    near = sorted(found, key=lambda thing: distance(thing.at, at))
    if distance(near[1].at, at) > distance(near[0].at, at) + 14:
        yield near[0], f"the {names[0]} nearest to the {corner} corner", f"离图像{word}角最近的{names[1]}"
    big = sorted(found, key=lambda thing: -thing.length * thing.width)
    if big[0].length * big[0].width > 1.3 * big[1].length * big[1].width:
        yield big[0], f"the largest {names[0]}", f"最大的{names[1]}"
