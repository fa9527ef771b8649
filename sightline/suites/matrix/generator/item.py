"""Generated samples before they are written, and the registry of sample makers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from typing import Any

from msgspec import Struct

from sightline.suites.matrix.generator.recipe import KINDS
from sightline.suites.matrix.generator.sample_rng import SampleRng

CANARY = "sightline-matrix-canary-2c9a7d40-51be-4f0e-9d13-8f6a04c7e25b"


class Item(Struct, frozen=True, kw_only=True):
    """A sample before it is written; the writer adds id, dimension, level, kind, language, seed and canary."""

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


Maker = Callable[[SampleRng, str, str], Item]
"""Makes a sample from a random number generator, level (l1–l4) and language (en, zh)."""


def shuffle_options(rng: SampleRng, right: str, wrong: Sequence[str]) -> tuple[str, ...]:
    """Shuffle the options so that the right one is at each position equally often."""
    others = rng.shuffled(wrong)
    index = rng.balanced_choice("place of the right option", range(len(others) + 1))
    return (*others[:index], right, *others[index:])


def item_makers() -> dict[tuple[str, str], Maker]:
    """Return the maker of each dimension and kind; its module is imported at the first call."""
    return {
        (dimension, kind): partial(_make_item, dimension, kind) for dimension, kinds in KINDS.items() for kind in kinds
    }


def _make_item(dimension: str, kind: str, rng: SampleRng, level: str, language: str) -> Item:
    module = import_module(f"sightline.suites.matrix.generator.{dimension}.{kind}")
    item: Item = module.make(rng, level, language)
    return item
