"""Width and height of pictures that lie in annotation lines, from the first bytes of their base64."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sightline.data.lines import LineIndex
from sightline.data.media import HEADER_CHARS, image_size_of_base64

_ROWS_AT_ONCE = 64


def picture_sizes(index: LineIndex, rows: NDArray[np.int64]) -> NDArray[np.float64]:
    """(width, height) of each row's first picture; NaN where it can't be told."""
    sizes = np.full((len(rows), 2), np.nan)
    for first in range(0, len(rows), _ROWS_AT_ONCE):
        heads = index.raw_texts("frames", rows[first : first + _ROWS_AT_ONCE], HEADER_CHARS)
        for place, (start, stop) in enumerate(zip(heads.starts.tolist(), heads.stops.tolist(), strict=True), first):
            if stop > start:
                sizes[place] = _size(heads.data[start:stop].tobytes())
    return sizes


def _size(raw: bytes) -> tuple[float, float]:
    """The size of the picture whose JSON value begins so: a string, or a list of strings."""
    first = raw.partition(b'"')[2].partition(b'"')[0]
    body = first.partition(b"base64,")[2] if first.startswith(b"data:") else first
    return image_size_of_base64(body) or (np.nan, np.nan)
