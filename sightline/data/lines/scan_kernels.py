"""Block scanner (Numba): splits a block of bytes into rows, as lines, array elements or concatenated objects.

A scan runs until the bytes, the capacity for rows or the file end, and is called again with the remainder and the next
block.
"""

from __future__ import annotations

from numba import njit

from sightline.data.lines.json_kernels import (
    CLOSE_BRACKET,
    COMMA,
    ESCAPED,
    INCOMPLETE,
    INVALID,
    NEWLINE,
    OK,
    OPEN_BRACE,
    OPEN_BRACKET,
    find_newline,
    skip_space,
    walk_value,
)
from sightline.data.lines.memory_kernels import byte_at, put_word, word_at
from sightline.data.lines.row_kernels import (
    ARRAY,
    BASE,
    CAPACITY,
    COLUMNS,
    EXPECTS,
    FAULTS,
    FINISHED,
    FLAGS,
    IS_DAMAGED,
    IS_JSON,
    IS_LAST,
    LINE,
    LINES,
    MODE,
    NOTES,
    ROW_COUNT,
    ROW_LINES,
    ROW_NUMBERS,
    ROW_OFFSETS,
    ROWS,
    SEQUENCE,
    SKIPS,
    STACK,
    START,
    STOP,
    UNKNOWN,
    walk_row,
)

NEEDS_BYTES, NEEDS_ROOM, ENDED = range(3)
"""Why a scan returned."""
TORN, NOT_OBJECT, BROKEN, INVALID_UTF8, TOO_LONG, DAMAGED = range(6)
"""Codes of faults, in the order of `FAULT_KINDS`."""
_FIRST, _COMMA, _ELEMENT = range(3)


@njit(cache=True, nogil=True)
def _increment(state: int, what: int, count: int) -> None:
    put_word(state, what, word_at(state, what) + count)


@njit(cache=True, nogil=True)
def _record_fault(state: int, kind: int, start: int, position: int) -> None:
    """Record a fault: the start of its row and its position (for invalid UTF-8: the column)."""
    notes, first = word_at(state, NOTES), 4 * word_at(state, FAULTS)
    put_word(notes, first, kind)
    put_word(notes, first + 1, word_at(state, LINE))
    put_word(notes, first + 2, start)
    put_word(notes, first + 3, position)
    _increment(state, FAULTS, 1)


@njit(cache=True, nogil=True)
def _accept_row(state: int, start: int) -> None:
    """Add the scanned row to the table as valid."""
    row, columns, flags = word_at(state, ROWS), word_at(state, COLUMNS), word_at(state, FLAGS)
    put_word(word_at(state, ROW_LINES), row, word_at(state, LINE))
    put_word(word_at(state, ROW_NUMBERS), row, word_at(state, ROW_COUNT))
    put_word(word_at(state, ROW_OFFSETS), row, word_at(state, BASE) + start)
    for column in range(columns):
        if byte_at(flags, row * columns + column) & IS_DAMAGED:
            _record_fault(state, INVALID_UTF8, start, column)
            break
    _increment(state, ROWS, 1)
    _increment(state, ROW_COUNT, 1)


@njit(cache=True, nogil=True)
def _scan_line(data: int, state: int) -> bool:
    """Scan one line, or the rest of one; false if more bytes are needed."""
    end, start, is_last = word_at(state, STOP), word_at(state, START), word_at(state, IS_LAST)
    if word_at(state, SKIPS):
        start = find_newline(data, start, end)
        put_word(state, SKIPS, start == end)
    start = skip_space(data, start, end, False)
    put_word(state, START, start)
    if start == end:
        return False
    if byte_at(data, start) == NEWLINE:
        put_word(state, START, start + 1)
        _increment(state, LINE, 1)
        return True
    kind, position = NOT_OBJECT, start
    if byte_at(data, start) == OPEN_BRACE:
        position, code = walk_row(data, start, state)
        if code == OK:
            position = skip_space(data, position, end, False)
            if (position == end and is_last) or (position < end and byte_at(data, position) == NEWLINE):
                _accept_row(state, start)
                put_word(state, START, position)
                return True
            code = INCOMPLETE if position == end else INVALID
        if code == INCOMPLETE and not is_last:
            return False
        kind = TORN if code == INCOMPLETE else BROKEN
    _record_fault(state, kind, start, position)
    _increment(state, ROW_COUNT, 1)
    put_word(state, START, position)
    put_word(state, SKIPS, 1)
    return True


@njit(cache=True, nogil=True)
def _advance(data: int, state: int, position: int) -> None:
    """Advance to a position, counting lines."""
    newline = find_newline(data, word_at(state, START), position)
    while newline < position:
        _increment(state, LINE, 1)
        newline = find_newline(data, newline + 1, position)
    put_word(state, START, position)


@njit(cache=True, nogil=True)
def _scan_separator(data: int, state: int) -> bool:
    """Skip a comma or the end of the array; false if neither is next."""
    byte, expected = byte_at(data, word_at(state, START)), word_at(state, EXPECTS)
    if byte == CLOSE_BRACKET and expected != _ELEMENT:
        put_word(state, MODE, LINES)  # anything after an array is scanned as lines
    elif byte == COMMA and expected == _COMMA:
        put_word(state, EXPECTS, _ELEMENT)
    else:
        return False
    _increment(state, START, 1)
    return True


@njit(cache=True, nogil=True)
def _walk_element(data: int, start: int, state: int) -> tuple[int, int, int]:
    """The end of an element, the result code, and the kind of fault if it is one."""
    is_array = word_at(state, MODE) == ARRAY
    if is_array and word_at(state, EXPECTS) == _COMMA:
        return start, INVALID, BROKEN
    if byte_at(data, start) == OPEN_BRACE:
        position, code = walk_row(data, start, state)
        return position, code, BROKEN
    if not is_array:
        return start, INVALID, NOT_OBJECT
    position, code = walk_value(data, start, word_at(state, STOP), True, word_at(state, STACK))
    return position, code, NOT_OBJECT if code <= ESCAPED else BROKEN


@njit(cache=True, nogil=True)
def _scan_element(data: int, state: int) -> bool:
    """Scan one element of an array or a sequence, or a separator; false if more bytes are needed."""
    end, is_array, is_last = word_at(state, STOP), word_at(state, MODE) == ARRAY, word_at(state, IS_LAST)
    start = skip_space(data, word_at(state, START), end, True)
    _advance(data, state, start)
    if start == end:
        if is_array and is_last:
            _record_fault(state, TORN, start, start)
            put_word(state, MODE, FINISHED)
        return False
    if is_array and _scan_separator(data, state):
        return True
    position, code, kind = _walk_element(data, start, state)
    if code == INCOMPLETE and not is_last:
        return False
    if code == OK and kind == BROKEN:
        _accept_row(state, start)
    else:
        _record_fault(state, TORN if code == INCOMPLETE else kind, start, position)
        _increment(state, ROW_COUNT, 1)
    if code <= ESCAPED:
        _advance(data, state, position)
        put_word(state, EXPECTS, _COMMA)
    else:  # the structure is lost: resynchronize at line breaks, if the file can have lines
        is_over = code == INCOMPLETE or (is_array and word_at(state, IS_JSON) == 1)
        put_word(state, MODE, FINISHED if is_over else LINES)
        put_word(state, SKIPS, 1)
    return True


@njit(cache=True, nogil=True)
def _choose_mode(data: int, state: int) -> bool:
    """Choose the mode by the first byte that is not white space; false if there is none yet."""
    start = skip_space(data, word_at(state, START), word_at(state, STOP), True)
    _advance(data, state, start)
    if start == word_at(state, STOP):
        return False
    first = byte_at(data, start)
    if first == OPEN_BRACKET:
        put_word(state, START, start + 1)
        put_word(state, EXPECTS, _FIRST)
        put_word(state, MODE, ARRAY)
    else:
        put_word(state, MODE, SEQUENCE if first == OPEN_BRACE and word_at(state, IS_JSON) else LINES)
    return True


@njit(cache=True, nogil=True)
def scan(data: int, state: int) -> int:
    """Scan rows until the bytes, the capacity or the file end; returns which."""
    has_more = True
    while has_more:
        mode = word_at(state, MODE)
        if mode == FINISHED:
            return ENDED
        if max(word_at(state, ROWS), word_at(state, FAULTS)) >= word_at(state, CAPACITY):
            return NEEDS_ROOM
        if mode == LINES:
            has_more = _scan_line(data, state)
        elif mode == UNKNOWN:
            has_more = _choose_mode(data, state)
        else:
            has_more = _scan_element(data, state)
    return ENDED if word_at(state, IS_LAST) else NEEDS_BYTES
