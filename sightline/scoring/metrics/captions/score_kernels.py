"""N-grams counted, weighed and compared, and longest common subsequences: the arithmetic of BLEU, CIDEr and ROUGE-L."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import njit

ORDERS = 4
_MIX_1 = np.uint64(0x9E3779B97F4A7C15)
_MIX_2 = np.uint64(0xBF58476D1CE4E5B9)
_ONE = np.uint64(1)
_FREE = np.uint64(0)
_BETA_SQUARED = 1.2**2
_TWO_SIGMA_SQUARED = 2 * 6.0**2
_MANY = np.uint32(0xFFFFFFFF)


@njit(cache=True, nogil=True)
def joined(left: Any, right: Any) -> Any:
    """The key of the n-gram that `left` begins and the word `right` ends: order and length make a difference."""
    mixed = (left ^ (left >> np.uint64(31))) * _MIX_1 + right
    mixed = (mixed ^ (mixed >> np.uint64(29))) * _MIX_2
    mixed ^= mixed >> np.uint64(32)
    return mixed if mixed != _FREE else _ONE


@njit(cache=True, nogil=True)
def seat(table: Any, stamps: Any, stamp: int, key: Any) -> Any:
    """The place of a key among those of this stamp, or the free place where it belongs."""
    mask = np.uint64(len(table) - 1)
    place = key & mask
    while stamps[place] == stamp and table[place] != key:
        place = (place + _ONE) & mask
    return place


@njit(cache=True, nogil=True)
def gather_grams(captions: Any, part: int, parts: int, out: Any, scratch: Any, stamps: Any) -> int:
    """Write the n-grams of one part (by their last bits), each once a caption; how many there are.

    `parts` is a power of two; `scratch` has at least twice as many places as a caption has n-grams.
    """
    offsets, keys = captions
    filled = 0
    wanted, last = np.uint64(part), np.uint64(parts - 1)
    for row in range(len(offsets) - 1):
        for first in range(offsets[row], offsets[row + 1]):
            key = keys[first]
            for order in range(min(ORDERS, offsets[row + 1] - first)):
                if order:
                    key = joined(key, keys[first + order])
                if key & last != wanted:
                    continue
                # Keys of one part end alike: turned, they spread over the scratch all the same.
                turned = (key >> np.uint64(32)) | (key << np.uint64(32))
                place = seat(scratch, stamps, row + 1, turned)
                if stamps[place] != row + 1:
                    stamps[place] = row + 1
                    scratch[place] = turned
                    out[filled] = key
                    filled += 1
    return filled


@njit(cache=True, nogil=True)
def fill_frequencies(keys: Any, counts: Any, table: Any, table_counts: Any) -> None:
    """Put counted n-grams into a table of zeros with at least twice as many places."""
    mask = np.uint64(len(table) - 1)
    for row in range(len(keys)):
        place = keys[row] & mask
        while table[place] != _FREE:
            place = (place + _ONE) & mask
        table[place] = keys[row]
        table_counts[place] = counts[row]


@njit(cache=True, nogil=True)
def _frequency(table: Any, counts: Any, key: Any) -> Any:
    mask = np.uint64(len(table) - 1)
    place = key & mask
    while table[place] != _FREE:
        if table[place] == key:
            return counts[place]
        place = (place + _ONE) & mask
    return np.uint32(1)


@njit(cache=True, nogil=True)
def _count_grams(words: Any, side: int, frequencies: Any, sample: Any, stamp: int, used: int) -> int:
    """Count the n-grams of one caption of a sample on its side; how many different ones the sample has now."""
    table, table_counts = frequencies
    keys, stamps, counts, known, orders, seats = sample
    for first in range(len(words)):
        key = words[first]
        frequent = _MANY
        for order in range(min(ORDERS, len(words) - first)):
            if order:
                key = joined(key, words[first + order])
            place = seat(keys, stamps, stamp, key)
            if stamps[place] != stamp:
                stamps[place] = stamp
                keys[place] = key
                # An n-gram is no more frequent than its beginning: after a rare one nothing need be looked up.
                known[place] = _frequency(table, table_counts, key) if frequent > 1 else np.uint32(1)
                orders[place] = order
                counts[place, 0] = 0
                counts[place, 1] = 0
                seats[used] = place
                used += 1
            frequent = known[place]
            counts[place, side] += 1
    return used


@njit(cache=True, nogil=True)
def compare_grams(replies: Any, truths: Any, frequencies: Any, log_samples: float, sample: Any, out: Any) -> None:
    """Clipped matches by order and CIDEr of each sample; `replies` and `truths` are (offsets, keys), `out` is both."""
    matches, cider = out
    _, _, counts, known, orders, seats = sample
    for row in range(len(replies[0]) - 1):
        mine = replies[1][replies[0][row] : replies[0][row + 1]]
        theirs = truths[1][truths[0][row] : truths[0][row + 1]]
        used = _count_grams(mine, 0, frequencies, sample, row + 1, 0)
        used = _count_grams(theirs, 1, frequencies, sample, row + 1, used)
        dot, my_norm, their_norm = np.zeros(ORDERS), np.zeros(ORDERS), np.zeros(ORDERS)
        for entry in range(used):
            place = seats[entry]
            order = orders[place]
            weight = log_samples - math.log(known[place])
            ours, others = counts[place, 0], counts[place, 1]
            clipped = min(ours, others)
            matches[row, order] += clipped
            dot[order] += (clipped * weight) * (others * weight)
            my_norm[order] += (ours * weight) ** 2
            their_norm[order] += (others * weight) ** 2
        total = 0.0
        for order in range(ORDERS):
            both = math.sqrt(my_norm[order]) * math.sqrt(their_norm[order])
            if both > 0:
                total += dot[order] / both
        # The official code takes the number of bigrams for the length.
        apart = max(len(mine) - 1, 0) - max(len(theirs) - 1, 0)
        cider[row] = 10.0 * math.exp(-(apart**2) / _TWO_SIGMA_SQUARED) * total / ORDERS


@njit(cache=True, nogil=True)
def _common_length(short: Any, long: Any) -> int:
    """The longest common subsequence; for up to 64 words a whole row of its table stands in the bits of one number."""
    if len(short) > 64:
        row = np.zeros(len(short) + 1, np.int64)
        for word in long:
            corner = 0
            for place in range(len(short)):
                above = row[place + 1]
                row[place + 1] = corner + 1 if word == short[place] else max(above, row[place])
                corner = above
        return int(row[-1])
    bits = ~_FREE
    for word in long:
        matched = _FREE
        for place in range(len(short)):
            if short[place] == word:
                matched |= _ONE << np.uint64(place)
        matched &= bits
        bits = (bits + matched) | (bits - matched)
    common = 0
    for place in range(len(short)):
        if not (bits >> np.uint64(place)) & _ONE:
            common += 1
    return common


@njit(cache=True, nogil=True)
def compare_order(replies: Any, truths: Any, nothing: Any, rouge: Any) -> None:
    """ROUGE-L of each sample; a caption without words is one empty word, which is what `nothing` holds."""
    for row in range(len(rouge)):
        mine = replies[1][replies[0][row] : replies[0][row + 1]]
        theirs = truths[1][truths[0][row] : truths[0][row + 1]]
        if not len(mine):
            mine = nothing
        if not len(theirs):
            theirs = nothing
        common = _common_length(mine, theirs) if len(mine) < len(theirs) else _common_length(theirs, mine)
        precision, recall = common / len(mine), common / len(theirs)
        rouge[row] = 0.0
        if common:
            rouge[row] = ((1 + _BETA_SQUARED) * precision * recall) / (recall + _BETA_SQUARED * precision)
