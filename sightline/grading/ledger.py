"""Grades and logs on disk: JSON lines while grading, one Parquet file at the end, sorted by task."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from sightline.errors import JournalError
from sightline.grading.logs import error_log, invalid_log
from sightline.records import Grade
from sightline.runs.folder import RunFolder

BATCH = 1000
_encoder = msgspec.json.Encoder()
COLUMNS = {
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
        self._errors = error_log(folder)
        self._invalid = invalid_log(folder)
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


def _to_parquet(lines: Path, out: Path) -> None:
    import duckdb

    part = out.with_suffix(".part")
    columns = ", ".join(f"'{name}': '{kind}'" for name, kind in COLUMNS.items())
    try:
        with quiet_base(out.parent) as base:
            base.execute(
                f"COPY (SELECT * FROM read_json(?, format='newline_delimited', columns={{{columns}}}) "  # noqa: S608  # fixed names
                "ORDER BY task, position) TO "
                f"'{quoted(part)}' (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE 20000)",
                [str(lines)],
            )
    except duckdb.Error as error:
        raise JournalError("Can't write {path}: {why}", path=out, why=error) from None
    finally:
        with suppress(OSError):
            (out.parent / ".duckdb").rmdir()
    part.replace(out)


def quiet_base(folder: Path, **more: Any) -> Any:
    """A DuckDB with little memory and one thread, spilling into the run folder, that draws no bar of its own."""
    import duckdb

    base = duckdb.connect(config={**_settings(folder), **more})
    base.execute("SET enable_progress_bar = false")
    return base


def _settings(folder: Path) -> dict[str, Any]:
    return {
        "memory_limit": "256MB",
        "threads": 1,
        "temp_directory": str(folder / ".duckdb"),
        "preserve_insertion_order": False,
    }


def quoted(path: Path) -> str:
    """The path inside single quotes of SQL."""
    return str(path).replace("'", "''")
