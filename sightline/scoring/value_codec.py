"""MessagePack codec for values: numbers, texts, lists, tuples, sets, dicts, Counters and NumPy arrays, all exact.

Decoding makes values of these types and of no others. No name in the data is looked up, nothing is called, and what is
allocated is in proportion to the data: a length is believed only as far as bytes follow.
"""

from __future__ import annotations

import math
import struct
from collections import Counter, defaultdict
from typing import Any

import numpy as np
from msgspec import MsgspecError, msgpack
from numpy.typing import NDArray

DEEPEST = 32
"""Maximum nesting depth of tuples, sets and other extension types."""
_NATIVE = frozenset({type(None), bool, int, float, str, bytes})
"""What MessagePack has itself; so has it lists and dicts."""
_ARRAY, _SCALAR, _TUPLE, _SET, _FROZENSET, _COUNTER, _PAIRS, _LARGE_INT, _ODD_TEXT = range(1, 10)
"""Codes of the extension types: part of the format."""
_SEQUENCES: dict[type[Any], int] = {tuple: _TUPLE, set: _SET, frozenset: _FROZENSET}
_MAKERS = {code: make for make, code in _SEQUENCES.items()}
_DTYPES = ("b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16")
"""Encoded by index, which is part of the format. None of them holds Python objects."""
_HEAD = struct.Struct("<BB")
_MOST_AXES = 8
CONTAINERS = frozenset({list, tuple, set, frozenset, dict, Counter, defaultdict})


class UnsupportedValueError(TypeError):
    """A value of a type that the codec does not have; `kind` is its name."""

    def __init__(self, value: Any) -> None:
        self.kind = f"ndarray of {value.dtype}" if isinstance(value, np.ndarray) else type(value).__name__
        super().__init__(self.kind)


class MalformedDataError(ValueError):
    """Bytes that no encoder has written."""


def is_value(value: Any) -> bool:
    """Whether a value is of a type that the codec has, apart from what is inside."""
    kind = type(value)
    return kind in _NATIVE or kind in CONTAINERS or isinstance(value, np.ndarray | np.generic)


def encode_value(value: Any) -> bytes:
    """The bytes of a value. Raises `UnsupportedValueError` where it holds something of another type."""
    try:
        return msgpack.encode(_prepare(value, careful=False))
    except (OverflowError, UnicodeEncodeError):  # a whole number beyond 64 bits, half a surrogate pair: rare
        return msgpack.encode(_prepare(value, careful=True))
    except RecursionError:
        raise UnsupportedValueError(value) from None


def decode_value(data: bytes | memoryview) -> Any:
    """The value of some bytes. Raises `MalformedDataError` for any bytes that are none."""
    try:
        return _Decoder().decode(data)
    except MalformedDataError:
        raise
    except (MsgspecError, ValueError, TypeError, OverflowError, RecursionError, struct.error) as error:
        raise MalformedDataError from error


def _prepare(value: Any, careful: bool, depth: int = 0) -> Any:
    """The value in types of MessagePack. `careful`: integers and texts are checked one by one."""
    kind = type(value)
    if kind in _NATIVE:
        return _native(value) if careful else value
    if depth > DEEPEST:
        raise UnsupportedValueError(value)
    if kind is list:
        return value if _all_native(value, careful) else [_prepare(item, careful, depth + 1) for item in value]
    if kind is dict or kind is Counter or kind is defaultdict:
        packed = _prepare_dict(value, careful, depth)
        return msgpack.Ext(_COUNTER, msgpack.encode(packed)) if kind is Counter else packed
    if code := _SEQUENCES.get(kind):
        items = list(value)
        if not _all_native(items, careful):
            items = [_prepare(item, careful, depth + 1) for item in items]
        return msgpack.Ext(code, msgpack.encode(items))
    if isinstance(value, np.str_):
        return _native(str(value))
    if isinstance(value, np.ndarray | np.generic):
        return msgpack.Ext(_SCALAR if isinstance(value, np.generic) else _ARRAY, _array_bytes(np.asarray(value)))
    raise UnsupportedValueError(value)


def _all_native(values: Any, careful: bool) -> bool:
    return not careful and _NATIVE.issuperset(map(type, values))


def _prepare_dict(value: dict[Any, Any], careful: bool, depth: int) -> Any:
    if _all_native(value, careful):
        plain = _all_native(value.values(), careful)
        return value if plain else {key: _prepare(item, careful, depth + 1) for key, item in value.items()}
    pairs = [(_prepare(key, careful, depth + 1), _prepare(item, careful, depth + 1)) for key, item in value.items()]
    return msgpack.Ext(_PAIRS, msgpack.encode(pairs))


def _native(value: Any) -> Any:
    if type(value) is int and not -(2**63) <= value < 2**64:
        return msgpack.Ext(_LARGE_INT, value.to_bytes(value.bit_length() // 8 + 1, "little", signed=True))
    if type(value) is str:
        try:
            value.encode()
        except UnicodeEncodeError:
            return msgpack.Ext(_ODD_TEXT, value.encode("utf-8", "surrogatepass"))
    return value


def _array_bytes(array: NDArray[Any]) -> bytes:
    """Type, axes and content, the bytes of numbers from low to high on every machine."""
    name = f"{array.dtype.kind}{array.dtype.itemsize}"
    if name not in _DTYPES or array.ndim > _MOST_AXES:
        raise UnsupportedValueError(array)
    shape = struct.pack(f"<{array.ndim}Q", *array.shape)
    content = array.astype(array.dtype.newbyteorder("<"), copy=False).tobytes()
    return _HEAD.pack(_DTYPES.index(name), array.ndim) + shape + content


def _array_of(data: memoryview) -> NDArray[Any]:
    place, axes = _HEAD.unpack_from(data)
    if place >= len(_DTYPES) or axes > _MOST_AXES:
        raise MalformedDataError
    shape = struct.unpack_from(f"<{axes}Q", data, _HEAD.size)
    dtype = np.dtype(_DTYPES[place]).newbyteorder("<")
    content = data[_HEAD.size + 8 * axes :]
    if math.prod(shape) * dtype.itemsize != len(content):
        raise MalformedDataError
    if dtype.kind == "b":  # a byte that is neither 0 nor 1 is no bool
        return np.asarray(np.frombuffer(content, np.uint8).reshape(shape) != 0)
    return np.frombuffer(content, dtype).reshape(shape).astype(dtype.newbyteorder("="))


class _Decoder:
    """Decodes one value; extension types inside one another are counted, so that no data exhaust the stack."""

    def __init__(self) -> None:
        self._depth = 0

    def decode(self, data: bytes | memoryview) -> Any:
        return msgpack.decode(data, ext_hook=self._extension)

    def _extension(self, code: int, data: memoryview) -> Any:
        if code in (_ARRAY, _SCALAR):
            array = _array_of(data)
            if code == _SCALAR and array.ndim:
                raise MalformedDataError
            return array[()] if code == _SCALAR else array
        if code == _LARGE_INT:
            return int.from_bytes(data, "little", signed=True)
        if code == _ODD_TEXT:
            return bytes(data).decode("utf-8", "surrogatepass")
        self._depth += 1
        if self._depth > DEEPEST + 2:
            raise MalformedDataError
        inner = self.decode(data)
        self._depth -= 1
        return _build(code, inner)


def _build(code: int, inner: Any) -> Any:
    """What an extension type makes of its content."""
    if code in _MAKERS and type(inner) is list:
        return _MAKERS[code](inner)
    if code == _COUNTER and type(inner) is dict:
        return Counter(inner)
    if code == _PAIRS and type(inner) is list and all(type(pair) is list and len(pair) == 2 for pair in inner):
        return {key: item for key, item in inner}  # noqa: C416  # `dict` would take pairs of another length
    raise MalformedDataError
