"""Where the wanted values of a file's rows are: numbers only, the texts stay in the file."""

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
    """One field of all sound rows: where its raw JSON value is, and what the scan saw of it."""

    offsets: NDArray[np.int64]
    lengths: NDArray[np.int32]
    flags: NDArray[np.uint8]

    def take(self, rows: NDArray[Any]) -> Column:
        """The field of some rows."""
        return Column(self.offsets[rows], self.lengths[rows], self.flags[rows])


class ScanResult(Struct, frozen=True):
    """What a scan found."""

    columns: dict[str, Column]
    row_numbers: NDArray[np.int64]
    lines: NDArray[np.int64]
    row_count: int
    log: FaultLog
    hashes: dict[str, NDArray[np.uint64]] = {}
    """Of the fields that were hashed on the way."""
    offsets: NDArray[np.int64] = np.zeros(0, np.int64)
    """Where each sound row begins; empty for a part of an index."""


class LineIndex:
    """The rows of one file; made by `index_file`. Several threads may ask at once."""

    def __init__(self, path: AnyPath, result: ScanResult, reader: SpanReader, has_file_spans: bool) -> None:
        self.path = path
        self.row_count = result.row_count
        """Rows of the file, unreadable ones among them; blank lines are not rows."""
        self.row_numbers = result.row_numbers
        """For each sound row its place among all rows, from 0."""
        self.lines = result.lines
        """For each sound row the line on which it begins, from 1."""
        self.offsets = result.offsets
        """For each sound row the byte at which it begins, in the unpacked file."""
        self.faults: list[Fault] = result.log.faults
        """What is wrong, up to the first 100,000."""
        self.fault_counts: Counter[str] = result.log.counts
        """How often each kind of fault occurred, in full."""
        self.fields = tuple(result.columns)
        self._columns, self._reader, self._has_file_spans = result.columns, reader, has_file_spans
        self._hashes = dict(result.hashes)

    def __len__(self) -> int:
        return len(self.row_numbers)

    def column(self, field: str) -> Column:
        """Where a field's values are."""
        return self._columns[field]

    def has(self, field: str) -> NDArray[np.bool_]:
        """Where the field is there, not null, and not an empty or white-space string."""
        filled: NDArray[np.bool_] = (self._columns[field].flags & HAS_CONTENT) != 0
        return filled

    def hashes(self, field: str) -> NDArray[np.uint64]:
        """A hash of each text as by `hash_texts`; 0 where the field is absent. Computed once."""
        if field not in self._hashes:
            filled = np.flatnonzero(self.has(field))
            hashes = np.zeros(len(self), np.uint64)
            # in pieces, so that memory does not grow with the file
            bytes_before = np.cumsum(self._columns[field].lengths[filled], dtype=np.int64)
            first = 0
            while first < len(filled):
                room = (bytes_before[first - 1] if first else 0) + _BYTES_AT_ONCE
                after = min(int(np.searchsorted(bytes_before, room, "right")), first + _ROWS_AT_ONCE)
                rows = filled[first : max(after, first + 1)]
                hashes[rows] = hash_texts(self.texts(field, rows))
                first += len(rows)
            self._hashes[field] = hashes
        return self._hashes[field]

    def texts(self, field: str, rows: NDArray[Any]) -> TextColumn:
        """The texts of some rows, in their order; what is no string is its raw JSON, a missing or null value empty."""
        column = self._columns[field]
        flags, lengths = column.flags[rows], column.lengths[rows].astype(np.int64)
        is_text = (flags & IS_TEXT).astype(bool)
        is_none = ~is_text & ((flags & HAS_CONTENT) == 0)
        lengths[is_text] -= 2  # the quotes
        lengths[is_none] = 0
        return self._reader.texts(column.offsets[rows] + is_text, lengths, (flags & HAS_ESCAPES) != 0)

    def raw_texts(self, field: str, rows: NDArray[Any], max_bytes: int | None = None) -> TextColumn:
        """The raw JSON of some rows' values, or `most` bytes of each; a missing one is empty."""
        column = self._columns[field]
        lengths = np.minimum(
            column.lengths[rows].astype(np.int64), np.iinfo(np.int64).max if max_bytes is None else max_bytes
        )
        return self._reader.texts(column.offsets[rows], lengths, np.zeros(len(lengths), bool))

    def spans(self, field: str, row: int) -> tuple[int, int]:
        """Offset and length of the raw JSON value in the file, or in the index's own copy; length 0: it is missing."""
        column = self._columns[field]
        return int(column.offsets[row]), int(column.lengths[row])

    def has_file_spans(self) -> bool:
        """Whether the spans are those of the file itself; of a packed or remote one they are of a temporary copy."""
        return self._has_file_spans

    def close(self) -> None:
        """Let the file go; the columns stay."""
        self._reader.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
