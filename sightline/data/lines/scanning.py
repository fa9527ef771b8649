"""One pass over a file: blocks in, an index out."""

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
from sightline.data.lines.decompression import COMPRESSED_SUFFIXES, DecompressedStream, is_compressed, open_raw
from sightline.data.lines.faults import FaultLog
from sightline.data.lines.index import Column, LineIndex, ScanResult
from sightline.data.lines.kernel_memory import RowTable, bind_names
from sightline.data.lines.memory_kernels import PADDING
from sightline.data.lines.span_kernels import pack_rows
from sightline.data.lines.span_reader import SpanReader
from sightline.data.storage import AnyPath, is_remote

BUFFER_BYTES = 1 << 22
"""Bytes of the buffer, as long as no row is longer than half of it."""
MAX_ROW_BYTES = 512 << 20
"""Bytes of the longest row that is read."""
TABLE_ROWS = 1 << 14
"""Rows of the table that the kernel fills."""
REPORT_BYTES = 8 << 20
"""Bytes from one call of `watch` to the next."""
_BOM = b"\xef\xbb\xbf"


class ByteSource(Protocol):
    """Where a scan has its bytes from."""

    damage: str

    def fill(self, buffer: memoryview) -> int:
        """Read up to as many bytes as there is room for; 0 at the end."""

    def position(self) -> int:
        """How many bytes have been read."""


def index_file(
    path: AnyPath,
    fields: Sequence[str],
    rename: Mapping[str, str] | None = None,
    watch: Callable[[int], None] | None = None,
    heads: Mapping[str, int] | None = None,
    hashed: Sequence[str] = (),
) -> LineIndex:
    """Scan a file once. `fields` are wanted by their names after renaming; `rename` maps the file's name to ours.

    Where a row has both names, ours wins. `watch` is told about every 8 MB how many bytes of the file have been read.
    Of a packed or remote file the wanted values are kept in a temporary copy; of fields in `heads` only so many bytes
    of each. Fields in `hashed` are hashed on the way, others by another reading when somebody asks for their hashes.
    """
    stream = DecompressedStream(path)
    has_copy = is_compressed(path) or is_remote(path)
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
            raise DataError("Can't write a temporary copy of {path}: {why}", path=path, why=why) from None
        raise
    finally:
        stream.close()
    return LineIndex(path, scan.result(), reader, copy is None)


class FileScan:
    """The buffer, the kernel's state and what it found so far."""

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
        """Take the first byte for one further on in the file."""
        self._state[at.BASE], self._state[at.LINE] = offset, line

    def run(self, stream: ByteSource, watch: Callable[[int], None]) -> None:
        """Read to the end."""
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
        """Move what is left to the front, make room, and read until the buffer is full or the file ends."""
        state = self._state
        start, stop = int(state[at.START]), int(state[at.STOP])
        left = stop - start
        buffer = len(self._buffer) - PADDING
        if left > buffer // 2:
            larger = np.zeros(2 * buffer + PADDING, np.uint8)
            larger[:left] = self._buffer[start:stop]
            self._buffer = larger
        elif start:
            self._buffer[:left] = self._buffer[start:stop].copy()
        free, stop = self._buffer.data[:-PADDING], left
        while stop < len(free):
            count = stream.fill(free[stop:])
            if not count:
                state[at.IS_LAST] = 1
                break
            stop += count
        state[at.START], state[at.STOP] = 0, stop
        state[at.BASE] += start

    def _take_rows(self) -> int:
        """Let the kernel take rows until it needs bytes or the file ends."""
        while True:
            reason: int = kernel.scan(self._buffer.ctypes.data, self._state.ctypes.data)
            self._drain()
            if reason != kernel.NEEDS_ROOM:
                return reason

    def _drain(self) -> None:
        """Keep what the kernel put into the table."""
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
        """The hashes of one field's values, while their bytes are here."""
        scratch = np.empty(int(lengths.max()) + 1, np.uint8)
        positions = offsets - self._state[at.BASE]
        hashes: NDArray[np.uint64] = at.hash_values(
            self._buffer.ctypes.data, positions, lengths, flags, scratch.ctypes.data
        )
        return hashes

    def _write_copy(self, offsets: NDArray[np.int64], lengths: NDArray[np.int32]) -> None:
        """Put the wanted values into the temporary file; the offsets become those of it."""
        assert self._copy is not None
        np.minimum(lengths, self._max_lengths, out=lengths)
        base = int(self._state[at.BASE])
        brackets = offsets.shape[1] * (len(offsets) + 2)
        out = np.empty(int(lengths.sum(dtype=np.int64)) + brackets, np.uint8)
        size = pack_rows(self._buffer.ctypes.data, base, offsets, lengths, out.ctypes.data, self._copied)
        self._copy.write(out.data[:size])
        self._copied += size

    def _skip_long_row(self) -> None:
        """A row that is too long: its line is passed over; elements of an array can't be found again after it."""
        state = self._state
        size = int(state[at.STOP] - state[at.START])
        self._log.add(kernel.TOO_LONG, int(state[at.LINE]), f"> {size >> 20} MB")
        state[at.ROW_COUNT] += 1
        state[at.START] = state[at.STOP]
        state[at.SKIPS] = 1
        if state[at.MODE] != at.LINES:
            state[at.MODE] = at.FINISHED

    def result(self) -> ScanResult:
        """All rows; the pieces of each column go as it is joined, so that memory holds no more than one twice."""
        count = len(self._fields)
        types = (*[np.int64] * count, *[np.int32] * count, *[np.uint8] * count, *[np.int64] * 3)
        joined = [_join_chunks(chunks, kind) for chunks, kind in zip(self._chunks, types, strict=True)]
        columns = {field: Column(*joined[k : 3 * count : count]) for k, field in enumerate(self._fields)}
        hashes = {field: _join_chunks(chunks, np.uint64) for field, chunks in self._hashes.items()}
        lines, row_numbers, offsets = joined[-3:]
        return ScanResult(columns, row_numbers, lines, int(self._state[at.ROW_COUNT]), self._log, hashes, offsets)


def _join_chunks(chunks: list[NDArray[Any]], kind: type[Any]) -> NDArray[Any]:
    whole = np.concatenate(chunks) if chunks else np.empty(0, kind)
    chunks.clear()
    return whole
