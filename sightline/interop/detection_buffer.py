"""On-disk buffer that groups shapes by image and class; the input files list them in any order."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from msgspec import Struct

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
        self._database.execute("CREATE TABLE name (key TEXT PRIMARY KEY, name TEXT) WITHOUT ROWID")
        self._pending: list[tuple[str, str, int, str]] = []
        self.count = 0

    def name(self, key: str, name: str) -> None:
        """Set the file name of an image."""
        self._database.execute("INSERT OR REPLACE INTO name VALUES (?, ?)", (key, name))

    def ensure_name(self, key: str) -> None:
        """Register an image; its name defaults to the key."""
        self._database.execute("INSERT OR IGNORE INTO name VALUES (?, ?)", (key, key))

    def name_of(self, key: str) -> str | None:
        """Return the file name of an image; None if it is unknown."""
        row = self._database.execute("SELECT name FROM name WHERE key = ?", (key,)).fetchone()
        return row[0] if row else None

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
