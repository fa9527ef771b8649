"""Compiled reading of shapes in tags: one pass over the bytes, numbers written straight into arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from sightline.scoring.parsers.columns.number_kernels import compiled, is_white, is_word, scan_number, trimmed
from sightline.scoring.parsers.columns.reasons import (
    EMPTY,
    FEW_POINTS,
    NOT_NUMBER,
    ODD,
    OUT_OF_RANGE,
    OUTSIDE,
    SEVERAL_BOXES,
    TOO_MANY_SHAPES,
    UNCLOSED,
)
from sightline.scoring.parsers.columns.tag_kernels import end_of_closing_tag, end_of_tag, pack_tag

MOST_SHAPES = 100_000
DEFERRED = 2.0**52
"""A number that only `float` rounds rightly is left as this plus where it begins: none that is read is so large."""
SHORT = 12
"""So many signs of a number are always within range and exact."""
_EXACT = np.array([10.0**k for k in range(SHORT)])
_NONE = np.frombuffer(b"none", np.uint8)
_SCORE = pack_tag("score")


@compiled
def _body(data: Any, at: int, stop: int, name: int, numbers: Any, n: int) -> tuple[int, int, int]:
    """Numbers up to the closing tag: (where it ends, error, n)."""
    angle, depth, comma, last = False, 0, True, n
    while at < stop:
        byte = data[at]
        if 48 <= byte <= 57:  # a short number is read here: a call would cost more than the reading
            value, end, places = 0, at, -1
            while end < stop and end < at + SHORT and (48 <= data[end] <= 57 or (data[end] == 46 and places < 0)):
                if data[end] == 46:
                    places = 0
                else:
                    value, places = value * 10 + (data[end] - 48), places + (places >= 0)
                end += 1
            if end < stop and (data[end] == 62 or data[end] == 44 or data[end] == 32 or data[end] == 60):
                numbers[n] = float(value) / _EXACT[places] if places > 0 else float(value)
                n, at, comma = n + 1, end, False
                continue
        if 48 <= byte <= 57 or (43 <= byte <= 46 and byte != 44):
            end, status, known = scan_number(data, at, stop)
            if status in (NOT_NUMBER, OUT_OF_RANGE):
                return at, status, n
            numbers[n] = known if status == 0 else DEFERRED + at
            n, at, comma = n + 1, end, False
            if at < stop and not (data[at] == 60 or data[at] == 62 or _parts(data[at])):
                return at, NOT_NUMBER, n
        elif byte == 60 and not angle and at + 1 < stop and 43 <= data[at + 1] <= 57 and data[at + 1] != 47:
            angle, last, at = True, n, at + 1  # a number follows: the usual case, without a look at names
        elif byte == 60:
            end = end_of_closing_tag(data, at, stop, name)
            if end > 0:
                wrong = NOT_NUMBER if depth or (comma and n > last) else 0
                return end, UNCLOSED if angle else wrong, n
            if end < 0 or angle or end_of_tag(data, at, stop, name) > 0:
                return at, UNCLOSED, n
            angle, last, at = True, n, at + 1
        elif byte == 62:
            if not angle or n == last or comma:
                return at, NOT_NUMBER, n
            angle, at = False, at + 1
        elif _parts(byte):
            if byte == 44 or byte == 59:
                if comma:
                    return at, NOT_NUMBER, n
                comma = True
            elif not is_white(byte):
                depth += 1 if byte == 40 or byte == 91 else -1
                if depth < 0 or depth > 2:
                    return at, NOT_NUMBER, n
            at += 1
        else:
            return at, max(NOT_NUMBER, scan_number(data, at, stop)[1]), n
    return at, UNCLOSED, n


@compiled
def _parts(byte: int) -> bool:
    """Whether the byte may stand between numbers: white space, comma, semicolon, round and square brackets."""
    return is_white(byte) or byte == 44 or byte == 59 or byte == 40 or byte == 41 or byte == 91 or byte == 93


@compiled
def _score(data: Any, at: int, stop: int) -> tuple[int, int, float]:
    """The `<score>` after a shape: (where it ends, error, score; NaN where there is none)."""
    back = at
    while at < stop and is_white(data[at]):
        at += 1
    inside = end_of_tag(data, at, stop, _SCORE) if at < stop and data[at] == 60 else -1
    if inside < 0:
        return back, 0, np.nan
    while inside < stop and is_white(data[inside]):
        inside += 1
    at, status, value = scan_number(data, inside, stop)
    if status in (NOT_NUMBER, OUT_OF_RANGE):
        return at, status, np.nan
    while at < stop and is_white(data[at]):
        at += 1
    end = end_of_closing_tag(data, at, stop, _SCORE) if at < stop and data[at] == 60 else -1
    if end <= 0:
        return at, UNCLOSED, np.nan
    return end, 0, value if status == 0 else DEFERRED + inside


@compiled
def _misfit(found: int, size: int, lacks: int) -> int:
    """What is wrong with the number of coordinates of a shape. `size` 0: any even number from 6 up."""
    if size == 0:
        if found % 2:
            return ODD
        return FEW_POINTS if found < 6 else 0
    if found < size:
        return lacks
    return lacks + 1 if found > size + 1 else 0


@compiled
def _outside(data: Any, at: int, stop: int, name: int, lacks: int) -> int:
    """Why stray text is wrong: beside shapes, or there is no shape at all."""
    for k in range(at, stop):
        if data[k] == 60 and end_of_tag(data, k, stop, name) > 0:
            return OUTSIDE
    return lacks + 2


@compiled
def _count(data: Any, at: int, stop: int) -> tuple[int, float]:
    """Where the leading count ends, and the count: NaN where there is none, −1 where it is too large."""
    first, value = at, 0
    while at < stop and 48 <= data[at] <= 57:
        value = min(value * 10 + (data[at] - 48), 10**13)
        at += 1
    if at == first:
        return at, np.nan
    return at, float(value) if value <= 10**12 else -1.0


@compiled
def _shapes(
    span: tuple[int, int], texts: Any, name: int, rule: tuple[int, int], out: Any, state: tuple[int, int]
) -> tuple[int, int, int]:
    """All shapes of a span after its count: (error, shapes, n)."""
    (at, stop), (size, lacks), (shapes, n) = span, rule, state
    data, numbers, scores, ends = texts[0], out[0], out[1], out[2]
    first, first_n, scored = shapes, n, 0
    while at < stop:
        byte = data[at]
        if is_white(byte) or byte == 44 or byte == 59 or byte == 46:
            at += 1
            continue
        end = end_of_tag(data, at, stop, name) if byte == 60 else -1
        if end < 0:
            return OUTSIDE if shapes > first else _outside(data, at, stop, name, lacks), first, first_n
        before = n
        at, error, n = _body(data, end, stop, name, numbers, n)
        if error == 0:
            error = _misfit(n - before, size, lacks)
        if shapes - first == MOST_SHAPES:
            error = TOO_MANY_SHAPES
        if error:
            return error, first, first_n
        score = np.nan
        if at + 1 < stop and data[at + 1] | 32 != 98:  # most often the next box follows at once
            at, error, score = _score(data, at, stop)
        if size > 0 and n - before > size:
            n -= 1
            error = error if score != score else lacks + 1
            score = numbers[n]
        if error:
            return error, first, first_n
        scored += score == score
        scores[shapes], ends[shapes] = score, n
        shapes += 1
    if 0 < scored < shapes - first:
        scores[first:shapes] = np.nan
    return 0, shapes, n


@compiled
def read_shapes(texts: Any, name: int, rule: tuple[int, int], single: bool, out: Any) -> tuple[int, int]:
    """Read the shapes of all texts into `out`; how many shapes and numbers there are.

    `rule` = (coordinates a shape, 0 for polygons; the code of the reason "lacks a coordinate", after which "too many
    coordinates" and "no box" follow). `out` = (numbers, scores, ends of the shapes among the numbers, offsets of the
    texts, counts, errors).
    """
    data, starts, stops = texts
    offsets, counts, errors = out[3], out[4], out[5]
    shapes, n, lacks = 0, 0, rule[1]
    for row in range(len(starts)):
        offsets[row], counts[row] = shapes, np.nan
        at, stop = trimmed(data, starts[row], stops[row])
        before, before_n = shapes, n
        bare = stop - 1 if stop > at and data[stop - 1] == 46 else stop
        if at == stop:
            error, count = EMPTY, 0.0
        elif is_word(data, at, bare, _NONE) or (bare - at == 2 and data[at] == 91 and data[at + 1] == 93):
            error, count = 0, 0.0
        else:
            at, count = _count(data, at, stop)
            error, shapes, n = _shapes((at, stop), texts, name, rule, out, (shapes, n))
            if error == 0 and count < 0:
                error = OUT_OF_RANGE
        if error == 0 and shapes == before and (single or count != count):
            error = lacks + 2
        if error == 0 and single and shapes > before + 1:
            error = SEVERAL_BOXES
        errors[row] = error
        if error:
            shapes, n = before, before_n
        else:
            counts[row] = count
    offsets[len(starts)] = shapes
    return shapes, n
