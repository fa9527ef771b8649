"""Compiled splitting, folding and hashing of labels. Importing this module imports Numba."""

from __future__ import annotations

from typing import Any

import numpy as np

from sightline.scoring.parsers.columns.label_hash import MAX_BYTES
from sightline.scoring.parsers.columns.number_kernels import compiled, is_white
from sightline.scoring.parsers.columns.reasons import EMPTY, LONG_LABEL, TOO_MANY_LABELS

MAX_LABELS = 1000
"""A text with more is no answer, and would only fill the memory."""


@compiled
def _code(data: Any, at: int, stop: int) -> Any:
    """See `label_code`."""
    code = np.uint64(0xCBF29CE484222325)
    for k in range(at, stop):
        code = (code ^ np.uint64(data[k])) * np.uint64(0x100000001B3)
    code = (code ^ (code >> np.uint64(33))) * np.uint64(0xFF51AFD7ED558CCD)
    code = (code ^ (code >> np.uint64(33))) * np.uint64(0xC4CEB9FE1A85EC53)
    return code ^ (code >> np.uint64(33))


@compiled
def _splits(byte: int) -> bool:
    """Semicolon, comma and line breaks."""
    return byte == 59 or byte == 44 or 10 <= byte <= 13 or 28 <= byte <= 30


@compiled
def _trims(byte: int) -> bool:
    """Space and quotes."""
    return byte == 32 or byte == 34 or byte == 39 or byte == 96


@compiled
def _fold(data: Any, at: int, stop: int, out: Any, n: int) -> tuple[int, int]:
    """Fold a piece into `out` from n on: where it begins and ends there."""
    begin, space = n, True
    for k in range(at, stop):
        byte = data[k]
        if is_white(byte) or byte == 95 or byte == 45:
            if not space:
                out[n] = 32
                n += 1
            space = True
            continue
        out[n] = byte + 32 if 65 <= byte <= 90 else byte
        n += 1
        space = False
    while begin < n and _trims(out[begin]):
        begin += 1
    while n > begin and (_trims(out[n - 1]) or out[n - 1] == 46):
        n -= 1
    return begin, n


@compiled
def _labels(span: tuple[Any, int, int], out: Any, found: int, n: int) -> tuple[int, int, int]:
    """The labels of one text: (error, how many are found so far, n)."""
    data, at, stop = span
    spelt, starts, stops, codes = out
    first, first_n = found, n
    while at <= stop:
        end = at
        while end < stop and not _splits(data[end]):
            end += 1
        begin, close = _fold(data, at, end, spelt, n)
        at = end + 1
        if close == begin:
            continue
        if close - begin > MAX_BYTES:
            return LONG_LABEL, first, first_n
        if found - first == MAX_LABELS:
            return TOO_MANY_LABELS, first, first_n
        starts[found], stops[found], codes[found] = begin, close, _code(spelt, begin, close)
        found, n = found + 1, close
    return (EMPTY if found == first else 0), found, n


@compiled
def read_labels(texts: Any, out: Any) -> tuple[Any, Any]:
    """Read the labels of all texts into `out` = (folded bytes, starts, stops, codes): offsets and errors."""
    data, starts, stops = texts
    offsets, errors = np.zeros(len(starts) + 1, np.int64), np.zeros(len(starts), np.uint8)
    found, n = 0, 0
    for row in range(len(starts)):
        errors[row], found, n = _labels((data, starts[row], stops[row]), out, found, n)
        offsets[row + 1] = found
    return offsets, errors


@compiled
def sort_unique(offsets: Any, codes: Any) -> tuple[Any, Any]:
    """The codes of each row sorted and each once, with new offsets."""
    fresh, out, n = np.zeros(len(offsets), np.int64), np.empty_like(codes), 0
    for row in range(len(offsets) - 1):
        first = n
        for k in range(offsets[row], offsets[row + 1]):
            code, position = codes[k], n
            while position > first and out[position - 1] > code:
                position -= 1
            if position > first and out[position - 1] == code:
                continue
            for j in range(n, position, -1):
                out[j] = out[j - 1]
            out[position] = code
            n += 1
        fresh[row + 1] = n
    return fresh, out[:n].copy()
