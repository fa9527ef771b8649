"""Numba kernels for captions: 64-bit hashes of words, n-gram counts for BLEU and CIDEr, longest common subsequences.

The hash of a word depends on its letters alone, in every batch and process.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from sightline.scoring.compiled_kernels import compiled

_BASIS = np.uint64(0xCBF29CE484222325)
_PRIME = np.uint64(0x100000001B3)
_MIX_1 = np.uint64(0xFF51AFD7ED558CCD)
_MIX_2 = np.uint64(0xC4CEB9FE1A85EC53)
_SHIFT = np.uint64(33)
ORDERS = 4
REPLY, REFERENCE, MOST = 0, 1, 2
"""Columns of counts of n-grams: in the reply, in one reference, and the most in any reference."""
_JOIN_1 = np.uint64(0x9E3779B97F4A7C15)
_JOIN_2 = np.uint64(0xBF58476D1CE4E5B9)
_ONE = np.uint64(1)
_FREE = np.uint64(0)
_BETA_SQUARED = 1.2**2
_TWO_SIGMA_SQUARED = 2 * 6.0**2
_MANY = np.uint32(0xFFFFFFFF)


@compiled
def _finish_hash(state: Any) -> Any:
    """The key of a word from the running state: well mixed, and never 0, which marks free places in tables."""
    key = (state ^ (state >> _SHIFT)) * _MIX_1
    key = (key ^ (key >> _SHIFT)) * _MIX_2
    key ^= key >> _SHIFT
    return key if key != np.uint64(0) else np.uint64(1)


@compiled
def hash_lines(data: Any, keys: Any, lengths: Any) -> int:
    """The keys of words between single spaces, of lines that each end in a line break; a line always has a word."""
    filled = 0
    row = 0
    first = 0
    state = _BASIS
    for byte in data:
        if byte == np.uint8(32) or byte == np.uint8(10):
            keys[filled] = _finish_hash(state)
            filled += 1
            state = _BASIS
            if byte == np.uint8(10):
                lengths[row] = filled - first
                first = filled
                row += 1
        else:
            state = (state ^ np.uint64(byte)) * _PRIME
    return filled


@compiled
def count_signs(data: Any, starts: Any, stops: Any, signs: Any) -> int:
    """How often one of the bytes occurs in the texts."""
    wanted = np.zeros(256, np.int64)
    for sign in signs:
        wanted[sign] = 1
    found = 0
    for row in range(len(starts)):
        for position in range(starts[row], stops[row]):
            found += wanted[data[position]]
    return found


@compiled
def count_words(data: Any, starts: Any, stops: Any, counts: Any) -> None:
    """The number of words between white space; −1 for a text that is not ASCII."""
    for row in range(len(starts)):
        inside = False
        counts[row] = 0
        for position in range(starts[row], stops[row]):
            byte = data[position]
            if byte >= np.uint8(128):
                counts[row] = -1
                break
            is_space = byte == np.uint8(32) or 9 <= byte <= 13 or 28 <= byte <= 31
            if not is_space and not inside:
                counts[row] += 1
            inside = not is_space


@compiled
def number_words(keys: Any, ids: Any, vocabulary: Any, table: Any, positions: Any) -> int:
    """Number the different keys in the order in which they come; `table` and `positions` are zeroed scratch."""
    mask = np.uint64(len(table) - 1)
    known = 0
    for row in range(len(keys)):
        key = keys[row]
        position = key & mask
        while table[position] != np.uint64(0) and table[position] != key:
            position = (position + np.uint64(1)) & mask
        if table[position] == np.uint64(0):
            table[position] = key
            positions[position] = known
            vocabulary[known] = key
            known += 1
        ids[row] = positions[position]
    return known


@compiled
def join_keys(left: Any, right: Any) -> Any:
    """The key of the n-gram that `left` begins and the word `right` ends: order and length make a difference."""
    mixed = (left ^ (left >> np.uint64(31))) * _JOIN_1 + right
    mixed = (mixed ^ (mixed >> np.uint64(29))) * _JOIN_2
    mixed ^= mixed >> np.uint64(32)
    return mixed if mixed != _FREE else _ONE


@compiled
def hash_captions(offsets: Any, keys: Any, hashes: Any) -> None:
    """One key for all words of each caption."""
    for row in range(len(hashes)):
        key = _ONE
        for position in range(offsets[row], offsets[row + 1]):
            key = join_keys(key, keys[position])
        hashes[row] = key


@compiled
def find_slot(table: Any, stamps: Any, stamp: int, key: Any) -> Any:
    """The place of a key among those of this stamp, or the free place where it belongs."""
    mask = np.uint64(len(table) - 1)
    position = key & mask
    while stamps[position] == stamp and table[position] != key:
        position = (position + _ONE) & mask
    return position


@compiled
def gather_grams(captions: Any, part: int, parts: int, out: Any, scratch: Any, stamps: Any) -> int:
    """Write the n-grams of one part (by their last bits), each once a sample; how many there are.

    `captions` are the offsets of the samples' references, the offsets of their words, and the words. `parts` is a power
    of two; `scratch` has at least twice as many places as a sample has n-grams.
    """
    groups, offsets, keys = captions
    filled = 0
    wanted, last = np.uint64(part), np.uint64(parts - 1)
    for row in range(len(groups) - 1):
        for reference in range(groups[row], groups[row + 1]):
            for first in range(offsets[reference], offsets[reference + 1]):
                key = keys[first]
                for order in range(min(ORDERS, offsets[reference + 1] - first)):
                    if order:
                        key = join_keys(key, keys[first + order])
                    if key & last != wanted:
                        continue
                    # Keys of one part end alike: turned, they spread over the scratch all the same.
                    turned = (key >> np.uint64(32)) | (key << np.uint64(32))
                    position = find_slot(scratch, stamps, row + 1, turned)
                    if stamps[position] != row + 1:
                        stamps[position] = row + 1
                        scratch[position] = turned
                        out[filled] = key
                        filled += 1
    return filled


@compiled
def fill_frequencies(keys: Any, counts: Any, table: Any, table_counts: Any) -> None:
    """Put counted n-grams into a table of zeros with at least twice as many places."""
    mask = np.uint64(len(table) - 1)
    for row in range(len(keys)):
        position = keys[row] & mask
        while table[position] != _FREE:
            position = (position + _ONE) & mask
        table[position] = keys[row]
        table_counts[position] = counts[row]


@compiled
def _frequency(table: Any, counts: Any, key: Any) -> Any:
    mask = np.uint64(len(table) - 1)
    position = key & mask
    while table[position] != _FREE:
        if table[position] == key:
            return counts[position]
        position = (position + _ONE) & mask
    return np.uint32(1)


@compiled
def _count_grams(words: Any, side: int, frequencies: Any, sample: Any, stamp: int, used: int) -> int:
    """Count the n-grams of one caption of a sample on its side; how many different ones the sample has now."""
    table, table_counts = frequencies
    keys, stamps, counts, known, orders, seats = sample
    for first in range(len(words)):
        key = words[first]
        frequent = _MANY
        for order in range(min(ORDERS, len(words) - first)):
            if order:
                key = join_keys(key, words[first + order])
            position = find_slot(keys, stamps, stamp, key)
            if stamps[position] != stamp:
                stamps[position] = stamp
                keys[position] = key
                # An n-gram is no more frequent than its beginning: after a rare one nothing need be looked up.
                known[position] = _frequency(table, table_counts, key) if frequent > 1 else np.uint32(1)
                orders[position] = order
                counts[position, REPLY] = 0
                counts[position, REFERENCE] = 0
                counts[position, MOST] = 0
                seats[used] = position
                used += 1
            frequent = known[position]
            counts[position, side] += 1
    return used


@compiled
def compare_grams(replies: Any, truths: Any, frequencies: Any, log_samples: float, sample: Any, out: Any) -> None:
    """Clipped matches by order, CIDEr and the closest reference's length of each sample.

    `replies` are (offsets, keys), `truths` (offsets of samples, offsets, keys); `out` is filled. An n-gram matches as
    often as the reference that has it most; CIDEr is the mean over references; of references equally close in length to
    the reply, the shorter counts.
    """
    matches, cider, lengths = out
    _, _, counts, known, orders, seats = sample
    groups, offsets, keys = truths
    for row in range(len(replies[0]) - 1):
        mine = replies[1][replies[0][row] : replies[0][row + 1]]
        used = _count_grams(mine, REPLY, frequencies, sample, row + 1, 0)
        similarity = 0.0
        closest = -1
        for reference in range(groups[row], groups[row + 1]):
            theirs = keys[offsets[reference] : offsets[reference + 1]]
            used = _count_grams(theirs, REFERENCE, frequencies, sample, row + 1, used)
            dot, my_norm, their_norm = np.zeros(ORDERS), np.zeros(ORDERS), np.zeros(ORDERS)
            for entry in range(used):
                position = seats[entry]
                order = orders[position]
                weight = log_samples - math.log(known[position])
                ours, others = counts[position, REPLY], counts[position, REFERENCE]
                dot[order] += (min(ours, others) * weight) * (others * weight)
                my_norm[order] += (ours * weight) ** 2
                their_norm[order] += (others * weight) ** 2
                counts[position, MOST] = max(counts[position, MOST], others)
                counts[position, REFERENCE] = 0
            total = 0.0
            for order in range(ORDERS):
                both = math.sqrt(my_norm[order]) * math.sqrt(their_norm[order])
                if both > 0:
                    total += dot[order] / both
            # The official code takes the number of bigrams for the length.
            apart = max(len(mine) - 1, 0) - max(len(theirs) - 1, 0)
            similarity += math.exp(-(apart**2) / _TWO_SIGMA_SQUARED) * total / ORDERS
            away, best = abs(len(theirs) - len(mine)), abs(closest - len(mine))
            if closest < 0 or away < best or (away == best and len(theirs) < closest):
                closest = len(theirs)
        for entry in range(used):
            position = seats[entry]
            matches[row, orders[position]] += min(counts[position, REPLY], counts[position, MOST])
        cider[row] = 10.0 * similarity / (groups[row + 1] - groups[row])
        lengths[row] = closest


@compiled
def _common_length(short: Any, long: Any) -> int:
    """Length of the longest common subsequence (LCS); up to 64 words, a row of its table is the bits of one number."""
    if len(short) > 64:
        row = np.zeros(len(short) + 1, np.int64)
        for word in long:
            corner = 0
            for position in range(len(short)):
                above = row[position + 1]
                row[position + 1] = corner + 1 if word == short[position] else max(above, row[position])
                corner = above
        return int(row[-1])
    bits = ~_FREE
    for word in long:
        matched = _FREE
        for position in range(len(short)):
            if short[position] == word:
                matched |= _ONE << np.uint64(position)
        matched &= bits
        bits = (bits + matched) | (bits - matched)
    common = 0
    for position in range(len(short)):
        if not (bits >> np.uint64(position)) & _ONE:
            common += 1
    return common


@compiled
def compare_order(replies: Any, truths: Any, nothing: Any, rouge: Any) -> None:
    """ROUGE-L of each sample, of the best precision and the best recall over its references.

    A caption without words is one empty word, which is what `nothing` holds.
    """
    groups, offsets, keys = truths
    for row in range(len(rouge)):
        mine = replies[1][replies[0][row] : replies[0][row + 1]]
        if not len(mine):
            mine = nothing
        precision, recall = 0.0, 0.0
        for reference in range(groups[row], groups[row + 1]):
            theirs = keys[offsets[reference] : offsets[reference + 1]]
            if not len(theirs):
                theirs = nothing
            common = _common_length(mine, theirs) if len(mine) < len(theirs) else _common_length(theirs, mine)
            precision, recall = max(precision, common / len(mine)), max(recall, common / len(theirs))
        rouge[row] = 0.0
        if precision > 0:
            rouge[row] = ((1 + _BETA_SQUARED) * precision * recall) / (recall + _BETA_SQUARED * precision)
