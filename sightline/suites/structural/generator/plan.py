"""Plan of a data set: cycles through difficulties and their categories, without unsound or duplicate models."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

from msgspec import Struct

from sightline.core.errors import ConfigError, UsageError
from sightline.suites.structural.drawing.png import to_png
from sightline.suites.structural.drawing.svg import to_svg
from sightline.suites.structural.fem.mechanism import MechanismError
from sightline.suites.structural.fem.solver import Structure
from sightline.suites.structural.framecalc.analysis import to_frame
from sightline.suites.structural.framecalc.writer import write_model
from sightline.suites.structural.generator import beams, frames, trusses
from sightline.suites.structural.generator.model_builder import ModelBuilder, SeededRandom
from sightline.suites.structural.generator.pictures.model_drawing import DrawingLayout, lay_out_drawing
from sightline.suites.structural.generator.pictures.style import Language, Style, draw_style
from sightline.suites.structural.model import (
    CATEGORIES,
    Category,
    DistributedLoad,
    Force,
    Load,
    Model,
    Moment,
    difficulty_of,
)
from sightline.suites.structural.suite import Recipe

DIFFICULTIES: dict[Category, tuple[int, ...]] = {"beam": (1, 2), "frame": (2, 3, 4, 5), "truss": (2, 3, 4)}
"""Possible difficulties by category."""
_MIN_FORCE = 1.0
"""kN or kN·m: the largest axial force or moment of a model worth drawing."""
_MIN_SHARE = 0.03
"""Of the model's largest axial force or moment that each load must bring about alone."""


def is_sound(model: Model) -> bool:
    """Whether a model is stable, stressed, and without irrelevant loads or unloaded arms."""
    if _has_idle_arm(model):
        return False
    try:
        structure = Structure(to_frame(model))
        cases = [structure.frame.loads, *([load] for load in structure.frame.loads)]
        peaks = [solution.peak() for solution in structure.solve_many(cases)]
    except MechanismError:
        return False
    whole, *alone = peaks
    scale = max(whole.n, whole.m)
    return scale >= _MIN_FORCE and all(max(peak.n, peak.m) > _MIN_SHARE * scale for peak in alone)


def _has_idle_arm(model: Model) -> bool:
    """Whether a cantilever arm has no load on it or at its tip, so that it would be unstressed."""
    ends = Counter(end for link in model.links for end in (link.a, link.b))
    busy = {support.point for support in model.supports} | {load.link for load in model.loads}
    busy |= {load.point for load in model.loads if not isinstance(load, DistributedLoad)}
    return any(
        ends[tip] == 1 and tip not in busy and link.id not in busy for link in model.links for tip in (link.a, link.b)
    )


_MAX_TRIES = 400


class Item(Struct, frozen=True, kw_only=True):
    """A planned sample: a model and its drawing."""

    name: str
    category: Category
    difficulty: int
    model: Model
    style: Style
    layout: DrawingLayout


def parse_difficulties(text: str) -> tuple[int, ...]:
    """Parse a list of ranges such as "1-3" or "2,5" into sorted numbers."""
    numbers: set[int] = set()
    for part in text.split(","):
        match = re.fullmatch(r"\s*([1-5])\s*(?:-\s*([1-5])\s*)?", part)
        if not match or int(match[1]) > int(match[2] or match[1]):
            raise ConfigError(
                "Invalid value '{value}' for difficulty: expected a form such as 3, 2,4 or 1-5", value=text
            )
        numbers.update(range(int(match[1]), int(match[2] or match[1]) + 1))
    return tuple(sorted(numbers))


def difficulty_schedule(recipe: Recipe) -> list[tuple[int, list[Category]]]:
    """The requested difficulties, each with the categories that have it."""
    allowed = [category for category in CATEGORIES if not recipe.category or category in recipe.category]
    levels = parse_difficulties(recipe.difficulty)
    schedule = [(level, [category for category in allowed if level in DIFFICULTIES[category]]) for level in levels]
    possible = [(level, categories) for level, categories in schedule if categories]
    if not possible:
        raise ConfigError(
            "no {category} has difficulty {difficulty}",
            hint="beams have 1 or 2, trusses 2 to 4, frames 2 to 5",
            category=", ".join(allowed),
            difficulty=recipe.difficulty,
        )
    return possible


def plan_items(count: int, seed: int, recipe: Recipe) -> Iterator[Item]:
    """Generate `count` items lazily."""
    if count < 1:
        raise UsageError("A data set needs at least one drawing, not {count}.", count=count)
    schedule = difficulty_schedule(recipe)
    seen: set[object] = set()
    for index in range(count):
        difficulty, categories = schedule[index % len(schedule)]
        category = categories[index // len(schedule) % len(categories)]
        yield _item(index, category, difficulty, seed, recipe, seen)


def _item(index: int, category: Category, difficulty: int, seed: int, recipe: Recipe, seen: set[object]) -> Item:
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
    return rng.pick(frames.FAMILIES)(rng) if difficulty == 2 else frames.grid(rng, difficulty)


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


IMAGES, VECTORS, MODELS = "images", "images_svg", "raw_models"


def generate(out: Path, count: int, seed: int, recipe: Recipe | None = None) -> None:
    """Write `count` drawings (PNG and SVG) with their models; the same seed writes the same bytes."""
    for name in (IMAGES, VECTORS, MODELS):
        (out / name).mkdir(parents=True, exist_ok=True)
    for item in plan_items(count, seed, recipe or Recipe()):
        drawing = item.layout.drawing
        (out / IMAGES / f"{item.name}.png").write_bytes(to_png(drawing, item.style.scan))
        _write(out / VECTORS / f"{item.name}.svg", to_svg(drawing))
        _write(out / MODELS / f"{item.name}.json", json.dumps(write_model(item.model), indent=1) + "\n")


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="\n")
