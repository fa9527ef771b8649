"""Importers of detection data sets: COCO and DOTA. One sample per image and class, one task per class by default."""

from __future__ import annotations

import math
import re
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from msgspec import Struct

from sightline.core.errors import DataError
from sightline.core.interfaces import Task
from sightline.core.remarks import Remark
from sightline.interop.importer import Importer, Row, as_text, known_tasks, task_settings
from sightline.interop.readers import list_files, read_pictures, stream_json

MAX_COORDINATE = 1e12
"""Coordinates beyond this are rejected."""
MAX_SIDE = 10**6
"""Pixels of the side of an image."""


def parse_numbers(values: Any, count: int) -> list[float] | None:
    """Parse exactly `count` finite numbers (numeric strings included), or return None."""
    if not isinstance(values, Sequence) or isinstance(values, str) or len(values) != count:
        return None
    try:
        numbers = [float(value) for value in values]
    except (TypeError, ValueError, OverflowError):
        return None
    return numbers if all(math.isfinite(value) and abs(value) <= MAX_COORDINATE for value in numbers) else None


def parse_size(width: Any, height: Any) -> tuple[int, int] | None:
    """Parse width and height of an image in pixels; None if they are not positive whole numbers."""
    numbers = parse_numbers([width, height], 2)
    if numbers is None or not all(1 <= value <= MAX_SIDE and value.is_integer() for value in numbers):
        return None
    return int(numbers[0]), int(numbers[1])


def format_shape(tag: str, coordinates: Sequence[float], score: float | None = None) -> str:
    """Format a shape as `<box><x1>…</box>`, followed by its score if it has one; lossless."""
    body = "".join(f"<{_format_number(value)}>" for value in coordinates)
    suffix = "" if score is None else f"<score>{_format_number(score)}</score>"
    return f"<{tag}>{body}</{tag}>{suffix}"


def format_shapes(shapes: Sequence[str]) -> str:
    """Format all shapes of an image, preceded by their number."""
    return f"{len(shapes)} {''.join(shapes)}".strip()


def _format_number(value: float) -> str:
    return str(int(value)) if value.is_integer() else repr(value)


BATCH = 5000


class ImageClassDetections(Struct, frozen=True):
    """All shapes of one class in one image: ground truth and detections."""

    picture: str
    kind: str
    truth: tuple[str, ...]
    found: tuple[str, ...]


class DetectionBuffer:
    """SQLite table of shapes, sorted once when it is complete."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / ".spool.sqlite"
        self._path.unlink(missing_ok=True)
        self._database = sqlite3.connect(self._path)
        self._database.execute("PRAGMA journal_mode = OFF")
        self._database.execute("PRAGMA synchronous = OFF")
        self._database.execute("CREATE TABLE shape (picture TEXT, kind TEXT, is_found INTEGER, text TEXT)")
        self._database.execute(
            "CREATE TABLE name (key TEXT PRIMARY KEY, name TEXT, width INTEGER, height INTEGER) WITHOUT ROWID"
        )
        self._pending: list[tuple[str, str, int, str]] = []
        self.count = 0

    def name(self, key: str, name: str, size: tuple[int, int] | None = None) -> None:
        """Set the file name of an image, and its width and height where they are known."""
        self._database.execute("INSERT OR REPLACE INTO name VALUES (?, ?, ?, ?)", (key, name, *(size or (None, None))))

    def ensure_name(self, key: str) -> None:
        """Register an image; its name defaults to the key."""
        self._database.execute("INSERT OR IGNORE INTO name (key, name) VALUES (?, ?)", (key, key))

    def name_of(self, key: str) -> str | None:
        """Return the file name of an image; None if it is unknown."""
        row = self._database.execute("SELECT name FROM name WHERE key = ?", (key,)).fetchone()
        return row[0] if row else None

    def size_of(self, key: str) -> tuple[int, int] | None:
        """Return width and height of an image; None if they are unknown."""
        row = self._database.execute("SELECT width, height FROM name WHERE key = ?", (key,)).fetchone()
        return (row[0], row[1]) if row and row[0] else None

    def add(self, picture: str, kind: str, text: str, found: bool) -> None:
        """Add one shape."""
        self.count += 1
        self._pending.append((picture, kind, int(found), text))
        if len(self._pending) >= BATCH:
            self._flush()

    def groups(self) -> Iterator[ImageClassDetections]:
        """Yield all groups sorted by image and class, shapes in insertion order."""
        self._flush()
        rows = self._database.execute(
            "SELECT picture, kind, is_found, text FROM shape ORDER BY picture, kind, is_found, rowid"
        )
        for (picture, kind), group in groupby(rows, key=lambda row: (row[0], row[1])):
            shapes = [(is_found, text) for _, _, is_found, text in group]
            yield ImageClassDetections(
                picture,
                kind,
                truth=tuple(text for is_found, text in shapes if not is_found),
                found=tuple(text for is_found, text in shapes if is_found),
            )

    def close(self) -> None:
        """Close and delete the database."""
        self._database.close()
        self._path.unlink(missing_ok=True)

    def _flush(self) -> None:
        self._database.executemany("INSERT INTO shape VALUES (?, ?, ?, ?)", self._pending)
        self._pending.clear()


class DetectionImporter(Importer):
    """Common part of the importers of detection data sets."""

    parser: str
    """Parser of the created tasks."""
    ap_rule = ""
    """`voc` for the AP of Pascal VOC; empty: that of COCO."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.class_names: dict[str, str] = {}
        """Class names by class key, as found in the annotations."""
        self._tasks: dict[str, Any] = {}

    def tasks(self) -> Mapping[str, Any]:
        """One task per class."""
        return self._tasks

    def add_result(
        self, buffer: DetectionBuffer, location: tuple[Path, int], image_and_class: tuple[str, str], text: str
    ) -> None:
        """Add a detection, unless its image or class does not occur in the annotations.

        Such a result belongs to other data and is logged as a fault.
        """
        picture, class_key = image_and_class
        if buffer.name_of(picture) is None:
            self.faults.add(*location, Remark("the annotations have no image '{name}'", {"name": picture[:200]}))
        elif class_key not in self.class_names:
            self.faults.add(*location, Remark("the annotations have no class '{name}'", {"name": class_key[:200]}))
        else:
            buffer.add(picture, class_key, text, found=True)
            self.watch(buffer.count)

    def grouped_rows(self, buffer: DetectionBuffer, answered: bool) -> Iterator[Row]:
        """Yield one row per image and class in the buffer."""
        for group in buffer.groups():
            label = self.class_names[group.kind]
            picture = buffer.name_of(group.picture) or group.picture
            yield Row(
                id=f"{group.picture}/{group.kind}",
                truth=format_shapes(group.truth),
                reply=format_shapes(group.found) if answered else None,
                task=self.options.task or self._task(label),
                question=f"Detect all objects of the class '{label}'.",
                source=picture,
                pictures=self._pictures(picture),
                size=buffer.size_of(group.picture),
            )

    def _task(self, label: str) -> str:
        name = f"detect {label}"
        if name not in self._tasks:
            self._tasks[name] = task_settings(
                self._pattern(), **({"options": {"ap": self.ap_rule}} if self.ap_rule else {})
            )
        return name

    def _pattern(self) -> Task:
        """The known task whose settings the class tasks copy."""
        matching = [task for task in known_tasks() if task.parser == self.parser and "count_accuracy" in task.auxiliary]
        return matching[0]

    def _pictures(self, name: str) -> tuple[bytes, ...]:
        folder = self.options.images
        return read_pictures(folder, (name,), self.faults) if folder is not None and self.options.frames else ()


def find_picture_name(folder: Path | None, stem: str) -> str:
    """Return the image file name for a label file; its stem if no folder is given or no image is found."""
    for suffix in (".png", ".jpg", ".jpeg", ".tif", ".tiff", ".bmp"):
        if folder is not None and (folder / f"{stem}{suffix}").is_file():
            return f"{stem}{suffix}"
    return stem


class CocoImporter(DetectionImporter):
    """Converts boxes [x, y, width, height] to corners. Each image and category with a box becomes a sample."""

    title = "COCO instances and results (JSON)"
    parser = "boxes"

    def rows(self, source: Path) -> Iterator[Row]:
        """Read targets from the source and outputs from the results."""
        buffer = DetectionBuffer(self.options.scratch)
        try:
            self._read_truths(source, buffer)
            if self.options.results is not None:
                for number, (_, result) in enumerate(stream_json(self.options.results), 1):
                    self._result(buffer, result, (self.options.results, number))
            yield from self.grouped_rows(buffer, answered=self.options.results is not None)
        finally:
            buffer.close()

    def _read_truths(self, source: Path, buffer: DetectionBuffer) -> None:
        counts: dict[str, int] = {}
        for key, entry in stream_json(source):
            counts[key] = number = counts.get(key, 0) + 1
            if key not in ("images", "categories", "annotations"):
                continue
            location = source, f"{key}[{number - 1}]"
            if key == "annotations":
                self._truth(buffer, entry, location)
            elif not isinstance(entry, dict) or "id" not in entry:
                self.faults.add(*location, Remark("the entry has no id"))
            elif key == "images":
                size = parse_size(entry.get("width"), entry.get("height"))
                buffer.name(_cell_text(entry["id"]), _cell_text(entry.get("file_name") or entry["id"]), size)
            else:
                self.class_names[_cell_text(entry["id"])] = _cell_text(entry.get("name") or entry["id"])
        if "annotations" not in counts:
            raise DataError("{path} has no annotations: is it a COCO instances file?", path=source)

    def _truth(self, buffer: DetectionBuffer, entry: Any, location: tuple[Path, str]) -> None:
        if (image_and_class := self._about(entry, location)) is None:
            return
        buffer.ensure_name(image_and_class[0])
        self.class_names.setdefault(image_and_class[1], image_and_class[1])
        if entry.get("iscrowd"):
            self.faults.note(Remark("{count} crowd regions are ignored; detections in them count as false positives."))
        elif (text := self._shape(entry, location, is_detection=False)) is not None:
            buffer.add(*image_and_class, text, found=False)
            self.watch(buffer.count)

    def _result(self, buffer: DetectionBuffer, entry: Any, location: tuple[Path, int]) -> None:
        image_and_class = self._about(entry, location)
        if image_and_class is not None and (text := self._shape(entry, location, is_detection=True)) is not None:
            self.add_result(buffer, location, image_and_class, text)

    def _about(self, entry: Any, location: tuple[Path, int | str]) -> tuple[str, str] | None:
        """Return image id and category id."""
        if isinstance(entry, dict) and "image_id" in entry and "category_id" in entry:
            return _cell_text(entry["image_id"]), _cell_text(entry["category_id"])
        self.faults.add(*location, Remark("the entry has no image or no category"))
        return None

    def _shape(self, entry: Any, location: tuple[Path, int | str], is_detection: bool) -> str | None:
        box = parse_numbers(entry.get("bbox"), 4)
        score = parse_numbers([entry.get("score")], 1) if is_detection else [0.0]
        if box is None or min(box[2:]) < 0 or score is None:
            self.faults.add(*location, Remark("bbox or score of the entry is not numeric"))
            return None
        corners = [box[0], box[1], box[0] + box[2], box[1] + box[3]]
        return format_shape("box", corners, score[0] if is_detection else None)


def _cell_text(value: Any) -> str:
    return as_text(value) or ""


_RESULT_NAME = re.compile(r"(?:Task\d_)?(?P<kind>.+)", re.IGNORECASE)
_HEADER_PREFIXES = ("imagesource:", "gsd:")
_MAX_LINE_CHARACTERS = 10_000


class DotaImporter(DetectionImporter):
    """Lines `x1 y1 … x4 y4 class difficult`; results `picture score x1 y1 … x4 y4` in `Task1_CLASS.txt`."""

    title = "DOTA labels and results (text)"
    parser = "quads"

    def rows(self, source: Path) -> Iterator[Row]:
        """Read targets from the source and outputs from the results."""
        buffer = DetectionBuffer(self.options.scratch)
        try:
            for path in list_files(source, (".txt",)):
                buffer.name(path.stem, find_picture_name(self.options.images, path.stem))
                for number, words in self._lines(path):
                    self._truth(buffer, path, number, words)
            for path in list_files(self.options.results, (".txt",)) if self.options.results is not None else ():
                match = _RESULT_NAME.fullmatch(path.stem)
                for number, words in self._lines(path):
                    self._result(buffer, (path, number), words, match["kind"] if match else path.stem)
            yield from self.grouped_rows(buffer, answered=self.options.results is not None)
        finally:
            buffer.close()

    def _lines(self, path: Path) -> Iterator[tuple[int, list[str]]]:
        with path.open(encoding="utf-8-sig", errors="replace") as file:
            number = 0
            while line := file.readline(_MAX_LINE_CHARACTERS):
                number += line.endswith("\n") or len(line) < _MAX_LINE_CHARACTERS
                words = line.replace(",", " ").split()
                if words and not line.lower().startswith(_HEADER_PREFIXES):
                    yield number, words

    def _truth(self, buffer: DetectionBuffer, path: Path, number: int, words: list[str]) -> None:
        corners = parse_numbers(words[:8], 8)
        if corners is None or len(words) < 9:
            self.faults.add(path, number, Remark("the line is not an oriented box with a class"))
            return
        if len(words) > 9 and words[9] not in ("0", "0.0"):
            self.faults.note(Remark("{count} objects are marked as difficult and count like all others."))
        self.class_names[words[8]] = words[8]
        buffer.add(path.stem, words[8], format_shape("quad", corners), found=False)
        self.watch(buffer.count)

    def _result(self, buffer: DetectionBuffer, location: tuple[Path, int], words: list[str], class_name: str) -> None:
        score, corners = parse_numbers(words[1:2], 1), parse_numbers(words[2:10], 8)
        if len(words) == 6:  # Task2: upright boxes
            box = parse_numbers(words[2:6], 4)
            corners = box and [box[0], box[1], box[2], box[1], box[2], box[3], box[0], box[3]]
        if score is None or corners is None:
            self.faults.add(*location, Remark("the line is not an image, a score and a box"))
            return
        self.add_result(buffer, location, (words[0], class_name), format_shape("quad", corners, score[0]))
