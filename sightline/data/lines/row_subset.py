"""Serializable subset of the rows of a line index: spans if the file can be reopened by them, else the values."""

from __future__ import annotations

from tempfile import TemporaryFile

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from sightline.data.lines.decompression import open_raw
from sightline.data.lines.faults import FaultLog
from sightline.data.lines.index import Column, LineIndex, ScanResult
from sightline.data.lines.span_reader import SpanReader
from sightline.data.storage import parse_path


class RowSubset(Struct, frozen=True, kw_only=True):
    """Rows of a line index that can be sent to another process."""

    path: str
    columns: dict[str, Column]
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
        moved[field] = Column(first + texts.starts, column.lengths, column.flags)
        first += len(texts.data)
    return RowSubset(path=path, columns=moved, lines=index.lines[rows], data=b"".join(blocks))
