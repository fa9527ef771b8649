"""Types of parsed columns as NumPy arrays. Every type has `kind`, a length in samples, and `take`.

A sample whose text could not be parsed has an empty row: no shape, no label, no number.
"""

from __future__ import annotations

from typing import Any, ClassVar, Protocol, Self

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Offsets = NDArray[np.int64]
Hashes = NDArray[np.uint64]


class Column(Protocol):
    """Values of many samples."""

    kind: ClassVar[str]

    def __len__(self) -> int: ...

    def take(self, rows: NDArray[Any]) -> Self:
        """The samples at the given rows, or where a mask is true."""


class Numbers(Struct, frozen=True):
    """One number per sample; NaN if none was parsed."""

    kind: ClassVar[str] = "numbers"
    values: Floats

    def __len__(self) -> int:
        return len(self.values)

    def take(self, rows: NDArray[Any]) -> Numbers:
        """See `Column`."""
        return Numbers(self.values[rows])


class Labels(Struct, frozen=True):
    """A set of labels per sample: those of sample i are `codes[offsets[i]:offsets[i + 1]]`, ascending and distinct.

    A code is the 64-bit hash of the normalized label, equal in all batches and processes; `names` maps it to the label.
    """

    kind: ClassVar[str] = "labels"
    offsets: Offsets
    codes: Hashes
    names: dict[int, str]

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def take(self, rows: NDArray[Any]) -> Labels:
        """See `Column`."""
        offsets, inner = take_ragged(self.offsets, rows)
        return Labels(offsets, self.codes[inner], self.names)


class Ranks(Struct, frozen=True):
    """An ordered list of indices per sample, such as retrieved images."""

    kind: ClassVar[str] = "ranks"
    offsets: Offsets
    indices: Offsets

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def take(self, rows: NDArray[Any]) -> Ranks:
        """See `Column`."""
        offsets, inner = take_ragged(self.offsets, rows)
        return Ranks(offsets, self.indices[inner])


class Shapes(Struct, frozen=True):
    """Boxes (x1 y1 x2 y2, 4 numbers) or quads (4 corners, 8 numbers) of each sample, one row of `coords` per shape."""

    kind: ClassVar[str] = "shapes"
    offsets: Offsets
    coords: Floats
    counts: Floats
    """The number of shapes stated at the beginning of the text; NaN if none is stated."""
    scores: Floats | None = None
    """The confidence of each shape, if all texts give one."""

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def take(self, rows: NDArray[Any]) -> Shapes:
        """See `Column`."""
        offsets, inner = take_ragged(self.offsets, rows)
        scores = None if self.scores is None else self.scores[inner]
        return Shapes(offsets, self.coords[inner], self.counts[rows], scores)

    def scaled(self, factors: Floats) -> Shapes:
        """With x and y of every shape of sample i multiplied by `factors[i]` = (fx, fy)."""
        row_factors = np.repeat(factors, np.diff(self.offsets), axis=0)
        coords = self.coords * np.tile(row_factors, self.coords.shape[1] // 2)
        return Shapes(self.offsets, coords, self.counts, self.scores)


class Polygons(Struct, frozen=True):
    """Rings `offsets[i]:offsets[i + 1]` of sample i, with the points `rings[j]:rings[j + 1]` of ring j."""

    kind: ClassVar[str] = "polygons"
    offsets: Offsets
    rings: Offsets
    points: Floats
    counts: Floats
    scores: Floats | None = None

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def take(self, rows: NDArray[Any]) -> Polygons:
        """See `Column`."""
        offsets, ring_rows = take_ragged(self.offsets, rows)
        rings, inner = take_ragged(self.rings, ring_rows)
        scores = None if self.scores is None else self.scores[ring_rows]
        return Polygons(offsets, rings, self.points[inner], self.counts[rows], scores)

    def scaled(self, factors: Floats) -> Polygons:
        """With x and y of every point of sample i multiplied by `factors[i]` = (fx, fy)."""
        first = self.rings[self.offsets]
        return Polygons(
            self.offsets, self.rings, self.points * np.repeat(factors, np.diff(first), axis=0), self.counts, self.scores
        )


def take_ragged(offsets: Offsets, rows: NDArray[Any]) -> tuple[Offsets, Offsets]:
    """Offsets of the selected rows of a ragged array, and the indices of their items in the old one."""
    if rows.dtype == np.bool_:
        rows = np.flatnonzero(rows)
    starts, sizes = offsets[rows], offsets[rows + 1] - offsets[rows]
    new_offsets = np.concatenate((np.zeros(1, np.int64), np.cumsum(sizes)))
    return new_offsets, np.arange(new_offsets[-1]) + np.repeat(starts - new_offsets[:-1], sizes)
