"""Random access to the rows of line files: an index of where each begins, and one row read by it.

Positions are given in one of two ways: those of a stream of samples (faults of a file first, then its wanted rows), or
those of the file's own rows, unreadable ones among them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sightline.data.lines import FAULT_KINDS, Fault, LineIndex
from sightline.data.lines.single_row import index_row
from sightline.data.position_index import (
    Entry,
    IndexedFile,
    PositionIndex,
    Records,
    absent_records,
    describe_file,
    make_records,
)


def row_records(index: LineIndex, rows: NDArray[np.int64]) -> Records:
    """Where some rows of a file begin, how many bytes there are to the next, and their lines."""
    stops = np.append(index.offsets[1:], index.path.stat().st_size)
    return make_records(index.offsets[rows], (stops - index.offsets)[rows], index.lines[rows])


def records_by_row(index: LineIndex) -> Records:
    """One record for every row of a file, unreadable ones among them; those are absent."""
    records = absent_records(index.row_count)
    records[index.row_numbers] = row_records(index, np.arange(len(index)))
    return records


def records_by_position(index: LineIndex, rows: NDArray[np.int64]) -> Records:
    """One record for every fault of a file, then one for every wanted row."""
    faults = [fault for fault in index.faults if loses_row(fault)]
    kinds = [FAULT_KINDS.index(fault.kind) for fault in faults]
    # a fault has no bytes of its own: its kind stands for the offset, and its length is 0
    fault_records = make_records(kinds, np.zeros(len(faults), np.int64), [fault.line for fault in faults])
    return np.concatenate((fault_records, row_records(index, rows)))


def loses_row(fault: Fault) -> bool:
    """Whether a fault costs a row."""
    return fault.kind != "invalid UTF-8"


def join_index(files: Iterable[tuple[IndexedFile, Records]]) -> PositionIndex:
    """One index of several files."""
    listed = list(files)
    records = [absent_records(0), *(records for _, records in listed)]
    return PositionIndex([file for file, _ in listed], np.concatenate(records))


def file_entry(index: LineIndex, name: str, count: int, base: Path) -> IndexedFile:
    """An indexed line file as an index of positions notes it."""
    return describe_file(index.path, name, count, base)


def is_current(index: PositionIndex, data: Path) -> bool:
    """Whether all files are where the index knows them, with the sizes that they had."""
    return all(_has_size(find_file(file, data), file.size) for file in index.files)


def _has_size(path: Path | None, size: int) -> bool:
    try:
        return path is not None and path.stat().st_size == size
    except OSError:
        return False


def find_file(file: IndexedFile, data: Path) -> Path | None:
    """The file of a data set that an index names; None where the name leads out of the data set."""
    files = Path(file.relative).parts
    if not file.relative or Path(file.relative).is_absolute() or ".." in files:
        return None
    return (data.parent if data.is_file() else data) / file.relative


def fault_at(entry: Entry) -> Fault | None:
    """The fault that stands at a position; None where a row does."""
    return Fault(FAULT_KINDS[entry.offset], entry.extra, "") if entry.length == 0 else None


def open_row(entry: Entry, path: Path, fields: Sequence[str], rename: Mapping[str, str]) -> LineIndex:
    """An index of the one row that an entry names."""
    return index_row(path, (entry.offset, entry.length, entry.extra), fields, rename)
