"""Captions of pictures and regions, with sentences that are true for the scene."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from msgspec.structs import replace

from sightline.suites.remote_sensing.generator.catalog import COLOURED, MOVING, Mode, format_count
from sightline.suites.remote_sensing.generator.questions import Question, View, article, box_text, format_prompt
from sightline.suites.remote_sensing.generator.questions.pixels import RADAR_LABELS, main_ground
from sightline.suites.remote_sensing.generator.scene import SIDE, SceneObject
from sightline.suites.remote_sensing.generator.seeded_random import SeededRandom
from sightline.suites.remote_sensing.generator.shapes import Point, distance

SENSORS: dict[Mode, tuple[str, ...]] = {
    "colour": ("aerial picture", "overhead picture", "satellite picture", "remote-sensing picture"),
    "false colour": ("near-infrared picture", "false-colour infrared picture"),
    "thermal": ("thermal infrared picture", "thermal picture"),
    "sar": ("radar picture", "synthetic-aperture radar picture", "SAR picture"),
}
_TAILS = (
    *("", "", "in this view", "seen from directly above", "under clear skies", "as seen from above"),
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
_SCENE_PHRASES = {
    "farmland": "area of farmland",
    "river": "river valley",
    "beach": "sandy beach",
    "harbor": "harbor area",
}


def brief(views: Sequence[View], rng: SeededRandom) -> Iterator[Question]:
    """15 to 20 words on the whole picture."""
    prompt = format_prompt(rng, "brief_caption")
    yield from _caption(views[0], prompt, partial(_brief, views[0], rng), (15, 20))


def detailed(views: Sequence[View], rng: SeededRandom) -> Iterator[Question]:
    """30 to 50 words on the whole picture."""
    prompt = format_prompt(rng, "detailed_caption")
    yield from _caption(views[0], prompt, partial(_detailed, views[0], rng), (30, 50))


def region(views: Sequence[View], rng: SeededRandom) -> Iterator[Question]:
    """15 to 20 words on one thing."""
    view = views[0]
    kinds = sorted({view.name_of(obj) for obj in view.scene.objects})
    for kind in rng.some(kinds, 3):
        obj = rng.pick(view.scene.objects_of(kind))
        prompt = format_prompt(rng, "region_caption", region=box_text(view.box(obj)))
        for question in _caption(view, prompt, partial(_region, view, obj, rng), (15, 20)):
            yield replace(question, keys=(kind,))


def _caption(view: View, prompt: str, draw: Callable[[], str], words: tuple[int, int]) -> Iterator[Question]:
    """A caption question with the first random draft of the required length; none where there is nothing to tell."""
    low, high = words
    drafts = (draw() for _ in range(_TRIES if view.scene.objects else 0))
    for text in drafts:
        if low <= len(text.split()) <= high:
            yield view.question(prompt, text, view.scene.scene_class)
            return


def _listed(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def _contents(view: View, rng: SeededRandom, most: int) -> list[str]:
    """Some of the kinds, with their numbers, the most frequent first."""
    kinds = Counter(view.name_of(obj) for obj in view.scene.objects)
    chosen = rng.some(sorted(kinds), rng.whole(2, most))
    return [format_count(kind, kinds[kind]) for kind in sorted(chosen, key=lambda kind: (-kinds[kind], kind))]


def _brief(view: View, rng: SeededRandom) -> str:
    sensor = rng.pick(SENSORS[view.mode])
    phrase = _place(view)
    contents = _listed(_contents(view, rng, 4))
    ground = _ground(view)
    tail = rng.pick(_tails(view))
    text = rng.pick(
        (
            f"This {sensor} shows {article(phrase)} with {contents} {tail}",
            f"{article(phrase).capitalize()} with {contents} and {ground} around them can be seen in this {sensor}",
            f"There are {contents} in this {sensor} of {article(phrase)} {tail}",
            f"In this {sensor}, {contents} stand out against {ground} in {article(phrase)}",
            f"{contents.capitalize()} are visible in {article(phrase)} surrounded by {ground} {tail}",
        )
    )
    return f"{text.strip()}."


def _place(view: View) -> str:
    """What the scene is, where enough of it is seen."""
    scene_class = view.scene.scene_class
    return _SCENE_PHRASES.get(scene_class, scene_class) if view.tells_scene_class else "piece of land"


def _tails(view: View) -> Sequence[str]:
    """Endings that are true for the weather and the view."""
    acquisition = view.scene.acquisition
    is_clear = not acquisition.clouds and not acquisition.haze and not acquisition.is_radar
    is_upright = acquisition.lean == (0.0, 0.0)
    return [
        tail
        for tail in _TAILS
        if (is_clear or tail != "under clear skies") and (is_upright or tail != "seen from directly above")
    ]


def _ground(view: View) -> str:
    ground = main_ground(view.scene, view.seed)
    return _GROUND_WORDS[ground] if view.mode != "sar" or ground in RADAR_LABELS else "open ground"


def _detailed(view: View, rng: SeededRandom) -> str:
    sensor = rng.pick(SENSORS[view.mode])
    phrase = _place(view)
    contents = _listed(_contents(view, rng, 6))
    opening = rng.pick(
        (
            f"This {sensor} shows {article(phrase)} with {contents}.",
            f"The {sensor} gives a view of {article(phrase)}, where {contents} can be counted.",
            f"{article(phrase).capitalize()} is seen from above, with {contents} in the {sensor}.",
        )
    )
    obj = rng.pick(view.scene.objects)
    named = _named(view, obj)
    middle = rng.pick(
        (
            f"In the {position(obj.centre)} part of the picture, {article(named)} can be found{_location(view, obj)}.",
            f"{article(named).capitalize()} lies{_location(view, obj)} in the {position(obj.centre)} part.",
        )
    )
    trees = _tree_count(view)
    greenery = "many trees" if trees > 60 else "some trees" if trees > 8 else "hardly any trees"
    end = rng.pick(
        (
            f"The surroundings are mostly {_ground(view)}, and there are {greenery}.",
            f"Around them there is {_ground(view)} with {greenery}.",
            f"Most of the ground is {_ground(view)} and {greenery} are to be seen.",
        )
    )
    return " ".join((opening, middle, end))


def _location(view: View, obj: SceneObject) -> str:
    """Where it is, after a space; radar does not tell."""
    return f" {obj.location}" if view.mode != "sar" else ""


def _tree_count(view: View) -> float:
    """Number of trees; under clouds and at other scales, about as many as a clear standard picture would show."""
    acquisition = view.scene.acquisition
    return len(view.scene.trees) * (1 - acquisition.clouds) * min(acquisition.scale, 1) ** 2


def _named(view: View, obj: SceneObject) -> str:
    """The kind, with its colour where that can be seen."""
    name = view.name_of(obj)
    return f"{obj.paint} {name}" if view.tells_colours and obj.group in COLOURED else name


def _region(view: View, obj: SceneObject, rng: SeededRandom) -> str:
    named = article(_named(view, obj))
    where, location = position(obj.centre), _location(view, obj)
    others = [other for other in view.scene.objects if other.id != obj.id]
    nearest = min(others, key=lambda other: distance(other.at, obj.at)) if others else None
    other = article(view.name_of(nearest)) if nearest else ""
    near = rng.pick(("", f"close to {other}", f"with {other} nearby")) if nearest else ""
    has_front = obj.group in MOVING and view.tells_kinds
    direction_text = f"pointing to the {heading(obj.angle)}" if has_front else rng.pick(("", "seen from above"))
    sensor = rng.pick(SENSORS[view.mode])
    text = rng.pick(
        (
            f"{named.capitalize()}{location} in the {where} part of the picture, {direction_text} {near}",
            f"{named.capitalize()}{location} in the {where} part of the picture {near}",
            f"The region holds {named} that lies{location} in the {where} part of the picture {near}",
            f"There is {named}{location}, {direction_text} {near}, in the {where} part of this {sensor}",
            f"In the {where} part of the picture stands {named}{location} {near}, clearly visible from above",
        )
    )
    return f"{' '.join(text.split())}.".replace(" ,", ",").replace(",,", ",").replace(",.", ".")


def position(at: Point) -> str:
    """Description of the cell of a 3 × 3 grid in which a point lies."""
    across = ("left", "", "right")[min(int(at[0] * 3 / SIDE), 2)]
    down = ("upper", "", "lower")[min(int(at[1] * 3 / SIDE), 2)]
    return f"{down} {across}".strip() or "central"


def heading(angle: float) -> str:
    """One of eight directions in the picture."""
    names = ("right", "lower right", "bottom", "lower left", "left", "upper left", "top", "upper right")
    return names[round(angle / (math.pi / 4)) % 8]
