"""From a block of bytes to rows: how a file is cut into them.

A scan goes on until the bytes, the room for rows or the file end, and can be called again with what was left and the
next block.
"""

from __future__ import annotations

from numba import njit

from sightline.data.lines.memory_kernels import byte_at, put_word, word_at
from sightline.data.lines.row_kernels import (
    ARRAY,
    BASE,
    COLUMNS,
    EXPECTS,
    FAULTS,
    FLAGS,
    IS_DAMAGED,
    IS_JSON,
    IS_LAST,
    LINE,
    LINES,
    MODE,
    NOTES,
    OVER,
    PLACES,
    ROOM,
    ROW_LINES,
    ROW_OFFSETS,
    ROW_PLACES,
    ROWS,
    SEQUENCE,
    SKIPS,
    STACK,
    START,
    STOP,
    UNKNOWN,
    walk_row,
)
from sightline.data.lines.walk_kernels import (
    BAD,
    BEGIN,
    COMMA,
    END,
    ESCAPED,
    FINE,
    MORE,
    NEWLINE,
    OPEN,
    find_newline,
    skip_space,
    walk_value,
)

NEEDS_BYTES, NEEDS_ROOM, ENDED = range(3)
"""Why a scan came back."""
TORN, NO_OBJECT, BROKEN, NO_UTF8, TOO_LONG, DAMAGED = range(6)
"""The faults, in the order of their names."""
_FIRST, _COMMA, _ELEMENT = range(3)


@njit(cache=True, nogil=True)
def _add(state: int, what: int, count: int) -> None:
    put_word(state, what, word_at(state, what) + count)


@njit(cache=True, nogil=True)
def _tell(state: int, kind: int, start: int, place: int) -> None:
    """Note a fault: where its row begins and where it is (for bytes that are no UTF-8: the column)."""
    notes, first = word_at(state, NOTES), 4 * word_at(state, FAULTS)
    put_word(notes, first, kind)
    put_word(notes, first + 1, word_at(state, LINE))
    put_word(notes, first + 2, start)
    put_word(notes, first + 3, place)
    _add(state, FAULTS, 1)


@njit(cache=True, nogil=True)
def _keep(state: int, start: int) -> None:
    """The row that was walked is sound."""
    row, columns, flags = word_at(state, ROWS), word_at(state, COLUMNS), word_at(state, FLAGS)
    put_word(word_at(state, ROW_LINES), row, word_at(state, LINE))
    put_word(word_at(state, ROW_PLACES), row, word_at(state, PLACES))
    put_word(word_at(state, ROW_OFFSETS), row, word_at(state, BASE) + start)
    for column in range(columns):
        if byte_at(flags, row * columns + column) & IS_DAMAGED:
            _tell(state, NO_UTF8, start, column)
            break
    _add(state, ROWS, 1)
    _add(state, PLACES, 1)


@njit(cache=True, nogil=True)
def _scan_line(data: int, state: int) -> bool:
    """Take one line, or what is left of one; false where more bytes are needed."""
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
        _add(state, LINE, 1)
        return True
    kind, place = NO_OBJECT, start
    if byte_at(data, start) == OPEN:
        place, code = walk_row(data, start, state)
        if code == FINE:
            place = skip_space(data, place, end, False)
            if (place == end and is_last) or (place < end and byte_at(data, place) == NEWLINE):
                _keep(state, start)
                put_word(state, START, place)
                return True
            code = MORE if place == end else BAD
        if code == MORE and not is_last:
            return False
        kind = TORN if code == MORE else BROKEN
    _tell(state, kind, start, place)
    _add(state, PLACES, 1)
    put_word(state, START, place)
    put_word(state, SKIPS, 1)
    return True


@njit(cache=True, nogil=True)
def _advance(data: int, state: int, place: int) -> None:
    """Go on to a place, counting lines on the way."""
    newline = find_newline(data, word_at(state, START), place)
    while newline < place:
        _add(state, LINE, 1)
        newline = find_newline(data, newline + 1, place)
    put_word(state, START, place)


@njit(cache=True, nogil=True)
def _scan_separator(data: int, state: int) -> bool:
    """Take a comma or the end of the array; false where neither is next."""
    byte, expected = byte_at(data, word_at(state, START)), word_at(state, EXPECTS)
    if byte == END and expected != _ELEMENT:
        put_word(state, MODE, LINES)  # whatever follows an array can only be lines
    elif byte == COMMA and expected == _COMMA:
        put_word(state, EXPECTS, _ELEMENT)
    else:
        return False
    _add(state, START, 1)
    return True


@njit(cache=True, nogil=True)
def _walk_element(data: int, start: int, state: int) -> tuple[int, int, int]:
    """Where an element ends, the code of its walk, and which fault it is if it is one."""
    is_array = word_at(state, MODE) == ARRAY
    if is_array and word_at(state, EXPECTS) == _COMMA:
        return start, BAD, BROKEN
    if byte_at(data, start) == OPEN:
        place, code = walk_row(data, start, state)
        return place, code, BROKEN
    if not is_array:
        return start, BAD, NO_OBJECT
    place, code = walk_value(data, start, word_at(state, STOP), True, word_at(state, STACK))
    return place, code, NO_OBJECT if code <= ESCAPED else BROKEN


@njit(cache=True, nogil=True)
def _scan_element(data: int, state: int) -> bool:
    """Take one element of an array or a sequence, or what stands between two; false where more bytes are needed."""
    end, is_array, is_last = word_at(state, STOP), word_at(state, MODE) == ARRAY, word_at(state, IS_LAST)
    start = skip_space(data, word_at(state, START), end, True)
    _advance(data, state, start)
    if start == end:
        if is_array and is_last:
            _tell(state, TORN, start, start)
            put_word(state, MODE, OVER)
        return False
    if is_array and _scan_separator(data, state):
        return True
    place, code, kind = _walk_element(data, start, state)
    if code == MORE and not is_last:
        return False
    if code == FINE and kind == BROKEN:
        _keep(state, start)
    else:
        _tell(state, TORN if code == MORE else kind, start, place)
        _add(state, PLACES, 1)
    if code <= ESCAPED:
        _advance(data, state, place)
        put_word(state, EXPECTS, _COMMA)
    else:  # the structure is lost: lines, where the file can have some, are all there is to hold on to
        is_over = code == MORE or (is_array and word_at(state, IS_JSON) == 1)
        put_word(state, MODE, OVER if is_over else LINES)
        put_word(state, SKIPS, 1)
    return True


@njit(cache=True, nogil=True)
def _choose_mode(data: int, state: int) -> bool:
    """Look at the first byte that is no white space; false where there is none yet."""
    start = skip_space(data, word_at(state, START), word_at(state, STOP), True)
    _advance(data, state, start)
    if start == word_at(state, STOP):
        return False
    first = byte_at(data, start)
    if first == BEGIN:
        put_word(state, START, start + 1)
        put_word(state, EXPECTS, _FIRST)
        put_word(state, MODE, ARRAY)
    else:
        put_word(state, MODE, SEQUENCE if first == OPEN and word_at(state, IS_JSON) else LINES)
    return True


@njit(cache=True, nogil=True)
def scan(data: int, state: int) -> int:
    """Take rows as long as there are bytes, room and rows that are wanted; says which of these ended it."""
    going = True
    while going:
        mode = word_at(state, MODE)
        if mode == OVER:
            return ENDED
        if max(word_at(state, ROWS), word_at(state, FAULTS)) >= word_at(state, ROOM):
            return NEEDS_ROOM
        if mode == LINES:
            going = _scan_line(data, state)
        elif mode == UNKNOWN:
            going = _choose_mode(data, state)
        else:
            going = _scan_element(data, state)
    return ENDED if word_at(state, IS_LAST) else NEEDS_BYTES
