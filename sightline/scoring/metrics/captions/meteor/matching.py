"""Which words of a reply may stand for which of a reference: every pair that one of METEOR's four matchers finds.

The order in which pairs are found is the official program's: among equal alignments the first found wins.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from sightline.scoring.metrics.captions.score_kernels import joined, seat

EXACT, STEM, SYNONYM, PARAPHRASE = range(4)
START, LENGTH, BEGIN, WIDTH, WAY = range(5)
"""Columns of a match: first word and number of words in the reference, the same in the reply, and the matcher."""

LONGEST_PHRASE = 7
"""Words; no phrase of the table has more."""


@njit(cache=True, nogil=True)
def _larger(found: Any, size: int) -> Any:
    """The matches with room for so many."""
    larger = np.empty((size, 5), np.int32)
    for row in range(len(found)):  # copied by hand: an assignment of slices takes seconds to compile
        for column in range(5):
            larger[row, column] = found[row, column]
    return larger


@njit(cache=True, nogil=True)
def _share(offsets: Any, values: Any, one: int, other: int) -> bool:
    """Whether two ascending lists have a value in common."""
    left, right = offsets[one], offsets[other]
    while left < offsets[one + 1] and right < offsets[other + 1]:
        if values[left] == values[right]:
            return True
        if values[left] < values[right]:
            left += 1
        else:
            right += 1
    return False


@njit(cache=True, nogil=True)
def _match_words(reply: Any, truth: Any, ways: int, lexicon: Any, found: Any) -> Any:
    """Single words; there is room for all of them."""
    exact, stems, _, offsets, synsets, bits, _ = lexicon
    reply_exact, reply_stems = np.empty(len(reply), np.int64), np.empty(len(reply), np.int64)
    reply_bits = np.empty(len(reply), np.uint64)
    for begin in range(len(reply)):
        word = reply[begin]
        reply_exact[begin], reply_stems[begin], reply_bits[begin] = exact[word], stems[word], bits[word]
    count = 0
    for way in range(ways):
        for start in range(len(truth)):
            its_exact, its_stem, its_bits = exact[truth[start]], stems[truth[start]], bits[truth[start]]
            for begin in range(len(reply)):
                if way == EXACT:
                    is_match = reply_exact[begin] == its_exact
                elif way == STEM:
                    is_match = reply_stems[begin] == its_stem and reply_exact[begin] != its_exact
                else:
                    is_match = reply_bits[begin] & its_bits != 0 and reply_exact[begin] != its_exact
                    is_match = is_match and _share(offsets, synsets, reply[begin], truth[start])
                if is_match:
                    found[count, START], found[count, LENGTH] = start, 1
                    found[count, BEGIN], found[count, WIDTH], found[count, WAY] = begin, 1, way
                    count += 1
    return count


@njit(cache=True, nogil=True)
def _key_phrases(words: Any, keys: Any, phrases: Any) -> None:
    """The key of every phrase: `phrases[first, n]` is that of n + 1 words."""
    for first in range(len(words)):
        key = keys[words[first]]
        phrases[first, 0] = key
        for more in range(1, min(LONGEST_PHRASE, len(words) - first)):
            key = joined(key, keys[words[first + more]])
            phrases[first, more] = key


@njit(cache=True, nogil=True)
def places_for(words: int) -> int:
    """The size of an index of all phrases of so many words."""
    places = 16
    while places < 2 * LONGEST_PHRASE * words:
        places *= 2
    return places


@njit(cache=True, nogil=True)
def _index_phrases(phrases: Any, size: int, index: Any, stamp: int) -> Any:
    """Find a side's phrases by their keys; equal ones are chained from the first to the last."""
    table, stamps, heads, nexts = index
    places = places_for(size)
    table, stamps = table[:places], stamps[:places]
    for first in range(size - 1, -1, -1):
        for more in range(min(LONGEST_PHRASE, size - first)):
            place = seat(table, stamps, stamp, phrases[first, more])
            number = first * LONGEST_PHRASE + more
            nexts[number] = heads[place] if stamps[place] == stamp else -1
            table[place], stamps[place], heads[place] = phrases[first, more], stamp, number
    return table, stamps


@njit(cache=True, nogil=True)
def _find_run(table: Any, runs: Any, key: Any) -> int:
    """The first run of a phrase's paraphrases; −1 where it has none."""
    mask = np.uint64(len(table) - 1)
    place = key & mask
    while table[place] != np.uint64(0):
        if table[place] == key:
            return int(runs[place])
        place = (place + np.uint64(1)) & mask
    return -1


@njit(cache=True, nogil=True)
def _match_phrases(sides: Any, is_back: bool, paraphrases: Any, index: Any, stamp: int, out: Any) -> Any:
    """Phrases of one side whose paraphrases are on the other: of the reference first, then back from the reply."""
    run_table, run_of, run_offsets, next_run, targets = paraphrases
    found, count = out
    (mine, my_size), (others, other_size) = (sides[0], sides[1]) if is_back else (sides[1], sides[0])
    table, stamps = _index_phrases(others, other_size, index, stamp)
    heads, nexts = index[2], index[3]
    for first in range(my_size):
        for more in range(min(LONGEST_PHRASE, my_size - first)):
            run = _find_run(run_table, run_of, mine[first, more])
            while run >= 0:
                for entry in range(run_offsets[run], run_offsets[run + 1]):
                    place = seat(table, stamps, stamp, targets[entry])
                    number = heads[place] if stamps[place] == stamp else -1
                    while number >= 0:
                        there, length = number // LONGEST_PHRASE, number % LONGEST_PHRASE + 1
                        if count == len(found):
                            found = _larger(found, 2 * count)
                        found[count, BEGIN if is_back else START] = first
                        found[count, WIDTH if is_back else LENGTH] = more + 1
                        found[count, START if is_back else BEGIN] = there
                        found[count, LENGTH if is_back else WIDTH] = length
                        found[count, WAY] = PARAPHRASE
                        count += 1
                        number = nexts[number]
                run = next_run[run]
    return found, count


@njit(cache=True, nogil=True)
def find_matches(reply: Any, truth: Any, tables: Any, scratch: Any, stamp: int, found: Any) -> Any:
    """All matches of a pair of captions, and their number. `stamp` grows by two from pair to pair."""
    lexicon, paraphrases = tables
    exact, keys = lexicon[0], lexicon[6]
    same = len(reply) == len(truth)
    for word in range(len(reply) if same else 0):
        same = same and exact[reply[word]] == exact[truth[word]]
    most = 3 * len(reply) * len(truth)
    if len(found) < most:
        found = _larger(found, most)
    count = _match_words(reply, truth, 1 if same else 3, lexicon, found)
    if same:  # as the official program has it: where nothing differs, nothing else is looked for
        return found, count
    phrases, index = scratch
    _key_phrases(reply, keys, phrases[0])
    _key_phrases(truth, keys, phrases[1])
    sides = ((phrases[0], len(reply)), (phrases[1], len(truth)))
    found, count = _match_phrases(sides, False, paraphrases, index, stamp, (found, count))
    return _match_phrases(sides, True, paraphrases, index, stamp + 1, (found, count))
