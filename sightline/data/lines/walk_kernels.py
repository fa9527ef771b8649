"""The grammar of JSON on bytes: where a value ends, and whether it is one. Nothing is decoded, nothing is copied.

A walk returns a place and a code. `MORE` means that the bytes ended too early: the same walk is made again when more
are there. NaN and Infinity pass, as in Python's `json`; so do control characters in strings, but never a line feed.
Every buffer has `SLACK` bytes after the end.
"""

from __future__ import annotations

from numba import njit

from sightline.data.lines.memory_kernels import SLACK, byte_at, first_newline, first_special, put_byte
from sightline.data.lines.text_kernels import hex_code

FINE, ESCAPED, MORE, BAD = 0, 1, 2, 3
"""What a walk found: a value, a string with escapes, too few bytes, no JSON."""
NEWLINE, QUOTE, BACKSLASH, COMMA, COLON, OPEN, CLOSE, BEGIN, END = 10, 34, 92, 44, 58, 123, 125, 91, 93

DEEPEST = 1 << 16
"""How deep values may be nested."""
_TRUE, _FALSE, _NULL, _NAN, _INFINITY = (
    int.from_bytes(word, "little") for word in (b"true", b"false", b"null", b"NaN", b"Infinity")
)
_VALUE, _FIRST_VALUE, _KEY, _FIRST_KEY, _AFTER = 0, 1, 2, 3, 4


@njit(cache=True, nogil=True)
def find_newline(data: int, place: int, end: int) -> int:
    """The next line feed, or the end."""
    while place < end:
        ahead = first_newline(data, place)
        if ahead < SLACK:
            return int(min(place + ahead, end))
        place += SLACK
    return end


@njit(cache=True, nogil=True)
def skip_space(data: int, place: int, end: int, over_lines: bool) -> int:
    """The next byte that is no white space; a line feed is some only where rows may have several lines."""
    while place < end:
        byte = byte_at(data, place)
        if byte > 32 or not (byte == 32 or byte == 9 or byte == 13 or (over_lines and byte == NEWLINE)):
            break
        place += 1
    return place


@njit(cache=True, nogil=True)
def walk_string(data: int, place: int, end: int) -> tuple[int, int]:
    """From after the opening quote to after the closing one."""
    found = FINE
    while True:
        while place < end and first_special(data, place) == SLACK:
            place += SLACK  # a constant: were it what was found, each step would have to wait for the one before
        if place < end:
            place += first_special(data, place)
        if place >= end:
            return end, MORE
        if byte_at(data, place) == QUOTE:
            return place + 1, found
        if byte_at(data, place) == NEWLINE:
            return place, BAD
        place, code = _walk_escape(data, place + 1, end)
        if code != FINE:
            return place, code
        found = ESCAPED


@njit(cache=True, nogil=True)
def _walk_escape(data: int, place: int, end: int) -> tuple[int, int]:
    if place >= end:
        return end, MORE
    letter = byte_at(data, place)
    if letter == 117:
        for k in range(place + 1, min(place + 5, end)):
            byte = byte_at(data, k)
            if not (48 <= byte <= 57 or 65 <= byte <= 70 or 97 <= byte <= 102):
                return k, BAD
        if hex_code(data, place + 1, end) < 0:
            return end, MORE
        return place + 5, FINE
    if letter in (QUOTE, BACKSLASH, 47, 98, 102, 110, 114, 116):
        return place + 1, FINE
    return place, BAD


@njit(cache=True, nogil=True)
def _walk_word(data: int, place: int, end: int, word: int) -> tuple[int, int]:
    """A word is given as the number that its letters make, the first one lowest."""
    while word:
        if place >= end:
            return end, MORE
        if byte_at(data, place) != word & 255:
            return place, BAD
        place, word = place + 1, word >> 8
    return place, FINE


@njit(cache=True, nogil=True)
def _walk_digits(data: int, place: int, end: int) -> tuple[int, int]:
    first = place
    while place < end and 48 <= byte_at(data, place) <= 57:
        place += 1
    if place >= end:
        return end, MORE
    return place, FINE if place > first else BAD


@njit(cache=True, nogil=True)
def _walk_number(data: int, place: int, end: int) -> tuple[int, int]:
    """A number is over only when another byte follows, so at the end of the bytes there is always `MORE` to come."""
    if byte_at(data, place) == 45:
        place += 1
        if place < end and byte_at(data, place) == 73:
            return _walk_word(data, place, end, _INFINITY)
    if place < end and byte_at(data, place) == 48:
        place, code = place + 1, FINE
    else:
        place, code = _walk_digits(data, place, end)
    if code == FINE and place < end and byte_at(data, place) == 46:
        place, code = _walk_digits(data, place + 1, end)
    if code == FINE and place < end and (byte_at(data, place) == 69 or byte_at(data, place) == 101):
        place += 1
        if place < end and (byte_at(data, place) == 43 or byte_at(data, place) == 45):
            place += 1
        place, code = _walk_digits(data, place, end)
    if code == FINE and place >= end:
        return end, MORE
    return place, code


@njit(cache=True, nogil=True)
def _walk_scalar(data: int, place: int, end: int) -> tuple[int, int]:
    first = byte_at(data, place)
    if first == QUOTE:
        return walk_string(data, place + 1, end)
    if first == 116:
        return _walk_word(data, place, end, _TRUE)
    if first == 102:
        return _walk_word(data, place, end, _FALSE)
    if first == 110:
        return _walk_word(data, place, end, _NULL)
    if first == 78:
        return _walk_word(data, place, end, _NAN)
    if first == 73:
        return _walk_word(data, place, end, _INFINITY)
    return _walk_number(data, place, end)


@njit(cache=True, nogil=True)
def walk_key(data: int, place: int, end: int, over_lines: bool) -> tuple[int, int, int]:
    """From a key's opening quote to its value: that place, the code, and the place after the key's closing quote."""
    if byte_at(data, place) != QUOTE:
        return place, BAD, place
    after, code = walk_string(data, place + 1, end)
    if code >= MORE:
        return after, code, after
    place = skip_space(data, after, end, over_lines)
    if place >= end:
        return end, MORE, after
    if byte_at(data, place) != COLON:
        return place, BAD, after
    place = skip_space(data, place + 1, end, over_lines)
    return place, code if place < end else MORE, after


@njit(cache=True, nogil=True)
def walk_value(data: int, place: int, end: int, over_lines: bool, stack: int) -> tuple[int, int]:
    """From the first byte of a value to after its last; `stack` is the address of `DEEPEST` bytes."""
    if byte_at(data, place) != OPEN and byte_at(data, place) != BEGIN:
        return _walk_scalar(data, place, end)
    depth, wanted = 0, _VALUE
    while True:
        place = skip_space(data, place, end, over_lines)
        if place >= end:
            return end, MORE
        byte = byte_at(data, place)
        closes = depth > 0 and byte == byte_at(stack, depth - 1) and wanted in (_FIRST_VALUE, _FIRST_KEY, _AFTER)
        if closes:
            depth, place, wanted = depth - 1, place + 1, _AFTER
            if depth == 0:
                return place, FINE
        elif wanted == _AFTER:
            if byte != COMMA:
                return place, BAD
            place, wanted = place + 1, _KEY if byte_at(stack, depth - 1) == CLOSE else _VALUE
        elif wanted >= _KEY:
            place, code, _ = walk_key(data, place, end, over_lines)
            if code >= MORE:
                return place, code
            wanted = _VALUE
        elif byte in (OPEN, BEGIN):
            if depth == DEEPEST:
                return place, BAD
            put_byte(stack, depth, CLOSE if byte == OPEN else END)
            depth, place, wanted = depth + 1, place + 1, _FIRST_KEY if byte == OPEN else _FIRST_VALUE
        else:
            place, code = _walk_scalar(data, place, end)
            if code >= MORE:
                return place, code
            wanted = _AFTER
