"""Writer of a data set: the distribution of samples over cells and kinds, and the files on disk."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path
from typing import Any

from msgspec import Struct

from sightline.core.errors import ConfigError, DataError, UsageError
from sightline.suites.matrix.generator.item import CANARY, Item, item_makers
from sightline.suites.matrix.generator.recipe import KINDS, LANGUAGES, LEVELS, Recipe
from sightline.suites.matrix.generator.sample_rng import SampleRng, SamplingExhaustedError

_MAX_ATTEMPTS = 8


class SampleSlot(Struct, frozen=True, kw_only=True):
    """A sample slot: dimension, kind, level and number."""

    dimension: str
    kind: str
    level: str
    number: int
    """Counted from 0 within its kind and level."""

    @property
    def id(self) -> str:
        """The sample id, unique in a data set."""
        return f"{self.kind}_{self.level}_{self.number + 1:04d}"


def plan_slots(count: int, recipe: Recipe) -> Iterator[SampleSlot]:
    """Yield sample slots in round-robin order over all cells, and within a cell over its kinds."""
    selected = {
        dimension: [kind for kind in kinds if not recipe.kind or kind in recipe.kind]
        for dimension, kinds in KINDS.items()
        if not recipe.dimension or dimension in recipe.dimension
    }
    levels = [level for level in LEVELS if not recipe.level or level in recipe.level]
    columns = [[(dimension, kind) for kind in kinds] for dimension, kinds in selected.items() if kinds]
    if not columns:
        raise ConfigError(
            "{dimension} has no {kind}", dimension=", ".join(recipe.dimension), kind=", ".join(recipe.kind)
        )
    cells = [(*task, level) for row in zip_longest(*columns) for task in row if task for level in levels]
    for index in range(count):
        number, cell = divmod(index, len(cells))
        dimension, kind, level = cells[cell]
        yield SampleSlot(dimension=dimension, kind=kind, level=level, number=number)


def slot_language(slot: SampleSlot, language: str) -> str:
    """Return the language of a slot; for `both` the languages alternate, starting with either in half of the cells."""
    if language in LANGUAGES:
        return language
    first = KINDS[slot.dimension].index(slot.kind) + LEVELS.index(slot.level)
    return LANGUAGES[(first + slot.number) % len(LANGUAGES)]


def make_item(slot: SampleSlot, seed: int, language: str) -> Item:
    """Make the sample of a slot, deterministically; retries with another random stream if sampling is exhausted."""
    make = item_makers()[slot.dimension, slot.kind]
    for attempt in range(_MAX_ATTEMPTS):
        try:
            return make(SampleRng(seed, slot.kind, slot.level, slot.number, attempt), slot.level, language)
        except SamplingExhaustedError:
            continue
    raise DataError("No sample could be made at {place}.", hint="Try another --seed.", place=slot.id)


SAMPLES, IMAGES, README = "samples.jsonl", "images", "README.md"


def write(out: Path, count: int, seed: int, recipe: Recipe) -> None:
    """Write all samples of a data set."""
    if count < 1:
        raise UsageError("A data set needs at least one sample, not {count}.", count=count)
    (out / IMAGES).mkdir(parents=True, exist_ok=True)
    with (out / SAMPLES).open("w", encoding="utf-8", newline="\n") as file:
        for slot in plan_slots(count, recipe):
            language = slot_language(slot, recipe.language)
            item = make_item(slot, seed, language)
            facts = {"canary": CANARY, "language": language, "seed": seed, "number": slot.number}
            file.write(json.dumps(_row(out, slot, item, facts), ensure_ascii=False) + "\n")
    (out / README).write_text(_readme(count, seed), encoding="utf-8", newline="\n")


def _row(out: Path, slot: SampleSlot, item: Item, facts: dict[str, Any]) -> dict[str, Any]:
    names = [f"{slot.id}.png"]
    if len(item.pictures) != 1:
        names = [f"{slot.id}_{k}.png" for k in range(1, len(item.pictures) + 1)]
    paths = [_save(out, name, picture) for name, picture in zip(names, item.pictures, strict=True)]
    truth = item.ground_truth
    if item.target is not None:
        truth = {"picture": _save(out, f"{slot.id}_target.png", item.target)}
    row = {
        "id": slot.id,
        "dimension": slot.dimension,
        "difficulty": slot.level,
        "task_type": slot.kind,
        "image_path": paths[0] if len(paths) == 1 else paths,
        "question": item.question,
        "options": list(item.options),
        "ground_truth": truth,
        "metric": item.metric,
        "metadata": {**facts, **item.metadata},
    }
    return row if item.options else {key: value for key, value in row.items() if key != "options"}


def _save(out: Path, name: str, picture: bytes) -> str:
    (out / IMAGES / name).write_bytes(picture)
    return f"{IMAGES}/{name}"


def _readme(count: int, seed: int) -> str:
    return f"""# The capability matrix on pictures made for it

{count} samples, seed {seed}: perception, understanding, reasoning and action at four levels, from one fact in one
picture (l1) over two facts (l2) and a text that must be joined with the picture (l3) to several steps (l4). Nothing was
photographed or collected: every answer follows from how its picture was made.

`{SAMPLES}` holds one JSON object a line, `{IMAGES}/` the pictures that it names.

    sightline run matrix --data DIR --model MODEL

This is data for evaluation: please keep it out of training sets.
{CANARY}
"""
