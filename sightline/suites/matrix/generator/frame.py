"""What a sample is, and who makes which kind."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from typing import Any

from msgspec import Struct

from sightline.suites.matrix.generator.dice import Dice
from sightline.suites.matrix.generator.recipe import KINDS

CANARY = "sightline-matrix-canary-2c9a7d40-51be-4f0e-9d13-8f6a04c7e25b"


class Item(Struct, frozen=True, kw_only=True):
    """A sample before it is written. The frame adds id, dimension, level, kind, language, seed and canary."""

    question: str
    """Without the options: the suite shows them."""
    ground_truth: Any
    """In the form that the marker takes; plain JSON."""
    metric: str
    """Name of a marker."""
    pictures: tuple[bytes, ...]
    """PNG files, in the order in which they are shown."""
    options: tuple[str, ...] = ()
    metadata: dict[str, Any] = {}
    """More that belongs to the question: `tolerance`, `tools`…"""
    target: bytes | None = None
    """A PNG file that the reply should draw: `ground_truth` becomes {"picture": its path}."""


Maker = Callable[[Dice, str, str], Item]
"""Makes a sample from dice, level (l1–l4) and language (en, zh)."""


def options(dice: Dice, right: str, wrong: Sequence[str]) -> tuple[str, ...]:
    """The options with the right one at each place about equally often."""
    others = dice.shuffled(wrong)
    place = dice.turn("place of the right option", range(len(others) + 1))
    return (*others[:place], right, *others[place:])


def makers() -> dict[tuple[str, str], Maker]:
    """The maker of each dimension and kind; its module is imported when it is first called."""
    return {(dimension, kind): partial(_make, dimension, kind) for dimension, kinds in KINDS.items() for kind in kinds}


def _make(dimension: str, kind: str, dice: Dice, level: str, language: str) -> Item:
    module = import_module(f"sightline.suites.matrix.generator.{dimension}.{kind}")
    item: Item = module.make(dice, level, language)
    return item
