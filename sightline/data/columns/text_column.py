"""Text column: many texts in one byte buffer, decoded to `str` only on access."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
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
