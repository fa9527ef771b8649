"""The references of a whole corpus, kept small, and in how many of them each n-gram occurs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from sightline.scoring.metrics.captions import score_kernels, word_kernels
from sightline.scoring.metrics.captions.words import Ints, Keys, Words
from sightline.stats.state_checks import fits, require

_AT_ONCE = 8_000_000
"""How many n-grams are sorted at a time: 64 MB, twice."""


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
    known = word_kernels.number_words(words.keys, ids, vocabulary, table, places)
    small = ids.astype(np.uint16) if known <= 1 << 16 else ids
    return Block(words.offsets.astype(np.uint32), small, vocabulary[:known].copy(), words.spaced)


def checked_block(offsets: Any, ids: Any, vocabulary: Any, spaced: Any) -> Block:
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
    """In how many captions each n-gram occurs; those in only one weigh as if none had them, and are left out."""

    samples: int
    keys: Keys
    counts: NDArray[np.uint32]

    @property
    def log_samples(self) -> float:
        """The weight of an n-gram that one caption has."""
        return math.log(self.samples) if self.samples else 0.0


NO_FREQUENCIES = Frequencies(0, np.zeros(1, np.uint64), np.zeros(1, np.uint32))


def count_documents(blocks: Sequence[Block]) -> Frequencies:
    """The frequencies over all blocks, in whatever order they stand."""
    grams = score_kernels.ORDERS * sum(len(block.ids) for block in blocks)
    # Parts by the n-grams' last bits: sorted one after the other, they need little memory.
    parts = 1 << max(0, math.ceil(math.log2(max(grams, 1) / _AT_ONCE)))
    tables = [_repeated(_gathered(blocks, part, parts)) for part in range(parts)]
    found = sum(len(keys) for keys, _ in tables)
    size = power_of_two(2 * found + 1)
    table, counts = np.zeros(size, np.uint64), np.zeros(size, np.uint32)
    for keys, many in tables:
        score_kernels.fill_frequencies(keys, many, table, counts)
    return Frequencies(sum(map(len, blocks)), table, counts)


def _gathered(blocks: Sequence[Block], part: int, parts: int) -> Keys:
    """The n-grams of one part, each once a caption, sorted."""
    gathered: Keys = np.empty(_AT_ONCE // 4, np.uint64)
    filled = 0
    for block in blocks:
        words = block.words()
        most = score_kernels.ORDERS * len(words.keys)
        if filled + most > len(gathered):
            more = np.empty(2 * len(gathered) + most, np.uint64)
            more[:filled] = gathered[:filled]
            gathered = more
        longest = int(np.diff(words.offsets).max(initial=0))
        size = power_of_two(2 * score_kernels.ORDERS * longest)
        scratch, stamps = np.empty(size, np.uint64), np.zeros(size, np.int64)
        captions = (words.offsets, words.keys)
        filled += score_kernels.gather_grams(captions, part, parts, gathered[filled:], scratch, stamps)
    gathered = gathered[:filled]
    gathered.sort()
    return gathered


def _repeated(grams: Keys) -> tuple[Keys, NDArray[np.uint32]]:
    """Those that stand more than once in a sorted list, and how often."""
    if not len(grams):
        return grams, np.empty(0, np.uint32)
    first: Ints = np.flatnonzero(np.concatenate((np.ones(1, bool), grams[1:] != grams[:-1])))
    counts = np.diff(np.append(first, len(grams)))
    kept = counts > 1
    return grams[first[kept]], counts[kept].astype(np.uint32)
