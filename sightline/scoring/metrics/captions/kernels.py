"""Numba kernels for captions: 64-bit hashes of words, n-gram counts for BLEU and CIDEr, longest common subsequences.

The hash of a word depends on its letters alone, in every batch and process.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline.scoring.compiled_kernels import compiled

_BASIS = np.uint64(0xCBF29CE484222325)
_PRIME = np.uint64(0x100000001B3)
_MIX_1 = np.uint64(0xFF51AFD7ED558CCD)
_MIX_2 = np.uint64(0xC4CEB9FE1A85EC53)
_SHIFT = np.uint64(33)
_LONGEST = 7
"""No listed word has more letters; a longer one need not be looked up."""
ORDERS = 4
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
def _contains(table: Any, key: Any) -> Any:
    mask = np.uint64(len(table) - 1)
    position = key & mask
    while table[position] != np.uint64(0):
        if table[position] == key:
            return True
        position = (position + np.uint64(1)) & mask
    return False


@compiled
def _read_simple_text(data: Any, start: int, stop: int, lists: Any, keys: Any) -> int:
    """The keys of one text's words and their number; −1 where the text has anything that we leave to Java."""
    found = 0
    state = _BASIS
    letters = 0
    after_word = False
    for position in range(start, stop):
        byte = data[position]
        lower = byte | np.uint8(32)
        if np.uint8(97) <= lower <= np.uint8(122) and byte >= np.uint8(65):
            state = (state ^ np.uint64(lower)) * _PRIME
            letters += 1
            continue
        is_stop = byte == np.uint8(46)
        is_mark = is_stop or byte == np.uint8(44)
        if not (is_mark or byte == np.uint8(32) or np.uint8(10) <= byte <= np.uint8(13)):
            return -1
        if letters:
            keys[found] = _finish_hash(state)
            if letters <= _LONGEST and _contains(lists[0], keys[found]):
                return -1
            if is_stop and (letters == 1 or (letters <= _LONGEST and _contains(lists[1], keys[found]))):
                return -1
            found += 1
            state, letters, after_word = _BASIS, 0, True
        if is_mark:
            # One mark after a word, and then a space or the end: "a.b", "..." and ",a" are other tokens.
            if not after_word:
                return -1
            after_word = False
            if position + 1 < stop and data[position + 1] != np.uint8(32) and not 10 <= data[position + 1] <= 13:
                return -1
    if letters:
        keys[found] = _finish_hash(state)
        if letters <= _LONGEST and _contains(lists[0], keys[found]):
            return -1
        found += 1
    return found


@compiled
def read_simple(data: Any, starts: Any, stops: Any, lists: Any, keys: Any, lengths: Any) -> int:
    """Fill `keys`, text after text, and `lengths`; −1 for a text that only Java may read. Returns the keys' number."""
    filled = 0
    for row in range(len(starts)):
        lengths[row] = _read_simple_text(data, starts[row], stops[row], lists, keys[filled:])
        filled += max(lengths[row], 0)
    return filled


@compiled
def write_simple(data: Any, starts: Any, stops: Any, out: Any) -> int:
    """Write the words of plain texts in lower case, one space between them and one line a text; the bytes' number."""
    filled = 0
    for row in range(len(starts)):
        first = filled
        for position in range(starts[row], stops[row]):
            byte = data[position]
            if byte >= np.uint8(65):
                if filled > first and (data[position - 1] < np.uint8(65)):
                    out[filled] = 32
                    filled += 1
                out[filled] = byte | np.uint8(32)
                filled += 1
        out[filled] = 10
        filled += 1
    return filled


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


def build_hash_table(keys: NDArray[np.uint64], size: int) -> NDArray[np.uint64]:
    """A few keys as a table for look-ups; `size` is a power of two."""
    table = np.zeros(size, np.uint64)
    for key in keys.tolist():
        position = key & (size - 1)
        while table[position]:
            position = (position + 1) & (size - 1)
        table[position] = key
    return table


@compiled
def join_keys(left: Any, right: Any) -> Any:
    """The key of the n-gram that `left` begins and the word `right` ends: order and length make a difference."""
    mixed = (left ^ (left >> np.uint64(31))) * _JOIN_1 + right
    mixed = (mixed ^ (mixed >> np.uint64(29))) * _JOIN_2
    mixed ^= mixed >> np.uint64(32)
    return mixed if mixed != _FREE else _ONE


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
                counts[position, 0] = 0
                counts[position, 1] = 0
                seats[used] = position
                used += 1
            frequent = known[position]
            counts[position, side] += 1
    return used


@compiled
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
            position = seats[entry]
            order = orders[position]
            weight = log_samples - math.log(known[position])
            ours, others = counts[position, 0], counts[position, 1]
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
