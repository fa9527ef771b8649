"""Samples from JSON lines or a JSON array; what is wrong with a row is told with its line, and the row is skipped."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from sightline.errors import DataError
from sightline.records import Invalid, Media, Sample
from sightline.registry import names, nearest
from sightline.sources.lines import LineIndex, index_file
from sightline.sources.media import mime_of_base64
from sightline.suites.matrix.generator.recipe import DIMENSIONS, LEVELS
from sightline.suites.matrix.maze import maze_of

if TYPE_CHECKING:
    from sightline.suites.matrix import Options

_FIELDS = (
    *("id", "dimension", "difficulty", "task_type", "image_path", "image_base64", "question", "options"),
    *("ground_truth", "metric", "metadata"),
)
_SUFFIXES = (".jsonl", ".json", ".txt")
_ROWS_AT_ONCE = 256


class _Wrong(Exception):  # noqa: N818  # not an error of the program, but of a row
    """Why a row is no sample."""


def read(data: Path, options: Options) -> Iterator[Sample | Invalid]:
    """All samples that the options want, file by file in the order of names."""
    seen: set[str] = set()
    for path in _files(data):
        with index_file(path, _FIELDS) as index:
            for fault in index.faults:
                if fault.kind != "invalid UTF-8":
                    yield Invalid(id=f"{path.name}:{fault.line}", reason=fault.kind, source=f"{path}:{fault.line}")
            for start in range(0, len(index), _ROWS_AT_ONCE):
                rows = np.arange(start, min(start + _ROWS_AT_ONCE, len(index)))
                for sample in _samples(index, rows, seen):
                    if _wanted(sample, options):
                        yield sample


def _files(data: Path) -> list[Path]:
    if data.is_file():
        return [data]
    found = sorted(path for path in data.glob("*") if path.suffix in _SUFFIXES and path.is_file())
    if not found:
        raise DataError(
            "No samples at {path}: looked for files ending in .jsonl or .json.",
            hint="A fresh set: sightline generate matrix --out DIR",
            path=data,
        )
    return found


def _wanted(sample: Sample | Invalid, options: Options) -> bool:
    tags = sample.tags
    for tag, words in (("dimension", options.dimension), ("difficulty", options.level)):
        if words and tags and tags.get(tag) not in words:
            return False
    return not options.kind or not sample.task or sample.task in options.kind


def _samples(index: LineIndex, rows: np.typing.NDArray[np.int64], seen: set[str]) -> Iterator[Sample | Invalid]:
    raw = {field: list(index.raw_texts(field, rows)) for field in _FIELDS}
    for place, line in enumerate(index.lines[rows].tolist()):
        row = {field: msgspec.json.decode(column[place]) if column[place] else None for field, column in raw.items()}
        name, source = str(row["id"] or f"{index.path.stem}:{line}"), f"{index.path}:{line}"
        try:
            if name in seen:
                raise _Wrong(f"the id '{name}' is there already")
            sample = _sample(row, name, source, index.path.parent)
            seen.add(name)
            yield sample
        except _Wrong as wrong:
            yield Invalid(
                id=f"{index.path.stem}:{line}", reason=str(wrong), task=str(row["task_type"] or ""), source=source
            )


def _sample(row: dict[str, Any], name: str, source: str, folder: Path) -> Sample:
    dimension = _one_of(row, "dimension", DIMENSIONS)
    level = _one_of(row, "difficulty", LEVELS)
    kind, question = _text(row, "task_type"), _text(row, "question")
    metric = _text(row, "metric")
    if metric not in names("markers"):
        raise _Wrong(f"no metric is called '{metric}'; did you mean '{nearest(metric, names('markers'))}'?")
    if row["ground_truth"] is None:
        raise _Wrong("ground_truth is missing")
    metadata = row["metadata"] if isinstance(row["metadata"], dict) else {}
    language = str(metadata.get("language", "en"))
    truth = row["ground_truth"]
    if metric == "success":
        _check_world(truth)
    if isinstance(truth, dict) and isinstance(truth.get("picture"), str):
        truth = {**truth, "picture": str(folder / truth["picture"])}
    return Sample(
        id=name,
        task=kind,
        question=question,
        target={"truth": truth, "options": _options(row), "metric": metric, "metadata": metadata},
        media=_media(row, folder),
        tags={
            "dimension": dimension,
            "difficulty": level,
            "cell": f"{dimension} {level.upper()}",
            "language": language,
        },
        source=source,
    )


def _check_world(truth: Any) -> None:
    """A world that can't be walked is no sample."""
    try:
        maze_of(truth["world"])
        if not int(truth["most_turns"]) >= 1:
            raise _Wrong("most_turns must be at least 1")
    except (KeyError, TypeError, ValueError, msgspec.ValidationError) as error:
        raise _Wrong(f"ground_truth is no world: {error}") from None


def _text(row: dict[str, Any], field: str) -> str:
    value = row[field]
    if not isinstance(value, str) or not value.strip():
        raise _Wrong(f"{field} is missing" if value is None else f"{field} must be a text")
    return value.strip()


def _one_of(row: dict[str, Any], field: str, known: tuple[str, ...]) -> str:
    value = _text(row, field).lower()
    if value not in known:
        raise _Wrong(f"{field} must be one of {', '.join(known)}, not '{value}'")
    return value


def _options(row: dict[str, Any]) -> list[str]:
    options = row["options"] or []
    if not isinstance(options, list) or len(options) > 26:
        raise _Wrong("options must be a list of at most 26 texts")
    return [str(option) for option in options]


def _media(row: dict[str, Any], folder: Path) -> tuple[Media, ...]:
    paths, packed = (
        value if isinstance(value, list) else [value] for value in (row["image_path"], row["image_base64"])
    )
    found = []
    for path in filter(None, paths):
        place = folder / str(path)
        if not place.is_file():
            raise _Wrong(f"missing media: {path}")
        found.append(Media(kind="image", path=str(place)))
    for text in filter(None, packed):
        body = str(text).partition("base64,")[2] or str(text)
        mime = mime_of_base64(body) or "image/png"
        found.append(Media(kind="image", data=f"data:{mime};base64,{body}"))
    return tuple(found)
