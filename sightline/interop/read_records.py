"""Streaming readers for CSV, TSV and JSON lines; malformed records are logged and skipped."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

from sightline.core.errors import DataError
from sightline.core.records import Remark
from sightline.interop.faults import ImportFaults

MAX_RECORD_BYTES = 256 * 2**20
"""Bytes of one line or cell."""
Record = dict[str, Any]


def list_files(source: Path, suffixes: tuple[str, ...]) -> list[Path]:
    """Return the file itself, or the files of a folder with one of the suffixes, sorted by name."""
    if source.is_file():
        return [source]
    paths = sorted(path for path in source.glob("*") if path.name.lower().endswith(suffixes) and path.is_file())
    if not paths:
        raise DataError(
            "{path} is no file, and no folder that holds {wanted}.",
            path=source,
            wanted=" ".join(f"*{s}" for s in suffixes),
        )
    return paths


def read_json_lines(path: Path, faults: ImportFaults) -> Iterator[tuple[int, Record]]:
    """Yield the objects of a JSON lines file with their line numbers."""
    with path.open("rb") as file:
        number = 0
        while line := file.readline(MAX_RECORD_BYTES):
            number += 1
            if len(line) == MAX_RECORD_BYTES and not line.endswith(b"\n"):
                faults.add(path, number, Remark("the line is too long"))
                while (rest := file.readline(MAX_RECORD_BYTES)) and not rest.endswith(b"\n"):
                    pass
                continue
            if line.strip():
                try:
                    record = _decode_line(line)
                except (ValueError, RecursionError):
                    faults.add(path, number, Remark("the line is no JSON"))
                    continue
                if isinstance(record, dict):
                    yield number, record
                else:
                    faults.add(path, number, Remark("the line is no JSON object"))


def _decode_line(line: bytes) -> Any:
    """Decode with msgspec; fall back to `json`, which also accepts NaN and a byte order mark."""
    try:
        return msgspec.json.decode(line)
    except msgspec.DecodeError:
        return json.loads(line.decode("utf-8-sig"))


def read_table(path: Path, faults: ImportFaults) -> Iterator[tuple[int, Record]]:
    """Yield the rows of a TSV or CSV file as records, with the number of their last line."""
    delimiter = "," if path.suffix.lower() == ".csv" else "\t"
    with path.open(encoding="utf-8-sig", errors="replace", newline="") as file, _large_csv_fields():
        reader = csv.reader(file, delimiter=delimiter)
        head = next(reader, [])
        while True:
            try:
                cells = next(reader, None)
            except csv.Error:
                faults.add(path, reader.line_num, Remark("the row can't be read"))
                continue
            if cells is None:
                return
            if len(cells) != len(head):
                args = {"found": len(cells), "wanted": len(head)}
                if cells:
                    faults.add(path, reader.line_num, Remark("the row has {found} cells instead of {wanted}", args))
                continue
            yield reader.line_num, {name: cell or None for name, cell in zip(head, cells, strict=True)}


@contextmanager
def _large_csv_fields() -> Iterator[None]:
    """Raise the csv field size limit: base64 images exceed the default."""
    before = csv.field_size_limit(MAX_RECORD_BYTES)
    try:
        yield
    finally:
        csv.field_size_limit(before)
