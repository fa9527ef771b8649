"""Captions of pictures and regions, in sentences that the scene makes true."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from msgspec.structs import replace

from sightline.suites.remote_sensing.generator.catalog import COLOURED, MOVING, counted
from sightline.suites.remote_sensing.generator.dice import Dice
from sightline.suites.remote_sensing.generator.materials import Mode
from sightline.suites.remote_sensing.generator.questions.base import Question, View, article, box_text, worded
from sightline.suites.remote_sensing.generator.questions.pixels import main_ground
from sightline.suites.remote_sensing.generator.scene import SIDE, Thing
from sightline.suites.remote_sensing.generator.shapes import Point, distance

SENSORS: dict[Mode, tuple[str, ...]] = {
    "colour": ("aerial picture", "overhead picture", "satellite picture", "remote-sensing picture"),
    "false colour": ("near-infrared picture", "false-colour infrared picture"),
    "thermal": ("thermal infrared picture", "thermal picture"),
}
_TAILS = (
    "",
    "",
    "in this view",
    "seen from directly above",
    "under clear skies",
    "as seen from above",
    "in the scene shown here",
)
_TRIES = 400
_GROUND_WORDS = {
    "water": "open water",
    "grass": "grass",
    "trees": "woodland",
    "cropland": "cropland",
    "pavement": "paved ground",
    "bare ground": "bare ground",
    "road": "asphalt",
    "runway": "asphalt",
}
_PLACES = {"farmland": "area of farmland", "river": "river valley", "beach": "sandy beach", "harbor": "harbor area"}


def brief(views: Sequence[View], dice: Dice) -> Iterator[Question]:
    """15 to 20 words on the whole picture."""
    view = views[0]
    prompt = worded(
        dice,
        "Describe this remote-sensing picture in one sentence of 15 to 20 words.",
        "请用一句15到20个英文单词的话简洁描述这张遥感图像。",
    )
    yield _caption(view, prompt, partial(_brief, view, dice), (15, 20))


def detailed(views: Sequence[View], dice: Dice) -> Iterator[Question]:
    """30 to 50 words on the whole picture."""
    view = views[0]
    prompt = worded(
        dice,
        "Describe this remote-sensing picture in detail, in 30 to 50 words.",
        "请用30到50个英文单词详细描述这张遥感图像。",
    )
    yield _caption(view, prompt, partial(_detailed, view, dice), (30, 50))


def region(views: Sequence[View], dice: Dice) -> Iterator[Question]:
    """15 to 20 words on one thing."""
    view = views[0]
    kinds = sorted({thing.kind for thing in view.scene.things})
    for kind in dice.some(kinds, 3):
        thing = dice.pick(view.scene.of(kind))
        where = box_text(view.box(thing))
        prompt = worded(
            dice,
            f"Describe the object in the region {where} (pixels) in 15 to 20 words.",
            f"请用15到20个英文单词描述区域 {where}（像素坐标）中的目标。",
        )
        made = _caption(view, prompt, partial(_region, view, thing, dice), (15, 20))
        yield replace(made, keys=(kind,))


def _caption(view: View, prompt: str, draw: Callable[[], str], words: tuple[int, int]) -> Question:
    """The first draft of the asked length."""
    low, high = words
    drafts = (draw() for _ in range(_TRIES))
    text = next(draft for draft in drafts if low <= len(draft.split()) <= high)
    return Question(shots=(view.shot,), prompt=prompt, gt=text, keys=(view.scene.place,))


def _listed(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def _contents(view: View, dice: Dice, most: int) -> list[str]:
    """Some of the kinds, with their numbers, the most frequent first."""
    kinds = Counter(thing.kind for thing in view.scene.things)
    chosen = dice.some(sorted(kinds), dice.whole(2, most))
    return [counted(kind, kinds[kind]) for kind in sorted(chosen, key=lambda kind: (-kinds[kind], kind))]


def _brief(view: View, dice: Dice) -> str:
    sensor, place = dice.pick(SENSORS[view.mode]), _PLACES.get(view.scene.place, view.scene.place)
    contents = _listed(_contents(view, dice, 4))
    ground = _ground(view)
    tail = dice.pick(_TAILS)
    text = dice.pick(
        (
            f"This {sensor} shows {article(place)} with {contents} {tail}",
            f"{article(place).capitalize()} with {contents} and {ground} around them can be seen in this {sensor}",
            f"There are {contents} in this {sensor} of {article(place)} {tail}",
            f"In this {sensor}, {contents} stand out against {ground} in {article(place)}",
            f"{contents.capitalize()} are visible in {article(place)} surrounded by {ground} {tail}",
        )
    )
    return f"{text.strip()}."


def _ground(view: View) -> str:
    return _GROUND_WORDS[main_ground(view.scene)]


def _detailed(view: View, dice: Dice) -> str:
    sensor, place = dice.pick(SENSORS[view.mode]), _PLACES.get(view.scene.place, view.scene.place)
    contents = _listed(_contents(view, dice, 6))
    opening = dice.pick(
        (
            f"This {sensor} shows {article(place)} with {contents}.",
            f"The {sensor} gives a view of {article(place)}, where {contents} can be counted.",
            f"{article(place).capitalize()} is seen from above, with {contents} in the {sensor}.",
        )
    )
    thing = dice.pick(view.scene.things)
    named = _named(view, thing)
    middle = dice.pick(
        (
            f"In the {position(thing.at)} part of the picture, {article(named)} can be found {thing.place}.",
            f"{article(named).capitalize()} lies {thing.place} in the {position(thing.at)} part.",
        )
    )
    trees = len(view.scene.trees)
    greenery = "many trees" if trees > 60 else "some trees" if trees > 8 else "hardly any trees"
    end = dice.pick(
        (
            f"The surroundings are mostly {_ground(view)}, and there are {greenery}.",
            f"Around them there is {_ground(view)} with {greenery}.",
            f"Most of the ground is {_ground(view)} and {greenery} are to be seen.",
        )
    )
    return " ".join((opening, middle, end))


def _named(view: View, thing: Thing) -> str:
    """The kind, with its colour where that can be seen."""
    coloured = view.mode == "colour" and thing.group in COLOURED
    return f"{thing.paint} {thing.kind}" if coloured else thing.kind


def _region(view: View, thing: Thing, dice: Dice) -> str:
    named = article(_named(view, thing))
    where = position(thing.at)
    others = [other for other in view.scene.things if other.id != thing.id]
    other = min(others, key=lambda each: distance(each.at, thing.at)) if others else None
    near = dice.pick(("", f"close to {article(other.kind)}", f"with {article(other.kind)} nearby")) if other else ""
    way = f"pointing to the {heading(thing.angle)}" if thing.group in MOVING else dice.pick(("", "seen from above"))
    sensor = dice.pick(SENSORS[view.mode])
    text = dice.pick(
        (
            f"{named.capitalize()} {thing.place} in the {where} part of the picture, {way} {near}",
            f"{named.capitalize()} {thing.place} in the {where} part of the picture {near}",
            f"The region holds {named} that lies {thing.place} in the {where} part of the picture {near}",
            f"There is {named} {thing.place}, {way} {near}, in the {where} part of this {sensor}",
            f"In the {where} part of the picture stands {named} {thing.place} {near}, clearly visible from above",
        )
    )
    return f"{' '.join(text.split())}.".replace(" ,", ",").replace(",,", ",").replace(",.", ".")


def position(at: Point) -> str:
    """Which ninth of the picture a point is in."""
    across = ("left", "", "right")[min(int(at[0] * 3 / SIDE), 2)]
    down = ("upper", "", "lower")[min(int(at[1] * 3 / SIDE), 2)]
    return f"{down} {across}".strip() or "central"


def heading(angle: float) -> str:
    """One of eight directions in the picture."""
    names = ("right", "lower right", "bottom", "lower left", "left", "upper left", "top", "upper right")
    return names[round(angle / (math.pi / 4)) % 8]
