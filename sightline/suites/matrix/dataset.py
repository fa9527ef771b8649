"""Samples from JSON lines or a JSON array; what is wrong with a row is told with its line, and the row is skipped."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec
import numpy as np

from sightline.core.errors import DataError
from sightline.core.records import Invalid, Media, Remark, Sample
from sightline.core.registry import names, nearest
from sightline.data.json_decoding import decode_json
from sightline.data.lines import LineIndex, index_file
from sightline.scoring.scorers.legacy_rules import SEED_RULES
from sightline.suites.matrix.generator.recipe import DIMENSIONS, LEVELS
from sightline.suites.matrix.maze import maze_of
from sightline.suites.matrix.pictures import from_base64, from_folder

if TYPE_CHECKING:
    from sightline.suites.matrix import Options

_FIELDS = (
    *("id", "dimension", "difficulty", "task_type", "image_path", "image_base64", "question", "options"),
    *("ground_truth", "metric", "metadata"),
)
_SUFFIXES = (".jsonl", ".json", ".txt")
_ROWS_AT_ONCE = 256
_Found = TypeVar("_Found", Path, Media)


class _RowError(DataError):
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
                        yield _unless_unmarkable(sample, options)


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


def _unless_unmarkable(sample: Sample | Invalid, options: Options) -> Sample | Invalid:
    """What could be asked but not marked is not asked."""
    if isinstance(sample, Invalid) or options.metric_rules != "seed" or sample.target["metric"] in SEED_RULES:
        return sample
    why = Remark("--metric-rules seed has no rule for '{metric}'", {"metric": sample.target["metric"]})
    return Invalid(id=sample.id, reason=str(why), task=sample.task, source=sample.source, tags=sample.tags)


def _samples(index: LineIndex, rows: np.typing.NDArray[np.int64], seen: set[str]) -> Iterator[Sample | Invalid]:
    raw = {field: list(index.raw_texts(field, rows)) for field in _FIELDS}
    for place, line in enumerate(index.lines[rows].tolist()):
        row: dict[str, Any] = dict.fromkeys(_FIELDS)
        source = f"{index.path}:{line}"
        try:
            for field, column in raw.items():
                row[field] = _decoded(field, column[place])
            name = str(row["id"] or f"{index.path.stem}:{line}")
            if name in seen:
                raise _RowError("the id '{id}' is there already", id=name)
            sample = _sample(row, name, source, index.path.parent)
            seen.add(name)
            yield sample
        except _RowError as wrong:
            yield Invalid(
                id=f"{index.path.stem}:{line}", reason=str(wrong), task=str(row["task_type"] or ""), source=source
            )


def _decoded(field: str, raw: str | bytes) -> Any:
    """The value of a field; JSON has no NaN, though some write it."""
    try:
        return decode_json(raw) if raw else None
    except msgspec.DecodeError as error:
        raise _RowError("{field} holds no JSON: {why}", field=field, why=error) from None


def _sample(row: dict[str, Any], name: str, source: str, folder: Path) -> Sample:
    dimension = _one_of(row, "dimension", DIMENSIONS)
    level = _one_of(row, "difficulty", LEVELS)
    kind, question = _text(row, "task_type"), _text(row, "question")
    metric = _metric(row)
    metadata = row["metadata"] if isinstance(row["metadata"], dict) else {}
    language = str(metadata.get("language", "en"))
    return Sample(
        id=name,
        task=kind,
        question=question,
        target={"truth": _truth(row, metric, folder), "options": _options(row), "metric": metric, "metadata": metadata},
        media=_media(row, folder),
        tags={
            "dimension": dimension,
            "difficulty": level,
            "cell": f"{dimension} {level.upper()}",
            "language": language,
        },
        source=source,
    )


def _metric(row: dict[str, Any]) -> str:
    metric, known = _text(row, "metric"), names("markers")
    if metric in known:
        return metric
    if near := nearest(metric, known):
        raise _RowError("no metric is called '{metric}'; did you mean '{near}'?", metric=metric, near=near)
    raise _RowError("no metric is called '{metric}'; known: {listed}", metric=metric, listed=", ".join(known))


def _truth(row: dict[str, Any], metric: str, folder: Path) -> Any:
    truth = row["ground_truth"]
    if truth is None:
        raise _RowError("{field} is missing", field="ground_truth")
    if metric == "success":
        _check_world(truth)
    if metric == "execution" and isinstance(truth, dict) and isinstance(truth.get("picture"), str):
        return {**truth, "picture": str(_place(folder, truth["picture"]))}
    return truth


def _check_world(truth: Any) -> None:
    """A world that can't be walked is no sample."""
    try:
        maze_of(truth["world"])
        turns = int(truth["most_turns"])
    except (KeyError, TypeError, ValueError, msgspec.ValidationError) as error:
        raise _RowError("ground_truth is no world: {why}", why=error) from None
    if turns < 1:
        raise _RowError("most_turns must be at least 1")


def _text(row: dict[str, Any], field: str) -> str:
    value = row[field]
    if value is None:
        raise _RowError("{field} is missing", field=field)
    if not isinstance(value, str) or not value.strip():
        raise _RowError("{field} must be a text", field=field)
    return value.strip()


def _one_of(row: dict[str, Any], field: str, known: tuple[str, ...]) -> str:
    value = _text(row, field).lower()
    if value not in known:
        raise _RowError(
            "{field} must be one of {listed}, not '{value}'", field=field, listed=", ".join(known), value=value
        )
    return value


def _options(row: dict[str, Any]) -> list[str]:
    options = row["options"] or []
    if not isinstance(options, list) or len(options) > 26:
        raise _RowError("options must be a list of at most 26 texts")
    return [str(option) for option in options]


def _media(row: dict[str, Any], folder: Path) -> tuple[Media, ...]:
    paths, packed = (
        value if isinstance(value, list) else [value] for value in (row["image_path"], row["image_base64"])
    )
    named = [Media(kind="image", path=str(_place(folder, str(path)))) for path in filter(None, paths)]
    return (*named, *(_taken(from_base64(str(text))) for text in filter(None, packed)))


def _place(folder: Path, name: str) -> Path:
    return _taken(from_folder(folder, name))


def _taken(found: _Found | Remark) -> _Found:
    if isinstance(found, Remark):
        raise _RowError(found.text, **found.facts)
    return found
