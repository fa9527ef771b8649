"""Settings of the generator."""

from __future__ import annotations

import re
from typing import Annotated

from msgspec import Struct

from sightline.core.errors import ConfigError
from sightline.core.settings import setting
from sightline.suites.structural.difficulty import CATEGORIES, Category

DIFFICULTIES: dict[Category, tuple[int, ...]] = {"beam": (1, 2), "frame": (2, 3, 4, 5), "truss": (2, 3, 4)}
"""Possible difficulties by category."""


class Recipe(Struct, frozen=True, kw_only=True):
    """Settings of the generator."""

    difficulty: Annotated[str, setting("difficulties from 1 to 5, such as 1-5 or 2,3")] = "1-5"
    category: Annotated[tuple[str, ...], setting("only these kinds of structure", choices=CATEGORIES)] = ()
    language: Annotated[
        str,
        setting(
            "language of the few words in a drawing; Chinese needs a typeface that has it, else signs stand instead",
            choices=("en", "zh", "mixed"),
        ),
    ] = "en"


def parse_difficulties(text: str) -> tuple[int, ...]:
    """Parse a list of ranges such as "1-3" or "2,5" into sorted numbers."""
    numbers: set[int] = set()
    for part in text.split(","):
        match = re.fullmatch(r"\s*([1-5])\s*(?:-\s*([1-5])\s*)?", part)
        if not match or int(match[1]) > int(match[2] or match[1]):
            raise ConfigError("difficulty can't be '{value}': it is written such as 3, 2,4 or 1-5", value=text)
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
