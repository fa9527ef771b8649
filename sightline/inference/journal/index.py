"""Stored index of a journal: position → file and byte offset, so that opening a page need not read all lines.

It is valid only for the bytes it was built from: if a file has another size or modification time, it is ignored.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from threading import get_ident
from typing import Any

import msgspec
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

Stamps = Sequence[tuple[str, os.stat_result]]
_MAGIC = b"sightline journal index 1\n"
_RECORD = np.dtype([("position", "<i8"), ("offset", "<i8"), ("part", "<i4")])
_LONGEST_HEADER = 1 << 24


class JournalCounts(Struct, kw_only=True):
    """Counts over all lines of a journal."""

    unreadable: int = 0
    requests: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    models: dict[str, int] = {}


class JournalIndex(Struct, frozen=True):
    """The final records of a journal, sorted by position."""

    counts: JournalCounts
    positions: NDArray[np.int64]
    offsets: NDArray[np.int64]
    parts: NDArray[np.int64]


class _Header(Struct):
    parts: list[tuple[str, int, int]]
    """Name, size and modification time of each journal file."""
    lines: int
    counts: JournalCounts


def index_path(journal: Path) -> Path:
    """The path of the index of a journal."""
    return journal.with_suffix(".index")


def save_index(journal: Path, stamps: Stamps, index: JournalIndex) -> None:
    """Write the index atomically."""
    records: NDArray[Any] = np.zeros(len(index.positions), _RECORD)
    records["position"], records["offset"], records["part"] = index.positions, index.offsets, index.parts
    header = msgspec.json.encode(_Header(_stamp_rows(stamps), len(records), index.counts))
    temporary = journal.with_name(f".{journal.stem}-{os.getpid()}-{get_ident()}.part")
    try:
        with temporary.open("wb") as file:
            file.write(_MAGIC + len(header).to_bytes(8, "little") + header + records.tobytes())
        temporary.replace(index_path(journal))
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def load_index(journal: Path, stamps: Stamps) -> JournalIndex | None:
    """The stored index of a journal; None if it is missing, damaged, or its files have changed since."""
    path = index_path(journal)
    try:
        if path.is_symlink():
            return None
        with path.open("rb") as file:
            if file.read(len(_MAGIC)) != _MAGIC:
                return None
            size = int.from_bytes(file.read(8), "little")
            if size > _LONGEST_HEADER:
                return None
            header = msgspec.json.decode(file.read(size), type=_Header)
            if header.parts != _stamp_rows(stamps):
                return None
            data = file.read()
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        return None
    if len(data) != header.lines * _RECORD.itemsize:
        return None
    records = np.frombuffer(data, _RECORD)
    positions, offsets, parts = (records[name].astype(np.int64) for name in ("position", "offset", "part"))
    is_valid = len(records) == 0 or (parts.min() >= 0 and parts.max() < len(stamps) and offsets.min() >= 0)
    return JournalIndex(header.counts, positions, offsets, parts) if is_valid else None


def _stamp_rows(stamps: Stamps) -> list[tuple[str, int, int]]:
    return [(name, status.st_size, status.st_mtime_ns) for name, status in stamps]
