"""Columnar (struct-of-arrays) data of many samples: texts and parsed values, for vectorized scoring.

Every column has `kind`, a length in samples, and `take`. A sample whose text could not be parsed has an empty row: no
shape, no label, no number.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, ClassVar, Protocol, Self, TypeVar

import numpy as np
from msgspec import Struct, field
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]
Offsets = NDArray[np.int64]


_BREAK = 10


class TextColumn:
    """Texts as UTF-8 (possibly invalid) between `starts` and `stops` of a shared buffer, in any order."""

    kind = "texts"
    __slots__ = ("data", "starts", "stops")

    def __init__(self, data: Bytes, starts: Offsets, stops: Offsets) -> None:
        self.data, self.starts, self.stops = data, starts, stops

    @classmethod
    def of(cls, texts: Iterable[str]) -> TextColumn:
        """A column of the given strings."""
        encoded = [text.encode("utf-8", "replace") for text in texts]
        stops = np.cumsum([len(text) for text in encoded], dtype=np.int64)
        starts = np.concatenate((np.zeros(1, np.int64), stops[:-1])) if len(stops) else stops
        return cls(np.frombuffer(b"".join(encoded), np.uint8), starts, stops)

    def __len__(self) -> int:
        return len(self.starts)

    def __getitem__(self, row: int) -> str:
        return self.data[self.starts[row] : self.stops[row]].tobytes().decode("utf-8", "replace")

    def __iter__(self) -> Iterator[str]:
        buffer = np.ascontiguousarray(self.data).data
        for start, stop in zip(self.starts.tolist(), self.stops.tolist(), strict=True):
            yield str(buffer[start:stop], "utf-8", "replace")

    def strings(self) -> list[str]:
        """All texts as strings, decoded in a single call if none contains a line break."""
        sizes = self.stops - self.starts
        ends = np.cumsum(sizes + 1)
        if not len(ends):
            return []
        joined = np.full(ends[-1], _BREAK, np.uint8)
        # the position of every byte in the joined text, and its source
        positions = np.arange(ends[-1] - len(ends)) + np.repeat(np.arange(len(ends)), sizes)
        joined[positions] = self.data[
            np.arange(len(positions)) + np.repeat(self.starts - np.cumsum(sizes) + sizes, sizes)
        ]
        texts = joined.tobytes().decode("utf-8", "replace").split("\n")
        return texts[:-1] if len(texts) == len(ends) + 1 else list(self)

    def take(self, rows: NDArray[Any]) -> TextColumn:
        """The texts at the given rows (or where a mask is true); the buffer is shared."""
        return TextColumn(self.data, self.starts[rows], self.stops[rows])

    def lengths(self) -> Offsets:
        """The number of bytes of each text."""
        return self.stops - self.starts

    def digest(self) -> bytes:
        """A hash of all texts, independent of the layout of the buffer."""
        total = hashlib.blake2b(self.lengths().astype("<i8").tobytes(), digest_size=32)
        buffer = np.ascontiguousarray(self.data).data
        for start, stop in self._runs():
            total.update(buffer[start:stop])
        return total.digest()

    def _runs(self) -> Iterator[tuple[int, int]]:
        """The byte ranges of the texts, adjacent ones merged."""
        ends = np.flatnonzero(self.starts[1:] != self.stops[:-1])
        firsts, lasts = np.concatenate(([0], ends + 1)), np.concatenate((ends, [len(self) - 1]))
        if len(self):
            yield from zip(self.starts[firsts].tolist(), self.stops[lasts].tolist(), strict=True)


class References(TextColumn):
    """One or more reference texts per sample; as a column of texts, it is that of the first ones.

    Those of sample i are the texts from `offsets[i]` to `offsets[i + 1]` of `references`.
    """

    __slots__ = ("offsets", "references")

    def __init__(self, references: TextColumn, offsets: Offsets) -> None:
        super().__init__(references.data, references.starts[offsets[:-1]], references.stops[offsets[:-1]])
        self.references, self.offsets = references, offsets

    def take(self, rows: NDArray[Any]) -> References:
        """See `TextColumn`."""
        chosen = np.arange(len(self))[rows]
        offsets, inner = take_ragged(self.offsets, chosen)
        return References(self.references.take(inner), offsets)

    def digest(self) -> bytes:
        """See `TextColumn`."""
        return hashlib.blake2b(self.offsets.astype("<i8").tobytes() + self.references.digest(), digest_size=32).digest()


def make_references(texts: Sequence[Sequence[str]]) -> TextColumn:
    """The references of each sample as a column, a plain one where each sample has one."""
    column = TextColumn.of(text for some in texts for text in some)
    return column if all(len(some) == 1 for some in texts) else References(column, np.cumsum([0, *map(len, texts)]))


Floats = NDArray[np.float64]
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
    labels: Hashes | None = None
    """The code of each shape's label, 0 where it has none; None: no shape has one. As in `Labels`."""
    label_names: dict[int, str] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def take(self, rows: NDArray[Any]) -> Shapes:
        """See `Column`."""
        offsets, inner = take_ragged(self.offsets, rows)
        scores = None if self.scores is None else self.scores[inner]
        labels = None if self.labels is None else self.labels[inner]
        return Shapes(offsets, self.coords[inner], self.counts[rows], scores, labels, self.label_names)

    def spread(self, rows: NDArray[np.int64], count: int) -> Shapes:
        """These samples as the given ascending rows of a column of `count` samples; the others are empty."""
        counts = np.full(count, np.nan)
        counts[rows] = self.counts
        return Shapes(spread_offsets(self.offsets, rows, count), self.coords, counts, self.scores)

    def scaled(self, factors: Floats) -> Shapes:
        """With x and y of every shape of sample i multiplied by `factors[i]` = (fx, fy)."""
        row_factors = np.repeat(factors, np.diff(self.offsets), axis=0)
        coords = self.coords * np.tile(row_factors, self.coords.shape[1] // 2)
        return Shapes(self.offsets, coords, self.counts, self.scores, self.labels, self.label_names)


class Polygons(Struct, frozen=True):
    """Rings `offsets[i]:offsets[i + 1]` of sample i, with the points `rings[j]:rings[j + 1]` of ring j."""

    kind: ClassVar[str] = "polygons"
    offsets: Offsets
    rings: Offsets
    points: Floats
    counts: Floats
    scores: Floats | None = None
    labels: Hashes | None = None
    """As of `Shapes`, one per ring."""
    label_names: dict[int, str] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def take(self, rows: NDArray[Any]) -> Polygons:
        """See `Column`."""
        offsets, ring_rows = take_ragged(self.offsets, rows)
        rings, inner = take_ragged(self.rings, ring_rows)
        scores = None if self.scores is None else self.scores[ring_rows]
        labels = None if self.labels is None else self.labels[ring_rows]
        return Polygons(offsets, rings, self.points[inner], self.counts[rows], scores, labels, self.label_names)

    def spread(self, rows: NDArray[np.int64], count: int) -> Polygons:
        """See `Shapes.spread`."""
        counts = np.full(count, np.nan)
        counts[rows] = self.counts
        return Polygons(spread_offsets(self.offsets, rows, count), self.rings, self.points, counts, self.scores)

    def scaled(self, factors: Floats) -> Polygons:
        """With x and y of every point of sample i multiplied by `factors[i]` = (fx, fy)."""
        first = self.rings[self.offsets]
        points = self.points * np.repeat(factors, np.diff(first), axis=0)
        return Polygons(self.offsets, self.rings, points, self.counts, self.scores, self.labels, self.label_names)


def count_without_shapes(column: Shapes | Polygons) -> NDArray[np.bool_]:
    """Samples that state a number of shapes but have none: "3" claims objects and locates no one of them."""
    mask: NDArray[np.bool_] = (column.counts > 0) & (np.diff(column.offsets) == 0)
    return mask


def spread_offsets(offsets: Offsets, rows: NDArray[np.int64], count: int) -> Offsets:
    """Offsets of a ragged array with the given rows filled and all others empty."""
    sizes = np.zeros(count, np.int64)
    sizes[rows] = np.diff(offsets)
    return np.concatenate((np.zeros(1, np.int64), np.cumsum(sizes)))


def take_ragged(offsets: Offsets, rows: NDArray[Any]) -> tuple[Offsets, Offsets]:
    """Offsets of the selected rows of a ragged array, and the indices of their items in the old one."""
    if rows.dtype == np.bool_:
        rows = np.flatnonzero(rows)
    starts, sizes = offsets[rows], offsets[rows + 1] - offsets[rows]
    new_offsets = np.concatenate((np.zeros(1, np.int64), np.cumsum(sizes)))
    return new_offsets, np.arange(new_offsets[-1]) + np.repeat(starts - new_offsets[:-1], sizes)


T = TypeVar("T")


class ParsedColumn(Struct, frozen=True):
    """A column parsed from texts, and which texts could not be parsed and why."""

    values: Any
    """A `Column` of the parser's kind."""
    errors: NDArray[np.uint8]
    """0 where the text was parsed, else the index of the reason in `reasons`."""
    reasons: tuple[str, ...]
    """Error types such as "empty output"; the first is empty."""

    def take(self, rows: NDArray[Any]) -> ParsedColumn:
        """The texts at the given rows."""
        return ParsedColumn(self.values.take(rows), self.errors[rows], self.reasons)


class Batch(Struct, frozen=True):
    """Samples of one task whose truth is valid and whose request did not fail; all columns have the same length."""

    truth: Any
    reply: Any
    """A reply that is missing or could not be parsed is an empty row: no shape, no label, no number, no text."""
    answered: NDArray[np.bool_]
    """Where the reply could be parsed."""
    clusters: NDArray[np.uint64]
    """A hash of what the sample shares with others (its image): the unit of independence."""
    key: int = -1
    """The number of the batch within its task, by which fitted state about its truths is found again; −1: none."""
    weights: NDArray[np.float64] | None = None
    """The number of samples of the dataset that each one represents (sampling weight); None: 1 each."""
    results: dict[str, Any] = field(default_factory=dict)
    """Results that the scorer and the metrics share, by name; see `compute_once`."""

    def __len__(self) -> int:
        return len(self.clusters)

    def compute_once(self, name: str, compute: Callable[[], T]) -> T:
        """The result of a computation that several users of the batch need, such as the matching of boxes."""
        if name not in self.results:
            self.results[name] = compute()
        result: T = self.results[name]
        return result
