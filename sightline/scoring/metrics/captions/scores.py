"""BLEU, ROUGE-L and CIDEr as the COCO caption code counts them: what each sample adds, and what the sums say."""

from __future__ import annotations

from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from sightline.scoring.metrics.captions.corpus import Frequencies, power_of_two
from sightline.scoring.metrics.captions.score_kernels import ORDERS, compare_grams, compare_order
from sightline.scoring.metrics.captions.words import Ints, Keys, Words, word_keys

Floats = NDArray[np.float64]
BLEU_COLUMNS = 2 * ORDERS + 2
"""Clipped matches and guesses by order; lengths of reply and reference."""
_SMALL = 1e-9
_TINY = 1e-15


class Scores(Struct, frozen=True):
    """Of each sample: its columns for BLEU, its ROUGE-L and its CIDEr."""

    bleu: Floats
    rouge: Floats
    cider: Floats


def compare(replies: Words, truths: Words, frequencies: Frequencies) -> Scores:
    """Compare each reply with the reference of its sample."""
    count = len(replies)
    matches, cider, rouge = np.zeros((count, ORDERS)), np.zeros(count), np.zeros(count)
    lengths, their_lengths = np.diff(replies.offsets), np.diff(truths.offsets)
    mine, theirs = (replies.offsets, replies.keys), (truths.offsets, truths.keys)
    scratch = _scratch(ORDERS * int((lengths + their_lengths).max(initial=0)))
    table = (frequencies.keys, frequencies.counts)
    compare_grams(mine, theirs, table, frequencies.log_samples, scratch, (matches, cider))
    nothing = word_keys([""])
    compare_order(mine, theirs, nothing, rouge)
    for row in sorted({*replies.spaced, *truths.spaced}):
        one = np.zeros(1)
        compare_order(_single(replies, row), _single(truths, row), nothing, one)
        rouge[row] = one[0]
    guesses = np.maximum(lengths[:, None] - np.arange(ORDERS), 0)
    return Scores(np.column_stack((matches, guesses, lengths, their_lengths)), rouge, cider)


def _scratch(grams: int) -> tuple[NDArray[Any], ...]:
    size = power_of_two(2 * grams)
    counts = np.zeros((size, 2), np.int64)
    orders, seats = np.zeros(size, np.int64), np.zeros(grams + 1, np.int64)
    return np.zeros(size, np.uint64), np.zeros(size, np.int64), counts, np.zeros(size, np.uint32), orders, seats


def _single(words: Words, row: int) -> tuple[Ints, Keys]:
    """One caption's words between single spaces."""
    keys = words.spaced.get(row, words.keys[words.offsets[row] : words.offsets[row + 1]])
    return np.array([0, len(keys)], np.int64), np.ascontiguousarray(keys)


def bleu(totals: Floats, order: int = ORDERS) -> Floats:
    """BLEU of sums of columns, shape (…, 10): of a corpus, or of a sample by itself."""
    matches, guesses = totals[..., :order], totals[..., ORDERS : ORDERS + order]
    precision = np.prod((matches + _TINY) / (guesses + _SMALL), axis=-1) ** (1 / order)
    ratio = (totals[..., -2] + _TINY) / (totals[..., -1] + _SMALL)
    penalty = np.where(ratio < 1, np.exp(1 - 1 / np.minimum(ratio, 1)), 1.0)
    score: Floats = precision * penalty
    return score
