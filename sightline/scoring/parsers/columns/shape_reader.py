"""Running the kernel of shapes over a column: room for the results, and the few numbers that `float` must round."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from msgspec import Struct

from sightline.data.columns import TextColumn
from sightline.data.columns.column_types import Floats, Offsets
from sightline.scoring.parsers.columns.plain import folded, plain
from sightline.scoring.parsers.columns.shape_kernels import LATER, read_shapes
from sightline.scoring.parsers.columns.tag_kernels import packed

_LEAST_BYTES = 18
"""No shape is shorter than `<box>1 2 3 4</box>`."""
_NUMBER = re.compile(rb"[-+]?[0-9]*\.?[0-9]*(?:[eE][-+]?[0-9]+)?")
_NOTHING = {"无": "none", "无.": "none", "没有": "none", "没有.": "none"}


class Scan(Struct, frozen=True):
    """What the kernel found: `numbers` of all shapes in a row, and where each shape ends among them."""

    offsets: Offsets
    numbers: Floats
    ends: Offsets
    counts: Floats
    scores: Floats | None
    errors: np.ndarray[tuple[int], np.dtype[np.uint8]]


def folded_shapes(text: str) -> str:
    """Folded to ASCII; the Chinese words for nothing become `none`."""
    known = folded(text)
    return _NOTHING.get(known.strip(), known)


def scan(texts: TextColumn, tag: str, rule: tuple[int, int], single: bool = False) -> Scan:
    """Read the shapes in tags of a name. `rule`: see `read_shapes`."""
    texts = plain(texts, folded_shapes)
    size, rows = int(texts.lengths().sum()), len(texts)
    most = size // _LEAST_BYTES + 2
    columns = (texts.data, texts.starts, texts.stops)
    out: Any = (
        np.empty(size // 2 + 8),
        np.empty(most),
        np.empty(most, np.int64),
        np.empty(rows + 1, np.int64),
        np.empty(rows),
        np.empty(rows, np.uint8),
    )
    shapes, n = read_shapes(columns, packed(tag), rule, single, out)
    numbers, scores = _settled(out[0][:n], texts), _settled(out[1][:shapes], texts)
    given = None if np.isnan(scores).all() else scores
    return Scan(out[3], numbers, out[2][:shapes], out[4], given, out[5])


def _settled(numbers: Floats, texts: TextColumn) -> Floats:
    """The numbers, those that the kernel left for later read by `float`."""
    later = np.flatnonzero(numbers >= LATER)
    if len(later):
        whole = texts.data.data
        for place in later.tolist():
            found = _NUMBER.match(whole, int(numbers[place] - LATER))
            numbers[place] = float(found.group()) if found else np.nan
    return numbers
