"""Reader of samples from JSON lines or a JSON array; invalid rows are reported with their line number and skipped."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec
import numpy as np

from sightline.core.errors import DataError
from sightline.core.records import Invalid, Media, Sample
from sightline.core.registry import names, nearest
from sightline.core.remarks import Remark
from sightline.data.json_decoding import decode_json
from sightline.data.lines import LineIndex, index_file
from sightline.data.media import HEADER_BYTES, detect_format, leaves_folder
from sightline.scoring.scorers.legacy_rules import SEED_RULES
from sightline.suites.matrix.generator.recipe import DIMENSIONS, LEVELS
from sightline.suites.matrix.maze import to_maze


def resolve_picture_path(folder: Path, name: str) -> Path | Remark:
    """Resolve the path of a picture below the folder, or return the reason for refusing it; links are followed."""
    if leaves_folder(name):
        return _refusal(name)
    path = folder / name
    try:
        real = path.resolve()
        if not real.is_file():  # a pipe would be waited for
            return Remark("missing media: {name}", {"name": name[:200]})
        if not real.is_relative_to(folder.resolve()):
            return _refusal(name)
        with real.open("rb", buffering=0) as file:
            kind = detect_format(file.read(HEADER_BYTES))
    except (OSError, ValueError, RuntimeError):  # no right to read it, no name of a file at all, links in a circle
        return Remark("missing media: {name}", {"name": name[:200]})
    return path if kind else Remark("'{name}' is not an image", {"name": name[:200]})


def decode_picture(text: str) -> Media | Remark:
    """Decode a picture from base64 or a data URI, or return the reason why that fails."""
    body = "".join((text.partition("base64,")[2] or text).split())
    try:
        kind = detect_format(base64.b64decode(body, validate=True)[:HEADER_BYTES])
    except (binascii.Error, ValueError):
        return Remark("the image is not valid base64")
    if not kind:
        return Remark("not a supported image")
    return Media(kind="image", data=f"data:image/{kind};base64,{body}")


def _refusal(name: str) -> Remark:
    return Remark("the path '{name}' is outside the image folder", {"name": name[:200]})


if TYPE_CHECKING:
    from sightline.suites.matrix.suite import Options

_FIELDS = (
    *("id", "dimension", "difficulty", "task_type", "image_path", "image_base64", "question", "options"),
    *("ground_truth", "metric", "metadata"),
)
_SUFFIXES = (".jsonl", ".json", ".txt")
_BATCH_ROWS = 256
_Resolved = TypeVar("_Resolved", Path, Media)


class _RowError(DataError):
    """A row is not a valid sample."""


def read(data: Path, options: Options) -> Iterator[Sample | Invalid]:
    """Yield all samples selected by the options, file by file in order of name."""
    seen: set[str] = set()
    for path in _files(data):
        with index_file(path, _FIELDS) as index:
            for fault in index.faults:
                if fault.kind != "invalid UTF-8":
                    yield Invalid(id=f"{path.name}:{fault.line}", reason=fault.kind, source=f"{path}:{fault.line}")
            for start in range(0, len(index), _BATCH_ROWS):
                rows = np.arange(start, min(start + _BATCH_ROWS, len(index)))
                for sample in _samples(index, rows, seen):
                    if _is_selected(sample, options):
                        yield _reject_unscorable(sample, options)


def _files(data: Path) -> list[Path]:
    if data.is_file():
        return [data]
    files = sorted(path for path in data.glob("*") if path.suffix in _SUFFIXES and path.is_file())
    if not files:
        raise DataError(
            "No samples at {path}: looked for files ending in .jsonl or .json.",
            hint="A fresh set: sightline generate matrix --out DIR",
            path=data,
        )
    return files


def _is_selected(sample: Sample | Invalid, options: Options) -> bool:
    tags = sample.tags
    for tag, selected in (("dimension", options.dimension), ("difficulty", options.level)):
        if selected and tags and tags.get(tag) not in selected:
            return False
    return not options.kind or not sample.task or sample.task in options.kind


def _reject_unscorable(sample: Sample | Invalid, options: Options) -> Sample | Invalid:
    """Replace a sample that the legacy rules cannot score by an `Invalid` record."""
    if isinstance(sample, Invalid) or options.metric_rules != "seed" or sample.target["metric"] in SEED_RULES:
        return sample
    reason = Remark("--metric-rules seed has no rule for '{metric}'", {"metric": sample.target["metric"]})
    return Invalid(id=sample.id, reason=reason, task=sample.task, source=sample.source, tags=sample.tags)


def _samples(index: LineIndex, rows: np.typing.NDArray[np.int64], seen: set[str]) -> Iterator[Sample | Invalid]:
    raw = {field: list(index.raw_texts(field, rows)) for field in _FIELDS}
    for row_number, line in enumerate(index.lines[rows].tolist()):
        row: dict[str, Any] = dict.fromkeys(_FIELDS)
        source = f"{index.path}:{line}"
        try:
            for field, column in raw.items():
                row[field] = _decode_field(field, column[row_number])
            name = str(row["id"] or f"{index.path.stem}:{line}")
            if name in seen:
                raise _RowError("duplicate id '{id}'", id=name)
            sample = _sample(row, name, source, index.path.parent)
            seen.add(name)
            yield sample
        except _RowError as error:
            yield Invalid(
                id=f"{index.path.stem}:{line}", reason=error.remark, task=str(row["task_type"] or ""), source=source
            )


def _decode_field(field: str, raw: str | bytes) -> Any:
    """Decode the JSON value of a field."""
    try:
        return decode_json(raw) if raw else None
    except msgspec.DecodeError as error:
        raise _RowError("{field} holds no JSON: {why}", field=field, why=error) from None


def _sample(row: dict[str, Any], name: str, source: str, folder: Path) -> Sample:
    dimension = _choice_field(row, "dimension", DIMENSIONS)
    level = _choice_field(row, "difficulty", LEVELS)
    kind, question = _text_field(row, "task_type"), _text_field(row, "question")
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
    metric, known = _text_field(row, "metric"), names("scorers")
    if metric in known:
        return metric
    if near := nearest(metric, known):
        raise _RowError("unknown metric '{metric}'; did you mean '{near}'?", metric=metric, near=near)
    raise _RowError("unknown metric '{metric}'; known: {listed}", metric=metric, listed=", ".join(known))


def _truth(row: dict[str, Any], metric: str, folder: Path) -> Any:
    truth = row["ground_truth"]
    if truth is None:
        raise _RowError("{field} is missing", field="ground_truth")
    if metric == "success":
        _validate_world(truth)
    if metric == "execution" and isinstance(truth, dict) and isinstance(truth.get("picture"), str):
        return {**truth, "picture": str(_picture_path(folder, truth["picture"]))}
    return truth


def _validate_world(truth: Any) -> None:
    """Validate the world of an interactive sample."""
    try:
        to_maze(truth["world"])
        turns = int(truth["most_turns"])
    except (KeyError, TypeError, ValueError, msgspec.ValidationError) as error:
        raise _RowError("ground_truth is not a valid world: {why}", why=error) from None
    if turns < 1:
        raise _RowError("most_turns must be at least 1")


def _text_field(row: dict[str, Any], field: str) -> str:
    value = row[field]
    if value is None:
        raise _RowError("{field} is missing", field=field)
    if not isinstance(value, str) or not value.strip():
        raise _RowError("{field} must be a text", field=field)
    return value.strip()


def _choice_field(row: dict[str, Any], field: str, known: tuple[str, ...]) -> str:
    value = _text_field(row, field).lower()
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
    paths, encoded = (
        value if isinstance(value, list) else [value] for value in (row["image_path"], row["image_base64"])
    )
    references = [Media(kind="image", path=str(_picture_path(folder, str(path)))) for path in filter(None, paths)]
    return (*references, *(_unwrap(decode_picture(str(text))) for text in filter(None, encoded)))


def _picture_path(folder: Path, name: str) -> Path:
    return _unwrap(resolve_picture_path(folder, name))


def _unwrap(result: _Resolved | Remark) -> _Resolved:
    if isinstance(result, Remark):
        raise _RowError(result.text, **result.args)
    return result
