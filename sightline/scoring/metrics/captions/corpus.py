"""CIDEr, ROUGE-L and BLEU of tokenized captions, and the document frequencies of n-grams that CIDEr needs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from sightline.scoring.metrics.captions.kernels import (
    ORDERS,
    compare_grams,
    compare_order,
    fill_frequencies,
    gather_grams,
    hash_captions,
    number_words,
)
from sightline.scoring.metrics.captions.tokenizer import Ints, Keys, Words, word_keys
from sightline.stats.state_checks import fits, require

_AT_ONCE = 8_000_000
"""How many n-grams are sorted at a time: 64 MB, twice."""
Floats = NDArray[np.float64]
_SMALL = 1e-9
_TINY = 1e-15


class Block(Struct, frozen=True):
    """The words of a batch of captions, each as the place of its key in the batch's own vocabulary."""

    offsets: NDArray[np.uint32]
    ids: NDArray[np.uint16] | NDArray[np.uint32]
    vocabulary: Keys
    spaced: dict[int, Keys]
    groups: NDArray[np.uint32]
    """The offsets of samples among the captions."""

    def __len__(self) -> int:
        return len(self.groups) - 1

    def words(self) -> Words:
        """As they were."""
        keys = self.vocabulary[self.ids]
        return Words(self.offsets.astype(np.int64), keys, self.spaced, self.groups.astype(np.int64))


def pack(words: Words) -> Block:
    """The words in about 40 bytes a brief caption."""
    count = len(words.keys)
    ids, vocabulary = np.empty(count, np.uint32), np.empty(count, np.uint64)
    size = power_of_two(2 * count)
    table, places = np.zeros(size, np.uint64), np.zeros(size, np.uint32)
    known = number_words(words.keys, ids, vocabulary, table, places)
    small = ids.astype(np.uint16) if known <= 1 << 16 else ids
    offsets, groups = words.offsets.astype(np.uint32), words.samples.astype(np.uint32)
    return Block(offsets, small, vocabulary[:known].copy(), words.spaced, groups)


def validate_block(offsets: Any, ids: Any, vocabulary: Any, spaced: Any, groups: Any) -> Block:
    """A block of arrays that came from a file; `ValueError` where an index would leave its array."""
    keys = np.empty(0, np.uint64)
    require(fits(vocabulary, keys), type(spaced) is dict)
    require(any(fits(ids, np.empty(0, kind)) for kind in (np.uint16, np.uint32)))
    require(all(type(row) is int and fits(words, keys) for row, words in spaced.items()))
    for starts, end in ((offsets, len(ids)), (groups, len(offsets) - 1)):
        require(fits(starts, np.empty(0, np.uint32)), len(starts) > 0)
        require(int(starts[0]) == 0, int(starts[-1]) == end, bool((starts[1:] >= starts[:-1]).all()))
    require(bool((groups[1:] > groups[:-1]).all()))
    require(int(ids.max(initial=0)) < max(len(vocabulary), 1), len(vocabulary) > 0 or not len(ids))
    return Block(offsets, ids, vocabulary, spaced, groups)


def power_of_two(least: int) -> int:
    """The size of a table with at least so many places."""
    return 1 << max(4, math.ceil(math.log2(max(least, 1))))


class Frequencies(Struct, frozen=True):
    """Document frequencies of n-grams; those of only one sample weigh as if none had them, and are left out."""

    samples: int
    keys: Keys
    counts: NDArray[np.uint32]

    @property
    def log_samples(self) -> float:
        """The weight of an n-gram that one sample has."""
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
    """The n-grams of one part, each once a sample, sorted."""
    gathered: Keys = np.empty(_AT_ONCE // 4, np.uint64)
    filled = 0
    for block in blocks:
        words = block.words()
        most = ORDERS * len(words.keys)
        if filled + most > len(gathered):
            more = np.empty(2 * len(gathered) + most, np.uint64)
            more[:filled] = gathered[:filled]
            gathered = more
        longest = int(np.diff(words.offsets[words.samples]).max(initial=0))
        size = power_of_two(2 * ORDERS * longest)
        scratch, stamps = np.empty(size, np.uint64), np.zeros(size, np.int64)
        captions = (words.samples, words.offsets, words.keys)
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
    """Compare each reply with the references of its sample."""
    count = len(replies)
    matches, cider, closest = np.zeros((count, ORDERS)), np.zeros(count), np.zeros(count)
    lengths = np.diff(replies.offsets)
    mine, theirs = (replies.offsets, replies.keys), (truths.samples, truths.offsets, truths.keys)
    scratch = _scratch(ORDERS * int((lengths + np.diff(truths.offsets[truths.samples])).max(initial=0)))
    table = (frequencies.keys, frequencies.counts)
    compare_grams(mine, theirs, table, frequencies.log_samples, scratch, (matches, cider, closest))
    guesses = np.maximum(lengths[:, None] - np.arange(ORDERS), 0)
    return Scores(np.column_stack((matches, guesses, lengths, closest)), rouge_scores(replies, truths), cider)


def rouge_scores(replies: Words, truths: Words) -> Floats:
    """ROUGE-L of each reply against the references of its sample."""
    rouge = np.zeros(len(replies))
    nothing = word_keys([""])
    theirs = (truths.samples, truths.offsets, truths.keys)
    compare_order((replies.offsets, replies.keys), theirs, nothing, rouge)
    of_truths = np.searchsorted(truths.samples, sorted(truths.spaced), "right") - 1
    for row in sorted({*replies.spaced, *of_truths.tolist()}):
        one = np.zeros(1)
        compare_order(_spaced_reply(replies, row), _spaced_references(truths, row), nothing, one)
        rouge[row] = one[0]
    return rouge


def compare_constant(reply: Keys, truths: Words, frequencies: Frequencies) -> Scores:
    """Compare one and the same reply with the references of every sample."""
    count = len(truths.samples) - 1
    return compare(Words(np.arange(count + 1) * len(reply), np.tile(reply, count)), truths, frequencies)


def find_most_frequent(blocks: Sequence[Block]) -> Keys:
    """The words of the most frequent caption; of several, the one with the smallest hash, whatever their order."""
    hashes = []
    for block in blocks:
        words = block.words()
        hashes.append(np.empty(len(words), np.uint64))
        hash_captions(words.offsets, words.keys, hashes[-1])
    if not sum(map(len, hashes)):
        return np.empty(0, np.uint64)
    different, counts = np.unique(np.concatenate(hashes), return_counts=True)
    wanted = different[counts.argmax()]
    number, rows = next(
        (number, rows) for number, some in enumerate(hashes) if len(rows := np.flatnonzero(some == wanted))
    )
    block, row = blocks[number], rows[0]
    found: Keys = block.vocabulary[block.ids[block.offsets[row] : block.offsets[row + 1]]]
    return found


def _scratch(grams: int) -> tuple[NDArray[Any], ...]:
    size = power_of_two(2 * grams)
    counts = np.zeros((size, 3), np.int64)
    orders, seats = np.zeros(size, np.int64), np.zeros(grams + 1, np.int64)
    return np.zeros(size, np.uint64), np.zeros(size, np.int64), counts, np.zeros(size, np.uint32), orders, seats


def _spaced_reply(words: Words, row: int) -> tuple[Ints, Keys]:
    """One caption's words between single spaces."""
    keys = words.spaced.get(row, words.keys[words.offsets[row] : words.offsets[row + 1]])
    return np.array([0, len(keys)], np.int64), np.ascontiguousarray(keys)


def _spaced_references(words: Words, row: int) -> tuple[Ints, Ints, Keys]:
    """The words between single spaces of all captions of a sample."""
    captions = [_spaced_reply(words, caption)[1] for caption in range(*words.samples[row : row + 2].tolist())]
    offsets = np.cumsum([0, *map(len, captions)])
    return np.array([0, len(captions)], np.int64), offsets, np.concatenate(captions)


def bleu(totals: Floats, order: int = ORDERS) -> Floats:
    """BLEU of sums of columns, shape (…, 10): of a corpus, or of a sample by itself."""
    matches, guesses = totals[..., :order], totals[..., ORDERS : ORDERS + order]
    precision = np.prod((matches + _TINY) / (guesses + _SMALL), axis=-1) ** (1 / order)
    ratio = (totals[..., -2] + _TINY) / (totals[..., -1] + _SMALL)
    penalty = np.where(ratio < 1, np.exp(1 - 1 / np.minimum(ratio, 1)), 1.0)
    score: Floats = precision * penalty
    return score


def strict_bleu(totals: Floats, order: int = ORDERS) -> Floats:
    """BLEU without smoothing: exactly 0 where no n-gram of some order matches, 1 where all do, NaN of nothing."""
    matches, guesses = totals[..., :order], totals[..., ORDERS : ORDERS + order]
    with np.errstate(divide="ignore", invalid="ignore"):
        precision = np.prod(matches / guesses, axis=-1) ** (1 / order)
        score: Floats = precision * np.exp(np.minimum(1 - totals[..., -1] / totals[..., -2], 0))
    return score
