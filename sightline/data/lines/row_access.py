"""Random access to the rows of JSON-lines files: position indexes of their rows, and reading of single rows.

Positions are numbered in one of two ways: as in a stream of samples (faults of a file first, then its selected rows),
or as the rows of the file, including unreadable ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sightline.core.errors import DataError
from sightline.data.lines.decompression import open_raw
from sightline.data.lines.index import FAULT_KINDS, Fault, LineIndex, SpanReader
from sightline.data.lines.scanning import MAX_ROW_BYTES, FileScan
from sightline.data.position_index import (
    Entry,
    IndexedFile,
    PositionIndex,
    Records,
    absent_records,
    describe_file,
    make_records,
)
from sightline.data.storage import AnyPath


class _MemorySource:
    """Bytes in memory as a `ByteSource`."""

    damage = ""

    def __init__(self, data: bytes) -> None:
        self._data, self._position = memoryview(data), 0

    def fill(self, buffer: memoryview) -> int:
        count = min(len(buffer), len(self._data) - self._position)
        buffer[:count] = self._data[self._position : self._position + count]
        self._position += count
        return count

    def position(self) -> int:
        return self._position


def index_row(
    path: AnyPath, location: tuple[int, int, int], fields: Sequence[str], rename: Mapping[str, str]
) -> LineIndex:
    """A line index of the row at (byte offset, bytes to the next row, line number); empty if there is no row."""
    offset, length, line = location
    file = open_raw(path)
    try:
        file.seek(offset)
        data = file.read(min(length, MAX_ROW_BYTES))
        # scanned as a sequence of objects: what follows the first one, such as a comma, is ignored
        scan = FileScan("row.json", tuple(dict.fromkeys(fields)), rename, None, {}, ())
        scan.start_at(offset, line)
        scan.run(_MemorySource(data), lambda _: None)
        return LineIndex(path, scan.result(), SpanReader(file, path), has_file_spans=True)
    except OSError as error:
        file.close()
        raise DataError("Cannot read {path}: {why}", path=path, why=error.strerror) from None
    except BaseException:
        file.close()
        raise


def row_records(index: LineIndex, rows: NDArray[np.int64]) -> Records:
    """Records of some rows of a file: byte offset, bytes to the next row, and line number."""
    stops = np.append(index.offsets[1:], index.path.stat().st_size)
    return make_records(index.offsets[rows], (stops - index.offsets)[rows], index.lines[rows])


def records_by_row(index: LineIndex) -> Records:
    """One record for every row of a file; those of unreadable rows are absent."""
    records = absent_records(index.row_count)
    records[index.row_numbers] = row_records(index, np.arange(len(index)))
    return records


def records_by_position(index: LineIndex, rows: NDArray[np.int64]) -> Records:
    """One record for every fault of a file, then one for every selected row."""
    faults = [fault for fault in index.faults if loses_row(fault)]
    kinds = [FAULT_KINDS.index(fault.kind) for fault in faults]
    # the record of a fault has its kind in place of the offset, and length 0
    fault_records = make_records(kinds, np.zeros(len(faults), np.int64), [fault.line for fault in faults])
    return np.concatenate((fault_records, row_records(index, rows)))


def loses_row(fault: Fault) -> bool:
    """Whether a fault makes a row unreadable."""
    return fault.kind != "invalid UTF-8"


def join_index(files: Iterable[tuple[IndexedFile, Records]]) -> PositionIndex:
    """One index of several files."""
    listed = list(files)
    records = [absent_records(0), *(records for _, records in listed)]
    return PositionIndex([file for file, _ in listed], np.concatenate(records))


def file_entry(index: LineIndex, name: str, count: int, base: Path) -> IndexedFile:
    """The description of an indexed line file in a position index."""
    return describe_file(index.path, name, count, base)


def is_current(index: PositionIndex, data: Path) -> bool:
    """Whether all files of an index still exist with the same sizes."""
    return all(_has_size(find_file(file, data), file.size) for file in index.files)


def _has_size(path: Path | None, size: int) -> bool:
    try:
        return path is not None and path.stat().st_size == size
    except OSError:
        return False


def find_file(file: IndexedFile, data: Path) -> Path | None:
    """The path of an indexed file in a dataset; None if it would be outside the dataset."""
    files = Path(file.relative).parts
    if not file.relative or Path(file.relative).is_absolute() or ".." in files:
        return None
    return (data.parent if data.is_file() else data) / file.relative


def fault_at(entry: Entry) -> Fault | None:
    """The fault at an entry; None if the entry is a row."""
    return Fault(FAULT_KINDS[entry.offset], entry.extra, "") if entry.length == 0 else None


def open_row(entry: Entry, path: Path, fields: Sequence[str], rename: Mapping[str, str]) -> LineIndex:
    """A line index of the single row at an entry."""
    return index_row(path, (entry.offset, entry.length, entry.extra), fields, rename)
