"""Texts as 64-bit numbers, the same in every file, process and machine."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sightline.data.columns import TextColumn
from sightline.data.lines.text_kernels import hash_spans


def hash_texts(texts: TextColumn) -> NDArray[np.uint64]:
    """A hash of each text without the white space at its ends; 0 for one that is empty, and for no other.

    Among a million different texts two share a hash with odds of about 1 in 40 million.
    """
    starts, stops = (np.ascontiguousarray(positions, np.int64) for positions in (texts.starts, texts.stops))
    data = np.ascontiguousarray(texts.data, np.uint8)
    hashes: NDArray[np.uint64] = hash_spans(data.ctypes.data, starts, stops)
    return hashes
