"""Parser of a single number, to the same bits as `float`. Importing this module imports Numba."""

from __future__ import annotations

from math import ldexp
from typing import Any, ClassVar

import numpy as np

from sightline.data.columns import Numbers, ParsedColumn, TextColumn
from sightline.scoring.compiled_kernels import compiled
from sightline.scoring.parsers.base import ColumnParser
from sightline.scoring.parsers.columns.reasons import EMPTY, NOT_NUMBER, OUT_OF_RANGE, REASONS
from sightline.scoring.parsers.columns.texts import WHITE, normalize_texts

HARD = 255
"""The status of a number that only `float` itself rounds rightly."""
KEPT = 18
"""So many significant digits fit a 64-bit mantissa whatever they are."""
LIMIT_DIGITS = 13
"""Digits before the point of 10¹², the largest number that is read."""
_EXACT = np.array([10.0**k for k in range(23)])
_INF, _INFINITY, _NAN = (np.frombuffer(word, np.uint8) for word in (b"inf", b"infinity", b"nan"))
_WHOLE = np.array([10**k for k in range(19)], dtype=np.int64)
LARGEST = 1e12


@compiled
def is_white(byte: int) -> bool:
    """White space and control signs."""
    return byte <= 32 or byte == 127


@compiled
def trim(data: Any, at: int, stop: int) -> tuple[int, int]:
    """The span without white space at its ends."""
    while at < stop and is_white(data[at]):
        at += 1
    while stop > at and is_white(data[stop - 1]):
        stop -= 1
    return at, stop


@compiled
def trim_full_stop(data: Any, at: int, stop: int) -> int:
    """Where the trimmed span ends when one closing full stop is forgiven."""
    if stop > at and data[stop - 1] == 46:
        stop -= 1
        while stop > at and is_white(data[stop - 1]):
            stop -= 1
    return stop


@compiled
def is_word(data: Any, at: int, stop: int, word: Any) -> bool:
    """Whether the span is the word (in small letters), in any case."""
    if stop - at != len(word):
        return False
    for k in range(len(word)):
        byte = data[at + k]
        if byte != word[k] and not (65 <= byte <= 90 and byte + 32 == word[k]):
            return False
    return True


@compiled
def _quotient(mantissa: int, decimals: int) -> float:
    """mantissa / 10^decimals, rightly rounded: a long division bit by bit, for mantissas beyond 2⁵³."""
    divisor = _WHOLE[decimals]
    quotient, rest, shift = mantissa // divisor, mantissa % divisor, 0
    while quotient < 18014398509481984:  # 2⁵⁴: 53 bits that stay and two that tell how to round
        rest *= 2
        quotient *= 2
        if rest >= divisor:
            rest -= divisor
            quotient += 1
        shift += 1
    tail, quotient = quotient & 3, quotient >> 2
    if tail == 3 or (tail == 2 and (rest != 0 or quotient & 1)):
        quotient += 1
    return ldexp(float(quotient), 2 - shift)


@compiled
def _exponent(data: Any, at: int, stop: int) -> tuple[int, int]:
    """Where the exponent at an `e` ends, and its value; the same place where there is none."""
    start, sign, value = at, 1, 0
    at += 1
    if at < stop and (data[at] == 45 or data[at] == 43):
        sign = -1 if data[at] == 45 else 1
        at += 1
    first = at
    while at < stop and 48 <= data[at] <= 57:
        value = min(value * 10 + (data[at] - 48), 1_000_000)
        at += 1
    return (at, sign * value) if at > first else (start, 0)


@compiled
def _decimal_value(mantissa: int, decimals: int, significant: int) -> tuple[int, float]:
    """Status and value of mantissa / 10^decimals, of which `significant` digits were given."""
    if mantissa == 0:
        return 0, 0.0
    whole = significant - decimals
    if whole >= LIMIT_DIGITS:
        kept = min(significant, KEPT)
        if whole == LIMIT_DIGITS and float(mantissa) / _EXACT[kept - 1] <= 1:
            return 0, 1e12
        return OUT_OF_RANGE, 0.0
    if significant > KEPT or decimals > 22:
        return HARD, 0.0
    if decimals < 0:
        return 0, float(mantissa) * _EXACT[-decimals]
    if mantissa < 9007199254740992:  # 2⁵³: both are exact, so that one division rounds once
        return 0, float(mantissa) / _EXACT[decimals]
    return (0, _quotient(mantissa, decimals)) if decimals <= KEPT else (HARD, 0.0)


@compiled
def _end_of_special(data: Any, at: int, stop: int) -> int:
    """Where `inf`, `infinity` or `nan` ends; the same place where none of them stands."""
    end = at
    while end < stop and 97 <= data[end] | 32 <= 122:
        end += 1
    found = is_word(data, at, end, _INF) or is_word(data, at, end, _INFINITY) or is_word(data, at, end, _NAN)
    return end if found else at


@compiled
def scan_number(data: Any, at: int, stop: int) -> tuple[int, int, float]:
    """Where the number at `at` ends, its status (0, `HARD` or a reason), and its value."""
    sign = 1.0
    if at < stop and (data[at] == 45 or data[at] == 43):
        sign = -1.0 if data[at] == 45 else 1.0
        at += 1
    first, mantissa, significant, decimals = at, 0, 0, 0
    while at < stop and 48 <= data[at] <= 57:
        if significant < KEPT:
            mantissa = mantissa * 10 + (data[at] - 48)
        significant += mantissa > 0
        at += 1
    digits = at - first
    if at < stop and data[at] == 46:
        point = at
        at += 1
        while at < stop and 48 <= data[at] <= 57:
            if significant < KEPT:
                mantissa = mantissa * 10 + (data[at] - 48)
            significant += mantissa > 0
            at += 1
        decimals = at - point - 1
    if digits + decimals == 0:
        end = _end_of_special(data, first, stop)
        return (end, OUT_OF_RANGE, 0.0) if end > first else (at, NOT_NUMBER, 0.0)
    if at < stop and (data[at] == 101 or data[at] == 69):
        at, power = _exponent(data, at, stop)
        decimals -= power
    status, value = _decimal_value(mantissa, decimals, significant)
    return at, status, sign * value


@compiled
def _is_end_stop(data: Any, at: int, stop: int) -> bool:
    """Whether nothing but the one full stop that is forgiven is left after a number."""
    return at == stop - 1 and data[at] == 46 and data[at - 1] != 46


@compiled
def _is_grouped(data: Any, at: int, stop: int) -> bool:
    """Whether the span is a number whose commas part groups of three digits, as in `1,234.5`."""
    if data[at] == 43 or data[at] == 45:
        at += 1
    if at < stop and data[at] == 48:
        return False
    group, groups = 0, 0
    while at < stop and (48 <= data[at] <= 57 or data[at] == 44):
        if data[at] == 44:
            if group == 0 or group > 3 or (groups > 0 and group != 3):
                return False
            groups, group = groups + 1, -1
        group += 1
        at += 1
    if group != 3:
        return False
    at += at < stop and data[at] == 46
    while at < stop and 48 <= data[at] <= 57:
        at += 1
    return at == stop or _is_end_stop(data, at, stop)


@compiled
def _read_number(data: Any, at: int, stop: int) -> tuple[int, float]:
    """Status and value of a trimmed span that should be one plain decimal number."""
    for k in range(at, stop):
        if data[k] == 44:
            return (HARD if _is_grouped(data, at, stop) else NOT_NUMBER), 0.0
        if (data[k] == 101 or data[k] == 69) and k > at and data[k - 1] < 65:  # no exponents: a count is written out
            return NOT_NUMBER, 0.0
    end, status, value = scan_number(data, at, stop)
    if end != stop and not _is_end_stop(data, end, stop):
        return NOT_NUMBER, 0.0
    return status, value


@compiled
def read_numbers(data: Any, starts: Any, stops: Any) -> tuple[Any, Any]:
    """The number of each text (NaN where none was read), and the statuses."""
    values, statuses = np.full(len(starts), np.nan), np.zeros(len(starts), np.uint8)
    for row in range(len(starts)):
        at, stop = trim(data, starts[row], stops[row])
        if at == stop:
            statuses[row] = EMPTY
            continue
        status, value = _read_number(data, at, stop)
        statuses[row] = status
        if status == 0:
            values[row] = value
    return values, statuses


class NumberParser(ColumnParser, frozen=True, kw_only=True):
    """`36`, `-2`, `+3`, `36.5`, `.5`, `1,234`, `３６`, each with white space around and one full stop after it.

    No exponents, no units, no words; at most 10¹² either way.
    """

    kind: ClassVar[str] = "numbers"

    def read(self, texts: TextColumn) -> ParsedColumn:
        """See `ColumnParser`."""
        texts = normalize_texts(texts)
        values, statuses = read_numbers(texts.data, texts.starts, texts.stops)
        for row in np.flatnonzero(statuses == HARD).tolist():
            value = float(texts[row].strip(WHITE).replace(",", "").rstrip("."))
            statuses[row] = 0 if abs(value) <= LARGEST else OUT_OF_RANGE
            values[row] = value if abs(value) <= LARGEST else np.nan
        return ParsedColumn(Numbers(values), statuses, REASONS)

    def value(self, values: Any) -> Any:
        """The number; a whole one as `int`."""
        number = float(values.values[0])
        return int(number) if number.is_integer() else number


NUMBER = NumberParser()
