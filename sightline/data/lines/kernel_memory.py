"""Memory of the scan kernel: the names to find and the output arrays, passed by address."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline.data.lines import row_kernels as at
from sightline.data.lines.json_kernels import MAX_DEPTH

Words = NDArray[np.int64]


class RowTable:
    """Output arrays for a number of rows and as many faults."""

    def __init__(self, columns: int, capacity: int) -> None:
        self._offsets, self._lengths = np.zeros((capacity, columns), np.int64), np.zeros((capacity, columns), np.int64)
        self._flags = np.zeros((capacity, columns), np.uint8)
        self._lines, self._row_numbers = np.zeros(capacity, np.int64), np.zeros(capacity, np.int64)
        self._row_offsets = np.zeros(capacity, np.int64)
        self.notes = np.zeros((capacity, 4), np.int64)
        """One row per fault: kind, line, start of the row, position of the fault."""

    def bind(self, state: Words) -> tuple[NDArray[Any], ...]:
        """Write the addresses of the arrays into the state; the returned arrays must be kept alive meanwhile."""
        ranks, stack = np.zeros(self._offsets.shape[1], np.int64), np.zeros(MAX_DEPTH, np.uint8)
        state[at.CAPACITY], state[at.COLUMNS] = self._offsets.shape
        slots = (at.OFFSETS, at.LENGTHS, at.FLAGS, at.RANKS, at.ROW_LINES, at.ROW_NUMBERS, at.NOTES, at.STACK)
        arrays = (self._offsets, self._lengths, self._flags, ranks, self._lines, self._row_numbers, self.notes, stack)
        return _bind(state, (*slots, at.ROW_OFFSETS), (*arrays, self._row_offsets))

    def rows(self, count: int) -> tuple[NDArray[Any], ...]:
        """A copy of the first rows: offsets, lengths and flags (a row per column), lines, row numbers, row offsets."""
        return (
            np.ascontiguousarray(self._offsets[:count].T),
            np.ascontiguousarray(self._lengths[:count].T, np.int32),
            self._flags[:count].T.copy(),
            self._lines[:count].copy(),
            self._row_numbers[:count].copy(),
            self._row_offsets[:count].copy(),
        )


def bind_names(state: Words, fields: Sequence[str], rename: Mapping[str, str]) -> tuple[NDArray[Any], ...]:
    """Write the names to find into the state; the returned arrays must be kept alive as long as it is used.

    These are the field names, unless the file uses one for another field, and the names that are renamed to them.
    """
    names = [(field, k, 0) for k, field in enumerate(fields) if rename.get(field, field) == field]
    names += [
        (old, fields.index(new), rank)
        for rank, (old, new) in enumerate(rename.items(), 1)
        if old != new and new in fields
    ]
    encoded = [name.encode("utf-8", "replace") for name, _, _ in names]
    letters = np.frombuffer(b"".join(encoded) or bytes(1), np.uint8)
    starts = np.cumsum([0, *map(len, encoded)], dtype=np.int64)
    columns = np.array([column for _, column, _ in names], np.int64)
    ranks = np.array([rank for *_, rank in names], np.int64)
    # an escaped character takes at most six bytes
    scratch = np.zeros(6 * max(map(len, encoded), default=0) + 1, np.uint8)
    state[at.NAMES], state[at.SCRATCH_SIZE] = len(names), len(scratch)
    slots = (at.LETTERS, at.NAME_STARTS, at.NAME_COLUMNS, at.NAME_RANKS, at.SCRATCH)
    return _bind(state, slots, (letters, starts, columns, ranks, scratch))


def _bind(state: Words, slots: Sequence[int], arrays: tuple[NDArray[Any], ...]) -> tuple[NDArray[Any], ...]:
    for slot, array in zip(slots, arrays, strict=True):
        state[slot] = array.ctypes.data
    return arrays
