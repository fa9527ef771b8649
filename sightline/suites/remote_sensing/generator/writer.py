"""Writer of a generated data set: annotations with embedded pictures, and outputs of a simulated model."""

from __future__ import annotations

import base64
import json
from collections import Counter, OrderedDict
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from msgspec.structs import asdict

from sightline.core.errors import UsageError
from sightline.suites.remote_sensing.generator.conditions import (
    MIN_INSIDE,
    MIN_UNCOVERED,
    RESOLUTIONS,
    STANDARD,
    Conditions,
)
from sightline.suites.remote_sensing.generator.corruptions import add_label_noise, corrupt_reply
from sightline.suites.remote_sensing.generator.plan import (
    OUTPUT_SUFFIXES,
    decidable_tasks,
    file_stem,
    plan_questions,
    select_tasks,
)
from sightline.suites.remote_sensing.generator.questions import ImageRef, Question
from sightline.suites.remote_sensing.generator.questions.pixels import AFTER, BEFORE, change_of, scene_at
from sightline.suites.remote_sensing.generator.render import render_pixels
from sightline.suites.remote_sensing.generator.render.sensor import light_of, to_bytes, to_jpeg, to_png16
from sightline.suites.remote_sensing.generator.scene_layouts import make_scene
from sightline.suites.remote_sensing.generator.seeded_random import Floats, SeededRandom
from sightline.suites.remote_sensing.suite import Recipe

MAX_CACHED = 80


class PictureCache:
    """The pictures of one dataset, rendered on demand."""

    def __init__(self, seed: int, size: int, conditions: Conditions = STANDARD, sixteen_bit: bool = False) -> None:
        self._seed, self._size, self._conditions, self._sixteen_bit = seed, size, conditions, sixteen_bit
        self._cached: OrderedDict[ImageRef, str] = OrderedDict()

    def jpeg(self, image_ref: ImageRef) -> bytes:
        """The picture as JPEG bytes."""
        return to_jpeg(to_bytes(self._pixels(image_ref)))

    def png16(self, image_ref: ImageRef) -> bytes:
        """The picture as PNG bytes with 16 bits per channel."""
        return to_png16(self._pixels(image_ref))

    def _pixels(self, image_ref: ImageRef) -> Floats:
        seed, number = self._seed, image_ref.number
        scene = scene_at(seed, number, image_ref.date, self._conditions)
        light = light_of(seed, number, int(image_ref.date == AFTER), self._conditions)
        return render_pixels(scene, light, self._size, (seed, number), deep=self._sixteen_bit)

    def base64(self, image_ref: ImageRef) -> str:
        """The picture as base64 text."""
        scene = make_scene(self._seed, image_ref.number, self._conditions)
        change = change_of(self._seed, image_ref.number, self._conditions) if image_ref.date == BEFORE else None
        if change is not None and not change.built and not scene.acquisition.clouds:
            # nothing is built later: the first date is identical to the scene of the other tasks
            image_ref = ImageRef(image_ref.number)
        if image_ref not in self._cached:
            data = self.png16(image_ref) if self._sixteen_bit else self.jpeg(image_ref)
            self._cached[image_ref] = base64.b64encode(data).decode("ascii")
            if len(self._cached) > MAX_CACHED:
                self._cached.popitem(last=False)
        self._cached.move_to_end(image_ref)
        return self._cached[image_ref]


ANNOTATIONS, OUTPUTS, ERRORS_FILE, NOISE_FILE = "anno", "output", "how_spoiled.json", "label_noise.json"
CANARY = "sightline-remote-sensing-canary-6b0f2c1e-93d4-4c57-8a7e-5d1f30b2a946"


def generate(out: Path, count: int, seed: int, recipe: Recipe | None = None) -> None:
    """Write `count` samples of each task; the same seed and recipe write the same bytes.

    All tasks are written in parallel, so that each scene is rendered once.
    """
    recipe = recipe or Recipe()
    if count < 1:
        raise UsageError("A data set needs at least one sample a task, not {count}.", count=count)
    conditions = conditions_of(recipe)
    tasks = select_tasks(recipe.tasks)
    if not recipe.tasks:
        tasks = tuple(task for task in tasks if task in decidable_tasks(conditions))
    picture_cache = PictureCache(seed, recipe.size, conditions, recipe.sixteen_bit)
    noise: list[dict[str, str]] = []
    error_counts: dict[str, Counter[str]] = {}
    with ExitStack() as stack:
        annotation_writers = [
            stack.enter_context(_RowWriter(out / ANNOTATIONS / f"{file_stem(task)}.txt")) for task in tasks
        ]
        output_writers = [stack.enter_context(_RowWriter(_output(out, task))) for task in tasks if recipe.outputs]
        streams = [plan_questions(task, count, seed, recipe.size, conditions) for task in tasks]
        for index in range(count):
            for k, (task, stream) in enumerate(zip(tasks, streams, strict=True)):
                question = next(stream)
                sample = _sample(task, index, question, picture_cache, _suffix(recipe))
                if recipe.label_noise and (wrong := _wrong_truth(task, index, question, seed, recipe)) is not None:
                    noise.append({"sample_id": sample["sample_id"], "error": wrong[0], "true_gt": question.gt})
                    sample["gt"] = wrong[1]
                annotation_writers[k].add(sample)
                if recipe.outputs:
                    error, row = _answer(task, index, question, seed, recipe)
                    error_counts.setdefault(task, Counter())[error] += 1
                    output_writers[k].add(row)
    if recipe.outputs:
        report = {task: dict(sorted(counts.items())) for task, counts in error_counts.items()}
        _write(out / OUTPUTS / ERRORS_FILE, json.dumps(report, ensure_ascii=False, indent=1) + "\n")
    if recipe.label_noise:
        _write(out / NOISE_FILE, json.dumps(noise, ensure_ascii=False, indent=1) + "\n")
    _write(out / "README.md", _readme(count, seed, recipe))


def conditions_of(recipe: Recipe) -> Conditions:
    """The imaging conditions that a recipe wishes for."""
    finest, coarsest = RESOLUTIONS
    for resolution in recipe.resolutions:
        if not finest <= resolution <= coarsest:
            raise UsageError(
                "A ground resolution must be between {low} and {high} metres, not {value}.",
                low=finest,
                high=coarsest,
                value=resolution,
            )
    return Conditions(
        sensors=recipe.sensors or STANDARD.sensors,
        resolutions=recipe.resolutions or STANDARD.resolutions,
        crowded=recipe.crowded,
        haze=recipe.haze,
        clouds=recipe.clouds,
        off_nadir=recipe.off_nadir,
        cut=recipe.cut_objects,
    )


def _suffix(recipe: Recipe) -> str:
    return ".png" if recipe.sixteen_bit else ".jpg"


def _wrong_truth(task: str, index: int, question: Question, seed: int, recipe: Recipe) -> tuple[str, str] | None:
    """The error and the wrong truth of a sample that is mislabelled; None if it is not."""
    rng = SeededRandom(seed, "label noise", task, index)
    return add_label_noise(task, question, recipe.size, rng) if rng.chance(recipe.label_noise) else None


def _output(out: Path, task: str) -> Path:
    return out / OUTPUTS / f"{file_stem(task)}{OUTPUT_SUFFIXES.get(task, '_output.txt')}"


class _RowWriter:
    """Writes rows as JSON lines, or as a JSON array if the file name ends in .json."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = path.open("w", encoding="utf-8", newline="\n")
        self._array = path.suffix == ".json"
        self._has_rows = False

    def __enter__(self) -> _RowWriter:
        return self

    def __exit__(self, *_: object) -> None:
        if self._array:
            self._file.write("\n]\n" if self._has_rows else "[]\n")
        self._file.close()

    def add(self, row: dict[str, Any] | None) -> None:
        """Write a row, unless it is None."""
        if row is None:
            return
        text = json.dumps(row, ensure_ascii=False)
        if self._array:
            self._file.write((",\n" if self._has_rows else "[\n") + text)
        else:
            self._file.write(text + "\n")
        self._has_rows = True


def _id(task: str, index: int) -> str:
    return f"{file_stem(task).removesuffix('_prompt')}_{index + 1:06d}"


def _source(question: Question, suffix: str) -> str:
    return ",".join(image_ref.source.replace(".jpg", suffix) for image_ref in question.image_refs)


def _sample(task: str, index: int, question: Question, picture_cache: PictureCache, suffix: str) -> dict[str, Any]:
    pictures = [picture_cache.base64(image_ref) for image_ref in question.image_refs]
    return {
        "sample_id": _id(task, index),
        "prompt": question.prompt,
        "frames": pictures if len(pictures) > 1 else pictures[0],
        "gt": question.gt,
        "task": task,
        "source": _source(question, suffix),
    }


def _answer(task: str, index: int, question: Question, seed: int, recipe: Recipe) -> tuple[str, dict[str, Any] | None]:
    error, text = corrupt_reply(task, question, recipe.size, SeededRandom(seed, "reply", task, index))
    if text is None:
        return error, None
    source = _source(question, _suffix(recipe))
    return error, {"sample_id": _id(task, index), "task": task, "model_output": text, "source": source}


def _readme(count: int, seed: int, recipe: Recipe) -> str:
    outputs = (
        f"`{OUTPUTS}/` holds the replies of a made-up model that errs in known ways, counted in `{ERRORS_FILE}`.\n"
        if recipe.outputs
        else ""
    )
    conditions = conditions_of(recipe)
    wishes = [
        f"{name} {value if not isinstance(value, tuple) else ', '.join(map(str, value))}"
        for name, value in asdict(conditions).items()
        if value != getattr(STANDARD, name)
    ]
    seen = (
        f"\nConditions: {'; '.join(wishes)}.\n"
        f"An object of which less than {MIN_INSIDE:.0%} would lie within the picture, or less than "
        f"{MIN_UNCOVERED:.0%} would be seen\nbeside clouds and leaning neighbours, is not in the scene.\n"
        if wishes
        else ""
    )
    if recipe.label_noise:
        seen += (
            f"\nLabel noise: about {recipe.label_noise:.0%} of the truths are wrong on purpose; "
            f"`{NOISE_FILE}` lists them with the right ones.\n"
        )
    form = "16-bit PNG" if recipe.sixteen_bit else "JPEG"
    return f"""# Remote-sensing questions on rendered scenes

{count} samples of each task, seed {seed}, pictures of {recipe.size} × {recipe.size} pixels. The scenes were laid out
and rendered by Sightline: nothing in them was photographed, and every answer follows from how its scene was made.

`{ANNOTATIONS}/` holds one file a task, one JSON object a line, with the pictures as base64 {form}.
{outputs}{seen}
Coordinates are pixels from the top left corner, x to the right and y down.

    sightline score --anno-path {ANNOTATIONS} --model-result-path {OUTPUTS} --output-dir eval_results

This is data for evaluation: please keep it out of training sets.
{CANARY}
"""


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="\n")
