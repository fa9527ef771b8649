"""64-bit hashes of texts, the same in every file and process and on every machine."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sightline.data.columns import TextColumn
from sightline.data.lines.text_kernels import hash_spans


def hash_texts(texts: TextColumn) -> NDArray[np.uint64]:
    """A hash of each text, stripped of surrounding white space; 0 for an empty text, and only for that.

    The probability of a collision among a million different texts is about 1 in 40 million.
    """
    starts, stops = (np.ascontiguousarray(positions, np.int64) for positions in (texts.starts, texts.stops))
    data = np.ascontiguousarray(texts.data, np.uint8)
    hashes: NDArray[np.uint64] = hash_spans(data.ctypes.data, starts, stops)
    return hashes
