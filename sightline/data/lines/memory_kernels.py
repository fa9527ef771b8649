"""Numba intrinsics for raw memory access: bytes, words, and SIMD search of 64 bytes for the first match.

Numba's reference counting of arrays passed between functions took more time than the rest of a scan, and its loops
with an early exit are not vectorized. These functions are therefore written in LLVM IR, which compiles to the vector
instructions of the processor. Nothing here checks bounds: callers must.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir  # type: ignore[import-untyped]  # it has no types
from numba.core import types
from numba.extending import intrinsic

PADDING = 64
"""Bytes that a buffer must have after its last one; also the result of a search without a match."""

_BYTE, _WORD = ir.IntType(8), ir.IntType(64)
_BYTES = ir.VectorType(_BYTE, PADDING)


def _pointer(builder: Any, data: Any, position: Any, kind: Any) -> Any:
    return builder.inttoptr(builder.add(data, position), kind.as_pointer())


def _getter(kind: Any, scale: int) -> Any:
    """A function (data, position) → the number at a position of the memory at address `data`."""

    @intrinsic
    def get(typing_context: Any, data: Any, position: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            position = builder.mul(arguments[1], ir.Constant(_WORD, scale))
            number = builder.load(_pointer(builder, arguments[0], position, kind))
            return number if kind == _WORD else builder.zext(number, _WORD)

        return types.int64(types.int64, types.int64), generate

    return get


def _putter(kind: Any, scale: int) -> Any:
    """A function (data, position, number) that writes a number at a position."""

    @intrinsic
    def put(typing_context: Any, data: Any, position: Any, number: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            position = builder.mul(arguments[1], ir.Constant(_WORD, scale))
            number = arguments[2] if kind == _WORD else builder.trunc(arguments[2], kind)
            builder.store(number, _pointer(builder, arguments[0], position, kind))
            return context.get_dummy_value()

        return types.void(types.int64, types.int64, types.int64), generate

    return put


def _finder(is_hit: Callable[[Any, Any], Any]) -> Any:
    """A function (data, position) → the distance from the position to the first match, `PADDING` if there is none."""

    @intrinsic
    def find(typing_context: Any, data: Any, position: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            where = _pointer(builder, arguments[0], arguments[1], _BYTES)
            hits = is_hit(builder, builder.load(where, align=1))
            mask = builder.bitcast(hits, ir.IntType(PADDING))
            return builder.cttz(mask, ir.Constant(ir.IntType(1), 0))

        return types.int64(types.int64, types.int64), generate

    return find


def _equals(builder: Any, block: Any, byte: int) -> Any:
    return builder.icmp_unsigned("==", block, ir.Constant(_BYTES, [byte] * PADDING))


def _string_special(builder: Any, block: Any) -> Any:
    quotes, backslashes, newlines = (_equals(builder, block, byte) for byte in b'"\\\n')
    return builder.or_(builder.or_(quotes, backslashes), newlines)


def _newline(builder: Any, block: Any) -> Any:
    return _equals(builder, block, 10)


def _non_ascii(builder: Any, block: Any) -> Any:
    return builder.icmp_unsigned(">=", block, ir.Constant(_BYTES, [128] * PADDING))


byte_at, put_byte = _getter(_BYTE, 1), _putter(_BYTE, 1)
word_at, put_word = _getter(_WORD, 8), _putter(_WORD, 8)
"""Words are numbers of 64 bits."""
first_special = _finder(_string_special)
"""Finds quotes, backslashes and line feeds: the bytes that need attention in a JSON string."""
first_newline = _finder(_newline)
first_non_ascii = _finder(_non_ascii)
