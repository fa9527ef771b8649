"""The counts of METEOR for pairs of captions: the same twenty-three that the official program says."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sightline.scoring.metrics.captions.meteor.beam import BEAM, choose
from sightline.scoring.metrics.captions.meteor.formula import BY_WAY, CHUNKS, COUNTS, MATCHED
from sightline.scoring.metrics.captions.meteor.lexicon import lexicon, paraphrases
from sightline.scoring.metrics.captions.meteor.matching import (
    BEGIN,
    LENGTH,
    LONGEST_PHRASE,
    START,
    WAY,
    WIDTH,
    find_matches,
    places_for,
)


class _Numbers(dict[str, int]):
    """Words numbered as they come."""

    def __missing__(self, word: str) -> int:
        self[word] = number = len(self)
        return number


def count_matches(replies: Sequence[Sequence[str]], truths: Sequence[Sequence[str]]) -> NDArray[np.int64]:
    """The counts of each pair of captions, which are given as words. Raises `MissingError` without the tables."""
    numbers = _Numbers()
    sides = [_numbered(side, numbers) for side in (replies, truths)]
    longest = max((len(words) for side in (replies, truths) for words in side), default=0)
    counts = np.zeros((len(replies), COUNTS), np.int64)
    _count(sides[0], sides[1], (tuple(lexicon(list(numbers))), tuple(paraphrases())), longest, counts)
    return counts


def _numbered(side: Sequence[Sequence[str]], numbers: _Numbers) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    offsets = np.cumsum([0, *map(len, side)])
    return offsets, np.array([numbers[word] for words in side for word in words], np.int32)


@njit(cache=True, nogil=True)
def _count(replies: Any, truths: Any, tables: Any, longest: int, counts: Any) -> None:
    places = places_for(longest)
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
        choose(found, many, len(reply), beams, chosen[: len(truth)])
        _sum_up(reply, truth, found, chosen, tables[0][2], counts[row])


@njit(cache=True, nogil=True)
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
