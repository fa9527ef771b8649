"""The data set on disk: `images/NAME.png`, `raw_models/NAME.json`, and `ground_truth_meta/NAME.json` where it is made.

What can't be used is told with its reason, never left out in silence.
"""

from __future__ import annotations

import hashlib
import json
from collections import OrderedDict
from collections.abc import Iterator
from pathlib import Path
from threading import Lock
from typing import Any

from msgspec import Struct

from sightline.core.errors import DataError, SightlineError
from sightline.core.records import Invalid, Media, Sample
from sightline.data.image_format import is_image
from sightline.data.json_decoding import read_json_file
from sightline.i18n import say
from sightline.suites.structural.difficulty import Category, category_of, difficulty_of
from sightline.suites.structural.framecalc.reading import read_model
from sightline.suites.structural.model import Model

IMAGES, MODELS, TRUTH = "images", "raw_models", "ground_truth_meta"
_SUFFIXES = (".png", ".jpg", ".jpeg")


class Truth(Struct, frozen=True):
    """What came of solving a data set's models: the names that were solved, and what is missing or wrong, by name."""

    solved: tuple[str, ...]
    wanting: tuple[tuple[str, str], ...]
    """A model without a picture is solved all the same; a picture without a model can't be."""


def read(data: Path, question: str = "") -> Iterator[Sample | Invalid]:
    """One sample a name, in the order of names; each model is read and solved only when its turn comes."""
    for name in _names(data):
        yield _sample_or_fault(data, name, question)


def sample_at(data: Path, position: int) -> Sample | Invalid | None:
    """The sample at a position of `read`; None where there is none."""
    names = _names(data)
    return _sample_or_fault(data, names[position]) if 0 <= position < len(names) else None


def count_samples(data: Path) -> int:
    """How many samples `read` yields; no model is read."""
    return len(_names(data))


def _sample_or_fault(data: Path, name: str, question: str = "") -> Sample | Invalid:
    try:
        return _sample(data, name, question)
    except _UnusableError as error:
        return Invalid(id=name, reason=str(error), source=f"{MODELS}/{name}.json")


def write_truth(data: Path) -> Truth:
    """Solve every model, rate it, and write its metadata with reactions and N, V, M along links."""
    from sightline.suites.structural.framecalc.results import reactions, samples

    solved, wanting = [], []
    for name in _names(data):
        try:
            model = _model(_json(data / MODELS / f"{name}.json"))
            solution = _solution(model)
        except _UnusableError as error:
            wanting.append((name, str(error)))
            continue
        image = ""
        try:
            image = _image(data, name).name
        except _UnusableError as error:
            wanting.append((name, str(error)))
        meta = {
            "id": name,
            "difficulty": difficulty_of(model, category_of(model, name)),
            "image_filename": image,
            "solution": {"reactions": reactions(model, solution), "axial": samples(model, solution)},
        }
        _write(data / TRUTH / f"{name}.json", json.dumps(meta, separators=(",", ":"), ensure_ascii=False))
        solved.append(name)
    return Truth(tuple(solved), tuple(wanting))


class _UnusableError(Exception):
    """Why one name of the data set can't be used."""


def _sample(data: Path, name: str, question: str) -> Sample:
    image = _image(data, name)
    path = data / MODELS / f"{name}.json"
    raw = _json(path)
    category, by_rule = _rating(raw, name)
    difficulty = _stated_difficulty(data, name) or by_rule
    tags = {"category": category, "difficulty": str(difficulty)}
    if difficulty != by_rule:
        tags["note"] = say("difficulty {stated} in the metadata, {rule} by the rules", stated=difficulty, rule=by_rule)
    return Sample(
        id=name,
        task=category,
        question=question,
        target=raw,
        media=(Media(kind="image", path=str(image)),),
        tags=tags,
        weight=float(difficulty),
        source=f"{MODELS}/{name}.json",
    )


_solved: OrderedDict[bytes, tuple[Category, int]] = OrderedDict()
"""What solved models were rated, by a hash of their text: a data set is read more than once, by runs and by pages."""
_MOST_SOLVED = 100_000
_solving = Lock()


def forget_solved() -> None:
    """Solve every model again when it is next read."""
    with _solving:
        _solved.clear()


def _rating(raw: object, name: str) -> tuple[Category, int]:
    """Category and difficulty of a model that can be solved; each is solved once a process."""
    key = hashlib.blake2b(f"{name}\0{json.dumps(raw)}".encode(errors="surrogatepass"), digest_size=16).digest()
    with _solving:
        if (known := _solved.get(key)) is not None:
            return known
    model = _model(raw)
    _solution(model)
    category = category_of(model, name)
    rated = category, difficulty_of(model, category)
    with _solving:
        _solved[key] = rated
        if len(_solved) > _MOST_SOLVED:
            _solved.popitem(last=False)
    return rated


def _names(data: Path) -> list[str]:
    if not data.is_dir():
        raise DataError(
            "There is no data set at {data}.",
            hint="Make one with `sightline generate {suite} --out DIR`, or check --data.",
            data=data,
            suite="structural",
        )
    models = {path.stem for path in (data / MODELS).glob("*.json")}
    if not models:
        raise DataError(
            "{data} holds no structural models.",
            hint="Expected {data}/raw_models/NAME.json and {data}/images/NAME.png or .jpg.",
            data=data,
        )
    pictures = {path.stem for path in (data / IMAGES).glob("*") if path.suffix.lower() in _SUFFIXES}
    return sorted(models | pictures)


def _image(data: Path, name: str) -> Path:
    """The picture of a name. Suffixes are tried in lower and upper case, as cameras and scanners write them."""
    for suffix in _SUFFIXES:
        for path in (data / IMAGES / f"{name}{suffix}", data / IMAGES / f"{name}{suffix.upper()}"):
            if path.is_file():
                if not is_image(path):
                    raise _UnusableError(say("no picture: images/{name}", name=path.name))
                return path
    raise _UnusableError(say("no image: images/{name}.png or .jpg", name=name))


def _json(path: Path) -> Any:
    try:
        return read_json_file(path)
    except FileNotFoundError:
        raise _UnusableError(say("no raw model: raw_models/{name}", name=path.name)) from None
    except OSError as error:
        raise _UnusableError(say("Can't read {path}: {why}", path=path.name, why=error.strerror)) from None
    except ValueError as error:
        raise _UnusableError(say("{path} can't be read: {why}", path=path.name, why=error)) from None


def _model(raw: object) -> Model:
    reading = read_model(raw)
    if reading.model is None:
        raise _UnusableError(say("the raw model can't be read: {why}", why=reading.problem))
    return reading.model


def _solution(model: Model) -> Any:
    from sightline.suites.structural.framecalc.convert import solve_model

    try:
        return solve_model(model)
    except SightlineError as error:
        raise _UnusableError(say("the raw model can't be solved: {why}", why=error)) from None


def _stated_difficulty(data: Path, name: str) -> int | None:
    """The metadata's, where there is any that makes sense."""
    try:
        meta = _json(data / TRUTH / f"{name}.json")
    except _UnusableError:
        return None
    stated = meta.get("difficulty") if isinstance(meta, dict) else None
    return stated if isinstance(stated, int) and not isinstance(stated, bool) and 1 <= stated <= 5 else None


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".part")
    part.write_text(text, encoding="utf-8")
    part.replace(path)
