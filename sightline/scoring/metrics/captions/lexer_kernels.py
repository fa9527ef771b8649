"""Numba kernels of the caption tokenizer: UTF-8 to UTF-16 code units, longest matches of an automaton, lines of tokens.

Longest matching may read far ahead in vain: behind each `<` for the end of a tag, in "a,b,c,…" for a hyphen. So that
any text is read in linear time, states from which nothing matched are remembered at every 64th unit, and a search that
comes to one of them again ends there.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sightline.scoring.compiled_kernels import compiled
from sightline.scoring.metrics.captions.ptb_rules import KEEP_SHIFT, Form, Keep

_STEP = 6
_SLOTS = 16
AHEAD = 2
"""Units behind each text, at which rules may look: the end of the line and a letter."""
_FORMS = (1 << KEEP_SHIFT) - 1
_TEXT, _WORD, _NOTHING, _UNBROKEN = int(Form.TEXT), int(Form.WORD), int(Form.NOTHING), int(Form.UNBROKEN)
_QUOTE, _HYPHENS, _BRACKET = int(Form.QUOTE), int(Form.HYPHENS), int(Form.BRACKET)
_AMPERSAND, _ANGLE, _PUNCTUATION = int(Form.AMPERSAND), int(Form.ANGLE), int(Form.PUNCTUATION)
_BUT_ONE, _BUT_TWO, _TO_STOP, _TO_BREAK = int(Keep.BUT_ONE), int(Keep.BUT_TWO), int(Keep.TO_STOP), int(Keep.TO_BREAK)
_TO_AUXILIARY, _TO_NOT, _FIRST_HALF = int(Keep.TO_AUXILIARY), int(Keep.TO_NOT), int(Keep.FIRST_HALF)
_SPACE, _STOP, _COLON, _SEMICOLON, _APOSTROPHE, _GRAVE, _DOUBLE = 32, 46, 58, 59, 39, 96, 34
ODD = -1
"""The number of words of a text that is left to Python."""


@compiled
def decode_text(data: Any, start: int, stop: int, units: Any, places: Any) -> int:
    """Units of a text and the byte where each begins, line breaks as spaces; how many, or −1 where it is no UTF-8."""
    size = 0
    at = start
    while at < stop:
        first = np.int64(data[at])
        places[size] = at
        if first < 0x80:
            units[size] = _SPACE if 10 <= first <= 13 else first
            size += 1
            at += 1
            continue
        length = 2 if 0xC2 <= first <= 0xDF else 3 if 0xE0 <= first <= 0xEF else 4 if 0xF0 <= first <= 0xF4 else 0
        if length == 0 or at + length > stop:
            return -1
        point = first & (0x7F >> length)
        for place in range(at + 1, at + length):
            if data[place] & 0xC0 != 0x80:
                return -1
            point = point << 6 | data[place] & 0x3F
        if length == 3 and (point < 0x800 or 0xD800 <= point < 0xE000):
            return -1
        if length == 4:
            if not 0x10000 <= point < 0x110000:
                return -1
            units[size] = 0xD800 + ((point - 0x10000) >> 10)
            size += 1
            places[size] = at
            point = 0xDC00 + ((point - 0x10000) & 0x3FF)
        units[size] = _SPACE if point == 0x85 or point == 0x2028 or point == 0x2029 else point
        size += 1
        at += length
    places[size] = stop
    return size


@compiled
def _find_break(units: Any, start: int, stop: int) -> int:
    for at in range(start, stop):
        unit = units[at]
        if unit <= _SPACE or unit == 0xA0 or 0x2000 <= unit <= 0x200A or unit == 0x3000:
            return at
    return stop


@compiled
def _find_end(units: Any, start: int, stop: int, keep: Any) -> int:
    """Where the token ends that a match begins."""
    if keep == _BUT_ONE:
        return stop - 1
    if keep == _BUT_TWO:
        return stop - 2
    if keep == _FIRST_HALF:
        return start + 2 if units[start] == _APOSTROPHE else start + 3
    if keep == _TO_STOP:
        while units[start] != _STOP:
            start += 1
        return start + 1
    if keep == _TO_BREAK:
        end = _find_break(units, start, stop)
        return end - 1 if end == start + 2 else end
    if keep == _TO_NOT:
        return stop - (8 if units[stop - 2] == _SEMICOLON else 3)
    if keep == _TO_AUXILIARY:
        at = stop - 2
        if 65 <= units[at] <= 122 and units[at] != _GRAVE:
            at -= 1
        return at - 5 if units[at] == _SEMICOLON else at
    return stop


@compiled
def find_tokens(units: Any, size: int, tables: Any, failures: Any, trail: Any, tokens: Any) -> int:
    """Write the first unit, the end and the form of each token; how many there are.

    `failures` and `trail` are scratch with a row for each 64 units.
    """
    classes, moves, actions = tables
    last_row = ((size + AHEAD) >> _STEP) + 1
    failures[:last_row] = -1
    units[size], units[size + 1] = 10, 115
    count = 0
    start = 0
    while start < size:
        state = np.int64(0)
        at = start
        end = start
        action = np.int64(-1)
        failed = False
        while at < size + AHEAD:
            if at & 63 == 0 and at > start:
                row = at >> _STEP
                if failures[row, state & (_SLOTS - 1)] == state:
                    failed = True
                    break
                trail[row] = state
            state = np.int64(moves[state, classes[units[at]]])
            if state < 0:
                break
            at += 1
            if actions[state] >= 0:
                end = at
                action = np.int64(actions[state])
        # At `at` nothing was noted where the search ended there, or at the end of the text.
        for row in range(max((end + 63) >> _STEP, (start >> _STEP) + 1), ((at - 1) >> _STEP) + 1):
            failures[row, trail[row] & (_SLOTS - 1)] = trail[row]
        if not failed and at & 63 == 0 and end < at < size + AHEAD and at > start:
            failures[at >> _STEP, trail[at >> _STEP] & (_SLOTS - 1)] = trail[at >> _STEP]
        if action < 0:
            start += 1
            continue
        keep = action >> KEEP_SHIFT
        stop = _find_end(units, start, end, keep)
        if action & _FORMS != _NOTHING:
            tokens[count, 0], tokens[count, 1], tokens[count, 2] = start, stop, action & _FORMS
            count += 1
        # The full stop of an abbreviation may also end a sentence.
        start = stop - 1 if keep == _TO_BREAK and units[stop - 1] == _STOP else stop
    return count


@compiled
def _write_quotes(units: Any, start: int, stop: int, out: Any, filled: int) -> int:
    """Quotes and short forms such as 's as they are written; −1 where that is left to Python."""
    first = filled
    only = True
    for at in range(start, stop):
        unit = int(units[at])
        sign, times = unit, 1
        if unit == 0x92 or unit == 0x2019 or unit == 0x203A:
            sign = _APOSTROPHE
        elif unit == 0x91 or unit == 0x2018 or unit == 0x201B or unit == 0x2039:
            sign = _GRAVE
        elif unit == 0x93 or unit == 0x201C or unit == 0xAB:
            sign, times = _GRAVE, 2
        elif unit == _DOUBLE or unit == 0x94 or unit == 0x201D or unit == 0xBB:
            sign, times = _APOSTROPHE, 2
        elif unit >= 128 or unit == 38:
            return -1
        elif 65 <= unit <= 90:
            sign = unit + 32
        only = only and sign in (_APOSTROPHE, _GRAVE)
        for _ in range(times):
            out[filled] = sign
            filled += 1
    if only and filled - first <= 2 and out[first] == out[filled - 1]:
        return first
    return filled


@compiled
def _write_bracket(unit: int, out: Any, filled: int) -> int:
    left = unit == 40 or unit == 91 or unit == 123
    middle = 114 if unit <= 41 else 115 if unit <= 93 else 99
    for sign in (45, 108 if left else 114, middle, 98, 45):
        out[filled] = sign
        filled += 1
    return filled


@compiled
def _is_removed(unit: int) -> bool:
    """Whether a character is no token where it stands alone."""
    return unit in (33, 44, _STOP, _COLON, _SEMICOLON, 63)


@compiled
def _is_copied(units: Any, start: int, stop: int, form: int) -> bool:
    """Whether a token that may be written in another way is just its text."""
    if form != _HYPHENS and form != _UNBROKEN and form != _AMPERSAND and form != _ANGLE:
        return False
    written_otherwise = 0
    for at in range(start, stop):
        written_otherwise += units[at] == _SPACE or units[at] == _SEMICOLON
    return written_otherwise == 0


@compiled
def write_lines(
    data: Any, starts: Any, stops: Any, tables: Any, special: Any, scratch: Any, out: Any, counts: Any
) -> int:
    """Write the tokens of each text, one space between them and a line for each text; the number of bytes.

    `counts` gets the number of tokens that remain, or `ODD` for a text that has no line.
    """
    units, places, failures, trail, tokens = scratch
    filled = 0
    for row in range(len(starts)):
        first = filled
        counts[row] = ODD
        size = decode_text(data, starts[row], stops[row], units, places)
        if size < 0:
            continue
        many = find_tokens(units, size, tables, failures, trail, tokens)
        kept = 0
        for number in range(many):
            start, stop, form = tokens[number, 0], tokens[number, 1], tokens[number, 2]
            before = filled
            if kept:
                out[filled] = _SPACE
                filled += 1
            begin = filled
            if form == _QUOTE:
                filled = _write_quotes(units, start, stop, out, filled)
            elif form == _BRACKET:
                filled = _write_bracket(units[start], out, filled)
            elif form == _PUNCTUATION or (form == _HYPHENS and stop - start <= 4):
                pass
            elif form > _WORD and not _is_copied(units, start, stop, form):
                filled = -1
            elif stop > start + 1 or not _is_removed(units[start]):
                # The loop that takes most of the time: no function is called in it.
                for at in range(start, stop):
                    unit = units[at]
                    if special[unit]:
                        filled = -1
                        break
                    if unit < 128:
                        out[filled] = unit + 32 if 65 <= unit <= 90 else unit
                        filled += 1
                    else:
                        for place in range(places[at], places[at + 1]):
                            out[filled] = data[place]
                            filled += 1
            if filled < 0:
                kept = ODD
                break
            if filled == begin:
                filled = before
            else:
                kept += 1
        counts[row] = kept
        if kept == ODD:
            filled = first
        else:
            out[filled] = 10
            filled += 1
    return filled
