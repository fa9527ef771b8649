"""Thrift's compact protocol, of which the footers of Parquet files are made: structs without names, read and written.

A value is a number, bytes, a bool, a list or a struct; what it means is for the caller to know. Nothing is lost: what
is read and written again has the same bytes. https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md
"""

from __future__ import annotations

from typing import Any

from msgspec import Struct

TRUE, FALSE, BYTE, I16, I32, I64, DOUBLE, BINARY, LIST, SET, MAP, STRUCT = range(1, 13)
_NUMBERS = (I16, I32, I64)
_DEEPEST = 32

Fields = dict[int, tuple[int, Any]]
"""A struct: type and value by the number of the field, in the order of the file."""


class Listed(Struct):
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
            return Listed(head & 15, [self._value(head & 15, depth + 1) for _ in range(count)])
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
