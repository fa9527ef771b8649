"""Concatenation of Parquet files by their bytes: row groups are copied, only the footer is written anew."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from msgspec import Struct

from sightline.core.errors import StorageError
from sightline.i18n import tr

TRUE, FALSE, BYTE, I16, I32, I64, DOUBLE, BINARY, LIST, SET, MAP, STRUCT = range(1, 13)
_NUMBERS = (I16, I32, I64)
_DEEPEST = 32

Fields = dict[int, tuple[int, Any]]
"""A struct: type and value by the number of the field, in the order of the file."""


class ThriftList(Struct):
    """A list with the type of its elements."""

    kind: int
    items: list[Any]


class Reader:
    """Takes values from bytes, one after the other; raises `ValueError` where they are none."""

    def __init__(self, data: bytes) -> None:
        self._data, self._at = data, 0

    def struct(self, depth: int = 0) -> Fields:
        """The struct that begins here."""
        fields: Fields = {}
        number = 0
        while head := self._byte():
            kind, step = head & 15, head >> 4
            number = number + step if step else self._number()
            fields[number] = kind, kind == TRUE if kind in (TRUE, FALSE) else self._value(kind, depth)
        return fields

    def _value(self, kind: int, depth: int) -> Any:
        if depth > _DEEPEST:
            raise ValueError("nested too deep")
        if kind in _NUMBERS:
            return self._number()
        if kind == BINARY:
            return self._take(self._count())
        if kind == STRUCT:
            return self.struct(depth + 1)
        if kind in (LIST, SET):
            head = self._byte()
            count = head >> 4 if head >> 4 < 15 else self._count()
            return ThriftList(head & 15, [self._value(head & 15, depth + 1) for _ in range(count)])
        if kind in (TRUE, FALSE, BYTE):  # of a list: in a struct the type says it all
            return self._byte()
        if kind == DOUBLE:
            return self._take(8)
        raise ValueError(f"a value of the unknown type {kind}")

    def _number(self) -> int:
        count = self._count()
        return count >> 1 ^ -(count & 1)

    def _count(self) -> int:
        count = shift = 0
        while True:
            byte = self._byte()
            count |= (byte & 127) << shift
            if byte < 128:
                return count
            shift += 7

    def _byte(self) -> int:
        return self._take(1)[0]

    def _take(self, count: int) -> bytes:
        piece = self._data[self._at : self._at + count]
        if len(piece) < count:
            raise ValueError("it ends too early")
        self._at += count
        return piece


def encode(fields: Fields) -> bytes:
    """A struct as bytes."""
    out = bytearray()
    _put_struct(out, fields)
    return bytes(out)


def _put_struct(out: bytearray, fields: Fields | bytes) -> None:
    if isinstance(fields, bytes):  # encoded before
        out += fields
        return
    before = 0
    for number, (kind, value) in fields.items():
        step = number - before
        out.append((step << 4 if 0 < step < 16 else 0) | kind)
        if not 0 < step < 16:
            _put_number(out, number)
        if kind not in (TRUE, FALSE):
            _put(out, kind, value)
        before = number
    out.append(0)


def _put(out: bytearray, kind: int, value: Any) -> None:
    if kind in _NUMBERS:
        _put_number(out, value)
    elif kind == BINARY:
        _put_count(out, len(value))
        out += value
    elif kind == STRUCT:
        _put_struct(out, value)
    elif kind in (LIST, SET):
        out.append(min(len(value.items), 15) << 4 | value.kind)
        if len(value.items) >= 15:
            _put_count(out, len(value.items))
        for item in value.items:
            _put(out, value.kind, item)
    elif kind == DOUBLE:
        out += value
    else:
        out.append(value)


def _put_number(out: bytearray, number: int) -> None:
    _put_count(out, number << 1 if number >= 0 else (-number << 1) - 1)


def _put_count(out: bytearray, count: int) -> None:
    while count > 127:
        out.append(count & 127 | 128)
        count >>= 7
    out.append(count)


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
        with _report_damage(path), path.open("rb") as file:
            stop = max(file.seek(0, 2) - _TAIL, 0)
            file.seek(stop)
            tail = file.read()
            length = int.from_bytes(tail[:4], "little")
            if tail[4:] != _MARK or length > stop - len(_MARK):
                raise ValueError("not a Parquet file, or incomplete")
            self._stop = stop - length
            file.seek(self._stop)
            self.footer = Reader(file.read(length)).struct()
            self.schema: ThriftList = self.footer[_SCHEMA][1]
            self.rows: int = self.footer[_ROWS][1]

    def groups(self, start: int, count: int) -> list[bytes]:
        """What the footer says of the groups of rows, where the file's bytes begin at `start` after `count` others."""
        with _report_damage(self._path):
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
                    raise _damage_error(self._path, tr("it changed while it was being read"))
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
        footer = encode({**first.footer, _ROWS: (I64, rows), _GROUPS: (LIST, ThriftList(STRUCT, groups))})
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
        if number in fields and fields[number][1]:  # 0 means that there is none
            fields[number] = I64, fields[number][1] + by


@contextmanager
def _report_damage(path: Path) -> Iterator[None]:
    """Report any error in the content of a file as damage."""
    try:
        yield
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
        raise _damage_error(path, tr(str(error))) from None


def _damage_error(path: Path, why: str) -> StorageError:
    return StorageError(
        "{path} is damaged: {why}",
        hint="Delete the folder that contains it and rerun the same command.",
        path=path,
        why=why,
    )
