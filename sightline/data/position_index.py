"""Position index for random access: for each position the file, the byte offset and the length of the row.

Built once and stored with a run. The file has a JSON header and 16 bytes for each position, so that a lookup reads one
record, however many there are.
"""

from __future__ import annotations

import os
from bisect import bisect_right
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

import msgspec
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from sightline.core.atomic_io import atomic_path

RECORD = np.dtype([("offset", "<i8"), ("length", "<u4"), ("extra", "<u4")])
ABSENT = -1
"""The offset of a position without a row."""
_MAGIC = b"sightline index 1\n"
_LONGEST_HEADER = 1 << 28
Records = NDArray[Any]


class IndexedFile(Struct, frozen=True, kw_only=True):
    """One file of an index; its positions follow those of the previous file."""

    name: str
    """The prefix of the ids of its samples."""
    path: str
    relative: str = ""
    """The path relative to the folder that the index covers."""
    size: int
    mtime_ns: int
    count: int
    is_plain: bool = True
    """Whether offsets are byte offsets in the file itself; otherwise they are row numbers."""


class Entry(Struct, frozen=True):
    """The entry of an index at one position."""

    file: IndexedFile
    offset: int
    length: int
    extra: int


class _Header(Struct):
    count: int
    files: list[IndexedFile]


class PositionIndex:
    """A position index in memory, or on disk if it was loaded."""

    def __init__(
        self, files: Sequence[IndexedFile], records: Records | None, stored: tuple[Path, int] | None = None
    ) -> None:
        self.files = list(files)
        self._records, self._stored = records, stored
        self._ends = np.cumsum([file.count for file in self.files]).tolist()

    def __len__(self) -> int:
        return self._ends[-1] if self._ends else 0

    def find(self, position: int) -> Entry | None:
        """The entry at a position; None if there is none."""
        if not 0 <= position < len(self):
            return None
        offset, length, extra = self._record(position)
        if offset == ABSENT:
            return None
        return Entry(self.files[bisect_right(self._ends, position)], offset, length, extra)

    def _record(self, position: int) -> tuple[int, int, int]:
        if self._records is not None:
            return tuple(self._records[position].tolist())
        assert self._stored is not None
        path, start = self._stored
        with path.open("rb") as file:
            file.seek(start + position * RECORD.itemsize)
            data = file.read(RECORD.itemsize)
        if len(data) < RECORD.itemsize:  # replaced by another since it was loaded
            return ABSENT, 0, 0
        return tuple(np.frombuffer(data, RECORD)[0].tolist())

    def save(self, path: Path) -> None:
        """Write the index atomically."""
        assert self._records is not None, "only an index in memory is saved"
        header = msgspec.json.encode(_Header(len(self), self.files))
        with atomic_path(path) as temporary, temporary.open("wb") as file:
            file.write(_MAGIC + len(header).to_bytes(8, "little") + header)
            file.write(self._records.tobytes())

    @classmethod
    def load(cls, path: Path) -> Self | None:
        """The stored index; None if it is missing, damaged or of another version."""
        try:
            with path.open("rb") as file:
                if file.read(len(_MAGIC)) != _MAGIC:
                    return None
                size = int.from_bytes(file.read(8), "little")
                if size > _LONGEST_HEADER:
                    return None
                header = msgspec.json.decode(file.read(size), type=_Header)
                start = file.tell()
                total = file.seek(0, os.SEEK_END) - start
        except (OSError, msgspec.DecodeError, UnicodeDecodeError):
            return None
        counts = [file.count for file in header.files]
        if min(counts, default=0) < 0 or sum(counts) != header.count or total != header.count * RECORD.itemsize:
            return None
        return cls(header.files, None, (path, start))


def make_records(offsets: Any, lengths: Any, extras: Any) -> Records:
    """Records from columns; lengths are capped at 32 bits."""
    records = np.zeros(len(offsets), RECORD)
    records["offset"], records["extra"] = offsets, extras
    records["length"] = np.minimum(np.asarray(lengths, np.int64), np.iinfo(np.uint32).max)
    return records


def absent_records(count: int) -> Records:
    """Records of positions without a row."""
    return make_records(np.full(count, ABSENT), np.zeros(count, np.int64), np.zeros(count, np.int64))


def describe_file(path: Path, name: str, count: int, base: Path | None = None, is_plain: bool = True) -> IndexedFile:
    """The description of a file in an index; `base` is the folder that its relative path starts from."""
    status = path.stat()
    return IndexedFile(
        name=name,
        path=str(path.resolve()),
        relative="" if base is None else relative_path(path, base),
        size=status.st_size,
        mtime_ns=status.st_mtime_ns,
        count=count,
        is_plain=is_plain,
    )


def relative_path(path: Path, base: Path) -> str:
    """The POSIX path relative to a folder; empty if there is none (another drive)."""
    try:
        return Path(os.path.relpath(path.resolve(), base.resolve())).as_posix()
    except ValueError:
        return ""
