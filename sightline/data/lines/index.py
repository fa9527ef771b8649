"""Line index: byte spans of the selected fields of all rows of a file; the texts stay in the file."""

from __future__ import annotations

import os
import threading
from collections import Counter
from tempfile import TemporaryFile
from typing import Any, BinaryIO, Self

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from sightline.core.errors import DataError
from sightline.data.columns import TextColumn
from sightline.data.lines.decompression import open_raw
from sightline.data.lines.row_kernels import HAS_CONTENT, HAS_ESCAPES, IS_TEXT
from sightline.data.lines.span_kernels import plan_reads, take_texts
from sightline.data.lines.text_kernels import hash_spans
from sightline.data.storage import AnyPath, parse_path

FAULT_KINDS = ("torn last line", "not a JSON object", "broken JSON", "invalid UTF-8", "line too long", "damaged file")
"""All kinds, in the order of the kernel's codes. A row with invalid UTF-8 stays valid; the others lose a row."""
MAX_KEPT = 100_000
_EXCERPT_BYTES = 24


class Fault(Struct, frozen=True):
    """One fault: its kind, the line of the file, and details (an excerpt, a field, a size)."""

    kind: str
    line: int
    detail: str


class FaultLog:
    """Collects the faults of one file."""

    def __init__(self) -> None:
        self.faults: list[Fault] = []
        self.counts: Counter[str] = Counter()

    def add(self, kind: int, line: int, detail: str) -> None:
        """Count a fault, and keep it if the limit is not reached."""
        name = FAULT_KINDS[kind]
        self.counts[name] += 1
        if len(self.faults) < MAX_KEPT:
            self.faults.append(Fault(name, line, detail))

    def add_notes(self, notes: NDArray[np.int64], data: NDArray[np.uint8], fields: tuple[str, ...]) -> None:
        """Add the faults noted by the kernel, while the bytes they refer to are still in the buffer."""
        remaining = max(MAX_KEPT - len(self.faults), 0)
        for kind, line, start, position in notes[:remaining].tolist():
            is_encoding = FAULT_KINDS[kind] == "invalid UTF-8"
            self.add(kind, line, fields[position] if is_encoding else _excerpt(data, start, position))
        for kind, count in enumerate(np.bincount(notes[remaining:, 0], minlength=len(FAULT_KINDS)).tolist()):
            if count:
                self.counts[FAULT_KINDS[kind]] += count


def _excerpt(data: NDArray[Any], start: int, position: int) -> str:
    """An excerpt around a fault, with the byte offset in the row at which it stops being JSON."""
    before = data[max(start, position - _EXCERPT_BYTES) : position].tobytes().decode("utf-8", "replace")
    after = data[position : position + _EXCERPT_BYTES].tobytes().partition(b"\n")[0].decode("utf-8", "replace")
    seen = "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in before + after)
    return f"{position - start}: {seen.strip()}"


def hash_texts(texts: TextColumn) -> NDArray[np.uint64]:
    """A hash of each text, stripped of surrounding white space; 0 for an empty text, and only for that.

    The probability of a collision among a million different texts is about 1 in 40 million.
    """
    starts, stops = (np.ascontiguousarray(positions, np.int64) for positions in (texts.starts, texts.stops))
    data = np.ascontiguousarray(texts.data, np.uint8)
    hashes: NDArray[np.uint64] = hash_spans(data.ctypes.data, starts, stops)
    return hashes


GAP_BYTES = 1 << 16
"""Minimum gap in bytes between two spans that are read separately."""
STAGE_BYTES = 1 << 22
"""Bytes that are read before their texts are extracted."""
Offsets = NDArray[np.int64]


class SpanReader:
    """Reads spans of an open file. Thread-safe."""

    def __init__(self, file: BinaryIO, path: AnyPath) -> None:
        self._file, self._path = file, path
        self._lock = threading.Lock()

    def read_into(self, buffer: memoryview, offset: int) -> None:
        """Fill a buffer with the bytes from an offset on."""
        done = 0
        while done < len(buffer):
            if hasattr(os, "preadv"):
                count = os.preadv(self._file.fileno(), [buffer[done:]], offset + done)
            else:
                with self._lock:  # seek and read must not be interleaved with those of another thread
                    self._file.seek(offset + done)
                    count = self._file.readinto(buffer[done:])  # type: ignore[attr-defined]  # every file here has it
            if not count:
                raise DataError("{path} was changed while it was being read.", path=self._path)
            done += count

    def texts(self, offsets: Offsets, lengths: Offsets, escaped: NDArray[np.bool_]) -> TextColumn:
        """The texts of the spans in the given order, unescaped where `escaped` is set."""
        starts = np.concatenate((np.zeros(1, np.int64), np.cumsum(lengths)))
        out, starts = np.empty(int(starts[-1]), np.uint8), starts[:-1]
        non_empty = np.flatnonzero(lengths)
        in_file = non_empty[np.argsort(offsets[non_empty], kind="stable")]
        stops = starts.copy()
        begins, sizes = offsets[in_file], lengths[in_file]
        firsts = plan_reads(begins, sizes, GAP_BYTES, STAGE_BYTES)
        ends = np.maximum.reduceat(begins + sizes, firsts[:-1]) if len(in_file) else begins
        bytes_of_reads = np.concatenate((np.zeros(1, np.int64), np.cumsum(ends - begins[firsts[:-1]])))
        read = 0
        while read < len(firsts) - 1:
            # as many reads as the stage holds, at least one
            after = max(int(np.searchsorted(bytes_of_reads, bytes_of_reads[read] + STAGE_BYTES, "right")) - 1, read + 1)
            chosen = slice(int(firsts[read]), int(firsts[after]))
            shift = bytes_of_reads[read:after] - bytes_of_reads[read] - begins[firsts[read:after]]
            positions = begins[chosen] + np.repeat(shift, np.diff(firsts[read : after + 1]))
            stage = self._stage(begins[firsts[read:after]], ends[read:after])
            rows = in_file[chosen]
            row_stops = stops[rows]
            spans = np.stack((positions, sizes[chosen]))
            take_texts(stage.ctypes.data, spans, escaped[rows], out.ctypes.data, starts[rows], row_stops)
            stops[rows] = row_stops
            read = after
        return TextColumn(out, starts, stops)

    def _stage(self, begins: Offsets, ends: Offsets) -> NDArray[np.uint8]:
        """The concatenated bytes of some reads."""
        stage = np.empty(int((ends - begins).sum()), np.uint8)
        buffer, at = stage.data, 0
        for begin, end in zip(begins.tolist(), ends.tolist(), strict=True):
            self.read_into(buffer[at : at + end - begin], begin)
            at += end - begin
        return stage

    def close(self) -> None:
        """Close the file."""
        self._file.close()


_ROWS_AT_ONCE = 1 << 15
_BYTES_AT_ONCE = 1 << 25


class FieldSpans(Struct, frozen=True):
    """One field of all valid rows: the byte spans of its raw JSON values, and flags set by the scan."""

    offsets: NDArray[np.int64]
    lengths: NDArray[np.int32]
    flags: NDArray[np.uint8]

    def take(self, rows: NDArray[Any]) -> FieldSpans:
        """The field of some rows."""
        return FieldSpans(self.offsets[rows], self.lengths[rows], self.flags[rows])


class ScanResult(Struct, frozen=True):
    """The result of a scan of a file."""

    columns: dict[str, FieldSpans]
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

    def __init__(
        self, path: AnyPath, result: ScanResult, reader: SpanReader, has_file_spans: bool, encoding: str = "utf-8"
    ) -> None:
        self.path = path
        self.encoding = encoding
        """The encoding of the file; texts are UTF-8 whatever it is."""
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

    def column(self, field: str) -> FieldSpans:
        """The spans of the values of a field."""
        return self._columns[field]

    def has(self, field: str) -> NDArray[np.bool_]:
        """Where a field is present, not null, and not an empty or white-space string."""
        filled: NDArray[np.bool_] = (self._columns[field].flags & HAS_CONTENT) != 0
        return filled

    def is_missing(self, field: str) -> NDArray[np.bool_]:
        """Where a field is absent or null; an empty string is there."""
        lacks: NDArray[np.bool_] = (self._columns[field].flags & (HAS_CONTENT | IS_TEXT)) == 0
        return lacks

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
        """Whether spans refer to the file itself, not to a copy as of compressed, converted and remote files."""
        return self._has_file_spans

    def close(self) -> None:
        """Close the file; the columns stay available."""
        self._reader.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class RowSubset(Struct, frozen=True, kw_only=True):
    """Rows of a line index that can be sent to another process."""

    path: str
    columns: dict[str, FieldSpans]
    lines: NDArray[np.int64]
    data: bytes | None = None
    """The concatenated raw values, if the file itself can't be read by spans."""

    def open(self) -> LineIndex:
        """A line index of these rows, numbered from 0."""
        path, count = parse_path(self.path), len(self.lines)
        result = ScanResult(self.columns, np.arange(count), self.lines, count, FaultLog())
        if self.data is None:
            return LineIndex(path, result, SpanReader(open_raw(path), path), has_file_spans=True)
        copy = TemporaryFile()  # noqa: SIM115  # the index closes it
        copy.write(self.data)
        copy.flush()
        return LineIndex(path, result, SpanReader(copy, path), has_file_spans=False)


def subset_rows(index: LineIndex, rows: NDArray[np.int64]) -> RowSubset:
    """The subset of an index with these rows, in this order."""
    columns = {field: index.column(field).take(rows) for field in index.fields}
    path = str(index.path.resolve())
    if index.has_file_spans():
        return RowSubset(path=path, columns=columns, lines=index.lines[rows])
    blocks, moved, first = [], {}, 0
    for field, column in columns.items():
        texts = index.raw_texts(field, rows)
        blocks.append(texts.data.tobytes())
        moved[field] = FieldSpans(first + texts.starts, column.lengths, column.flags)
        first += len(texts.data)
    return RowSubset(path=path, columns=moved, lines=index.lines[rows], data=b"".join(blocks))
