"""Runs the shape kernel over a column: allocates results, and parses the few numbers that need `float`."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from msgspec import Struct

from sightline.data.columns import Floats, Offsets, TextColumn
from sightline.scoring.parsers.columns.normalize import fold_text, normalize_texts
from sightline.scoring.parsers.columns.shape_kernels import DEFERRED, read_shapes
from sightline.scoring.parsers.columns.tag_kernels import pack_tag

_LEAST_BYTES = 18
"""No shape is shorter than `<box>1 2 3 4</box>`."""
_NUMBER = re.compile(rb"[-+]?[0-9]*\.?[0-9]*(?:[eE][-+]?[0-9]+)?")
_NOTHING = {"无": "none", "无.": "none", "没有": "none", "没有.": "none"}


class ScannedShapes(Struct, frozen=True):
    """Result of the kernel: flat `numbers` of all shapes, and the end offset of each shape."""

    offsets: Offsets
    numbers: Floats
    ends: Offsets
    counts: Floats
    scores: Floats | None
    errors: np.ndarray[tuple[int], np.dtype[np.uint8]]


def fold_shapes(text: str) -> str:
    """Fold to ASCII, and translate the Chinese words for nothing to `none`."""
    folded = fold_text(text)
    return _NOTHING.get(folded.strip(), folded)


def scan_shapes(texts: TextColumn, tag: str, rule: tuple[int, int], single: bool = False) -> ScannedShapes:
    """Read the shapes in tags of a name. `rule`: see `read_shapes`."""
    texts = normalize_texts(texts, fold_shapes)
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
    shapes, n = read_shapes(columns, pack_tag(tag), rule, single, out)
    numbers, scores = _parse_deferred(out[0][:n], texts), _parse_deferred(out[1][:shapes], texts)
    given_scores = None if np.isnan(scores).all() else scores
    return ScannedShapes(out[3], numbers, out[2][:shapes], out[4], given_scores, out[5])


def _parse_deferred(numbers: Floats, texts: TextColumn) -> Floats:
    """The numbers, with those deferred by the kernel parsed by `float`."""
    deferred = np.flatnonzero(numbers >= DEFERRED)
    if len(deferred):
        whole = texts.data.data
        for index in deferred.tolist():
            match = _NUMBER.match(whole, int(numbers[index] - DEFERRED))
            numbers[index] = float(match.group()) if match else np.nan
    return numbers
