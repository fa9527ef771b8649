"""Questions on whole pictures: retrieval, classes, presence and counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from sightline.suites.remote_sensing.generator.catalog import COLOURED, GROUPS, KINDS, ZH, plural
from sightline.suites.remote_sensing.generator.dice import Dice
from sightline.suites.remote_sensing.generator.places.all import PLACES
from sightline.suites.remote_sensing.generator.questions.base import Question, View, article, worded
from sightline.suites.remote_sensing.generator.scene import SIDE, Thing

PLACES_ZH = dict(
    zip(PLACES, ("机场", "港口", "居民区", "工业区", "农田", "运动场", "河流", "道路交叉口", "海滩"), strict=True)
)


def retrieval(views: Sequence[View], dice: Dice) -> Iterator[Question]:
    """Which of several pictures show something."""
    for _ in range(4):
        chosen = dice.some(views, dice.whole(4, 6))
        seen = Counter(name for view in chosen for name in {*(t.group for t in view.scene.things), *_kinds(view)})
        names = [name for name, count in seen.items() if count < len(chosen)]
        name = dice.pick(sorted(names))
        found = [str(k) for k, view in enumerate(chosen, 1) if view.scene.of(name)]
        prompt = worded(
            dice,
            f"There are {len(chosen)} pictures, numbered from 1. Which of them show at least one {{name}}? "
            "Answer with the numbers in ascending order, separated by commas, such as 1,3.",
            f"共有{len(chosen)}张图片，从1开始编号。哪些图片中至少有一个{{name}}？"
            "请按升序回答图片编号，用英文逗号分隔，例如 1,3。",
            name=name,
        )
        answer = ",".join(found)
        yield Question(shots=tuple(view.shot for view in chosen), prompt=prompt, gt=answer, keys=(answer, name))


def _kinds(view: View) -> set[str]:
    return {thing.kind for thing in view.scene.things}


def classification(views: Sequence[View], dice: Dice) -> Iterator[Question]:
    """The kind of place, or all kinds of things that are there."""
    view = views[0]
    options = ", ".join(dice.shuffled(list(PLACES)))
    prompt = worded(
        dice,
        f"Classify this remote-sensing picture. Answer with one of these labels only: {options}.",
        f"请对这张遥感图像进行场景分类，只回答以下英文标签之一：{options}。",
    )
    place = view.scene.place
    yield Question(shots=(view.shot,), prompt=prompt, gt=place, keys=("place", place))
    present = sorted(_kinds(view))
    shown = dice.some(present, dice.whole(1, 4))
    absent = dice.some([kind for kind in KINDS if kind not in present], 6 - len(shown))
    if not shown:
        return
    listed = ", ".join(sorted((*shown, *absent)))
    prompt = worded(
        dice,
        f"Which of these classes are in the picture: {listed}? "
        "Answer with all that are, separated by semicolons, such as car;truck.",
        f"图中出现了以下哪些类别：{listed}？请回答所有出现的英文类别，用英文分号分隔，例如 car;truck。",
    )
    yield Question(
        shots=(view.shot,), prompt=prompt, gt=";".join(sorted(shown)), keys=("things", ";".join(sorted(shown)))
    )


def presence(views: Sequence[View], dice: Dice) -> Iterator[Question]:
    """Yes or no: is it there, are there more than so many, is there one of a colour."""
    view = views[0]
    for name in dice.some([*GROUPS, *KINDS], 6):
        found = view.scene.of(name)
        prompt = worded(
            dice,
            f"Is there {article(name)} in the picture? Answer with Yes or No.",
            "图中是否有{name}？请回答Yes或No。",
            name=name,
        )
        yield _yes_no(view, prompt, bool(found), name)
        if len(found) > 1:
            limit = max(len(found) + dice.pick((-1, 0, 1, -2)), 1)
            prompt = worded(
                dice,
                f"Are there more than {limit} {plural(name)} in the picture? Answer with Yes or No.",
                f"图中的{{name}}是否多于{limit}个？请回答Yes或No。",
                name=name,
            )
            yield _yes_no(view, prompt, len(found) > limit, f"more {name}")
        if found and view.mode == "colour" and found[0].group in COLOURED:
            paint = dice.pick(KINDS[found[0].kind].paints)
            prompt = worded(
                dice,
                f"Is any {name} in the picture {paint}? Answer with Yes or No.",
                "图中是否有{paint}的{name}？请回答Yes或No。",
                name=name,
                paint=paint,
            )
            yield _yes_no(view, prompt, any(thing.paint == paint for thing in found), f"colour {name}")


def _yes_no(view: View, prompt: str, holds: bool, subject: str) -> Question:
    answer = "Yes" if holds else "No"
    return Question(shots=(view.shot,), prompt=prompt, gt=answer, keys=(answer, f"{subject} {answer}"))


_HALVES: dict[str, tuple[str, Callable[[Thing], bool]]] = {
    "left": ("左", lambda thing: thing.at[0] < SIDE / 2),
    "right": ("右", lambda thing: thing.at[0] >= SIDE / 2),
    "upper": ("上", lambda thing: thing.at[1] < SIDE / 2),
    "lower": ("下", lambda thing: thing.at[1] >= SIDE / 2),
}


def count_question(views: Sequence[View], dice: Dice) -> Iterator[Question]:
    """How many of a kind, of a colour, or in one half of the picture."""
    view = views[0]
    for name in dice.some([*GROUPS, *KINDS], 9):
        found = view.scene.of(name)
        if len(found) > 25:
            continue
        prompt = worded(
            dice,
            f"How many {plural(name)} are in the picture? Answer with a number.",
            "图中有多少个{name}？请只回答一个数字。",
            name=name,
        )
        yield _number(view, prompt, len(found), name)
        if len(found) < 2:
            continue
        half = dice.pick(list(_HALVES))
        word, lies = _HALVES[half]
        prompt = worded(
            dice,
            f"How many {plural(name)} have their centre in the {half} half of the picture? Answer with a number.",
            f"图像{word}半部分（以中心点为准）有多少个{{name}}？请只回答一个数字。",
            name=name,
        )
        yield _number(view, prompt, sum(map(lies, found)), name)
        if view.mode == "colour" and found[0].group in COLOURED:
            paint = dice.pick(found).paint
            prompt = worded(
                dice,
                f"How many {paint} {plural(name)} are in the picture? Answer with a number.",
                "图中有多少个{paint}的{name}？请只回答一个数字。",
                name=name,
                paint=paint,
            )
            yield _number(view, prompt, sum(thing.paint == paint for thing in found), name)


def counting(views: Sequence[View], dice: Dice) -> Iterator[Question]:
    """How many of a group there are in all."""
    view = views[0]
    for name in dice.shuffled(sorted({thing.group for thing in view.scene.things})):
        prompt = worded(
            dice,
            f"Count the objects of the class {name} in this remote-sensing picture. Answer with the number only.",
            f"请统计这张遥感图像中{ZH[name]}（{name}）的总数，只回答数字。",
        )
        yield _number(view, prompt, len(view.scene.of(name)), name)


def _number(view: View, prompt: str, count: int, name: str) -> Question:
    return Question(shots=(view.shot,), prompt=prompt, gt=str(count), keys=(str(count), name))
