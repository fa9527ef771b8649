"""Grades and logs on disk: JSON lines while grading, one Parquet file at the end, sorted by task."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from sightline.errors import JournalError
from sightline.records import Grade
from sightline.runs.folder import RunFolder

BATCH = 1000
_encoder = msgspec.json.Encoder()
_COLUMNS = {
    "position": "BIGINT",
    "sample": "VARCHAR",
    "task": "VARCHAR",
    "state": "VARCHAR",
    "score": "DOUBLE",
    "last_score": "DOUBLE",
    "best_score": "DOUBLE",
    "attempts": "INTEGER",
    "weight": "DOUBLE",
    "cluster": "VARCHAR",
    "note": "VARCHAR",
    "source": "VARCHAR",
    "tags": "MAP(VARCHAR, VARCHAR)",
    "values": "JSON",
}


class Ledger:
    """Takes grades; keeps a batch of them in memory at most."""

    def __init__(self, folder: RunFolder) -> None:
        self._folder = folder
        self._lines = folder.path / "grades.jsonl.part"
        self._out = self._lines.open("wb")
        self._errors = _Log(folder.errors, ("source", "task", "error", "sample", "message"))
        self._invalid = _Log(folder.invalid, ("source", "task", "reason", "sample"))
        self._batch: list[bytes] = []

    def add(self, grade: Grade) -> None:
        """Write one grade, and a line to the log that wants to know."""
        self._batch.append(_encoder.encode(grade))
        if len(self._batch) >= BATCH:
            self._flush()
        if grade.state == "invalid":
            self._invalid.write(grade.source, grade.task, grade.note, grade.sample)
        elif grade.state != "ok":
            self._errors.write(grade.source, grade.task, grade.state, grade.sample, grade.note)

    def close(self) -> None:
        """Finish: the Parquet file takes the place of the lines."""
        self._flush()
        self.abandon()
        _to_parquet(self._lines, self._folder.grades)
        self._lines.unlink()

    def abandon(self) -> None:
        """Close the files, whatever is in them."""
        for file in (self._out, self._errors, self._invalid):
            file.close()

    def _flush(self) -> None:
        if self._batch:
            self._out.write(b"\n".join(self._batch) + b"\n")
            self._batch.clear()


class _Log:
    """A tab-separated log with a head line; what it is told can't break its lines."""

    def __init__(self, path: Path, columns: tuple[str, ...]) -> None:
        self._file = path.open("w", encoding="utf-8", newline="\n")
        self.write(*columns)

    def write(self, *cells: str) -> None:
        self._file.write("\t".join(" ".join(cell.split()) for cell in cells) + "\n")

    def close(self) -> None:
        self._file.close()


def _to_parquet(lines: Path, out: Path) -> None:
    import duckdb

    part = out.with_suffix(".part")
    columns = ", ".join(f"'{name}': '{kind}'" for name, kind in _COLUMNS.items())
    try:
        with duckdb.connect(config=_duckdb_settings(out.parent)) as base:
            base.execute(
                f"COPY (SELECT * FROM read_json(?, format='newline_delimited', columns={{{columns}}}) "  # noqa: S608  # fixed names
                "ORDER BY task, position) TO "
                f"'{_quoted(part)}' (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE 20000)",
                [str(lines)],
            )
    except duckdb.Error as error:
        raise JournalError("Can't write {path}: {why}", path=out, why=error) from None
    finally:
        with suppress(OSError):
            (out.parent / ".duckdb").rmdir()
    part.replace(out)


def _duckdb_settings(folder: Path) -> dict[str, Any]:
    return {
        "memory_limit": "256MB",
        "threads": 1,
        "temp_directory": str(folder / ".duckdb"),
        "preserve_insertion_order": False,
    }


def _quoted(path: Path) -> str:
    return str(path).replace("'", "''")
