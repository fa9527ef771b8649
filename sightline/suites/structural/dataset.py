"""Dataset files: `images/NAME.png`, `raw_models/NAME.json`, and optionally `ground_truth_meta/NAME.json`.

Unusable entries are reported as `Invalid` with a reason, never skipped silently.
"""

from __future__ import annotations

import hashlib
import json
from bisect import bisect_left
from collections import OrderedDict
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import Any

from msgspec import Struct

from sightline.core.atomic_io import atomic_path
from sightline.core.errors import DataError, SightlineError
from sightline.core.interfaces import Dataset
from sightline.core.records import Invalid, Media, Sample
from sightline.data.json_decoding import read_json_file
from sightline.data.media import is_image
from sightline.i18n import tr
from sightline.suites.structural.framecalc.reader import read_model
from sightline.suites.structural.model import Category, Model, category_of, difficulty_of

IMAGES, MODELS, TRUTH = "images", "raw_models", "ground_truth_meta"
_SUFFIXES = (".png", ".jpg", ".jpeg")


class TruthReport(Struct, frozen=True):
    """Result of solving the models of a dataset: the solved names, and problems by name."""

    solved: tuple[str, ...]
    problems: tuple[tuple[str, str], ...]
    """A model without an image is solved all the same; an image without a model can't be."""


class StructuralDataset(Dataset):
    """The samples of a folder sorted by name; a model is read and solved when its sample is."""

    has_random_access = True
    is_slow = True

    def __init__(self, path: Path) -> None:
        self._path = path

    @cached_property
    def _names(self) -> list[str]:
        return _sample_names(self._path)

    def __iter__(self) -> Iterator[Sample | Invalid]:
        return (self._load(name) for name in self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __getitem__(self, position: int) -> Sample | Invalid:
        if position < 0:
            raise IndexError(position)
        return self._load(self._names[position])

    def find(self, sample_id: str) -> int | None:
        """The position of a name."""
        position = bisect_left(self._names, sample_id)
        return position if self._names[position : position + 1] == [sample_id] else None

    def _load(self, name: str) -> Sample | Invalid:
        try:
            return _sample(self._path, name)
        except _InvalidEntryError as error:
            return Invalid(id=name, reason=error.remark, source=f"{MODELS}/{name}.json")


def write_truth(data: Path) -> TruthReport:
    """Solve every model, rate its difficulty, and write metadata with reactions and internal forces along links."""
    from sightline.suites.structural.framecalc.analysis import list_reactions, sample_internal_forces

    solved, problems = [], []
    for name in _sample_names(data):
        try:
            model = _model(_json(data / MODELS / f"{name}.json"))
            solution = _solution(model)
        except _InvalidEntryError as error:
            problems.append((name, str(error)))
            continue
        image = ""
        try:
            image = _image(data, name).name
        except _InvalidEntryError as error:
            problems.append((name, str(error)))
        meta = {
            "id": name,
            "difficulty": difficulty_of(model, category_of(model, name)),
            "image_filename": image,
            "solution": {
                "reactions": list_reactions(model, solution),
                "axial": sample_internal_forces(model, solution),
            },
        }
        _write(data / TRUTH / f"{name}.json", json.dumps(meta, separators=(",", ":"), ensure_ascii=False))
        solved.append(name)
    return TruthReport(tuple(solved), tuple(problems))


class _InvalidEntryError(SightlineError):
    """Why an entry of the dataset can't be used."""


def _sample(data: Path, name: str) -> Sample:
    image = _image(data, name)
    path = data / MODELS / f"{name}.json"
    raw = _json(path)
    category, by_rule = _rating(raw, name)
    difficulty = _stated_difficulty(data, name) or by_rule
    tags = {"category": category, "difficulty": str(difficulty)}
    if difficulty != by_rule:
        tags["note"] = tr("difficulty {stated} in the metadata, {rule} by the rules", stated=difficulty, rule=by_rule)
    return Sample(
        id=name,
        task=category,
        question="",
        target=raw,
        media=(Media(kind="image", path=str(image)),),
        tags=tags,
        weight=float(difficulty),
        source=f"{MODELS}/{name}.json",
    )


_ratings: OrderedDict[bytes, tuple[Category, int]] = OrderedDict()
"""Cache of ratings by content hash, since runs and pages read a dataset more than once."""
_MAX_RATINGS = 100_000
_ratings_lock = Lock()


def clear_rating_cache() -> None:
    """Clear the cache, so that every model is solved again."""
    with _ratings_lock:
        _ratings.clear()


def _rating(raw: object, name: str) -> tuple[Category, int]:
    """Category and difficulty of a solvable model, cached per process."""
    key = hashlib.blake2b(f"{name}\0{json.dumps(raw)}".encode(errors="surrogatepass"), digest_size=16).digest()
    with _ratings_lock:
        if (rating := _ratings.get(key)) is not None:
            return rating
    model = _model(raw)
    _solution(model)
    category = category_of(model, name)
    rating = category, difficulty_of(model, category)
    with _ratings_lock:
        _ratings[key] = rating
        if len(_ratings) > _MAX_RATINGS:
            _ratings.popitem(last=False)
    return rating


def _sample_names(data: Path) -> list[str]:
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
    """The image of a name, with the suffix in lower or upper case."""
    for suffix in _SUFFIXES:
        for path in (data / IMAGES / f"{name}{suffix}", data / IMAGES / f"{name}{suffix.upper()}"):
            if path.is_file():
                if not is_image(path):
                    raise _InvalidEntryError("not an image: images/{name}", name=path.name)
                return path
    raise _InvalidEntryError("no image: images/{name}.png or .jpg", name=name)


def _json(path: Path) -> Any:
    try:
        return read_json_file(path)
    except FileNotFoundError:
        raise _InvalidEntryError("no raw model: raw_models/{name}", name=path.name) from None
    except OSError as error:
        raise _InvalidEntryError("Cannot read {path}: {why}", path=path.name, why=error.strerror) from None
    except ValueError as error:
        raise _InvalidEntryError("Cannot read {path}: {why}", path=path.name, why=error) from None


def _model(raw: object) -> Model:
    reading = read_model(raw)
    if reading.model is None:
        raise _InvalidEntryError("cannot read the raw model: {why}", why=reading.problem)
    return reading.model


def _solution(model: Model) -> Any:
    from sightline.suites.structural.framecalc.analysis import solve_model

    try:
        return solve_model(model)
    except SightlineError as error:
        raise _InvalidEntryError("cannot solve the raw model: {why}", why=error.remark) from None


def _stated_difficulty(data: Path, name: str) -> int | None:
    """The difficulty in the metadata, or None if it is absent or invalid."""
    try:
        meta = _json(data / TRUTH / f"{name}.json")
    except _InvalidEntryError:
        return None
    stated = meta.get("difficulty") if isinstance(meta, dict) else None
    return stated if isinstance(stated, int) and not isinstance(stated, bool) and 1 <= stated <= 5 else None


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_path(path) as temporary:
        temporary.write_text(text, encoding="utf-8")
