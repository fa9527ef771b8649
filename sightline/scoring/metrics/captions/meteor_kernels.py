"""Numba kernels of METEOR's aligner: all matches of words and phrases, and the beam search that chooses among them.

Matches are found in the order of the official program, and the search follows it step by step, since a beam that
differs anywhere may end elsewhere: its order of trying, its ties, and that the distance of a match is charged to the
alignment that does without it. It prefers many matched words, then few chunks, and uses no word twice.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sightline.scoring.compiled_kernels import compiled
from sightline.scoring.metrics.captions.kernels import find_slot, join_keys

EXACT, STEM, SYNONYM, PARAPHRASE = range(4)
START, LENGTH, BEGIN, WIDTH, WAY = range(5)
"""Columns of a match: first word and number of words in the reference, the same in the reply, and the matcher."""

LONGEST_PHRASE = 7
"""Words; no phrase of the table has more."""
BEAM = 40
MATCHED, CHUNKS, NEXT, LAST, DISTANCE = range(5)
"""What is known of an alignment: matched words of both sides, chunks that have ended, the next word of the reference,
the reply's word after the last match (−1 after a gap), and the distance."""
_ONE = np.uint64(1)
PARENT, CHOICE = 5, 6
"""Of a candidate: the alignment that it continues, and the match that it adds (−1 for none)."""


@compiled
def _grow(found: Any, size: int) -> Any:
    """The matches with room for so many."""
    larger = np.empty((size, 5), np.int32)
    for row in range(len(found)):  # copied by hand: an assignment of slices takes seconds to compile
        for column in range(5):
            larger[row, column] = found[row, column]
    return larger


@compiled
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


@compiled
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


@compiled
def _key_phrases(words: Any, keys: Any, phrases: Any) -> None:
    """The key of every phrase: `phrases[first, n]` is that of n + 1 words."""
    for first in range(len(words)):
        key = keys[words[first]]
        phrases[first, 0] = key
        for more in range(1, min(LONGEST_PHRASE, len(words) - first)):
            key = join_keys(key, keys[words[first + more]])
            phrases[first, more] = key


@compiled
def table_size(words: int) -> int:
    """The size of an index of all phrases of so many words."""
    positions = 16
    while positions < 2 * LONGEST_PHRASE * words:
        positions *= 2
    return positions


@compiled
def _index_phrases(phrases: Any, size: int, index: Any, stamp: int) -> Any:
    """Find a side's phrases by their keys; equal ones are chained from the first to the last."""
    table, stamps, heads, nexts = index
    positions = table_size(size)
    table, stamps = table[:positions], stamps[:positions]
    for first in range(size - 1, -1, -1):
        for more in range(min(LONGEST_PHRASE, size - first)):
            position = find_slot(table, stamps, stamp, phrases[first, more])
            number = first * LONGEST_PHRASE + more
            nexts[number] = heads[position] if stamps[position] == stamp else -1
            table[position], stamps[position], heads[position] = phrases[first, more], stamp, number
    return table, stamps


@compiled
def _find_run(table: Any, runs: Any, key: Any) -> int:
    """The first run of a phrase's paraphrases; −1 where it has none."""
    mask = np.uint64(len(table) - 1)
    position = key & mask
    while table[position] != np.uint64(0):
        if table[position] == key:
            return int(runs[position])
        position = (position + np.uint64(1)) & mask
    return -1


@compiled
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
                    position = find_slot(table, stamps, stamp, targets[entry])
                    number = heads[position] if stamps[position] == stamp else -1
                    while number >= 0:
                        there, length = number // LONGEST_PHRASE, number % LONGEST_PHRASE + 1
                        if count == len(found):
                            found = _grow(found, 2 * count)
                        found[count, BEGIN if is_back else START] = first
                        found[count, WIDTH if is_back else LENGTH] = more + 1
                        found[count, START if is_back else BEGIN] = there
                        found[count, LENGTH if is_back else WIDTH] = length
                        found[count, WAY] = PARAPHRASE
                        count += 1
                        number = nexts[number]
                run = next_run[run]
    return found, count


@compiled
def find_matches(reply: Any, truth: Any, tables: Any, scratch: Any, stamp: int, found: Any) -> Any:
    """All matches of a pair of captions, and their number. `stamp` grows by two from pair to pair."""
    lexicon, paraphrases = tables
    exact, keys = lexicon[0], lexicon[6]
    same = len(reply) == len(truth)
    for word in range(len(reply) if same else 0):
        same = same and exact[reply[word]] == exact[truth[word]]
    most = 3 * len(reply) * len(truth)
    if len(found) < most:
        found = _grow(found, most)
    count = _match_words(reply, truth, 1 if same else 3, lexicon, found)
    if same:  # as the official program has it: where nothing differs, nothing else is looked for
        return found, count
    phrases, index = scratch
    _key_phrases(reply, keys, phrases[0])
    _key_phrases(truth, keys, phrases[1])
    sides = ((phrases[0], len(reply)), (phrases[1], len(truth)))
    found, count = _match_phrases(sides, False, paraphrases, index, stamp, (found, count))
    return _match_phrases(sides, True, paraphrases, index, stamp + 1, (found, count))


@compiled
def _match_weight(match: Any) -> int:
    """Half a word for all but the same word, rounded down on each side."""
    if match[WAY] == EXACT:
        return int(match[LENGTH]) + int(match[WIDTH])
    return int(match[LENGTH]) // 2 + int(match[WIDTH]) // 2


@compiled
def _rank(state: Any) -> int:
    """What alignments are sorted by: many words, few chunks, little distance."""
    return int(((0x7FFF - state[MATCHED]) << 48) | (state[CHUNKS] << 33) | state[DISTANCE])


@compiled
def _follow(state: Any, match: Any) -> None:
    """Go on after a match."""
    state[MATCHED] += _match_weight(match)
    if state[LAST] != -1 and match[BEGIN] != state[LAST]:
        state[CHUNKS] += 1
    state[NEXT] = match[START] + match[LENGTH]
    state[LAST] = match[BEGIN] + match[WIDTH]


@compiled
def _insert_candidate(ranks: Any, slots: Any, filled: int, rank: int) -> int:
    """The slot of a new candidate among the best, behind its equals; −1 where there are enough better ones."""
    if filled == BEAM:
        if rank >= ranks[BEAM - 1]:
            return -1
        filled -= 1
        slot = slots[filled]
    else:
        slot = filled
    position = filled
    while position and ranks[position - 1] > rank:
        ranks[position], slots[position] = ranks[position - 1], slots[position - 1]
        position -= 1
    ranks[position], slots[position] = rank, slot
    return int(slot)


@compiled
def _by_start(found: Any, count: int, firsts: Any, order: Any) -> None:
    """The matches of each word of the reference, in the order in which they were found."""
    seats = np.empty(len(firsts), np.int64)
    for word in range(len(firsts)):
        firsts[word] = 0
    for number in range(count):
        firsts[found[number, START] + 1] += 1
    for word in range(len(firsts) - 1):
        firsts[word + 1] += firsts[word]
        seats[word] = firsts[word]
    for number in range(count):
        start = found[number, START]
        order[seats[start]] = number
        seats[start] += 1


@compiled
def _find_undisputed(found: Any, count: int, firsts: Any, order: Any, reply_cover: Any, chosen: Any) -> None:
    """Matches whose words no other match touches hold from the beginning."""
    truth_cover = np.zeros(len(chosen), np.int64)
    for number in range(count):
        for word in range(found[number, LENGTH]):
            truth_cover[found[number, START] + word] += 1
        for word in range(found[number, WIDTH]):
            reply_cover[found[number, BEGIN] + word] += 1
    for start in range(len(chosen)):
        chosen[start] = -1
        if firsts[start + 1] - firsts[start] != 1:
            continue
        match = found[order[firsts[start]]]
        alone = True
        for word in range(match[LENGTH]):
            alone = alone and truth_cover[start + word] == 1
        for word in range(match[WIDTH]):
            alone = alone and reply_cover[match[BEGIN] + word] == 1
        if alone:
            chosen[start] = order[firsts[start]]


@compiled
def _take(taken: Any, first: int, many: int) -> None:
    """Words are bits."""
    for word in range(first, first + many):
        taken[word >> 6] |= np.uint64(1) << np.uint64(word & 63)


@compiled
def _start_beam(found: Any, chosen: Any, beams: Any) -> None:
    """One alignment of nothing but the undisputed matches, which are not counted until their words are reached."""
    states, taken_replies, taken_truths = beams[0], beams[1], beams[2]
    for column in range(5):
        states[0, 0, column] = -1 if column == LAST else 0
    for cell in range(taken_truths.shape[2]):
        taken_replies[0, 0, cell], taken_truths[0, 0, cell] = 0, 0
    for word in range(len(chosen)):
        if chosen[word] >= 0:
            _take(taken_truths[0, 0], word, found[chosen[word], LENGTH])
            _take(taken_replies[0, 0], found[chosen[word], BEGIN], found[chosen[word], WIDTH])


@compiled
def _extend_beam(word: int, found: Any, choice_of: Any, beam: Any, size: int, best: Any) -> int:
    """The best ways to go on over a word of the reference, and their number.

    An alignment is at a taken word only inside of a match, or where an undisputed match begins: whatever else it takes
    ends before the next word that it looks at.
    """
    states, taken_replies, taken_truths = beam
    firsts, order, chosen = choice_of
    candidates, ranks, slots = best
    trial = np.empty(5, np.int64)
    filled = 0
    for parent in range(size):
        state = states[parent]
        if not (taken_truths[parent, word >> 6] >> np.uint64(word & 63)) & _ONE:
            for number in order[firsts[word] : firsts[word + 1]]:
                match = found[number]
                is_free = True
                for other in range(match[START], match[START] + match[LENGTH]):
                    is_free &= not (taken_truths[parent, other >> 6] >> np.uint64(other & 63)) & _ONE
                for other in range(match[BEGIN], match[BEGIN] + match[WIDTH]):
                    is_free &= not (taken_replies[parent, other >> 6] >> np.uint64(other & 63)) & _ONE
                if not is_free:
                    continue
                for column in range(5):
                    trial[column] = state[column]
                _follow(trial, match)
                slot = _insert_candidate(ranks, slots, filled, _rank(trial))
                if slot >= 0:
                    _write(candidates, slot, trial, parent, number)
                    filled = min(filled + 1, BEAM)
                state[DISTANCE] += abs(match[START] - match[BEGIN])
            if state[LAST] != -1:
                state[CHUNKS] += 1
                state[LAST] = -1
            state[NEXT] += 1
        elif word == state[NEXT]:
            match = found[chosen[word]]
            _follow(state, match)
            state[DISTANCE] += abs(match[START] - match[BEGIN])
        slot = _insert_candidate(ranks, slots, filled, _rank(state))
        if slot >= 0:
            _write(candidates, slot, state, parent, -1)
            filled = min(filled + 1, BEAM)
    return filled


@compiled
def _write(candidates: Any, slot: int, state: Any, parent: int, choice: int) -> None:
    for column in range(5):
        candidates[slot, column] = state[column]
    candidates[slot, PARENT], candidates[slot, CHOICE] = parent, choice


@compiled
def _step(word: int, found: Any, best: Any, filled: int, beams: Any, now: int) -> None:
    """Make alignments of the best candidates, and note where they come from."""
    states, taken_replies, taken_truths, parents, choices = beams
    candidates, _, slots = best
    for rank in range(filled):
        slot = slots[rank]
        parent, choice = candidates[slot, PARENT], candidates[slot, CHOICE]
        parents[word, rank], choices[word, rank] = parent, choice
        for column in range(5):
            states[1 - now, rank, column] = candidates[slot, column]
        for cell in range(taken_truths.shape[2]):
            taken_replies[1 - now, rank, cell] = taken_replies[now, parent, cell]
            taken_truths[1 - now, rank, cell] = taken_truths[now, parent, cell]
        if choice >= 0:
            _take(taken_truths[1 - now, rank], word, found[choice, LENGTH])
            _take(taken_replies[1 - now, rank], found[choice, BEGIN], found[choice, WIDTH])


@compiled
def choose_matches(found: Any, count: int, reply_size: int, beams: Any, chosen: Any) -> None:
    """Write the match that begins at each word of the reference in the best alignment, −1 where none does."""
    states, taken_replies, taken_truths, parents, choices = beams
    firsts, order = np.empty(len(chosen) + 1, np.int64), np.empty(count, np.int64)
    best = (np.empty((BEAM, 7), np.int64), np.empty(BEAM, np.int64), np.empty(BEAM, np.int64))
    _by_start(found, count, firsts, order)
    _find_undisputed(found, count, firsts, order, np.zeros(reply_size, np.int64), chosen)
    _start_beam(found, chosen, beams)
    now, size = 0, 1
    for word in range(len(chosen)):
        beam = (states[now], taken_replies[now], taken_truths[now])
        filled = _extend_beam(word, found, (firsts, order, chosen), beam, size, best)
        _step(word, found, best, filled, beams, now)
        now, size = 1 - now, filled
    first = 0
    for rank in range(size):
        if states[now, rank, LAST] != -1:
            states[now, rank, CHUNKS] += 1
        if _rank(states[now, rank]) < _rank(states[now, first]):
            first = rank
    for word in range(len(chosen) - 1, -1, -1):
        if choices[word, first] >= 0:
            chosen[word] = choices[word, first]
        first = parents[word, first]
