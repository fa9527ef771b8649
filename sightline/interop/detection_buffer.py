"""Shapes of many pictures, brought together by picture and class on disk: files that list them come in any order."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from msgspec import Struct

BATCH = 5000


class Gathered(Struct, frozen=True):
    """All shapes of a class in one picture: the true ones and the found ones."""

    picture: str
    kind: str
    truth: tuple[str, ...]
    found: tuple[str, ...]


class Spool:
    """A table on disk that is sorted once, when all is in it."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / ".spool.sqlite"
        self._path.unlink(missing_ok=True)
        self._base = sqlite3.connect(self._path)
        self._base.execute("PRAGMA journal_mode = OFF")
        self._base.execute("PRAGMA synchronous = OFF")
        self._base.execute("CREATE TABLE shape (picture TEXT, kind TEXT, is_found INTEGER, text TEXT)")
        self._base.execute("CREATE TABLE name (key TEXT PRIMARY KEY, name TEXT) WITHOUT ROWID")
        self._held: list[tuple[str, str, int, str]] = []
        self.count = 0

    def name(self, key: str, name: str) -> None:
        """What a picture is called."""
        self._base.execute("INSERT OR REPLACE INTO name VALUES (?, ?)", (key, name))

    def meet(self, key: str) -> None:
        """A picture is there, whether or not it is named before or later."""
        self._base.execute("INSERT OR IGNORE INTO name VALUES (?, ?)", (key, key))

    def name_of(self, key: str) -> str | None:
        """What a picture was said to be called."""
        row = self._base.execute("SELECT name FROM name WHERE key = ?", (key,)).fetchone()
        return row[0] if row else None

    def add(self, picture: str, kind: str, text: str, found: bool) -> None:
        """Take one shape."""
        self.count += 1
        self._held.append((picture, kind, int(found), text))
        if len(self._held) >= BATCH:
            self._flush()

    def gathered(self) -> Iterator[Gathered]:
        """All pictures and classes in the order of their names, shapes in the order they came."""
        self._flush()
        rows = self._base.execute(
            "SELECT picture, kind, is_found, text FROM shape ORDER BY picture, kind, is_found, rowid"
        )
        for (picture, kind), group in groupby(rows, key=lambda row: (row[0], row[1])):
            shapes = [(is_found, text) for _, _, is_found, text in group]
            yield Gathered(
                picture,
                kind,
                truth=tuple(text for is_found, text in shapes if not is_found),
                found=tuple(text for is_found, text in shapes if is_found),
            )

    def close(self) -> None:
        """Throw all away."""
        self._base.close()
        self._path.unlink(missing_ok=True)

    def _flush(self) -> None:
        self._base.executemany("INSERT INTO shape VALUES (?, ?, ?, ?)", self._held)
        self._held.clear()
