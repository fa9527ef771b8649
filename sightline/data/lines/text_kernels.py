"""Text kernels (Numba) on UTF-8 bytes: JSON unescaping, stripping, validation, hashing.

White space is defined as in `str.strip`. Buffers are passed by address, see `memory_kernels`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from sightline.data.lines.memory_kernels import PADDING, byte_at, first_non_ascii, put_byte

_BACKSLASH = 92
_LETTER_U = 117
_REPLACEMENT = 0xFFFD
_MIX = np.uint64(0x9E3779B97F4A7C15)
_STIR = np.uint64(0xD6E8FEB86659FD93)
_HALF = np.uint64(32)
_BYTE = np.uint64(8)


@njit(cache=True, nogil=True)
def hex_code(data: int, position: int, stop: int) -> int:
    """The value of four hexadecimal digits; −1 if they are not such digits."""
    if position + 4 > stop:
        return -1
    code = 0
    for k in range(4):
        byte = byte_at(data, position + k)
        if 48 <= byte <= 57:
            code = code * 16 + byte - 48
        elif 65 <= byte <= 70:
            code = code * 16 + byte - 55
        elif 97 <= byte <= 102:
            code = code * 16 + byte - 87
        else:
            return -1
    return code


@njit(cache=True, nogil=True)
def _unescape_letter(letter: int) -> int:
    """The character of an escape sequence of a backslash and a letter."""
    if letter == 110:
        return 10
    if letter == 116:
        return 9
    if letter == 114:
        return 13
    if letter == 98:
        return 8
    return 12 if letter == 102 else letter


@njit(cache=True, nogil=True)
def _put_character(code: int, out: int, at: int) -> int:
    """Write a character as UTF-8; returns the position after it."""
    if code < 0x80:
        put_byte(out, at, code)
        return at + 1
    more = 1 if code < 0x800 else 2 if code < 0x10000 else 3
    lead = 0xC0 if more == 1 else 0xE0 if more == 2 else 0xF0
    put_byte(out, at, lead | code >> 6 * more)
    for k in range(1, more + 1):
        put_byte(out, at + k, 0x80 | code >> 6 * (more - k) & 63)
    return at + more + 1


@njit(cache=True, nogil=True)
def unescape(data: int, start: int, stop: int, out: int, at: int) -> int:
    """Unescape the content of a JSON string to UTF-8, never longer than the input; returns the position after it."""
    position = start
    while position < stop:
        byte = byte_at(data, position)
        if byte != _BACKSLASH or position + 1 >= stop:
            put_byte(out, at, byte)
            position, at = position + 1, at + 1
            continue
        letter = byte_at(data, position + 1)
        if letter != _LETTER_U:
            put_byte(out, at, _unescape_letter(letter))
            position, at = position + 2, at + 1
            continue
        code = hex_code(data, position + 2, stop)
        if code < 0:  # only in a file that was changed after its scan
            position += 2
            continue
        position += 6
        if 0xD800 <= code < 0xE000:
            follows = (
                position + 1 < stop
                and byte_at(data, position) == _BACKSLASH
                and byte_at(data, position + 1) == _LETTER_U
            )
            low = hex_code(data, position + 2, stop) if follows and code < 0xDC00 else -1
            if 0xDC00 <= low < 0xE000:
                code = 0x10000 + ((code - 0xD800) << 10) + low - 0xDC00
                position += 6
            else:
                code = _REPLACEMENT
        at = _put_character(code, out, at)
    return at


@njit(cache=True, nogil=True)
def _is_whitespace(code: int) -> bool:
    if code < 128:
        return code == 32 or 9 <= code <= 13 or 28 <= code <= 31
    if code < 0x2000:
        return code in (0x85, 0xA0, 0x1680)
    return code <= 0x200A or code in (0x2028, 0x2029, 0x202F, 0x205F, 0x3000)


@njit(cache=True, nogil=True)
def _whitespace_width(data: int, position: int, stop: int) -> int:
    """The number of bytes of the white-space character at a position; 0 if there is none."""
    byte = byte_at(data, position)
    if byte < 128:
        return 1 if _is_whitespace(byte) else 0
    if byte == 0xC2 and position + 1 < stop:
        return 2 if byte_at(data, position + 1) in (0x85, 0xA0) else 0
    if 0xE1 <= byte <= 0xE3 and position + 2 < stop:
        code = (byte & 15) << 12 | (byte_at(data, position + 1) & 63) << 6 | byte_at(data, position + 2) & 63
        whole = byte_at(data, position + 1) & 0xC0 == 0x80 and byte_at(data, position + 2) & 0xC0 == 0x80
        return 3 if whole and _is_whitespace(code) else 0
    return 0


@njit(cache=True, nogil=True)
def has_content(data: int, start: int, stop: int) -> bool:
    """Whether the content of a JSON string, escaped or not, has anything but white space."""
    position = start
    while position < stop:
        if byte_at(data, position) == _BACKSLASH and position + 1 < stop:
            letter = byte_at(data, position + 1)
            code = hex_code(data, position + 2, stop) if letter == _LETTER_U else _unescape_letter(letter)
            if code < 0 or not _is_whitespace(code):
                return True
            position += 6 if letter == _LETTER_U else 2
            continue
        width = _whitespace_width(data, position, stop)
        if width == 0:
            return True
        position += width
    return False


@njit(cache=True, nogil=True)
def _trim(data: int, start: int, stop: int) -> tuple[int, int]:
    while start < stop:
        width = _whitespace_width(data, start, stop)
        if width == 0:
            break
        start += width
    while start < stop:
        width = 0
        for back in range(1, min(4, stop - start + 1)):
            if _whitespace_width(data, stop - back, stop) == back:
                width = back
        if width == 0:
            break
        stop -= width
    return start, stop


@njit(cache=True, nogil=True)
def hash_text(data: int, start: int, stop: int) -> Any:
    """A 64-bit hash of a text, stripped of surrounding white space; 0 for an empty text, and only for that."""
    start, stop = _trim(data, start, stop)
    if start == stop:
        return np.uint64(0)
    mixed = np.uint64(stop - start) * _MIX
    for first in range(start, stop, 8):
        word = np.uint64(0)
        for k in range(min(first + 8, stop) - 1, first - 1, -1):
            word = word << _BYTE | np.uint64(byte_at(data, k))
        mixed = (mixed ^ word) * _STIR
        mixed ^= mixed >> _HALF
    mixed *= _MIX
    mixed ^= mixed >> _HALF
    return mixed if mixed else np.uint64(1)


@njit(cache=True, nogil=True)
def hash_spans(data: int, starts: Any, stops: Any) -> Any:
    """The hash of each text."""
    hashes = np.zeros(len(starts), np.uint64)
    for row in range(len(starts)):
        hashes[row] = hash_text(data, starts[row], stops[row])
    return hashes


@njit(cache=True, nogil=True)
def is_utf8(data: int, start: int, stop: int) -> bool:
    """Whether the bytes are valid UTF-8: no overlong form, no surrogate, nothing above U+10FFFF."""
    position = start
    while position < stop and first_non_ascii(data, position) == PADDING:
        position += PADDING
    while position < stop:
        lead = byte_at(data, position)
        position += 1
        if lead < 128:
            continue
        if lead < 0xC2 or lead > 0xF4:
            return False
        more = 1 if lead < 0xE0 else 2 if lead < 0xF0 else 3
        if position + more > stop:
            return False
        low = 0xA0 if lead == 0xE0 else 0x90 if lead == 0xF0 else 0x80
        high = 0x9F if lead == 0xED else 0x8F if lead == 0xF4 else 0xBF
        if byte_at(data, position) < low or byte_at(data, position) > high:
            return False
        for k in range(position + 1, position + more):
            if byte_at(data, k) & 0xC0 != 0x80:
                return False
        position += more
    return True
