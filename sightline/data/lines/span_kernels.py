"""Span kernels (Numba): grouping of nearby spans into reads, and extraction of their texts."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from sightline.data.lines.memory_kernels import byte_at, put_byte
from sightline.data.lines.text_kernels import unescape


@njit(cache=True, nogil=True)
def _copy(data: int, position: int, length: int, out: int, at: int) -> None:
    for k in range(length):
        put_byte(out, at + k, byte_at(data, position + k))


@njit(cache=True, nogil=True)
def plan_reads(starts: Any, lengths: Any, gap: int, max_bytes: int) -> Any:
    """Group spans, sorted by offset, into reads; returns the index of the first span of each read, and the end."""
    firsts = np.empty(len(starts) + 1, np.int64)
    count, begin, stop = 0, 0, 0
    for k in range(len(starts)):
        after = max(stop, starts[k] + lengths[k])
        if k == 0 or starts[k] - stop >= gap or after - begin > max_bytes:
            firsts[count] = k
            count += 1
            begin, after = starts[k], starts[k] + lengths[k]
        stop = after
    firsts[count] = len(starts)
    return firsts[: count + 1].copy()


@njit(cache=True, nogil=True)
def take_texts(data: int, spans: Any, escaped: Any, out: int, starts: Any, stops: Any) -> None:
    """Write the text of each span (position in `data`, length) at its start in `out`, and set where it stops."""
    for k in range(len(starts)):
        position, length, at = spans[0, k], spans[1, k], starts[k]
        if escaped[k]:
            stops[k] = unescape(data, position, position + length, out, at)
        else:
            _copy(data, position, length, out, at)
            stops[k] = at + length


@njit(cache=True, nogil=True)
def pack_rows(data: int, base: int, offsets: Any, lengths: Any, out: int, out_base: int) -> int:
    """Write the values of each row as a line with a JSON array, and change the offsets to those of the copy."""
    at = 0
    for row in range(offsets.shape[1]):
        for column in range(len(offsets)):
            put_byte(out, at, 44 if column else 91)
            at += 1
            start, length = offsets[column, row] - base, lengths[column, row]
            offsets[column, row] = out_base + at
            _copy(data, start, length, out, at)
            at += length
        put_byte(out, at, 93)
        put_byte(out, at + 1, 10)
        at += 2
    return at
