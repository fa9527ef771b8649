"""One row of a file, read by its byte offset: the same index that a scan of the whole file gives, of this row alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sightline.core.errors import DataError
from sightline.data.lines.decompression import open_raw
from sightline.data.lines.index import LineIndex
from sightline.data.lines.scanning import MAX_ROW_BYTES, FileScan
from sightline.data.lines.span_reader import SpanReader
from sightline.data.storage import AnyPath


class _MemorySource:
    """Bytes in memory, read as a stream is."""

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
    """The row at a place: byte offset, bytes up to the next row, and line. It has length 0 where no row is there."""
    offset, length, line = location
    file = open_raw(path)
    try:
        file.seek(offset)
        data = file.read(min(length, MAX_ROW_BYTES))
        # a file of objects one after the other: what follows the first, such as a comma, is of no interest
        scan = FileScan("row.json", tuple(dict.fromkeys(fields)), rename, None, {}, ())
        scan.start_at(offset, line)
        scan.run(_MemorySource(data), lambda _: None)
        return LineIndex(path, scan.result(), SpanReader(file, path), has_file_spans=True)
    except OSError as error:
        file.close()
        raise DataError("Can't read {path}: {why}", path=path, why=error.strerror) from None
    except BaseException:
        file.close()
        raise
