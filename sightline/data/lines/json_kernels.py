"""JSON validator on bytes (Numba): finds the end of a value and checks its syntax, without decoding or copying.

Each function returns a position and a code. `INCOMPLETE` means that the bytes ended too early: the same walk is
repeated when more are available. NaN and Infinity are accepted, as in Python's `json`; so are control characters in
strings, except line feeds. Every buffer has `PADDING` bytes after its end.
"""

from __future__ import annotations

from numba import njit

from sightline.data.lines.memory_kernels import PADDING, byte_at, first_newline, first_special, put_byte
from sightline.data.lines.text_kernels import hex_code

OK, ESCAPED, INCOMPLETE, INVALID = 0, 1, 2, 3
"""Result codes: a value, a string with escapes, too few bytes, invalid JSON."""
NEWLINE, QUOTE, BACKSLASH, COMMA, COLON = 10, 34, 92, 44, 58
OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET = 123, 125, 91, 93

MAX_DEPTH = 1 << 16
"""Maximum nesting depth of values."""
_TRUE, _FALSE, _NULL, _NAN, _INFINITY = (
    int.from_bytes(word, "little") for word in (b"true", b"false", b"null", b"NaN", b"Infinity")
)
_VALUE, _FIRST_VALUE, _KEY, _FIRST_KEY, _AFTER = 0, 1, 2, 3, 4


@njit(cache=True, nogil=True)
def find_newline(data: int, position: int, end: int) -> int:
    """The position of the next line feed, or the end."""
    while position < end:
        ahead = first_newline(data, position)
        if ahead < PADDING:
            return int(min(position + ahead, end))
        position += PADDING
    return end


@njit(cache=True, nogil=True)
def skip_space(data: int, position: int, end: int, multiline: bool) -> int:
    """The position of the next byte that is not white space; line feeds count as white space only if `multiline`."""
    while position < end:
        byte = byte_at(data, position)
        if byte > 32 or not (byte == 32 or byte == 9 or byte == 13 or (multiline and byte == NEWLINE)):
            break
        position += 1
    return position


@njit(cache=True, nogil=True)
def walk_string(data: int, position: int, end: int) -> tuple[int, int]:
    """Skip a string from after its opening quote to after the closing one."""
    outcome = OK
    while True:
        while position < end and first_special(data, position) == PADDING:
            position += PADDING  # a constant step: no data dependency between iterations
        if position < end:
            position += first_special(data, position)
        if position >= end:
            return end, INCOMPLETE
        if byte_at(data, position) == QUOTE:
            return position + 1, outcome
        if byte_at(data, position) == NEWLINE:
            return position, INVALID
        position, code = _walk_escape(data, position + 1, end)
        if code != OK:
            return position, code
        outcome = ESCAPED


@njit(cache=True, nogil=True)
def _walk_escape(data: int, position: int, end: int) -> tuple[int, int]:
    if position >= end:
        return end, INCOMPLETE
    letter = byte_at(data, position)
    if letter == 117:
        for k in range(position + 1, min(position + 5, end)):
            byte = byte_at(data, k)
            if not (48 <= byte <= 57 or 65 <= byte <= 70 or 97 <= byte <= 102):
                return k, INVALID
        if hex_code(data, position + 1, end) < 0:
            return end, INCOMPLETE
        return position + 5, OK
    if letter in (QUOTE, BACKSLASH, 47, 98, 102, 110, 114, 116):
        return position + 1, OK
    return position, INVALID


@njit(cache=True, nogil=True)
def _walk_word(data: int, position: int, end: int, word: int) -> tuple[int, int]:
    """Match a literal, given as a little-endian number of its letters."""
    while word:
        if position >= end:
            return end, INCOMPLETE
        if byte_at(data, position) != word & 255:
            return position, INVALID
        position, word = position + 1, word >> 8
    return position, OK


@njit(cache=True, nogil=True)
def _walk_digits(data: int, position: int, end: int) -> tuple[int, int]:
    first = position
    while position < end and 48 <= byte_at(data, position) <= 57:
        position += 1
    if position >= end:
        return end, INCOMPLETE
    return position, OK if position > first else INVALID


@njit(cache=True, nogil=True)
def _walk_number(data: int, position: int, end: int) -> tuple[int, int]:
    """Skip a number, which ends only when another byte follows: at the end of the bytes it is always `INCOMPLETE`."""
    if byte_at(data, position) == 45:
        position += 1
        if position < end and byte_at(data, position) == 73:
            return _walk_word(data, position, end, _INFINITY)
    if position < end and byte_at(data, position) == 48:
        position, code = position + 1, OK
    else:
        position, code = _walk_digits(data, position, end)
    if code == OK and position < end and byte_at(data, position) == 46:
        position, code = _walk_digits(data, position + 1, end)
    if code == OK and position < end and (byte_at(data, position) == 69 or byte_at(data, position) == 101):
        position += 1
        if position < end and (byte_at(data, position) == 43 or byte_at(data, position) == 45):
            position += 1
        position, code = _walk_digits(data, position, end)
    if code == OK and position >= end:
        return end, INCOMPLETE
    return position, code


@njit(cache=True, nogil=True)
def _walk_scalar(data: int, position: int, end: int) -> tuple[int, int]:
    first = byte_at(data, position)
    if first == QUOTE:
        return walk_string(data, position + 1, end)
    if first == 116:
        return _walk_word(data, position, end, _TRUE)
    if first == 102:
        return _walk_word(data, position, end, _FALSE)
    if first == 110:
        return _walk_word(data, position, end, _NULL)
    if first == 78:
        return _walk_word(data, position, end, _NAN)
    if first == 73:
        return _walk_word(data, position, end, _INFINITY)
    return _walk_number(data, position, end)


@njit(cache=True, nogil=True)
def walk_key(data: int, position: int, end: int, multiline: bool) -> tuple[int, int, int]:
    """Skip a key from its opening quote to its value: the position, the code, and the position after the key."""
    if byte_at(data, position) != QUOTE:
        return position, INVALID, position
    after, code = walk_string(data, position + 1, end)
    if code >= INCOMPLETE:
        return after, code, after
    position = skip_space(data, after, end, multiline)
    if position >= end:
        return end, INCOMPLETE, after
    if byte_at(data, position) != COLON:
        return position, INVALID, after
    position = skip_space(data, position + 1, end, multiline)
    return position, code if position < end else INCOMPLETE, after


@njit(cache=True, nogil=True)
def walk_value(data: int, position: int, end: int, multiline: bool, stack: int) -> tuple[int, int]:
    """Skip a value from its first byte to after its last; `stack` is the address of `MAX_DEPTH` bytes."""
    if byte_at(data, position) != OPEN_BRACE and byte_at(data, position) != OPEN_BRACKET:
        return _walk_scalar(data, position, end)
    depth, expected = 0, _VALUE
    while True:
        position = skip_space(data, position, end, multiline)
        if position >= end:
            return end, INCOMPLETE
        byte = byte_at(data, position)
        closes = depth > 0 and byte == byte_at(stack, depth - 1) and expected in (_FIRST_VALUE, _FIRST_KEY, _AFTER)
        if closes:
            depth, position, expected = depth - 1, position + 1, _AFTER
            if depth == 0:
                return position, OK
        elif expected == _AFTER:
            if byte != COMMA:
                return position, INVALID
            position, expected = position + 1, _KEY if byte_at(stack, depth - 1) == CLOSE_BRACE else _VALUE
        elif expected >= _KEY:
            position, code, _ = walk_key(data, position, end, multiline)
            if code >= INCOMPLETE:
                return position, code
            expected = _VALUE
        elif byte in (OPEN_BRACE, OPEN_BRACKET):
            if depth == MAX_DEPTH:
                return position, INVALID
            put_byte(stack, depth, CLOSE_BRACE if byte == OPEN_BRACE else CLOSE_BRACKET)
            depth, position, expected = depth + 1, position + 1, _FIRST_KEY if byte == OPEN_BRACE else _FIRST_VALUE
        else:
            position, code = _walk_scalar(data, position, end)
            if code >= INCOMPLETE:
                return position, code
            expected = _AFTER
