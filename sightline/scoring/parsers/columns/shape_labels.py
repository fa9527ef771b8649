"""Labels of shapes: `<box>…</box><label>ship</label>`, each after the shape that it belongs to.

The labels are taken out of the texts, which are then read as shapes without labels. A label that stands before any
shape stays where it is, and is refused there as any other text beside shapes.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline.data.columns import Hashes, Offsets, ParsedColumn, TextColumn
from sightline.scoring.compiled_kernels import compiled
from sightline.scoring.parsers.columns.labels import LABEL
from sightline.scoring.parsers.columns.shapes import end_of_closing_tag, end_of_tag, pack_tag

_LABEL = pack_tag("label")
_SPELLINGS = (b"label", b"Label", b"LABEL")


@compiled
def find_labels(data: Any, starts: Any, stops: Any, tag: int, spans: Any) -> tuple[Any, int]:
    """Blank all labels; (offsets of each text's opening tags, how many tags).

    `spans` gets start and stop of the label after each opening tag of a shape; both stay 0 where there is none.
    """
    offsets, n = np.zeros(len(starts) + 1, np.int64), 0
    for row in range(len(starts)):
        at, stop = starts[row], stops[row]
        while at < stop:
            if data[at] != 60:
                at += 1
                continue
            if end_of_tag(data, at, stop, tag) > 0:
                n += 1
                at += 1
                continue
            inside = end_of_tag(data, at, stop, _LABEL) if n > offsets[row] else -1
            if inside < 0 or spans[n - 1, 1] > 0:
                at += 1
                continue
            end = inside
            while end < stop and data[end] != 60:
                end += 1
            close = end_of_closing_tag(data, end, stop, _LABEL) if end < stop else -1
            if close <= 0:
                at += 1
                continue
            spans[n - 1, 0], spans[n - 1, 1] = inside, end
            for k in range(at, close):
                data[k] = 32
            at = close
        offsets[row + 1] = n
    return offsets, n


class ShapeLabels:
    """The labels of a column of texts, and the texts without them."""

    def __init__(self, texts: TextColumn, tag: str) -> None:
        self.texts = texts
        self._spans: NDArray[np.int64] | None = None
        whole = texts.data.tobytes()
        if not any(spelling in whole for spelling in _SPELLINGS):
            return
        data = np.frombuffer(bytearray(whole), np.uint8)
        spans = np.zeros((int(texts.lengths().sum()) // len(f"<{tag}>") + 1, 2), np.int64)
        self._offsets, count = find_labels(data, texts.starts, texts.stops, pack_tag(tag), spans)
        if spans[:count, 1].any():
            self._spans, self._source = spans[:count], TextColumn(texts.data, spans[:count, 0], spans[:count, 1])
            self.texts = TextColumn(data, texts.starts, texts.stops)

    def codes(self, offsets: Offsets) -> tuple[Hashes | None, dict[int, str]]:
        """The code of the label of each shape that was read, 0 where it has none, and the labels by code.

        `offsets` are those of the shapes; a text that was not read has no shape.
        """
        if self._spans is None:
            return None, {}
        read: ParsedColumn = LABEL.read(self._source)
        codes = np.zeros(len(self._spans), np.uint64)
        codes[read.errors == 0] = read.values.codes
        was_read = np.diff(offsets) == np.diff(self._offsets)
        kept = np.repeat(was_read, np.diff(self._offsets))
        return codes[kept], read.values.names
