"""Captions as 64-bit words, byte by byte: a word's key depends on its letters alone, in every batch and process."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

_BASIS = np.uint64(0xCBF29CE484222325)
_PRIME = np.uint64(0x100000001B3)
_MIX_1 = np.uint64(0xFF51AFD7ED558CCD)
_MIX_2 = np.uint64(0xC4CEB9FE1A85EC53)
_SHIFT = np.uint64(33)
_LONGEST = 7
"""No listed word has more letters; a longer one need not be looked up."""


@njit(cache=True, nogil=True)
def _finished(state: Any) -> Any:
    """The key of a word from the running state: well mixed, and never 0, which marks free places in tables."""
    key = (state ^ (state >> _SHIFT)) * _MIX_1
    key = (key ^ (key >> _SHIFT)) * _MIX_2
    key ^= key >> _SHIFT
    return key if key != np.uint64(0) else np.uint64(1)


@njit(cache=True, nogil=True)
def _holds(table: Any, key: Any) -> Any:
    mask = np.uint64(len(table) - 1)
    place = key & mask
    while table[place] != np.uint64(0):
        if table[place] == key:
            return True
        place = (place + np.uint64(1)) & mask
    return False


@njit(cache=True, nogil=True)
def _read_plain_text(data: Any, start: int, stop: int, lists: Any, keys: Any) -> int:
    """The keys of one text's words and their number; −1 where the text has anything that we leave to Java."""
    found = 0
    state = _BASIS
    letters = 0
    after_word = False
    for place in range(start, stop):
        byte = data[place]
        lower = byte | np.uint8(32)
        if np.uint8(97) <= lower <= np.uint8(122) and byte >= np.uint8(65):
            state = (state ^ np.uint64(lower)) * _PRIME
            letters += 1
            continue
        is_stop = byte == np.uint8(46)
        is_mark = is_stop or byte == np.uint8(44)
        if not (is_mark or byte == np.uint8(32) or np.uint8(10) <= byte <= np.uint8(13)):
            return -1
        if letters:
            keys[found] = _finished(state)
            if letters <= _LONGEST and _holds(lists[0], keys[found]):
                return -1
            if is_stop and (letters == 1 or (letters <= _LONGEST and _holds(lists[1], keys[found]))):
                return -1
            found += 1
            state, letters, after_word = _BASIS, 0, True
        if is_mark:
            # One mark after a word, and then a space or the end: "a.b", "..." and ",a" are other tokens.
            if not after_word:
                return -1
            after_word = False
            if place + 1 < stop and data[place + 1] != np.uint8(32) and not 10 <= data[place + 1] <= 13:
                return -1
    if letters:
        keys[found] = _finished(state)
        if letters <= _LONGEST and _holds(lists[0], keys[found]):
            return -1
        found += 1
    return found


@njit(cache=True, nogil=True)
def read_plain(data: Any, starts: Any, stops: Any, lists: Any, keys: Any, lengths: Any) -> int:
    """Fill `keys`, text after text, and `lengths`; −1 for a text that only Java may read. Returns the keys' number."""
    filled = 0
    for row in range(len(starts)):
        lengths[row] = _read_plain_text(data, starts[row], stops[row], lists, keys[filled:])
        filled += max(lengths[row], 0)
    return filled


@njit(cache=True, nogil=True)
def write_plain(data: Any, starts: Any, stops: Any, out: Any) -> int:
    """Write the words of plain texts in lower case, one space between them and one line a text; the bytes' number."""
    filled = 0
    for row in range(len(starts)):
        first = filled
        for place in range(starts[row], stops[row]):
            byte = data[place]
            if byte >= np.uint8(65):
                if filled > first and (data[place - 1] < np.uint8(65)):
                    out[filled] = 32
                    filled += 1
                out[filled] = byte | np.uint8(32)
                filled += 1
        out[filled] = 10
        filled += 1
    return filled


@njit(cache=True, nogil=True)
def hash_lines(data: Any, keys: Any, lengths: Any) -> int:
    """The keys of words between single spaces, of lines that each end in a line break; a line always has a word."""
    filled = 0
    row = 0
    first = 0
    state = _BASIS
    for byte in data:
        if byte == np.uint8(32) or byte == np.uint8(10):
            keys[filled] = _finished(state)
            filled += 1
            state = _BASIS
            if byte == np.uint8(10):
                lengths[row] = filled - first
                first = filled
                row += 1
        else:
            state = (state ^ np.uint64(byte)) * _PRIME
    return filled


@njit(cache=True, nogil=True)
def count_words(data: Any, starts: Any, stops: Any, counts: Any) -> None:
    """The number of words between white space; −1 for a text that is not ASCII."""
    for row in range(len(starts)):
        inside = False
        counts[row] = 0
        for place in range(starts[row], stops[row]):
            byte = data[place]
            if byte >= np.uint8(128):
                counts[row] = -1
                break
            is_space = byte == np.uint8(32) or 9 <= byte <= 13 or 28 <= byte <= 31
            if not is_space and not inside:
                counts[row] += 1
            inside = not is_space


@njit(cache=True, nogil=True)
def number_words(keys: Any, ids: Any, vocabulary: Any, table: Any, places: Any) -> int:
    """Number the different keys in the order in which they come; `table` and `places` are zeroed scratch."""
    mask = np.uint64(len(table) - 1)
    known = 0
    for row in range(len(keys)):
        key = keys[row]
        place = key & mask
        while table[place] != np.uint64(0) and table[place] != key:
            place = (place + np.uint64(1)) & mask
        if table[place] == np.uint64(0):
            table[place] = key
            places[place] = known
            vocabulary[known] = key
            known += 1
        ids[row] = places[place]
    return known


def filled_table(keys: NDArray[np.uint64], size: int) -> NDArray[np.uint64]:
    """A few keys as a table for look-ups; `size` is a power of two."""
    table = np.zeros(size, np.uint64)
    for key in keys.tolist():
        place = key & (size - 1)
        while table[place]:
            place = (place + 1) & (size - 1)
        table[place] = key
    return table
