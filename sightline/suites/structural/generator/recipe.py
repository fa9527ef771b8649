"""What a set of drawings is to hold."""

from __future__ import annotations

import re
from typing import Annotated

from msgspec import Struct

from sightline.core.errors import ConfigError
from sightline.core.settings import setting
from sightline.suites.structural.difficulty import CATEGORIES, Category

DIFFICULTIES: dict[Category, tuple[int, ...]] = {"beam": (1, 2), "frame": (2, 3, 4, 5), "truss": (2, 3, 4)}
"""Which difficulties a category can have."""


class Recipe(Struct, frozen=True, kw_only=True):
    """The generator's own settings."""

    difficulty: Annotated[str, setting("difficulties from 1 to 5, such as 1-5 or 2,3")] = "1-5"
    category: Annotated[tuple[str, ...], setting("only these kinds of structure", choices=CATEGORIES)] = ()
    language: Annotated[
        str,
        setting(
            "language of the few words in a drawing; Chinese needs a typeface that has it, else signs stand instead",
            choices=("en", "zh", "mixed"),
        ),
    ] = "en"


def difficulties(text: str) -> tuple[int, ...]:
    """The numbers that "1-3" or "2,5" spell, in rising order."""
    found: set[int] = set()
    for part in text.split(","):
        match = re.fullmatch(r"\s*([1-5])\s*(?:-\s*([1-5])\s*)?", part)
        if not match or int(match[1]) > int(match[2] or match[1]):
            raise ConfigError("difficulty can't be '{value}': it is written such as 3, 2,4 or 1-5", value=text)
        found.update(range(int(match[1]), int(match[2] or match[1]) + 1))
    return tuple(sorted(found))


def places(recipe: Recipe) -> list[tuple[int, list[Category]]]:
    """The difficulties that are asked for, each with the categories that have it."""
    wanted = [category for category in CATEGORIES if not recipe.category or category in recipe.category]
    asked = difficulties(recipe.difficulty)
    found = [(level, [category for category in wanted if level in DIFFICULTIES[category]]) for level in asked]
    possible = [(level, categories) for level, categories in found if categories]
    if not possible:
        raise ConfigError(
            "no {category} has difficulty {difficulty}",
            hint="beams have 1 or 2, trusses 2 to 4, frames 2 to 5",
            category=", ".join(wanted),
            difficulty=recipe.difficulty,
        )
    return possible
