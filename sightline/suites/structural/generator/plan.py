"""Which drawings a set holds: difficulties take turns, and within one its categories; no two models are alike."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct

from sightline.core.errors import UsageError
from sightline.suites.structural.difficulty import Category, difficulty_of
from sightline.suites.structural.generator.dice import Dice
from sightline.suites.structural.generator.kinds import beams, frames, grids, trusses
from sightline.suites.structural.generator.pictures.compose import Drawn, draw
from sightline.suites.structural.generator.pictures.style import Language, Style, draw_style
from sightline.suites.structural.generator.recipe import Recipe, places
from sightline.suites.structural.generator.sketch import Sketch
from sightline.suites.structural.generator.soundness import is_sound
from sightline.suites.structural.model import DistributedLoad, Force, Load, Model, Moment

_TRIES = 400


class Item(Struct, frozen=True, kw_only=True):
    """One question: a model and its drawing."""

    name: str
    category: Category
    difficulty: int
    model: Model
    style: Style
    drawn: Drawn


def plan(count: int, seed: int, recipe: Recipe) -> Iterator[Item]:
    """So many items, one after the other."""
    if count < 1:
        raise UsageError("A data set needs at least one drawing, not {count}.", count=count)
    turns = places(recipe)
    seen: set[object] = set()
    for place in range(count):
        difficulty, categories = turns[place % len(turns)]
        category = categories[place // len(turns) % len(categories)]
        yield _item(place, (category, difficulty), seed, recipe, seen)


def _item(place: int, want: tuple[Category, int], seed: int, recipe: Recipe, seen: set[object]) -> Item:
    category, difficulty = want
    for attempt in range(_TRIES):
        dice = Dice(seed, place, attempt)
        model = sketch(category, difficulty, dice).model()
        key = canonical(model)
        if key in seen or difficulty_of(model, category) != difficulty or not model.loads or not is_sound(model):
            continue
        style = draw_style(dice, _language(recipe.language, dice))
        drawn = draw(model, style)
        if drawn.clashes:
            continue
        seen.add(key)
        name = f"{category}_{place + 1:03d}"
        return Item(name=name, category=category, difficulty=difficulty, model=model, style=style, drawn=drawn)
    raise UsageError(
        "No new {category} of difficulty {difficulty} was found after {count} tries.",
        hint="Ask for fewer drawings, or for more kinds of them.",
        category=category,
        difficulty=difficulty,
        count=_TRIES,
    )


def sketch(category: Category, difficulty: int, dice: Dice) -> Sketch:
    """A candidate; its difficulty is about right, its soundness not yet known."""
    if category == "beam":
        return dice.pick(beams.HINGED if difficulty == 2 else beams.FAMILIES)(dice)
    if category == "truss":
        family, panels = dice.pick(trusses.FAMILIES[difficulty])
        return family(dice, dice.pick(panels))
    return dice.pick(frames.FAMILIES)(dice) if difficulty == 2 else grids.grid(dice, difficulty)


def _language(asked: str, dice: Dice) -> Language:
    if asked == "mixed":
        return dice.pick(("en", "zh"))
    return "zh" if asked == "zh" else "en"


def canonical(model: Model) -> object:
    """The same for two models that differ in names and order only."""
    at = {point.id: (point.x, point.y) for point in model.points}
    ends = {link.id: (at[link.a], at[link.b]) for link in model.links}
    links = frozenset((*ends[link.id], link.hinge_a, link.hinge_b) for link in model.links)
    supports = frozenset((at[support.point], support.kind, support.angle) for support in model.supports)
    loads = tuple(sorted(map(str, (_load_key(load, at, ends) for load in model.loads))))
    return links, supports, loads


def _load_key(load: Load, at: dict[str, tuple[float, float]], ends: Mapping[str, object]) -> tuple[object, ...]:
    if isinstance(load, DistributedLoad):
        return ends[load.link], load.begin, load.end, load.w_begin, load.w_end, load.angle
    place = at[load.point] if load.point else (ends[load.link], load.offset)
    match load:
        case Force():
            return place, load.value, load.angle
        case Moment():
            return place, load.value
