"""Pictures with too many overlapping pairs to list: their equal shapes are matched as groups.

Where even groups have too many pairs, only those of higher thresholds are matched. What has no partner then may have
one that was not looked at: it counts as false, and is told.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from sightline.scoring.geometry.arrays import Floats, Ints, Overlaps, offsets_of
from sightline.scoring.metrics.detection.crowd_kernels import flow_most, take_by_score
from sightline.scoring.metrics.detection.matching_kernels import Bits

STEP = 3
"""Where the pairs at a threshold are too many, the next but two is tried: looking at all of them takes a second."""

Overlapping = Callable[[Floats, Ints, Floats, Ints, float, int], Overlaps]


class Crowd(NamedTuple):
    """What became of one picture: hits and summed IoU by threshold, bits of its rows, rows that were not matched."""

    hits: Ints
    overlap: Floats
    predicted_bits: Bits
    true_bits: Bits
    skipped: int


class _Groups(NamedTuple):
    rows: Floats
    """The first row of each group."""
    at: Ints
    """Where each group begins among all rows."""
    owner: Ints
    """The group of each row."""


class _Found(NamedTuple):
    pairs: Ints
    iou: Floats
    lacks: bool
    """Whether there are pairs that were too many to be listed."""


def match_crowd(left: Floats, right: Floats, overlapping: Overlapping, levels: Floats, most: int) -> Crowd:
    """As many pairs as can be of one picture's sorted rows."""
    ours, theirs = _grouped(left), _grouped(right)
    found = _pairs(ours, theirs, overlapping, levels, most)
    falling = np.lexsort((found.pairs[1], found.pairs[0], -found.iou))
    supply, demand = np.diff(ours.at), np.diff(theirs.at)
    hits, overlap, taken, true_taken = flow_most(found.pairs, found.iou, falling, supply, demand, levels)
    lost = _unsure(found, hits, (len(left), len(right)))
    return Crowd(hits, overlap, _bits(ours, taken), _bits(theirs, true_taken), lost)


def match_scored_crowd(
    left: Floats, right: Floats, ranks: tuple[Ints, Ints], overlapping: Overlapping, levels: Floats, most: int
) -> Crowd:
    """By COCO's rule; `ranks` = (left rows in the order of their scores, where each right row stood in the text)."""
    ours, theirs = _grouped(left), _grouped(right)
    found = _pairs(ours, theirs, overlapping, levels, most)
    turns, places = ranks
    groups, lefts = (len(ours.rows), len(theirs.rows)), ours.owner[turns]
    falling = np.lexsort((-places, theirs.owner))
    members = theirs.at, places[falling]
    hits, overlap, turn_bits, member_bits = take_by_score(lefts, found.pairs, found.iou, groups, members, levels)
    predicted_bits, true_bits = np.zeros(len(left), np.uint16), np.zeros(len(right), np.uint16)
    predicted_bits[turns], true_bits[falling] = turn_bits, member_bits
    return Crowd(hits, overlap, predicted_bits, true_bits, _unsure(found, hits, (len(left), len(right))))


def _grouped(rows: Floats) -> _Groups:
    """Equal rows as one. Rows of masks end with the place of the mask, which does not tell them apart."""
    telling = rows[:, :6] if rows.shape[1] == 7 else rows
    is_new = np.ones(len(rows), bool)
    is_new[1:] = (telling[1:] != telling[:-1]).any(axis=1)
    first = np.flatnonzero(is_new)
    return _Groups(rows[first], offsets_of(np.diff([*first.tolist(), len(rows)])), np.cumsum(is_new) - 1)


def _pairs(ours: _Groups, theirs: _Groups, overlapping: Overlapping, levels: Floats, most: int) -> _Found:
    """The pairs of groups at the lowest threshold that has few enough of them to be listed."""
    each = [np.array([0, len(groups.rows)]) for groups in (ours, theirs)]
    for level in (*range(0, len(levels) - 1, STEP), len(levels) - 1):
        found = overlapping(ours.rows, each[0], theirs.rows, each[1], float(levels[level]), most)
        if not found.skipped.any():
            break
    return _Found(np.stack((found.left, found.right)), found.iou, level > 0 or bool(found.skipped.any()))


def _unsure(found: _Found, hits: Ints, sides: tuple[int, int]) -> int:
    """Shapes without a partner at the lowest threshold that may have one which was not listed."""
    return int(sides[0] - hits[0]) if found.lacks and hits[0] < min(sides) else 0


def _bits(groups: _Groups, taken: Ints) -> Bits:
    """Bit k of the first shapes of each group, as many as have a partner at threshold k."""
    number = np.arange(len(groups.owner)) - groups.at[groups.owner]
    bits = np.zeros(len(number), np.uint16)
    for level in range(taken.shape[1]):
        bits[number < taken[groups.owner, level]] |= np.uint16(1 << level)
    return bits
