"""Plan of a dataset: cycles through difficulties and their categories, without duplicate models."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct

from sightline.core.errors import UsageError
from sightline.suites.structural.difficulty import Category, difficulty_of
from sightline.suites.structural.generator.families import beams, frames, grids, trusses
from sightline.suites.structural.generator.model_builder import ModelBuilder
from sightline.suites.structural.generator.pictures.compose import DrawingLayout, lay_out_drawing
from sightline.suites.structural.generator.pictures.style import Language, Style, draw_style
from sightline.suites.structural.generator.recipe import Recipe, difficulty_schedule
from sightline.suites.structural.generator.seeded_random import SeededRandom
from sightline.suites.structural.generator.soundness import is_sound
from sightline.suites.structural.model import DistributedLoad, Force, Load, Model, Moment

_MAX_TRIES = 400


class Item(Struct, frozen=True, kw_only=True):
    """A planned sample: a model and its drawing."""

    name: str
    category: Category
    difficulty: int
    model: Model
    style: Style
    layout: DrawingLayout


def plan_items(count: int, seed: int, recipe: Recipe) -> Iterator[Item]:
    """Generate `count` items lazily."""
    if count < 1:
        raise UsageError("A data set needs at least one drawing, not {count}.", count=count)
    schedule = difficulty_schedule(recipe)
    seen: set[object] = set()
    for index in range(count):
        difficulty, categories = schedule[index % len(schedule)]
        category = categories[index // len(schedule) % len(categories)]
        yield _item(index, (category, difficulty), seed, recipe, seen)


def _item(index: int, kind: tuple[Category, int], seed: int, recipe: Recipe, seen: set[object]) -> Item:
    category, difficulty = kind
    for attempt in range(_MAX_TRIES):
        rng = SeededRandom(seed, index, attempt)
        model = build_candidate(category, difficulty, rng).model()
        key = canonical_key(model)
        if key in seen or difficulty_of(model, category) != difficulty or not model.loads or not is_sound(model):
            continue
        style = draw_style(rng, _language(recipe.language, rng))
        layout = lay_out_drawing(model, style)
        if layout.clashes:
            continue
        seen.add(key)
        name = f"{category}_{index + 1:03d}"
        return Item(name=name, category=category, difficulty=difficulty, model=model, style=style, layout=layout)
    raise UsageError(
        "No new {category} of difficulty {difficulty} was found after {count} tries.",
        hint="Ask for fewer drawings, or for more kinds of them.",
        category=category,
        difficulty=difficulty,
        count=_MAX_TRIES,
    )


def build_candidate(category: Category, difficulty: int, rng: SeededRandom) -> ModelBuilder:
    """A random candidate of a category and approximate difficulty, not yet checked."""
    if category == "beam":
        return rng.pick(beams.HINGED if difficulty == 2 else beams.FAMILIES)(rng)
    if category == "truss":
        family, panels = rng.pick(trusses.FAMILIES[difficulty])
        return family(rng, rng.pick(panels))
    return rng.pick(frames.FAMILIES)(rng) if difficulty == 2 else grids.grid(rng, difficulty)


def _language(language: str, rng: SeededRandom) -> Language:
    if language == "mixed":
        return rng.pick(("en", "zh"))
    return "zh" if language == "zh" else "en"


def canonical_key(model: Model) -> object:
    """Key for finding duplicates: equal for two models that differ only in ids and order."""
    at = {point.id: (point.x, point.y) for point in model.points}
    ends = {link.id: (at[link.a], at[link.b]) for link in model.links}
    links = frozenset((*ends[link.id], link.hinge_a, link.hinge_b) for link in model.links)
    supports = frozenset((at[support.point], support.kind, support.angle) for support in model.supports)
    loads = tuple(sorted(map(str, (_load_key(load, at, ends) for load in model.loads))))
    return links, supports, loads


def _load_key(load: Load, at: dict[str, tuple[float, float]], ends: Mapping[str, object]) -> tuple[object, ...]:
    if isinstance(load, DistributedLoad):
        return ends[load.link], load.begin, load.end, load.w_begin, load.w_end, load.angle
    location = at[load.point] if load.point else (ends[load.link], load.offset)
    match load:
        case Force():
            return location, load.value, load.angle
        case Moment():
            return location, load.value
