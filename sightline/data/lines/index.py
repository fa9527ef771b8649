"""Line index: byte spans of the selected fields of all rows of a file; the texts stay in the file."""

from __future__ import annotations

from collections import Counter
from typing import Any, Self

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from sightline.data.columns import TextColumn
from sightline.data.lines.faults import Fault, FaultLog
from sightline.data.lines.hashing import hash_texts
from sightline.data.lines.row_kernels import HAS_CONTENT, HAS_ESCAPES, IS_TEXT
from sightline.data.lines.span_reader import SpanReader
from sightline.data.storage import AnyPath

_ROWS_AT_ONCE = 1 << 15
_BYTES_AT_ONCE = 1 << 25


class Column(Struct, frozen=True):
    """One field of all valid rows: the byte spans of its raw JSON values, and flags set by the scan."""

    offsets: NDArray[np.int64]
    lengths: NDArray[np.int32]
    flags: NDArray[np.uint8]

    def take(self, rows: NDArray[Any]) -> Column:
        """The field of some rows."""
        return Column(self.offsets[rows], self.lengths[rows], self.flags[rows])


class ScanResult(Struct, frozen=True):
    """The result of a scan of a file."""

    columns: dict[str, Column]
    row_numbers: NDArray[np.int64]
    lines: NDArray[np.int64]
    row_count: int
    log: FaultLog
    hashes: dict[str, NDArray[np.uint64]] = {}
    """Hashes of the fields that were hashed during the scan."""
    offsets: NDArray[np.int64] = np.zeros(0, np.int64)
    """The byte offset of each valid row; empty for a subset of rows."""


class LineIndex:
    """The rows of one file, created by `index_file`. Thread-safe."""

    def __init__(self, path: AnyPath, result: ScanResult, reader: SpanReader, has_file_spans: bool) -> None:
        self.path = path
        self.row_count = result.row_count
        """Number of rows of the file, including unreadable ones; blank lines are not rows."""
        self.row_numbers = result.row_numbers
        """For each valid row its number among all rows, from 0."""
        self.lines = result.lines
        """For each valid row the line on which it begins, from 1."""
        self.offsets = result.offsets
        """For each valid row its byte offset in the decompressed file."""
        self.faults: list[Fault] = result.log.faults
        """The first 100,000 faults."""
        self.fault_counts: Counter[str] = result.log.counts
        """The number of faults of each kind, including those beyond the limit."""
        self.fields = tuple(result.columns)
        self._columns, self._reader, self._has_file_spans = result.columns, reader, has_file_spans
        self._hashes = dict(result.hashes)

    def __len__(self) -> int:
        return len(self.row_numbers)

    def column(self, field: str) -> Column:
        """The spans of the values of a field."""
        return self._columns[field]

    def has(self, field: str) -> NDArray[np.bool_]:
        """Where a field is present, not null, and not an empty or white-space string."""
        filled: NDArray[np.bool_] = (self._columns[field].flags & HAS_CONTENT) != 0
        return filled

    def hashes(self, field: str) -> NDArray[np.uint64]:
        """A hash of each text as by `hash_texts`; 0 where the field is absent. Cached."""
        if field not in self._hashes:
            filled = np.flatnonzero(self.has(field))
            hashes = np.zeros(len(self), np.uint64)
            # in blocks, so that memory does not grow with the file
            bytes_before = np.cumsum(self._columns[field].lengths[filled], dtype=np.int64)
            first = 0
            while first < len(filled):
                limit = (bytes_before[first - 1] if first else 0) + _BYTES_AT_ONCE
                after = min(int(np.searchsorted(bytes_before, limit, "right")), first + _ROWS_AT_ONCE)
                rows = filled[first : max(after, first + 1)]
                hashes[rows] = hash_texts(self.texts(field, rows))
                first += len(rows)
            self._hashes[field] = hashes
        return self._hashes[field]

    def texts(self, field: str, rows: NDArray[Any]) -> TextColumn:
        """The texts of some rows, in the given order; non-strings as raw JSON, missing and null values as empty."""
        column = self._columns[field]
        flags, lengths = column.flags[rows], column.lengths[rows].astype(np.int64)
        is_text = (flags & IS_TEXT).astype(bool)
        is_none = ~is_text & ((flags & HAS_CONTENT) == 0)
        lengths[is_text] -= 2  # the quotes
        lengths[is_none] = 0
        return self._reader.texts(column.offsets[rows] + is_text, lengths, (flags & HAS_ESCAPES) != 0)

    def raw_texts(self, field: str, rows: NDArray[Any], max_bytes: int | None = None) -> TextColumn:
        """The raw JSON of the values of some rows, at most `max_bytes` of each; missing values are empty."""
        column = self._columns[field]
        lengths = np.minimum(
            column.lengths[rows].astype(np.int64), np.iinfo(np.int64).max if max_bytes is None else max_bytes
        )
        return self._reader.texts(column.offsets[rows], lengths, np.zeros(len(lengths), bool))

    def spans(self, field: str, row: int) -> tuple[int, int]:
        """Offset and length of a raw JSON value in the file, or in the temporary copy; length 0 if it is missing."""
        column = self._columns[field]
        return int(column.offsets[row]), int(column.lengths[row])

    def has_file_spans(self) -> bool:
        """Whether spans refer to the file itself; for a compressed or remote file they refer to a temporary copy."""
        return self._has_file_spans

    def close(self) -> None:
        """Close the file; the columns stay available."""
        self._reader.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
