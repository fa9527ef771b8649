"""Block scanner (Numba): splits a block of bytes into rows, as lines, array elements or concatenated objects.

A scan runs until the bytes, the capacity for rows or the file end, and is called again with the remainder and the next
block.
"""

from __future__ import annotations

from numba import njit

from sightline.data.lines import row_kernels as at
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
from sightline.data.lines.row_kernels import walk_row

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
    notes, first = word_at(state, at.NOTES), 4 * word_at(state, at.FAULTS)
    put_word(notes, first, kind)
    put_word(notes, first + 1, word_at(state, at.LINE))
    put_word(notes, first + 2, start)
    put_word(notes, first + 3, position)
    _increment(state, at.FAULTS, 1)


@njit(cache=True, nogil=True)
def _accept_row(state: int, start: int) -> None:
    """Add the scanned row to the table as valid."""
    row, columns, flags = word_at(state, at.ROWS), word_at(state, at.COLUMNS), word_at(state, at.FLAGS)
    put_word(word_at(state, at.ROW_LINES), row, word_at(state, at.LINE))
    put_word(word_at(state, at.ROW_NUMBERS), row, word_at(state, at.ROW_COUNT))
    put_word(word_at(state, at.ROW_OFFSETS), row, word_at(state, at.BASE) + start)
    for column in range(columns):
        if byte_at(flags, row * columns + column) & at.IS_DAMAGED:
            _record_fault(state, INVALID_UTF8, start, column)
            break
    _increment(state, at.ROWS, 1)
    _increment(state, at.ROW_COUNT, 1)


@njit(cache=True, nogil=True)
def _scan_line(data: int, state: int) -> bool:
    """Scan one line, or the rest of one; false if more bytes are needed."""
    end, start, is_last = word_at(state, at.STOP), word_at(state, at.START), word_at(state, at.IS_LAST)
    if word_at(state, at.SKIPS):
        start = find_newline(data, start, end)
        put_word(state, at.SKIPS, start == end)
    start = skip_space(data, start, end, False)
    put_word(state, at.START, start)
    if start == end:
        return False
    if byte_at(data, start) == NEWLINE:
        put_word(state, at.START, start + 1)
        _increment(state, at.LINE, 1)
        return True
    kind, position = NOT_OBJECT, start
    if byte_at(data, start) == OPEN_BRACE:
        position, code = walk_row(data, start, state)
        if code == OK:
            position = skip_space(data, position, end, False)
            if (position == end and is_last) or (position < end and byte_at(data, position) == NEWLINE):
                _accept_row(state, start)
                put_word(state, at.START, position)
                return True
            code = INCOMPLETE if position == end else INVALID
        if code == INCOMPLETE and not is_last:
            return False
        kind = TORN if code == INCOMPLETE else BROKEN
    _record_fault(state, kind, start, position)
    _increment(state, at.ROW_COUNT, 1)
    put_word(state, at.START, position)
    put_word(state, at.SKIPS, 1)
    return True


@njit(cache=True, nogil=True)
def _advance(data: int, state: int, position: int) -> None:
    """Advance to a position, counting lines."""
    newline = find_newline(data, word_at(state, at.START), position)
    while newline < position:
        _increment(state, at.LINE, 1)
        newline = find_newline(data, newline + 1, position)
    put_word(state, at.START, position)


@njit(cache=True, nogil=True)
def _scan_separator(data: int, state: int) -> bool:
    """Skip a comma or the end of the array; false if neither is next."""
    byte, expected = byte_at(data, word_at(state, at.START)), word_at(state, at.EXPECTS)
    if byte == CLOSE_BRACKET and expected != _ELEMENT:
        put_word(state, at.MODE, at.LINES)  # anything after an array is scanned as lines
    elif byte == COMMA and expected == _COMMA:
        put_word(state, at.EXPECTS, _ELEMENT)
    else:
        return False
    _increment(state, at.START, 1)
    return True


@njit(cache=True, nogil=True)
def _walk_element(data: int, start: int, state: int) -> tuple[int, int, int]:
    """The end of an element, the result code, and the kind of fault if it is one."""
    is_array = word_at(state, at.MODE) == at.ARRAY
    if is_array and word_at(state, at.EXPECTS) == _COMMA:
        return start, INVALID, BROKEN
    if byte_at(data, start) == OPEN_BRACE:
        position, code = walk_row(data, start, state)
        return position, code, BROKEN
    if not is_array:
        return start, INVALID, NOT_OBJECT
    position, code = walk_value(data, start, word_at(state, at.STOP), True, word_at(state, at.STACK))
    return position, code, NOT_OBJECT if code <= ESCAPED else BROKEN


@njit(cache=True, nogil=True)
def _scan_element(data: int, state: int) -> bool:
    """Scan one element of an array or a sequence, or a separator; false if more bytes are needed."""
    end, is_array, is_last = word_at(state, at.STOP), word_at(state, at.MODE) == at.ARRAY, word_at(state, at.IS_LAST)
    start = skip_space(data, word_at(state, at.START), end, True)
    _advance(data, state, start)
    if start == end:
        if is_array and is_last:
            _record_fault(state, TORN, start, start)
            put_word(state, at.MODE, at.FINISHED)
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
        _increment(state, at.ROW_COUNT, 1)
    if code <= ESCAPED:
        _advance(data, state, position)
        put_word(state, at.EXPECTS, _COMMA)
    else:  # the structure is lost: resynchronize at line breaks, if the file can have lines
        is_over = code == INCOMPLETE or (is_array and word_at(state, at.IS_JSON) == 1)
        put_word(state, at.MODE, at.FINISHED if is_over else at.LINES)
        put_word(state, at.SKIPS, 1)
    return True


@njit(cache=True, nogil=True)
def _choose_mode(data: int, state: int) -> bool:
    """Choose the mode by the first byte that is not white space; false if there is none yet."""
    start = skip_space(data, word_at(state, at.START), word_at(state, at.STOP), True)
    _advance(data, state, start)
    if start == word_at(state, at.STOP):
        return False
    first = byte_at(data, start)
    if first == OPEN_BRACKET:
        put_word(state, at.START, start + 1)
        put_word(state, at.EXPECTS, _FIRST)
        put_word(state, at.MODE, at.ARRAY)
    else:
        put_word(state, at.MODE, at.SEQUENCE if first == OPEN_BRACE and word_at(state, at.IS_JSON) else at.LINES)
    return True


@njit(cache=True, nogil=True)
def scan(data: int, state: int) -> int:
    """Scan rows until the bytes, the capacity or the file end; returns which."""
    has_more = True
    while has_more:
        mode = word_at(state, at.MODE)
        if mode == at.FINISHED:
            return ENDED
        if max(word_at(state, at.ROWS), word_at(state, at.FAULTS)) >= word_at(state, at.CAPACITY):
            return NEEDS_ROOM
        if mode == at.LINES:
            has_more = _scan_line(data, state)
        elif mode == at.UNKNOWN:
            has_more = _choose_mode(data, state)
        else:
            has_more = _scan_element(data, state)
    return ENDED if word_at(state, at.IS_LAST) else NEEDS_BYTES
