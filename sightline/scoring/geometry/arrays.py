"""Ragged arrays: one flat array, and offsets of each image's rows."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

LIMIT = 1e12
"""No picture reaches so far: a shape with a coordinate beyond it is empty."""


class Overlaps(NamedTuple):
    """The pairs of one batch that overlap enough, in the order (image, left, right)."""

    first: Ints
    """Pairs of image i are `first[i]:first[i + 1]`."""
    left: Ints
    """Index into the flat left rows."""
    right: Ints
    iou: Floats
    skipped: Ints
    """Of each image the left rows, its last ones, that were left without any pair as it had too many."""

    def keep(self, which: NDArray[np.bool_]) -> Overlaps:
        """Only some of the pairs."""
        before = np.concatenate(([0], np.cumsum(which)))
        return Overlaps(before[self.first], self.left[which], self.right[which], self.iou[which], self.skipped)


def offsets_of(counts: ArrayLike) -> Ints:
    """Offsets from the number of rows of each image."""
    return np.concatenate((np.zeros(1, np.int64), np.cumsum(np.asarray(counts, dtype=np.int64))))


def sums(values: NDArray[np.bool_] | Ints, at: Ints) -> Ints:
    """The sum of each image's values."""
    return np.diff(np.concatenate((np.zeros(1, np.int64), np.cumsum(values, dtype=np.int64)))[at])


def image_of_rows(at: Ints) -> Ints:
    """The image of each row."""
    return np.repeat(np.arange(len(at) - 1), np.diff(at))
