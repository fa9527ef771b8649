"""Parser of ordered indices, such as those of retrieved pictures. Importing this module imports Numba."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from sightline.data.columns import ParsedColumn, Ranks, TextColumn
from sightline.scoring.compiled_kernels import compiled
from sightline.scoring.parsers.base import ColumnParser
from sightline.scoring.parsers.columns.numbers import is_word, trim, trim_full_stop
from sightline.scoring.parsers.columns.reasons import (
    EMPTY,
    INDEX_RANGE,
    NOT_NUMBER,
    NOT_WHOLE,
    REASONS,
    TOO_MANY_INDICES,
)
from sightline.scoring.parsers.columns.shapes import fold_shapes
from sightline.scoring.parsers.columns.texts import normalize_texts

MOST_INDICES = 100_000
LARGEST_INDEX = 1_000_000_000
_NONE = np.frombuffer(b"none", np.uint8)


@compiled
def _index_error(data: Any, at: int, stop: int) -> int:
    """What is wrong with a piece that is no whole number from 0 up."""
    if at < stop and data[at] == 45:
        at += 1
        sign = True
    else:
        sign = False
    digits, points = 0, 0
    for k in range(at, stop):
        if data[k] == 46:
            points += 1
        elif 48 <= data[k] <= 57:
            digits += 1
        else:
            return NOT_NUMBER
    if digits == 0 or points > 1:
        return NOT_NUMBER
    return NOT_WHOLE if points else (INDEX_RANGE if sign else NOT_NUMBER)


@compiled
def _read_index_list(data: Any, at: int, stop: int, out: Any, n: int) -> tuple[int, int]:
    """Read the indices of one span: (error, n)."""
    first = n
    while True:
        end = at
        while end < stop and data[end] != 44 and data[end] != 59:
            end += 1
        start, tail = trim(data, at, end)
        value, k = 0, start
        if k + 1 < tail and data[k] == 43:
            k += 1
        begin = k
        while k < tail and 48 <= data[k] <= 57:
            value = min(value * 10 + (data[k] - 48), LARGEST_INDEX + 1)
            k += 1
        if k == begin or k < tail:
            return _index_error(data, start, tail), first
        if value > LARGEST_INDEX:
            return INDEX_RANGE, first
        if n - first == MOST_INDICES:
            return TOO_MANY_INDICES, first
        out[n] = value
        n += 1
        if end >= stop:
            return 0, n
        at = end + 1


@compiled
def read_indices(data: Any, starts: Any, stops: Any, out: Any) -> tuple[Any, Any]:
    """Read the indices of all texts into `out`: their offsets, and the errors."""
    offsets, errors, n = np.zeros(len(starts) + 1, np.int64), np.zeros(len(starts), np.uint8), 0
    for row in range(len(starts)):
        at, stop = trim(data, starts[row], stops[row])
        stop = trim_full_stop(data, at, stop)
        if at == stop:
            errors[row] = EMPTY
        elif not (is_word(data, at, stop, _NONE) or _is_empty_list(data, at, stop)):
            errors[row], n = _read_index_list(data, at, stop, out, n)
        offsets[row + 1] = n
    return offsets, errors


@compiled
def _is_empty_list(data: Any, at: int, stop: int) -> bool:
    """Whether the span is an empty pair of square brackets."""
    if stop - at < 2 or data[at] != 91 or data[stop - 1] != 93:
        return False
    start, _ = trim(data, at + 1, stop - 1)
    return start == stop - 1


class IndexParser(ColumnParser, frozen=True, kw_only=True):
    """`1,2`: whole numbers from 0 to 10⁹ between commas, semicolons or 、, in the order given.

    `none`, `[]` and `无` are an empty list; one full stop at the end is forgiven.
    """

    kind: ClassVar[str] = "ranks"

    def read(self, texts: TextColumn) -> ParsedColumn:
        """See `ColumnParser`."""
        texts = normalize_texts(texts, fold_shapes)
        out = np.empty(int(texts.lengths().sum()) // 2 + len(texts) + 1, np.int64)
        offsets, errors = read_indices(texts.data, texts.starts, texts.stops, out)
        return ParsedColumn(Ranks(offsets, out[: offsets[-1]]), errors, REASONS)

    def value(self, values: Any) -> Any:
        """The indices as a list."""
        return values.indices.tolist()


INDICES = IndexParser()
