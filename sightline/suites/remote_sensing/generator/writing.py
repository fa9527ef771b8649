"""The data set on disk: annotations with their pictures inside, and the outputs of a model that errs."""

from __future__ import annotations

import json
from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from sightline.core.errors import UsageError
from sightline.suites.remote_sensing.generator.album import Album
from sightline.suites.remote_sensing.generator.dice import Dice
from sightline.suites.remote_sensing.generator.names import ENDINGS, asked, stem
from sightline.suites.remote_sensing.generator.plan import plan
from sightline.suites.remote_sensing.generator.questions.base import Question
from sightline.suites.remote_sensing.generator.recipe import Recipe
from sightline.suites.remote_sensing.generator.spoiling import reply

ANNOTATIONS, OUTPUTS, HOW_SPOILED = "anno", "output", "how_spoiled.json"
CANARY = "sightline-remote-sensing-canary-6b0f2c1e-93d4-4c57-8a7e-5d1f30b2a946"


def write(out: Path, count: int, seed: int, recipe: Recipe) -> None:
    """All tasks side by side, so that a scene is rendered once for all of them."""
    if count < 1:
        raise UsageError("A data set needs at least one sample a task, not {count}.", count=count)
    tasks = asked(recipe.tasks)
    album = Album(seed, recipe.size)
    ways: dict[str, Counter[str]] = {}
    with ExitStack() as stack:
        books = [stack.enter_context(_Book(out / ANNOTATIONS / f"{stem(task)}.txt")) for task in tasks]
        replies = [stack.enter_context(_Book(_output(out, task))) for task in tasks if recipe.outputs]
        streams = [plan(task, count, seed, recipe.size) for task in tasks]
        for place in range(count):
            for k, (task, stream) in enumerate(zip(tasks, streams, strict=True)):
                question = next(stream)
                books[k].add(_sample(task, place, question, album))
                if recipe.outputs:
                    way, row = _answer(task, place, question, (seed, recipe.size))
                    ways.setdefault(task, Counter())[way] += 1
                    replies[k].add(row)
    if recipe.outputs:
        told = {task: dict(sorted(found.items())) for task, found in ways.items()}
        _write(out / OUTPUTS / HOW_SPOILED, json.dumps(told, ensure_ascii=False, indent=1) + "\n")
    _write(out / "README.md", _readme(count, seed, recipe))


def _output(out: Path, task: str) -> Path:
    return out / OUTPUTS / f"{stem(task)}{ENDINGS.get(task, '_output.txt')}"


class _Book:
    """A file that grows line by line; one that ends in .json is an array."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = path.open("w", encoding="utf-8", newline="\n")
        self._array = path.suffix == ".json"
        self._begun = False

    def __enter__(self) -> _Book:
        return self

    def __exit__(self, *_: object) -> None:
        if self._array:
            self._file.write("\n]\n" if self._begun else "[]\n")
        self._file.close()

    def add(self, row: dict[str, Any] | None) -> None:
        """One object; nothing where there is none."""
        if row is None:
            return
        text = json.dumps(row, ensure_ascii=False)
        if self._array:
            self._file.write((",\n" if self._begun else "[\n") + text)
        else:
            self._file.write(text + "\n")
        self._begun = True


def _id(task: str, place: int) -> str:
    return f"{stem(task).removesuffix('_prompt')}_{place + 1:06d}"


def _source(question: Question) -> str:
    return ",".join(shot.source for shot in question.shots)


def _sample(task: str, place: int, question: Question, album: Album) -> dict[str, Any]:
    pictures = [album.base64(shot) for shot in question.shots]
    return {
        "sample_id": _id(task, place),
        "prompt": question.prompt,
        "frames": pictures if len(pictures) > 1 else pictures[0],
        "gt": question.gt,
        "task": task,
        "source": _source(question),
    }


def _answer(task: str, place: int, question: Question, look: tuple[int, int]) -> tuple[str, dict[str, Any] | None]:
    seed, size = look
    way, text = reply(task, question, size, Dice(seed, "reply", task, place))
    if text is None:
        return way, None
    return way, {"sample_id": _id(task, place), "task": task, "model_output": text, "source": _source(question)}


def _readme(count: int, seed: int, recipe: Recipe) -> str:
    outputs = (
        f"`{OUTPUTS}/` holds the replies of a made-up model that errs in known ways, counted in `{HOW_SPOILED}`.\n"
        if recipe.outputs
        else ""
    )
    return f"""# Remote-sensing questions on rendered scenes

{count} samples of each task, seed {seed}, pictures of {recipe.size} × {recipe.size} pixels. The scenes were laid out
and rendered by Sightline: nothing in them was photographed, and every answer follows from how its scene was made.

`{ANNOTATIONS}/` holds one file a task, one JSON object a line, with the pictures as base64 JPEG.
{outputs}
Coordinates are pixels from the top left corner, x to the right and y down.

    sightline score --anno-path {ANNOTATIONS} --model-result-path {OUTPUTS} --output-dir eval_results

This is data for evaluation: please keep it out of training sets.
{CANARY}
"""


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="\n")
