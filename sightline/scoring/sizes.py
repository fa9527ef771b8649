"""Width and height of pictures that lie in annotation lines, from the first bytes of their base64."""

from __future__ import annotations

import base64
import binascii
import io
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sightline.sources.lines import LineIndex

_HEAD = 64 * 1024
"""Characters of base64 that are decoded: enough for any header, even behind a thumbnail."""


def picture_sizes(index: LineIndex, rows: NDArray[np.int64]) -> NDArray[np.float64]:
    """(width, height) of each row's first picture; NaN where it can't be told."""
    sizes = np.full((len(rows), 2), np.nan)
    if not index.is_plain():
        return sizes
    with Path(index.path).open("rb") as file:
        for place, row in enumerate(rows.tolist()):
            start, length = index.spans("frames", row)
            if length > 0:
                file.seek(start)
                sizes[place] = _size(file.read(min(length, _HEAD)))
    return sizes


def _size(raw: bytes) -> tuple[float, float]:
    """The size of the picture whose JSON value begins so: a string, or a list of strings."""
    from PIL import Image

    first = raw.partition(b'"')[2].partition(b'"')[0]
    body = first.partition(b"base64,")[2] if first.startswith(b"data:") else first
    try:
        data = base64.b64decode(body[: len(body) // 4 * 4])
        with Image.open(io.BytesIO(data)) as picture:
            return picture.size
    except (OSError, ValueError, binascii.Error, Image.DecompressionBombError):
        return np.nan, np.nan
