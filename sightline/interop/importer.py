"""Importer interface: rows, options, field mapping, error log, and the tasks that rows may name."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar

from msgspec import Struct

from sightline.core.errors import ConfigError
from sightline.core.interfaces import Task
from sightline.core.registry import unknown
from sightline.core.remarks import Remark
from sightline.core.score_config import ScoreConfig
from sightline.core.settings import read_file
from sightline.core.task_table import TaskTable
from sightline.scoring.files.suite_lookup import column_suite, column_suite_names


class Row(Struct, frozen=True, kw_only=True):
    """A sample with its target, a reply, or both."""

    id: str
    truth: str | tuple[str, ...] | None = None
    """Several references of a caption are a tuple. None: this row is a reply alone, to a sample of the same id."""
    reply: str | None = None
    task: str = ""
    question: str = ""
    source: str = ""
    """Name of the image; rows that share it form a cluster."""
    pictures: tuple[bytes, ...] = ()
    size: tuple[int, int] | None = None
    """Width and height of the image in pixels, which conversions of coordinates need."""
    sheet: str = ""
    """The annotation file to write to; empty: the one named after the source."""


class ImportOptions(Struct, frozen=True, kw_only=True):
    """Options of an import, given by the user."""

    scratch: Path
    """Folder for temporary files."""
    task: str = ""
    """Task of all rows; empty: taken from the rows or created by the importer."""
    fields: Mapping[str, str] = {}
    """Foreign column names → Sightline field names."""
    images: Path | None = None
    """Folder of referenced images; None: next to the source."""
    results: Path | None = None
    """A second file or folder with a model's results."""
    frames: bool = True
    """Whether to embed images in the annotations, which inference needs."""


class Importer(ABC):
    """Base class of importers; reads one foreign format row by row. One instance per import."""

    title: ClassVar[str]
    keeps_pictures: ClassVar[bool] = False
    """Whether images are also written as separate files."""

    def __init__(self, options: ImportOptions, faults: ImportFaults) -> None:
        self.options = options
        self.faults = faults
        self.watch: Callable[[int], None] = lambda count: None
        """Progress callback, for importers that read all entries before yielding the first row."""

    @abstractmethod
    def rows(self, source: Path) -> Iterator[Row]:
        """Yield all rows of `source`; unreadable entries are logged to `faults` and skipped."""

    def tasks(self) -> Mapping[str, Any]:
        """Tasks to define beside the known ones, in the format of task_metric.json; called after the last row."""
        return {}


_MAX_LISTED = 5


class ImportFaults:
    """Faults of an import: all of them on disk, the first few in memory."""

    def __init__(self, log: Path) -> None:
        self._path = log
        self._file: Any = None
        self.count = 0
        self.first: list[tuple[str, Remark]] = []
        """The first few faults, as (`file:line`, reason)."""
        self._notes: Counter[str] = Counter()

    def add(self, path: Path | str, line: int | str, why: Remark) -> None:
        """Log an entry that could not be imported."""
        where = f"{path}:{line}"
        self.count += 1
        if len(self.first) < _MAX_LISTED:
            self.first.append((where, why))
        if self._file is None:
            self._file = self._path.open("w", encoding="utf-8", errors="replace", newline="\n")
        columns = (str(path), str(line), str(why))
        self._file.write("\t".join(" ".join(text.split()) for text in columns) + "\n")

    def note(self, what: Remark) -> None:
        """Count an event that is not a fault but affects the metrics; the text contains {count}."""
        self._notes[what.text] += 1

    def notes(self) -> list[Remark]:
        """All notes with their counts."""
        return [Remark(text, {"count": count}) for text, count in self._notes.items()]

    def close(self) -> None:
        """Close the log file."""
        if self._file is not None:
            self._file.close()


FIELD_NAMES = ("sample_id", "task", "prompt", "gt", "model_output", "source", "image")


class FieldMapping:
    """Looks up values by Sightline field name. A foreign name may be a nested path: `doc.answer`."""

    def __init__(self, known: Mapping[str, tuple[str, ...]], custom: Mapping[str, str]) -> None:
        self._names = {
            field: tuple(foreign for foreign, target in custom.items() if target == field) or known.get(field, ())
            for field in FIELD_NAMES
        }

    def value(self, record: Mapping[str, Any], field: str) -> Any:
        """Return the first value found under any of the field's foreign names, else None."""
        for name in self._names[field]:
            value = record[name] if name in record else _nested_value(record, name)
            if value is not None:
                return value
        return None

    def text(self, record: Mapping[str, Any], field: str) -> str | None:
        """Return the value as text."""
        return as_text(self.value(record, field))


def _nested_value(record: Any, name: str) -> Any:
    for step in name.split(".") if "." in name else ():
        if not isinstance(record, dict):
            return None
        record = record.get(step)
    return record if "." in name else None


def as_text(value: Any) -> str | None:
    """Convert a cell to text: integral numbers without a decimal point, lists and objects as JSON."""
    if value is None or isinstance(value, str):
        return value if value is None else replace_surrogates(value)
    if isinstance(value, float):
        if value != value:
            return None
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    if isinstance(value, bool | int):
        return str(value)
    return replace_surrogates(json.dumps(value, ensure_ascii=False, default=str))


def replace_surrogates(text: str) -> str:
    """Replace lone surrogates, which cannot be encoded as UTF-8."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def read_field_mapping(texts: Iterable[str]) -> dict[str, str]:
    """Parse mappings given as `theirs=ours` or as JSON files `{"theirs": "ours"}`; raises on unknown fields."""
    mapping: dict[str, str] = {}
    for text in texts:
        foreign, equals, field = text.rpartition("=")
        if equals and not Path(text).is_file():
            mapping[foreign.strip()] = field.strip()
        else:
            mapping |= read_file(Path(text), keep_keys=True)
    for foreign, field in mapping.items():
        if not isinstance(field, str) or not foreign:
            raise ConfigError(
                "{flag} takes key=value, not '{text}'.", flag="--field-mapping", text=f"{foreign}={field}"
            )
        if field not in FIELD_NAMES:
            raise unknown("field", field, list(FIELD_NAMES))
    return mapping


def known_tasks(task_config: str = "") -> TaskTable:
    """Table of the tasks of all suites that score files, including user-defined ones; the first name wins."""
    first, *others = column_suite_names()
    known = column_suite(ScoreConfig(task_config=task_config), first).table
    for name in others:
        for task in column_suite(ScoreConfig(), name).table:
            if not any(known.get(other) for other in (task.name, task.title, *task.aliases) if other):
                known = known.with_tasks([task])
    return known


def task_settings(task: Task, **changes: Any) -> dict[str, Any]:
    """Return a task's settings in the format of task_metric.json, with changes."""
    settings = {"level": task.level, "parser": task.parser, "core": list(task.metrics)}
    return settings | {"auxiliary": list(task.auxiliary)} | changes
