"""Matching of predicted shapes with true ones, image by image, at every IoU threshold at once.

Images with too many overlapping pairs to list have their equal shapes matched as groups. Where even groups have too
many pairs, only those of higher thresholds are matched: a shape without a partner then counts as false, though it may
have one that was not looked at, and the report says so.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from sightline.data.columns import Shapes
from sightline.scoring.geometry.arrays import Floats, Ints, Overlaps, image_of_rows, offsets_of, sums
from sightline.scoring.geometry.boxes import box_overlaps, box_rows, corners_of, row_order
from sightline.scoring.metrics.matching_kernels import Bits, flow_most, match_by_score, match_most, take_by_score

COCO_THRESHOLDS: tuple[float, ...] = tuple(np.linspace(0.5, 0.95, 10).tolist())
THRESHOLDS: tuple[float, ...] = (0.25, *COCO_THRESHOLDS)
"""Rising, as matching needs them."""
NEAR_ONE = 1 - 1e-10
"""pycocotools' largest threshold: an IoU of 1 may be spoilt by rounding."""
STEP = 3
"""Where the pairs at a threshold are too many, the next but two is tried: looking at all of them takes a second."""
Overlapping = Callable[[Floats, Ints, Floats, Ints, float, int], Overlaps]
PAIRS = 2**21
"""Overlapping pairs of one image that are listed: as of 1400 shapes that all lie upon 1400 others. Where there are
more, equal shapes are matched as groups, and if need be only at the higher thresholds; see `match_crowd`."""


def threshold_index(threshold: float, thresholds: tuple[float, ...] = THRESHOLDS) -> int:
    """Index of a threshold in the list."""
    return int(np.argmin(np.abs(np.array(thresholds) - threshold)))


class Crowd(NamedTuple):
    """Matching result of one image: hits and summed IoU by threshold, bits of its rows, rows that were not matched."""

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


class _Overlap(NamedTuple):
    pairs: Ints
    iou: Floats
    lacks: bool
    """Whether there are pairs that were too many to be listed."""


def match_crowd(left: Floats, right: Floats, overlapping: Overlapping, levels: Floats, most: int) -> Crowd:
    """Maximum matching for an image with too many overlapping pairs to list."""
    ours, theirs = _group_equal_rows(left), _group_equal_rows(right)
    found = _pairs(ours, theirs, overlapping, levels, most)
    falling = np.lexsort((found.pairs[1], found.pairs[0], -found.iou))
    supply, demand = np.diff(ours.at), np.diff(theirs.at)
    hits, overlap, taken, true_taken = flow_most(found.pairs, found.iou, falling, supply, demand, levels)
    lost = _count_undecided(found, hits, (len(left), len(right)))
    return Crowd(hits, overlap, _bits(ours, taken), _bits(theirs, true_taken), lost)


def match_scored_crowd(
    left: Floats, right: Floats, ranks: tuple[Ints, Ints], overlapping: Overlapping, levels: Floats, most: int
) -> Crowd:
    """COCO's greedy matching for such an image.

    `ranks` = (left rows in the order of their scores, where each right row stood in the text).
    """
    ours, theirs = _group_equal_rows(left), _group_equal_rows(right)
    found = _pairs(ours, theirs, overlapping, levels, most)
    turns, positions = ranks
    groups, lefts = (len(ours.rows), len(theirs.rows)), ours.owner[turns]
    falling = np.lexsort((-positions, theirs.owner))
    members = theirs.at, positions[falling]
    hits, overlap, turn_bits, member_bits = take_by_score(lefts, found.pairs, found.iou, groups, members, levels)
    predicted_bits, true_bits = np.zeros(len(left), np.uint16), np.zeros(len(right), np.uint16)
    predicted_bits[turns], true_bits[falling] = turn_bits, member_bits
    return Crowd(hits, overlap, predicted_bits, true_bits, _count_undecided(found, hits, (len(left), len(right))))


def _group_equal_rows(rows: Floats) -> _Groups:
    """Equal rows as one. Rows of masks end with the place of the mask, which does not tell them apart."""
    telling = rows[:, :6] if rows.shape[1] == 7 else rows
    is_new = np.ones(len(rows), bool)
    is_new[1:] = (telling[1:] != telling[:-1]).any(axis=1)
    first = np.flatnonzero(is_new)
    return _Groups(rows[first], offsets_of(np.diff([*first.tolist(), len(rows)])), np.cumsum(is_new) - 1)


def _pairs(ours: _Groups, theirs: _Groups, overlapping: Overlapping, levels: Floats, most: int) -> _Overlap:
    """The pairs of groups at the lowest threshold that has few enough of them to be listed."""
    each = [np.array([0, len(groups.rows)]) for groups in (ours, theirs)]
    for level in (*range(0, len(levels) - 1, STEP), len(levels) - 1):
        found = overlapping(ours.rows, each[0], theirs.rows, each[1], float(levels[level]), most)
        if not found.skipped.any():
            break
    return _Overlap(np.stack((found.left, found.right)), found.iou, level > 0 or bool(found.skipped.any()))


def _count_undecided(found: _Overlap, hits: Ints, sides: tuple[int, int]) -> int:
    """Shapes without a partner at the lowest threshold that may have one which was not listed."""
    return int(sides[0] - hits[0]) if found.lacks and hits[0] < min(sides) else 0


def _bits(groups: _Groups, taken: Ints) -> Bits:
    """Bit k of the first shapes of each group, as many as have a partner at threshold k."""
    number = np.arange(len(groups.owner)) - groups.at[groups.owner]
    bits = np.zeros(len(number), np.uint16)
    for level in range(taken.shape[1]):
        bits[number < taken[groups.owner, level]] |= np.uint16(1 << level)
    return bits


class Side(NamedTuple):
    """Shapes of one side made ready: bounds, area, and what else tells one from another."""

    rows: Floats
    at: Ints
    scores: Floats | None = None


class Matched(NamedTuple):
    """What became of each image of a batch, and of each shape in the order of `rank`."""

    hits: Ints
    """Images × thresholds: predictions that found a truth of their own."""
    overlap: Floats
    """Images × thresholds: the IoU of those pairs, summed."""
    predicted_at: Ints
    true_at: Ints
    predicted_area: Floats
    true_area: Floats
    predicted_bits: Bits
    """Bit k: a hit at threshold k."""
    true_bits: Bits
    scores: Floats | None
    """Falling within each image; None: there are none."""
    skipped: int
    """Predictions without a partner whose image had too many overlapping pairs to look at all."""


class Matches(NamedTuple):
    """A batch matched without scores and, where some shapes have one, by them."""

    unscored: Matched
    ranked: Matched | None
    unscored_counts: Ints
    """How many predicted shapes of each image have no score."""


def shape_sides(reply: Shapes, truth: Shapes) -> tuple[Side, Side, Overlapping]:
    """Both sides made ready, and how their overlaps are found: as quads where either side has quads."""
    coords = reply.coords, truth.coords
    if coords[0].shape[1] == coords[1].shape[1] == 4:
        predicted, true = map(box_rows, coords)
        return Side(predicted, reply.offsets, reply.scores), Side(true, truth.offsets), box_overlaps
    from sightline.scoring.geometry.quads import (  # boxes shall not wait for the kernels of quads
        quad_overlaps,
        quad_rows,
    )

    predicted, true = (quad_rows(each if each.shape[1] == 8 else corners_of(each)) for each in coords)
    return Side(predicted, reply.offsets, reply.scores), Side(true, truth.offsets), quad_overlaps


def match_both_ways(predicted: Side, true: Side, overlapping: Overlapping, thresholds: tuple[float, ...]) -> Matches:
    """Match without scores and, if there are any, by score; which result counts is known after the whole task."""
    unscored = match(predicted._replace(scores=None), true, overlapping, thresholds)
    if predicted.scores is None or np.isnan(predicted.scores).all():
        return Matches(unscored, None, np.diff(predicted.at))
    unscored_counts = sums(np.isnan(predicted.scores), predicted.at)
    return Matches(unscored, match(predicted, true, overlapping, thresholds), unscored_counts)


def match(predicted: Side, true: Side, overlapping: Overlapping, thresholds: tuple[float, ...]) -> Matched:
    """Match predicted with true shapes of each image: COCO's greedy rule where there are scores, else maximum bipartite
    matching."""
    levels = np.minimum(np.array(thresholds), NEAR_ONE)
    order, true_order = row_order(predicted.rows, predicted.at), row_order(true.rows, true.at)
    left, right = predicted.rows[order], true.rows[true_order]
    found = overlapping(left, predicted.at, right, true.at, float(levels[0]), PAIRS)
    crowded = np.flatnonzero(found.skipped)
    if len(crowded):
        found = found.keep(np.repeat(found.skipped == 0, np.diff(found.first)))
    pairs = np.stack((found.left, found.right))
    scores, rank = None, np.arange(len(left))
    if predicted.scores is None:
        falling = row_order(np.stack((-found.iou, *pairs), axis=1), found.first)
        counts = match_most(found.first, pairs, found.iou, falling, (len(left), len(right)), levels)
    else:
        scores = np.nan_to_num(predicted.scores, nan=-np.inf, posinf=np.inf, neginf=-np.inf)[order]
        rank = np.lexsort((order, -scores, image_of_rows(predicted.at)))
        counts = match_by_score(predicted.at, rank, true_order, pairs, found.iou, levels)
        scores = scores[rank]
    hits, overlap, predicted_bits, true_bits = counts
    skipped = 0
    for image in crowded.tolist():
        rows, true_rows = (slice(at[image], at[image + 1]) for at in (predicted.at, true.at))
        if scores is None:
            crowd = match_crowd(left[rows], right[true_rows], overlapping, levels, PAIRS)
        else:
            ranks = rank[rows] - rows.start, true_order[true_rows]
            crowd = match_scored_crowd(left[rows], right[true_rows], ranks, overlapping, levels, PAIRS)
        hits[image], overlap[image], predicted_bits[rows], true_bits[true_rows], lost = crowd
        skipped += lost
    return Matched(
        hits=hits,
        overlap=overlap,
        predicted_at=predicted.at,
        true_at=true.at,
        predicted_area=left[rank, 4],
        true_area=right[:, 4],
        predicted_bits=predicted_bits[rank],
        true_bits=true_bits,
        scores=scores,
        skipped=skipped,
    )
