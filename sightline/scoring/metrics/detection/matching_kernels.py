"""Compiled kernels for matching: as many pairs as can be, or COCO's greedy rule by score.

Bit k of a shape says that it found a partner at threshold k; there are at most 16 thresholds, rising.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sightline.scoring.geometry.arrays import Floats, Ints
from sightline.scoring.geometry.compiled_kernels import compiled

Bits = NDArray[np.uint16]
Found = tuple[Ints, Floats, Bits, Bits]
"""Hits and summed IoU (images × thresholds), bits of the left and of the right rows."""


@compiled
def _begins(left: Ints, rows: int) -> Ints:
    """Pairs of left row i are `begins[i]:begins[i + 1]`."""
    begins = np.zeros(rows + 1, dtype=np.int64)
    for pair in range(len(left)):
        begins[left[pair] + 1] += 1
    for i in range(rows):
        begins[i + 1] += begins[i]
    return begins


@compiled
def _augment(pairs: Ints, iou: Floats, least: float, begins: Ints, state: Ints, root: int) -> bool:
    """Find a partner for a free left row by re-pairing others; `state` has six rows, see `match_most`.

    The search is depth-first without recursion; a right row once seen in vain is not tried again under the same stamp.
    """
    mate, partner, seen, cursor, trail = state[0], state[1], state[2], state[3], state[4]
    depth, stamp = 0, state[5, 0]
    trail[0], cursor[root] = root, begins[root]
    while depth >= 0:
        i, deeper = trail[depth], False
        while cursor[i] < begins[i + 1] and not deeper:
            pair = cursor[i]
            cursor[i] += 1
            j = pairs[1, pair]
            if iou[pair] < least or seen[j] == stamp:
                continue
            seen[j] = stamp
            if partner[j] < 0:
                for step in range(depth + 1):
                    used = cursor[trail[step]] - 1
                    mate[trail[step]], partner[pairs[1, used]] = used, used
                return True
            depth, deeper = depth + 1, True
            trail[depth] = pairs[0, partner[j]]
            cursor[trail[depth]] = begins[trail[depth]]
        if not deeper:
            depth -= 1
    return False


@compiled
def _complete(pairs: Ints, iou: Floats, least: float, begins: Ints, state: Ints, rows: tuple[int, int]) -> int:
    """Re-pair until no further pair can be won among the left rows `rows[0]` to `rows[1]`; how many were won."""
    won, before = 0, -1
    while won > before:
        before = won
        state[5, 0] += 1
        for i in range(rows[0], rows[1] + 1):
            if state[0, i] < 0 and begins[i] < begins[i + 1] and _augment(pairs, iou, least, begins, state, i):
                won += 1
    return won


@compiled
def _mark(pairs: Ints, mate: Ints, rows: tuple[int, int], level: int, left_bits: Bits, right_bits: Bits) -> None:
    """Who has a partner at this threshold has one at all lower ones."""
    for i in range(rows[0], rows[1] + 1):
        if mate[i] >= 0:
            left_bits[i] |= np.uint16((2 << level) - 1)
            right_bits[pairs[1, mate[i]]] |= np.uint16((2 << level) - 1)


@compiled
def _summed(iou: Floats, mate: Ints, rows: tuple[int, int]) -> float:
    total = 0.0
    for i in range(rows[0], rows[1] + 1):
        if mate[i] >= 0:
            total += iou[mate[i]]
    return total


@compiled
def match_most(first: Ints, pairs: Ints, iou: Floats, order: Ints, sizes: tuple[int, int], thresholds: Floats) -> Found:
    """A matching with as many pairs as can be at every threshold, so that no order of shapes shows in the counts.

    `order` sorts each image's pairs by falling IoU. From the highest threshold down, new pairs are taken greedily and
    then completed by re-pairing: who has a partner keeps one, so a higher IoU is preferred. Where every new pair was
    free to be taken, nothing is left to complete.
    """
    hits = np.zeros((len(first) - 1, len(thresholds)), dtype=np.int64)
    overlap = np.zeros(hits.shape)
    left_bits, right_bits = np.zeros(sizes[0], dtype=np.uint16), np.zeros(sizes[1], dtype=np.uint16)
    begins = _begins(pairs[0], sizes[0])
    # rows: pair of a left row, pair of a right row, stamp of a right row, next pair of a left row, trail, the stamp
    state = np.zeros((6, max(sizes[0], sizes[1], 1)), dtype=np.int64)
    state[:2] = -1
    for image in range(len(first) - 1):
        at, high, found, total = first[image], first[image + 1], 0, 0.0
        if at == high:
            continue
        rows = (pairs[0, at], pairs[0, high - 1])
        for k in range(len(thresholds) - 1, -1, -1):
            before, conflict = found, False
            while at < high and iou[order[at]] >= thresholds[k]:
                i, j = pairs[0, order[at]], pairs[1, order[at]]
                if state[0, i] < 0 and state[1, j] < 0:
                    state[0, i], state[1, j] = order[at], order[at]
                    found, total = found + 1, total + iou[order[at]]
                else:
                    conflict = True
                at += 1
            if conflict:
                won = _complete(pairs, iou, thresholds[k], begins, state, rows)
                found, total = found + won, _summed(iou, state[0], rows) if won else total
            if found > before:
                _mark(pairs, state[0], rows, k, left_bits, right_bits)
            hits[image, k], overlap[image, k] = found, total
    return hits, overlap, left_bits, right_bits


@compiled
def match_by_score(left_at: Ints, rank: Ints, place: Ints, pairs: Ints, iou: Floats, thresholds: Floats) -> Found:
    """COCO's greedy rule: left rows in the order `rank` take the best right row that is free.

    `place` is where a right row stood in the text: of equal IoUs the last one wins, as in pycocotools.
    """
    hits = np.zeros((len(left_at) - 1, len(thresholds)), dtype=np.int64)
    overlap = np.zeros(hits.shape)
    left_bits, right_bits = np.zeros(len(rank), dtype=np.uint16), np.zeros(len(place), dtype=np.uint16)
    begins = _begins(pairs[0], len(rank))
    for k in range(len(thresholds)):
        bit = np.uint16(1 << k)
        for image in range(len(left_at) - 1):
            for turn in range(left_at[image], left_at[image + 1]):
                i, best, found = rank[turn], thresholds[k], -1
                for pair in range(begins[i], begins[i + 1]):
                    j = pairs[1, pair]
                    if iou[pair] < best or right_bits[j] & bit:
                        continue
                    if found < 0 or iou[pair] > best or place[j] > place[found]:
                        best, found = iou[pair], j
                if found >= 0:
                    left_bits[i] |= bit
                    right_bits[found] |= bit
                    hits[image, k] += 1
                    overlap[image, k] += best
    return hits, overlap, left_bits, right_bits
