"""Numba kernels for matching: maximum bipartite matching by augmenting paths, and COCO's greedy rule by score.

Bit k of a shape says that it has a partner at threshold k; there are at most 16 thresholds, ascending.

For an image with very many equal shapes there is a version of both on groups of them, as a maximum flow: left group i
has `supply[i]` shapes, right group j `demand[j]`, and a pair of groups carries a flow of so many shapes. The result is
the same, since equal shapes have equal partners.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sightline.scoring.compiled_kernels import compiled
from sightline.scoring.geometry.arrays import Floats, Ints

Bits = NDArray[np.uint16]
Found = tuple[Ints, Floats, Bits, Bits]
"""Hits and summed IoU (images × thresholds), bits of the left and of the right rows."""
Flow = tuple[Ints, Ints, Ints, Ints, Ints, Ints]
"""Flow of each pair; shapes of each left and right group without a partner; pairs of left group i are
`begins[i]:begins[i + 1]`, those of right group j are `by_right[right_begins[j]:right_begins[j + 1]]`."""


@compiled
def _pair_offsets(left: Ints, rows: int) -> Ints:
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
def _set_bits(pairs: Ints, mate: Ints, rows: tuple[int, int], level: int, left_bits: Bits, right_bits: Bits) -> None:
    """Who has a partner at this threshold has one at all lower ones."""
    for i in range(rows[0], rows[1] + 1):
        if mate[i] >= 0:
            left_bits[i] |= np.uint16((2 << level) - 1)
            right_bits[pairs[1, mate[i]]] |= np.uint16((2 << level) - 1)


@compiled
def _sum_iou(iou: Floats, mate: Ints, rows: tuple[int, int]) -> float:
    total = 0.0
    for i in range(rows[0], rows[1] + 1):
        if mate[i] >= 0:
            total += iou[mate[i]]
    return total


@compiled
def match_most(first: Ints, pairs: Ints, iou: Floats, order: Ints, sizes: tuple[int, int], thresholds: Floats) -> Found:
    """Maximum bipartite matching at every threshold, so that the order of shapes does not change the counts.

    `order` sorts each image's pairs by falling IoU. From the highest threshold down, new pairs are taken greedily and
    then completed by re-pairing: who has a partner keeps one, so a higher IoU is preferred. Where every new pair was
    free to be taken, nothing is left to complete.
    """
    hits = np.zeros((len(first) - 1, len(thresholds)), dtype=np.int64)
    overlap = np.zeros(hits.shape)
    left_bits, right_bits = np.zeros(sizes[0], dtype=np.uint16), np.zeros(sizes[1], dtype=np.uint16)
    begins = _pair_offsets(pairs[0], sizes[0])
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
                found, total = found + won, _sum_iou(iou, state[0], rows) if won else total
            if found > before:
                _set_bits(pairs, state[0], rows, k, left_bits, right_bits)
            hits[image, k], overlap[image, k] = found, total
    return hits, overlap, left_bits, right_bits


@compiled
def match_by_score(left_at: Ints, rank: Ints, position: Ints, pairs: Ints, iou: Floats, thresholds: Floats) -> Found:
    """COCO's greedy matching by score: left rows in the order `rank` take the best right row that is free.

    `position` is where a right row stood in the text: of equal IoUs the last one wins, as in pycocotools.
    """
    hits = np.zeros((len(left_at) - 1, len(thresholds)), dtype=np.int64)
    overlap = np.zeros(hits.shape)
    left_bits, right_bits = np.zeros(len(rank), dtype=np.uint16), np.zeros(len(position), dtype=np.uint16)
    begins = _pair_offsets(pairs[0], len(rank))
    for k in range(len(thresholds)):
        bit = np.uint16(1 << k)
        for image in range(len(left_at) - 1):
            for turn in range(left_at[image], left_at[image + 1]):
                i, best, found = rank[turn], thresholds[k], -1
                for pair in range(begins[i], begins[i + 1]):
                    j = pairs[1, pair]
                    if iou[pair] < best or right_bits[j] & bit:
                        continue
                    if found < 0 or iou[pair] > best or position[j] > position[found]:
                        best, found = iou[pair], j
                if found >= 0:
                    left_bits[i] |= bit
                    right_bits[found] |= bit
                    hits[image, k] += 1
                    overlap[image, k] += best
    return hits, overlap, left_bits, right_bits


@compiled
def index_pairs(side: Ints, groups: int) -> tuple[Ints, Ints]:
    """Where the pairs of each group begin in a list by group, and that list."""
    begins, by_group = np.zeros(groups + 1, dtype=np.int64), np.empty(len(side), dtype=np.int64)
    for pair in range(len(side)):
        begins[side[pair] + 1] += 1
    for group in range(groups):
        begins[group + 1] += begins[group]
    position = begins[:-1].copy()
    for pair in range(len(side)):
        by_group[position[side[pair]]] = pair
        position[side[pair]] += 1
    return begins, by_group


@compiled
def _send(flow: Flow, pairs: Ints, trail: Ints, depth: int) -> int:
    """Send along the trail what its narrowest place lets through."""
    sent, left_free, right_free = flow[0], flow[1], flow[2]
    root, end = pairs[0, trail[0, 0]], pairs[1, trail[0, depth]]
    amount = min(left_free[root], right_free[end])
    for step in range(depth):
        amount = min(amount, sent[trail[1, step]])
    for step in range(depth + 1):
        sent[trail[0, step]] += amount
    for step in range(depth):
        sent[trail[1, step]] -= amount
    left_free[root] -= amount
    right_free[end] -= amount
    return int(amount)


@compiled
def _augment_flow(pairs: Ints, iou: Floats, least: float, flow: Flow, state: Ints, root: int) -> int:
    """Find partners for a left group by re-pairing others; how many. `state` has eight rows, see `flow_most`.

    The search is depth-first without recursion; a group once seen in vain is not tried again under the same stamp.
    """
    sent, right_free, begins, by_right, right_begins = flow[0], flow[2], flow[3], flow[4], flow[5]
    seen, left_seen, cursor, right_cursor, group, open_at = state[0], state[1], state[2], state[3], state[4], state[5]
    trail, stamp, depth = state[6:8], state[8, 0], 0
    group[0], open_at[0], cursor[root], left_seen[root] = root, -1, begins[root], stamp
    while depth >= 0:
        i, j = group[depth], open_at[depth]
        if j >= 0:  # go back to a left group that has partners in the right one
            if right_cursor[j] == right_begins[j + 1]:
                open_at[depth] = -1
                continue
            pair = by_right[right_cursor[j]]
            right_cursor[j] += 1
            other = pairs[0, pair]
            if sent[pair] > 0 and left_seen[other] != stamp:
                trail[1, depth] = pair
                depth += 1
                group[depth], open_at[depth], cursor[other], left_seen[other] = other, -1, begins[other], stamp
            continue
        if cursor[i] == begins[i + 1]:
            depth -= 1
            continue
        pair = cursor[i]
        cursor[i] += 1
        j = pairs[1, pair]
        if iou[pair] < least or seen[j] == stamp:
            continue
        seen[j], trail[0, depth] = stamp, pair
        if right_free[j] > 0:
            return _send(flow, pairs, trail, depth)
        open_at[depth], right_cursor[j] = j, right_begins[j]
    return 0


@compiled
def _complete_flow(pairs: Ints, iou: Floats, least: float, flow: Flow, state: Ints) -> int:
    """Re-pair until no further pair can be won; how many were won."""
    won, before = 0, -1
    while won > before:
        before = won
        state[8, 0] += 1
        for i in range(len(flow[1])):
            if flow[1][i] > 0 and state[1, i] != state[8, 0]:
                won += _augment_flow(pairs, iou, least, flow, state, i)
    return won


@compiled
def flow_most(
    pairs: Ints, iou: Floats, order: Ints, supply: Ints, demand: Ints, thresholds: Floats
) -> tuple[Ints, Floats, Ints, Ints]:
    """Maximum flow between groups: hits and summed IoU at each threshold, and partners by group (groups × thresholds).

    `order` sorts the pairs by falling IoU; pairs come in the order of their left groups.
    """
    levels, size = len(thresholds), max(len(supply), len(demand)) + 1
    begins, _ = index_pairs(pairs[0], len(supply))
    right_begins, by_right = index_pairs(pairs[1], len(demand))
    flow = (np.zeros(len(iou), dtype=np.int64), supply.copy(), demand.copy(), begins, by_right, right_begins)
    # rows: stamps of right and left groups, next pair of left and right ones, left and right groups of the trail, its
    # pairs there and back, the stamp
    state = np.zeros((9, size), dtype=np.int64)
    hits, overlap = np.zeros(levels, dtype=np.int64), np.zeros(levels)
    left_taken, right_taken = np.zeros((len(supply), levels), dtype=np.int64), np.zeros((len(demand), levels), np.int64)
    at, found = 0, 0
    for k in range(levels - 1, -1, -1):
        while at < len(order) and iou[order[at]] >= thresholds[k]:
            pair = order[at]
            amount = min(flow[1][pairs[0, pair]], flow[2][pairs[1, pair]])
            flow[0][pair] += amount
            flow[1][pairs[0, pair]] -= amount
            flow[2][pairs[1, pair]] -= amount
            found += amount
            at += 1
        found += _complete_flow(pairs, iou, thresholds[k], flow, state)
        hits[k] = found
        for pair in range(len(iou)):
            overlap[k] += flow[0][pair] * iou[pair]
        for i in range(len(supply)):
            left_taken[i, k] = supply[i] - flow[1][i]
        for j in range(len(demand)):
            right_taken[j, k] = demand[j] - flow[2][j]
    return hits, overlap, left_taken, right_taken


@compiled
def take_by_score(
    turns: Ints, pairs: Ints, iou: Floats, groups: tuple[int, int], members: tuple[Ints, Ints], thresholds: Floats
) -> tuple[Ints, Floats, Bits, Bits]:
    """COCO's greedy rule: the shapes of the left groups `turns`, one after another, take the best free right shape.

    `members` = (where each right group begins, the place in the text of its shapes, falling): of equal IoUs the last
    place wins, as in pycocotools. Returns hits, summed IoU, bits by turn, bits by member.
    """
    levels = len(thresholds)
    hits, overlap = np.zeros(levels, dtype=np.int64), np.zeros(levels)
    turn_bits, member_bits = np.zeros(len(turns), dtype=np.uint16), np.zeros(len(members[1]), dtype=np.uint16)
    begins, _ = index_pairs(pairs[0], groups[0])
    for k in range(levels):
        bit, nexts = np.uint16(1 << k), members[0][:-1].copy()
        for turn in range(len(turns)):
            best, found = thresholds[k], -1
            for pair in range(begins[turns[turn]], begins[turns[turn] + 1]):
                j = pairs[1, pair]
                if iou[pair] < best or nexts[j] == members[0][j + 1]:
                    continue
                if found < 0 or iou[pair] > best or members[1][nexts[j]] > members[1][nexts[found]]:
                    best, found = iou[pair], j
            if found >= 0:
                turn_bits[turn] |= bit
                member_bits[nexts[found]] |= bit
                nexts[found] += 1
                hits[k] += 1
                overlap[k] += best
    return hits, overlap, turn_bits, member_bits
