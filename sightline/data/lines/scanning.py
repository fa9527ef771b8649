"""File scan: builds the line index of a file in one pass over its blocks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import PurePath
from tempfile import TemporaryFile
from typing import Any, BinaryIO, Protocol

import numpy as np
from numpy.typing import NDArray

from sightline.core.errors import DataError
from sightline.data.lines import row_kernels as at
from sightline.data.lines import scan_kernels as kernel
from sightline.data.lines.decompression import COMPRESSED_SUFFIXES, is_compressed, open_raw
from sightline.data.lines.encoding import Utf8Stream
from sightline.data.lines.index import FaultLog, FieldSpans, LineIndex, ScanResult, SpanReader
from sightline.data.lines.json_kernels import MAX_DEPTH
from sightline.data.lines.memory_kernels import PADDING
from sightline.data.lines.span_kernels import pack_rows
from sightline.data.storage import AnyPath, is_remote

Words = NDArray[np.int64]


class RowTable:
    """Output arrays for a number of rows and as many faults."""

    def __init__(self, columns: int, capacity: int) -> None:
        self._offsets, self._lengths = np.zeros((capacity, columns), np.int64), np.zeros((capacity, columns), np.int64)
        self._flags = np.zeros((capacity, columns), np.uint8)
        self._lines, self._row_numbers = np.zeros(capacity, np.int64), np.zeros(capacity, np.int64)
        self._row_offsets = np.zeros(capacity, np.int64)
        self.notes = np.zeros((capacity, 4), np.int64)
        """One row per fault: kind, line, start of the row, position of the fault."""

    def bind(self, state: Words) -> tuple[NDArray[Any], ...]:
        """Write the addresses of the arrays into the state; the returned arrays must be kept alive meanwhile."""
        ranks, stack = np.zeros(self._offsets.shape[1], np.int64), np.zeros(MAX_DEPTH, np.uint8)
        state[at.CAPACITY], state[at.COLUMNS] = self._offsets.shape
        slots = (at.OFFSETS, at.LENGTHS, at.FLAGS, at.RANKS, at.ROW_LINES, at.ROW_NUMBERS, at.NOTES, at.STACK)
        arrays = (self._offsets, self._lengths, self._flags, ranks, self._lines, self._row_numbers, self.notes, stack)
        return _bind(state, (*slots, at.ROW_OFFSETS), (*arrays, self._row_offsets))

    def rows(self, count: int) -> tuple[NDArray[Any], ...]:
        """A copy of the first rows: offsets, lengths and flags (a row per column), lines, row numbers, row offsets."""
        return (
            np.ascontiguousarray(self._offsets[:count].T),
            np.ascontiguousarray(self._lengths[:count].T, np.int32),
            self._flags[:count].T.copy(),
            self._lines[:count].copy(),
            self._row_numbers[:count].copy(),
            self._row_offsets[:count].copy(),
        )


def bind_names(state: Words, fields: Sequence[str], rename: Mapping[str, str]) -> tuple[NDArray[Any], ...]:
    """Write the names to find into the state; the returned arrays must be kept alive as long as it is used.

    These are the field names, unless the file uses one for another field, and the names that are renamed to them.
    """
    names = [(field, k, 0) for k, field in enumerate(fields) if rename.get(field, field) == field]
    names += [
        (old, fields.index(new), rank)
        for rank, (old, new) in enumerate(rename.items(), 1)
        if old != new and new in fields
    ]
    encoded = [name.encode("utf-8", "replace") for name, _, _ in names]
    letters = np.frombuffer(b"".join(encoded) or bytes(1), np.uint8)
    starts = np.cumsum([0, *map(len, encoded)], dtype=np.int64)
    columns = np.array([column for _, column, _ in names], np.int64)
    ranks = np.array([rank for *_, rank in names], np.int64)
    # an escaped character takes at most six bytes
    scratch = np.zeros(6 * max(map(len, encoded), default=0) + 1, np.uint8)
    state[at.NAMES], state[at.SCRATCH_SIZE] = len(names), len(scratch)
    slots = (at.LETTERS, at.NAME_STARTS, at.NAME_COLUMNS, at.NAME_RANKS, at.SCRATCH)
    return _bind(state, slots, (letters, starts, columns, ranks, scratch))


def _bind(state: Words, slots: Sequence[int], arrays: tuple[NDArray[Any], ...]) -> tuple[NDArray[Any], ...]:
    for slot, array in zip(slots, arrays, strict=True):
        state[slot] = array.ctypes.data
    return arrays


BUFFER_BYTES = 1 << 22
"""Initial size of the buffer; it grows for rows longer than half of it."""
MAX_ROW_BYTES = 512 << 20
"""Maximum size of a row; longer ones are skipped."""
TABLE_ROWS = 1 << 14
"""Capacity of the table that the kernel fills."""
REPORT_BYTES = 8 << 20
"""Bytes between two calls of `watch`."""
_BOM = b"\xef\xbb\xbf"


class ByteSource(Protocol):
    """The source of the bytes of a scan."""

    @property
    def damage(self) -> str:
        """Why the source ended too early; empty if it did not."""

    def fill(self, buffer: memoryview) -> int:
        """Read up to as many bytes as the buffer holds; 0 at the end."""

    def position(self) -> int:
        """The number of bytes read."""


def index_file(
    path: AnyPath,
    fields: Sequence[str],
    rename: Mapping[str, str] | None = None,
    watch: Callable[[int], None] | None = None,
    heads: Mapping[str, int] | None = None,
    hashed: Sequence[str] = (),
    encoding: str = "auto",
) -> LineIndex:
    """Build the line index of a file in one scan.

    `fields` are the names of the selected fields after renaming; `rename` maps names in the file to them. If a row has
    both names, the new one wins. `encoding` is one of `FILE_ENCODINGS`. `watch` is called about every 8 MB with the
    number of bytes read. The selected values of a compressed, converted or remote file are stored in a temporary copy;
    of fields in `heads` only that many bytes of each value. Fields in `hashed` are hashed during the scan; hashes of
    other fields need another read.
    """
    stream = Utf8Stream(path, encoding)
    has_copy = is_compressed(path) or is_remote(path) or stream.is_converted
    copy: BinaryIO | None = TemporaryFile() if has_copy else None  # noqa: SIM115  # the index closes it
    try:
        scan = FileScan(path.name, tuple(dict.fromkeys(fields)), rename or {}, copy, heads or {}, hashed)
        scan.run(stream, watch or (lambda _: None))
        if copy:
            copy.flush()
        reader = SpanReader(copy or open_raw(path), path)
    except BaseException as error:
        if copy:
            copy.close()
        if isinstance(error, OSError):
            why = error.strerror or str(error)
            raise DataError("Cannot write a temporary copy of {path}: {why}", path=path, why=why) from None
        raise
    finally:
        stream.close()
    return LineIndex(path, scan.result(), reader, copy is None, stream.encoding)


class FileScan:
    """A scan in progress: the buffer, the kernel's state, and the rows found so far."""

    def __init__(
        self,
        file_name: str,
        fields: tuple[str, ...],
        rename: Mapping[str, str],
        copy: BinaryIO | None,
        heads: Mapping[str, int],
        hashed: Sequence[str],
    ) -> None:
        self._fields, self._copy, self._copied = fields, copy, 0
        self._hashes: dict[str, list[NDArray[np.uint64]]] = {field: [] for field in hashed}
        self._max_lengths = np.array([heads.get(field, MAX_ROW_BYTES) for field in fields], np.int32).reshape(-1, 1)
        self._buffer = np.zeros(BUFFER_BYTES + PADDING, np.uint8)
        self._state = np.zeros(at.STATE_SIZE, np.int64)
        self._table = RowTable(len(fields), TABLE_ROWS)
        self._memory = (*self._table.bind(self._state), *bind_names(self._state, fields, rename))
        name = PurePath(file_name)
        uncompressed = name.with_suffix("") if name.suffix.lower() in COMPRESSED_SUFFIXES else name
        self._state[at.IS_JSON] = uncompressed.suffix.lower() == ".json"
        self._state[at.LINE] = 1
        self._log = FaultLog()
        self._chunks: list[list[NDArray[Any]]] = [[] for _ in range(3 * len(fields) + 3)]

    def start_at(self, offset: int, line: int) -> None:
        """Set the file offset and line number of the first byte."""
        self._state[at.BASE], self._state[at.LINE] = offset, line

    def run(self, stream: ByteSource, watch: Callable[[int], None]) -> None:
        """Scan the source to its end."""
        state, reported = self._state, 0
        self._fill(stream)
        if self._buffer[: min(3, state[at.STOP])].tobytes() == _BOM:
            state[at.START] = len(_BOM)
        while self._take_rows() == kernel.NEEDS_BYTES:
            if state[at.STOP] - state[at.START] > MAX_ROW_BYTES:
                self._skip_long_row()
            self._fill(stream)
            position = stream.position()
            if position - reported >= REPORT_BYTES:
                reported = position
                watch(position)
        if stream.damage:
            self._log.add(kernel.DAMAGED, int(state[at.LINE]), stream.damage)
        watch(stream.position())

    def _fill(self, stream: ByteSource) -> None:
        """Move the remainder to the front, grow the buffer if needed, and read until it is full or the file ends."""
        state = self._state
        start, stop = int(state[at.START]), int(state[at.STOP])
        remaining = stop - start
        buffer = len(self._buffer) - PADDING
        if remaining > buffer // 2:
            larger = np.zeros(2 * buffer + PADDING, np.uint8)
            larger[:remaining] = self._buffer[start:stop]
            self._buffer = larger
        elif start:
            self._buffer[:remaining] = self._buffer[start:stop].copy()
        free, stop = self._buffer.data[:-PADDING], remaining
        while stop < len(free):
            count = stream.fill(free[stop:])
            if not count:
                state[at.IS_LAST] = 1
                break
            stop += count
        state[at.START], state[at.STOP] = 0, stop
        state[at.BASE] += start

    def _take_rows(self) -> int:
        """Run the kernel until it needs bytes or the file ends."""
        while True:
            reason: int = kernel.scan(self._buffer.ctypes.data, self._state.ctypes.data)
            self._drain()
            if reason != kernel.NEEDS_ROOM:
                return reason

    def _drain(self) -> None:
        """Copy the rows and faults out of the kernel's table, and reset it."""
        state = self._state
        rows, faults = int(state[at.ROWS]), int(state[at.FAULTS])
        if rows:
            arrays = self._table.rows(rows)
            for field, hashes in self._hashes.items():
                hashes.append(self._hash(*(array[self._fields.index(field)] for array in arrays[:3])))
            if self._copy:
                self._write_copy(arrays[0], arrays[1])
            columns = [column.copy() for array in arrays[:3] for column in array]
            for chunks, chunk in zip(self._chunks, [*columns, *arrays[3:]], strict=True):
                chunks.append(chunk)
        if faults:
            self._log.add_notes(self._table.notes[:faults], self._buffer[: state[at.STOP]], self._fields)
        state[at.ROWS] = state[at.FAULTS] = 0

    def _hash(
        self, offsets: NDArray[np.int64], lengths: NDArray[np.int32], flags: NDArray[np.uint8]
    ) -> NDArray[np.uint64]:
        """Hash the values of one field while their bytes are in the buffer."""
        scratch = np.empty(int(lengths.max()) + 1, np.uint8)
        positions = offsets - self._state[at.BASE]
        hashes: NDArray[np.uint64] = at.hash_values(
            self._buffer.ctypes.data, positions, lengths, flags, scratch.ctypes.data
        )
        return hashes

    def _write_copy(self, offsets: NDArray[np.int64], lengths: NDArray[np.int32]) -> None:
        """Append the selected values to the temporary copy, and change the offsets to those of the copy."""
        assert self._copy is not None
        np.minimum(lengths, self._max_lengths, out=lengths)
        base = int(self._state[at.BASE])
        brackets = offsets.shape[1] * (len(offsets) + 2)
        out = np.empty(int(lengths.sum(dtype=np.int64)) + brackets, np.uint8)
        size = pack_rows(self._buffer.ctypes.data, base, offsets, lengths, out.ctypes.data, self._copied)
        self._copy.write(out.data[:size])
        self._copied += size

    def _skip_long_row(self) -> None:
        """Skip the line of a row that is too long; after one in an array, no further element can be found."""
        state = self._state
        size = int(state[at.STOP] - state[at.START])
        self._log.add(kernel.TOO_LONG, int(state[at.LINE]), f"> {size >> 20} MB")
        state[at.ROW_COUNT] += 1
        state[at.START] = state[at.STOP]
        state[at.SKIPS] = 1
        if state[at.MODE] != at.LINES:
            state[at.MODE] = at.FINISHED

    def result(self) -> ScanResult:
        """The result; the chunks of each column are freed as it is joined, so that at most one is in memory twice."""
        count = len(self._fields)
        types = (*[np.int64] * count, *[np.int32] * count, *[np.uint8] * count, *[np.int64] * 3)
        joined = [_join_chunks(chunks, kind) for chunks, kind in zip(self._chunks, types, strict=True)]
        columns = {field: FieldSpans(*joined[k : 3 * count : count]) for k, field in enumerate(self._fields)}
        hashes = {field: _join_chunks(chunks, np.uint64) for field, chunks in self._hashes.items()}
        lines, row_numbers, offsets = joined[-3:]
        return ScanResult(columns, row_numbers, lines, int(self._state[at.ROW_COUNT]), self._log, hashes, offsets)


def _join_chunks(chunks: list[NDArray[Any]], kind: type[Any]) -> NDArray[Any]:
    joined = np.concatenate(chunks) if chunks else np.empty(0, kind)
    chunks.clear()
    return joined
