"""Random access to a single row by its byte offset, as a line index of that row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sightline.core.errors import DataError
from sightline.data.lines.decompression import open_raw
from sightline.data.lines.index import LineIndex
from sightline.data.lines.scanning import MAX_ROW_BYTES, FileScan
from sightline.data.lines.span_reader import SpanReader
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
        raise DataError("Can't read {path}: {why}", path=path, why=error.strerror) from None
    except BaseException:
        file.close()
        raise
