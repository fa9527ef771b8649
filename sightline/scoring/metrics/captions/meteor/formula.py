"""METEOR's formula over counts, which can be added."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
COUNTS = 23
"""Lengths and function words of both sides; matches of both by exact word, stem, synonym and paraphrase, for content
and function words; chunks; matched words of both sides. Reply before reference throughout."""
BY_WAY, CHUNKS, MATCHED = 4, 20, 21

_ALPHA, _BETA, _GAMMA = 0.85, 0.2, 0.6
_CONTENT, _FUNCTION = 15, 5
"""Content words weigh 0.75, function words 0.25: in twentieths all weights are whole, and sums are exact."""
_MATCHED = np.array([[15, 5], [9, 3], [12, 4], [9, 3]])
"""The same, times 1, 0.6, 0.8 and 0.6 by matcher."""


def meteor(totals: Floats) -> Floats:
    """METEOR of sums of columns, shape (…, 6): a mean that leans to recall, less a penalty for scattered matches."""
    precision, recall = _over(totals[..., 0], totals[..., 2]), _over(totals[..., 1], totals[..., 3])
    mean = _over(precision * recall, _ALPHA * precision + (1 - _ALPHA) * recall)
    scattered = _over(totals[..., 4], totals[..., 5] / 2)
    score: Floats = mean * (1 - _GAMMA * scattered**_BETA)
    return score


def _over(top: Floats, bottom: Floats) -> Floats:
    return np.divide(top, bottom, out=np.zeros(np.shape(top)), where=bottom > 0)


def columns(counts: NDArray[np.int64]) -> Floats:
    """Of each sample: weighted matches of both sides, weighted lengths of both, chunks, matched words together."""
    length, function = counts[:, 0:2], counts[:, 2:4]
    # Those between are matcher × (content, function) × (reply, reference).
    matched = (_MATCHED[:, :, None] * counts[:, BY_WAY:CHUNKS].reshape(-1, 4, 2, 2)).sum(axis=(1, 2))
    weighted = _CONTENT * (length - function) + _FUNCTION * function
    # Where all words match in one chunk, that chunk is no fault, neither of the sample nor in the corpus.
    whole = (counts[:, MATCHED:] == length).all(axis=1) & (counts[:, CHUNKS] == 1)
    chunks = np.where(whole, 0, counts[:, CHUNKS])
    return np.column_stack((matched, weighted, chunks, counts[:, MATCHED:].sum(axis=1))).astype(np.float64)
