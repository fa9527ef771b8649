"""Row scanner (Numba): byte spans and flags of the selected fields of one JSON object.

The state of a scan is one array of 64-bit words, `state`, whose address the kernels receive: the current position, the
names to find, and the addresses of the output arrays. The constants below are its indices.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from sightline.data.lines.json_kernels import (
    CLOSE_BRACE,
    COMMA,
    ESCAPED,
    INCOMPLETE,
    INVALID,
    OK,
    QUOTE,
    skip_space,
    walk_key,
    walk_value,
)
from sightline.data.lines.memory_kernels import byte_at, put_byte, put_word, word_at
from sightline.data.lines.text_kernels import has_content, hash_text, is_utf8, unescape

START, STOP, IS_LAST, BASE, LINE, ROW_COUNT, ROWS, FAULTS, MODE, SKIPS, EXPECTS, IS_JSON = range(12)
"""Progress of the scan: the bytes left, whether they are the last, the file offset of byte 0, the line at START…"""
NAMES, LETTERS, NAME_STARTS, NAME_COLUMNS, NAME_RANKS, SCRATCH, SCRATCH_SIZE = range(12, 19)
"""Names to find: their number, and per name its letters, its column and its rank (the lowest wins)."""
COLUMNS, CAPACITY, OFFSETS, LENGTHS, FLAGS, RANKS, ROW_LINES, ROW_NUMBERS, NOTES, STACK, ROW_OFFSETS = range(19, 30)
"""Output arrays: values by row and column; lines, numbers and offsets by row; four words per fault."""
STATE_SIZE = 30

UNKNOWN, LINES, ARRAY, SEQUENCE, FINISHED = range(5)
"""File modes: not yet known, one row per line, elements of an array, concatenated objects, nothing more to read."""
PRESENT, IS_TEXT, HAS_ESCAPES, HAS_CONTENT, IS_DAMAGED = 1, 2, 4, 8, 16
"""Bit flags of a value."""


@njit(cache=True, nogil=True)
def _find_name(data: int, start: int, stop: int, state: int) -> int:
    letters, starts = word_at(state, LETTERS), word_at(state, NAME_STARTS)
    for k in range(word_at(state, NAMES)):
        first = word_at(starts, k)
        length = word_at(starts, k + 1) - first
        if length != stop - start:
            continue
        j = 0
        while j < length and byte_at(data, start + j) == byte_at(letters, first + j):
            j += 1
        if j == length:
            return k
    return -1


@njit(cache=True, nogil=True)
def _name_of(data: int, start: int, stop: int, code: int, state: int) -> int:
    """The index of the name that a key equals, also if it is escaped; −1 if there is none."""
    if code == ESCAPED:
        if stop - start > word_at(state, SCRATCH_SIZE):
            return -1
        scratch = word_at(state, SCRATCH)
        data, start, stop = scratch, 0, unescape(data, start, stop, scratch, 0)
    return _find_name(data, start, stop, state)


@njit(cache=True, nogil=True)
def _flags_of(data: int, start: int, stop: int, code: int) -> int:
    flags = PRESENT
    if byte_at(data, start) == QUOTE:
        flags |= IS_TEXT
        if code == ESCAPED:
            flags |= HAS_ESCAPES
        if has_content(data, start + 1, stop - 1):
            flags |= HAS_CONTENT
    elif byte_at(data, start) != 110:  # n: null
        flags |= HAS_CONTENT
    if not is_utf8(data, start, stop):
        flags |= IS_DAMAGED
    return flags


@njit(cache=True, nogil=True)
def _store_value(data: int, start: int, stop: int, code: int, name: int, state: int) -> None:
    """Store the span of a value, unless one with a lower rank exists; of the same name, the last one counts."""
    column = word_at(word_at(state, NAME_COLUMNS), name)
    rank = word_at(word_at(state, NAME_RANKS), name)
    cell = word_at(state, ROWS) * word_at(state, COLUMNS) + column
    flags, ranks = word_at(state, FLAGS), word_at(state, RANKS)
    if byte_at(flags, cell) and rank > word_at(ranks, column):
        return
    put_word(word_at(state, OFFSETS), cell, word_at(state, BASE) + start)
    put_word(word_at(state, LENGTHS), cell, stop - start)
    put_byte(flags, cell, _flags_of(data, start, stop, code))
    put_word(ranks, column, rank)


@njit(cache=True, nogil=True)
def walk_row(data: int, position: int, state: int) -> tuple[int, int]:
    """Scan an object from its opening brace, and store the spans of selected values in the next row of the table."""
    end, multiline, columns = word_at(state, STOP), word_at(state, MODE) != LINES, word_at(state, COLUMNS)
    stack = word_at(state, STACK)
    for cell in range(word_at(state, ROWS) * columns, (word_at(state, ROWS) + 1) * columns):
        put_byte(word_at(state, FLAGS), cell, 0)
        put_word(word_at(state, LENGTHS), cell, 0)
    position = skip_space(data, position + 1, end, multiline)
    if position < end and byte_at(data, position) == CLOSE_BRACE:
        return position + 1, OK
    while position < end:
        start, code, after = walk_key(data, position, end, multiline)
        if code >= INCOMPLETE:
            return start, code
        name = _name_of(data, position + 1, after - 1, code, state)
        position, code = walk_value(data, start, end, multiline, stack)
        if code >= INCOMPLETE:
            return position, code
        if name >= 0:
            _store_value(data, start, position, code, name, state)
        position = skip_space(data, position, end, multiline)
        if position < end and byte_at(data, position) == CLOSE_BRACE:
            return position + 1, OK
        if position < end and byte_at(data, position) != COMMA:
            return position, INVALID
        position = skip_space(data, position + 1, end, multiline)
    return end, INCOMPLETE


@njit(cache=True, nogil=True)
def hash_values(data: int, positions: Any, lengths: Any, flags: Any, scratch: int) -> Any:
    """The hash of the text of each value, 0 if there is none; `scratch` is a buffer for the longest text."""
    hashes = np.zeros(len(positions), np.uint64)
    for row in range(len(positions)):
        if not flags[row] & HAS_CONTENT:
            continue
        quote = 1 if flags[row] & IS_TEXT else 0
        start, stop = positions[row] + quote, positions[row] + lengths[row] - quote
        if flags[row] & HAS_ESCAPES:
            hashes[row] = hash_text(scratch, 0, unescape(data, start, stop, scratch, 0))
        else:
            hashes[row] = hash_text(data, start, stop)
    return hashes
