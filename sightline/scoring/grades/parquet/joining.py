"""Several Parquet files become one: their bytes one behind the other, with one footer that knows where all is.

The numbers of the fields are those of https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from sightline.core.errors import JournalError
from sightline.i18n import tr
from sightline.scoring.grades.parquet.compact import I16, I64, LIST, STRUCT, Fields, Listed, Reader, encode

_MARK = b"PAR1"
_TAIL = 8
"""Bytes at the end: the length of the footer, and the mark."""
_BLOCK = 1 << 20

_SCHEMA, _ROWS, _GROUPS = 2, 3, 4
_GROUP_COLUMNS, _GROUP_START, _GROUP_NUMBER = 1, 5, 7
_COLUMN_FACTS = 3
_COLUMN_STARTS = (2, 4, 6)
"""Of a column: its start, that of its index of offsets, that of its index of pages."""
_FACTS_STARTS = (9, 10, 11, 14)
"""Of its facts: first data page, index page, dictionary, Bloom filter."""


class _Source:
    """One of the files: its footer, and the bytes before that."""

    def __init__(self, path: Path) -> None:
        self._path = path
        with _blamed(path), path.open("rb") as file:
            stop = max(file.seek(0, 2) - _TAIL, 0)
            file.seek(stop)
            tail = file.read()
            length = int.from_bytes(tail[:4], "little")
            if tail[4:] != _MARK or length > stop - len(_MARK):
                raise ValueError("no Parquet file, or not whole")
            self._stop = stop - length
            file.seek(self._stop)
            self.footer = Reader(file.read(length)).struct()
            self.schema: Listed = self.footer[_SCHEMA][1]
            self.rows: int = self.footer[_ROWS][1]

    def groups(self, start: int, count: int) -> list[bytes]:
        """What the footer says of the groups of rows, where the file's bytes begin at `start` after `count` others."""
        with _blamed(self._path):
            groups = self.footer[_GROUPS][1].items
            for number, group in enumerate(groups, count):
                _move(group, start - len(_MARK), number)
            return [encode(group) for group in groups]

    def copy_to(self, target: BinaryIO) -> None:
        """Write all between the mark and the footer."""
        left = self._stop - len(_MARK)
        with self._path.open("rb") as file:
            file.seek(len(_MARK))
            while left:
                block = file.read(min(_BLOCK, left))
                if not block:
                    raise _damaged(self._path, tr("it was changed while it was being read"))
                target.write(block)
                left -= len(block)


def join_files(paths: Sequence[Path], out: Path) -> bool:
    """Write the rows of all files in their order; False, and nothing of use, where they have different columns."""
    first = _Source(paths[0])
    groups: list[bytes] = []  # encoded, which needs little room
    rows = 0
    with out.open("wb") as target:
        target.write(_MARK)
        for path in paths:
            source = _Source(path)
            if source.schema != first.schema:
                return False
            groups += source.groups(target.tell(), len(groups))
            rows += source.rows
            source.copy_to(target)
        footer = encode({**first.footer, _ROWS: (I64, rows), _GROUPS: (LIST, Listed(STRUCT, groups))})
        target.write(footer + len(footer).to_bytes(4, "little") + _MARK)
    return True


def _move(group: Fields, by: int, number: int) -> None:
    """A group of rows gets its new place among the bytes and among the groups."""
    _shift(group, (_GROUP_START,), by)
    if _GROUP_NUMBER in group:
        group[_GROUP_NUMBER] = I16, number & 0x7FFF
    for column in group[_GROUP_COLUMNS][1].items:
        _shift(column, _COLUMN_STARTS, by)
        _shift(column[_COLUMN_FACTS][1], _FACTS_STARTS, by)


def _shift(fields: Fields, numbers: Sequence[int], by: int) -> None:
    for number in numbers:
        if number in fields and fields[number][1]:  # 0 is said where there is nothing
            fields[number] = I64, fields[number][1] + by


@contextmanager
def _blamed(path: Path) -> Iterator[None]:
    """Whatever goes wrong with the bytes of a file is told as its damage."""
    try:
        yield
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
        raise _damaged(path, tr(str(error))) from None


def _damaged(path: Path, why: str) -> JournalError:
    return JournalError(
        "{path} is damaged: {why}",
        hint="Remove the folder that it is in; the same command makes it again.",
        path=path,
        why=why,
    )
