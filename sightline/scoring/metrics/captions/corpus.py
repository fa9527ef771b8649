"""CIDEr, ROUGE-L and BLEU of tokenized captions, and the document frequencies of n-grams that CIDEr needs."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from sightline.data.columns import TextColumn
from sightline.scoring.metrics.captions.kernels import (
    ORDERS,
    compare_grams,
    compare_order,
    fill_frequencies,
    gather_grams,
    number_words,
)
from sightline.scoring.metrics.captions.tokenizer import Ints, Keys, Words, interleave_words, read_simple, word_keys
from sightline.stats.state_checks import fits, require

_AT_ONCE = 8_000_000
"""How many n-grams are sorted at a time: 64 MB, twice."""
Floats = NDArray[np.float64]
_SMALL = 1e-9
_TINY = 1e-15
_WORD = re.compile(r"[0-9a-z]+|\w")
"""Runs of Latin letters and digits; of every other script single characters."""


class Block(Struct, frozen=True):
    """The words of a batch of captions, each as the place of its key in the batch's own vocabulary."""

    offsets: NDArray[np.uint32]
    ids: NDArray[np.uint16] | NDArray[np.uint32]
    vocabulary: Keys
    spaced: dict[int, Keys]

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def words(self) -> Words:
        """As they were."""
        return Words(self.offsets.astype(np.int64), self.vocabulary[self.ids], self.spaced)


def pack(words: Words) -> Block:
    """The words in about 40 bytes a brief caption."""
    count = len(words.keys)
    ids, vocabulary = np.empty(count, np.uint32), np.empty(count, np.uint64)
    size = power_of_two(2 * count)
    table, places = np.zeros(size, np.uint64), np.zeros(size, np.uint32)
    known = number_words(words.keys, ids, vocabulary, table, places)
    small = ids.astype(np.uint16) if known <= 1 << 16 else ids
    return Block(words.offsets.astype(np.uint32), small, vocabulary[:known].copy(), words.spaced)


def validate_block(offsets: Any, ids: Any, vocabulary: Any, spaced: Any) -> Block:
    """A block of arrays that came from a file; `ValueError` where an index would leave its array."""
    keys = np.empty(0, np.uint64)
    require(fits(offsets, np.empty(0, np.uint32)), fits(vocabulary, keys), type(spaced) is dict)
    require(any(fits(ids, np.empty(0, kind)) for kind in (np.uint16, np.uint32)))
    require(len(offsets) > 0, all(type(row) is int and fits(words, keys) for row, words in spaced.items()))
    require(int(offsets[0]) == 0, int(offsets[-1]) == len(ids), bool((offsets[1:] >= offsets[:-1]).all()))
    require(int(ids.max(initial=0)) < max(len(vocabulary), 1), len(vocabulary) > 0 or not len(ids))
    return Block(offsets, ids, vocabulary, spaced)


def power_of_two(least: int) -> int:
    """The size of a table with at least so many places."""
    return 1 << max(4, math.ceil(math.log2(max(least, 1))))


class Frequencies(Struct, frozen=True):
    """Document frequencies of n-grams; those in only one caption weigh as if none had them, and are left out."""

    samples: int
    keys: Keys
    counts: NDArray[np.uint32]

    @property
    def log_samples(self) -> float:
        """The weight of an n-gram that one caption has."""
        return math.log(self.samples) if self.samples else 0.0


NO_FREQUENCIES = Frequencies(0, np.zeros(1, np.uint64), np.zeros(1, np.uint32))


def count_documents(blocks: Sequence[Block]) -> Frequencies:
    """Document frequencies over all blocks, independent of their order."""
    grams = ORDERS * sum(len(block.ids) for block in blocks)
    # Parts by the n-grams' last bits: sorted one after the other, they need little memory.
    parts = 1 << max(0, math.ceil(math.log2(max(grams, 1) / _AT_ONCE)))
    tables = [_count_repeated(_gather_part(blocks, part, parts)) for part in range(parts)]
    found = sum(len(keys) for keys, _ in tables)
    size = power_of_two(2 * found + 1)
    table, counts = np.zeros(size, np.uint64), np.zeros(size, np.uint32)
    for keys, many in tables:
        fill_frequencies(keys, many, table, counts)
    return Frequencies(sum(map(len, blocks)), table, counts)


def _gather_part(blocks: Sequence[Block], part: int, parts: int) -> Keys:
    """The n-grams of one part, each once a caption, sorted."""
    gathered: Keys = np.empty(_AT_ONCE // 4, np.uint64)
    filled = 0
    for block in blocks:
        words = block.words()
        most = ORDERS * len(words.keys)
        if filled + most > len(gathered):
            more = np.empty(2 * len(gathered) + most, np.uint64)
            more[:filled] = gathered[:filled]
            gathered = more
        longest = int(np.diff(words.offsets).max(initial=0))
        size = power_of_two(2 * ORDERS * longest)
        scratch, stamps = np.empty(size, np.uint64), np.zeros(size, np.int64)
        captions = (words.offsets, words.keys)
        filled += gather_grams(captions, part, parts, gathered[filled:], scratch, stamps)
    gathered = gathered[:filled]
    gathered.sort()
    return gathered


def _count_repeated(grams: Keys) -> tuple[Keys, NDArray[np.uint32]]:
    """Those that stand more than once in a sorted list, and how often."""
    if not len(grams):
        return grams, np.empty(0, np.uint32)
    first: Ints = np.flatnonzero(np.concatenate((np.ones(1, bool), grams[1:] != grams[:-1])))
    counts = np.diff(np.append(first, len(grams)))
    kept = counts > 1
    return grams[first[kept]], counts[kept].astype(np.uint32)


class Scores(Struct, frozen=True):
    """Of each sample: its columns for BLEU (clipped matches and guesses by order, both lengths), ROUGE-L and CIDEr."""

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


def has_all_orders(totals: Floats, order: int = ORDERS) -> NDArray[np.bool_]:
    """Whether there is a match of every order up to this one, without which BLEU is 0 but for its floor."""
    found: NDArray[np.bool_] = np.all(totals[..., :order] > 0, axis=-1)
    return found


def sample_rouge_scores(replies: TextColumn, truths: TextColumn) -> NDArray[np.float64]:
    """ROUGE-L of each reply over simple words, from 0 to 1: it needs no Java, so it is the same on every machine."""
    mine, theirs = _words(replies), _words(truths)
    rouge = np.zeros(len(replies))
    compare_order((mine.offsets, mine.keys), (theirs.offsets, theirs.keys), word_keys([""]), rouge)
    return np.where(np.diff(theirs.offsets) > 0, rouge, replies.lengths() == truths.lengths())


def _words(texts: TextColumn) -> Words:
    plain, lengths = read_simple(texts)
    others = texts.take(np.flatnonzero(lengths < 0))
    lines = [" ".join(_WORD.findall(text.lower())) for text in others]
    return interleave_words(plain, lines, lengths) if lines else plain
