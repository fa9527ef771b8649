"""METEOR 1.5: matching words are aligned and counted, and the formula is applied to the counts.

The counts are exactly those of the official program; they can be added, and the corpus score comes from their sums,
not from the mean of the samples' scores. The program's tables are read from its own jar; no Java is needed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from threading import Thread
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from sightline.scoring.compiled_kernels import compiled
from sightline.scoring.metrics.captions.meteor_kernels import (
    BEAM,
    BEGIN,
    LENGTH,
    LONGEST_PHRASE,
    START,
    WAY,
    WIDTH,
    choose_matches,
    find_matches,
    table_size,
)
from sightline.scoring.metrics.captions.meteor_lexicon import TablesMissingError, lexicon, paraphrases
from sightline.scoring.metrics.captions.meteor_normalizer import normalize

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
LONGEST = 400
"""Captions of more tokens are not aligned: over thousands of repeated words the search takes minutes, and one looping
reply would cost all others their time."""
_part = re.compile(r"[^ \t\n\r\f]+").findall
"""Words as Java's tokenizer of strings parts them."""


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


class _Numbers(dict[str, int]):
    """Words numbered as they come."""

    def __missing__(self, word: str) -> int:
        self[word] = number = len(self)
        return number


def count_matches(replies: Sequence[Sequence[str]], truths: Sequence[Sequence[str]]) -> NDArray[np.int64]:
    """The counts of each pair of captions, given as words. Raises `TablesMissingError` without the tables."""
    numbers = _Numbers()
    sides = [_number_words(side, numbers) for side in (replies, truths)]
    longest = max((len(words) for side in (replies, truths) for words in side), default=0)
    counts = np.zeros((len(replies), COUNTS), np.int64)
    _count(sides[0], sides[1], (tuple(lexicon(list(numbers))), tuple(paraphrases())), longest, counts)
    return counts


def _number_words(side: Sequence[Sequence[str]], numbers: _Numbers) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    offsets = np.cumsum([0, *map(len, side)])
    return offsets, np.array([numbers[word] for words in side for word in words], np.int32)


@compiled
def _count(replies: Any, truths: Any, tables: Any, longest: int, counts: Any) -> None:
    places = table_size(longest)
    index = (
        np.zeros(places, np.uint64),
        np.zeros(places, np.int64),
        np.empty(places, np.int64),
        np.empty(LONGEST_PHRASE * longest, np.int64),
    )
    scratch = (np.empty((2, longest, LONGEST_PHRASE), np.uint64), index)
    beams = (
        np.empty((2, BEAM, 5), np.int64),
        np.empty((2, BEAM, (longest >> 6) + 1), np.uint64),
        np.empty((2, BEAM, (longest >> 6) + 1), np.uint64),
        np.empty((longest, BEAM), np.int64),
        np.empty((longest, BEAM), np.int64),
    )
    chosen = np.empty(longest, np.int64)
    found = np.empty((256, 5), np.int32)
    for row in range(len(counts)):
        reply = replies[1][replies[0][row] : replies[0][row + 1]]
        truth = truths[1][truths[0][row] : truths[0][row + 1]]
        found, many = find_matches(reply, truth, tables, scratch, 2 * row + 1, found)
        choose_matches(found, many, len(reply), beams, chosen[: len(truth)])
        _sum_up(reply, truth, found, chosen, tables[0][2], counts[row])


@compiled
def _sum_up(reply: Any, truth: Any, found: Any, chosen: Any, is_function: Any, counts: Any) -> None:
    counts[0], counts[1] = len(reply), len(truth)
    for word in reply:
        counts[2] += is_function[word]
    for word in truth:
        counts[3] += is_function[word]
    last = -1
    word = 0
    while word < len(truth):
        if chosen[word] < 0:
            counts[CHUNKS] += last != -1
            last = -1
            word += 1
            continue
        match = found[chosen[word]]
        for of_reply in reply[match[BEGIN] : match[BEGIN] + match[WIDTH]]:
            counts[BY_WAY + 4 * match[WAY] + 2 * is_function[of_reply]] += 1
        for of_truth in truth[match[START] : match[START] + match[LENGTH]]:
            counts[BY_WAY + 4 * match[WAY] + 2 * is_function[of_truth] + 1] += 1
        counts[MATCHED] += match[WIDTH]
        counts[MATCHED + 1] += match[LENGTH]
        counts[CHUNKS] += last != -1 and match[BEGIN] != last
        word = match[START] + match[LENGTH]
        last = match[BEGIN] + match[WIDTH]
    counts[CHUNKS] += last != -1


class Aligned(Struct, frozen=True):
    """The columns of each sample, and how many samples have a caption that is too long: they match nothing."""

    columns: Floats
    too_long: int


def align(replies: Sequence[str], references: Sequence[str], samples: NDArray[np.int64] | None = None) -> Aligned:
    """Align captions that are given as lines of tokens. Raises `TablesMissingError` without the tables.

    Where `samples` has the offsets of samples among the references, the one with the best score counts.
    """
    many = np.ones(len(replies), np.int64) if samples is None else np.diff(samples)
    texts = [
        text
        for row, reference in zip(np.repeat(np.arange(len(many)), many).tolist(), references, strict=True)
        for text in (replies[row], reference)
    ]
    lengths = np.array([len(text.split()) for text in texts], np.int64).reshape(-1, 2)
    brief = _fit_limit(lengths)
    lines = normalize([text for text, is_brief in zip(texts, np.repeat(brief, 2).tolist(), strict=True) if is_brief])
    words = [_part(line.lower()) for line in lines]
    brief[brief] = still_brief = _fit_limit(np.array([len(some) for some in words], np.int64).reshape(-1, 2))
    sides = [[words[2 * row + side] for row in np.flatnonzero(still_brief)] for side in range(2)]
    counts = np.zeros((len(lengths), COUNTS), np.int64)
    counts[:, 0:2] = lengths
    counts[brief] = count_matches(*sides)
    found = columns(counts)
    if samples is None or not len(found):
        return Aligned(found, int((~brief).sum()))
    # Of a sample's references the first of those with the best score.
    row = np.repeat(np.arange(len(many)), many)
    order = np.lexsort((np.arange(len(row)), -meteor(found), row))
    return Aligned(found[order[samples[:-1]]], int(np.logical_or.reduceat(~brief, samples[:-1]).sum()))


def _fit_limit(lengths: NDArray[np.int64]) -> NDArray[np.bool_]:
    brief: NDArray[np.bool_] = np.all(lengths <= LONGEST, axis=1)
    return brief


def warm_up() -> None:
    """Read the tables in the background: they take seconds."""
    Thread(target=_read_tables, daemon=True).start()


def _read_tables() -> None:
    with suppress(TablesMissingError):  # said when captions are aligned
        paraphrases()
