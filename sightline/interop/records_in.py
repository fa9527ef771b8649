"""Records one at a time from tables and JSON lines: a broken one is told and passed over."""

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
from sightline.interop.faults import Faults

LONGEST = 256 * 2**20
"""Bytes of one line or cell."""
Record = dict[str, Any]


def files_of(source: Path, suffixes: tuple[str, ...]) -> list[Path]:
    """The file itself, or those of a folder that end so, in the order of names."""
    if source.is_file():
        return [source]
    found = sorted(path for path in source.glob("*") if path.name.lower().endswith(suffixes) and path.is_file())
    if not found:
        raise DataError(
            "{path} is no file, and no folder that holds {wanted}.",
            path=source,
            wanted=" ".join(f"*{s}" for s in suffixes),
        )
    return found


def json_lines(path: Path, faults: Faults) -> Iterator[tuple[int, Record]]:
    """The objects of a file of JSON lines, with their line numbers."""
    with path.open("rb") as file:
        number = 0
        while line := file.readline(LONGEST):
            number += 1
            if len(line) == LONGEST and not line.endswith(b"\n"):
                faults.add(path, number, Remark("the line is too long"))
                while (rest := file.readline(LONGEST)) and not rest.endswith(b"\n"):
                    pass
                continue
            if line.strip():
                try:
                    record = _decoded(line)
                except (ValueError, RecursionError):
                    faults.add(path, number, Remark("the line is no JSON"))
                    continue
                if isinstance(record, dict):
                    yield number, record
                else:
                    faults.add(path, number, Remark("the line is no JSON object"))


def _decoded(line: bytes) -> Any:
    """Quickly where the line is strict JSON; Python's own reader also takes NaN and a signature at the head."""
    try:
        return msgspec.json.decode(line)
    except msgspec.DecodeError:
        return json.loads(line.decode("utf-8-sig"))


def table_rows(path: Path, faults: Faults) -> Iterator[tuple[int, Record]]:
    """The rows of a TSV or CSV as records, with the line each ends on."""
    delimiter = "," if path.suffix.lower() == ".csv" else "\t"
    with path.open(encoding="utf-8-sig", errors="replace", newline="") as file, _long_cells():
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
                facts = {"found": len(cells), "wanted": len(head)}
                if cells:
                    faults.add(path, reader.line_num, Remark("the row has {found} cells instead of {wanted}", facts))
                continue
            yield reader.line_num, {name: cell or None for name, cell in zip(head, cells, strict=True)}


@contextmanager
def _long_cells() -> Iterator[None]:
    """Pictures in base64 are longer than the cells that the csv module expects."""
    before = csv.field_size_limit(LONGEST)
    try:
        yield
    finally:
        csv.field_size_limit(before)
