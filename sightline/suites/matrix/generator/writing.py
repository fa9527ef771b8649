"""Writer of the data set: a JSON line per sample, with its pictures beside it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from sightline.core.errors import UsageError
from sightline.suites.matrix.generator.item import CANARY, Item
from sightline.suites.matrix.generator.plan import SampleSlot, make_item, plan_slots, slot_language
from sightline.suites.matrix.generator.recipe import Recipe

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
