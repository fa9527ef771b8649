"""Predictions matched with truths, image by image, at every threshold at once."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sightline.data.columns import Shapes
from sightline.scoring.geometry.arrays import Floats, Ints, image_of_rows, sums
from sightline.scoring.geometry.boxes import box_overlaps, box_rows, corners_of
from sightline.scoring.geometry.overlap_kernels import row_order
from sightline.scoring.metrics.detection.crowds import Overlapping, match_crowd, match_scored_crowd
from sightline.scoring.metrics.detection.matching_kernels import Bits, match_by_score, match_most
from sightline.scoring.metrics.detection.thresholds import NEAR_ONE

PAIRS = 2**21
"""Overlapping pairs of one image that are listed: as of 1400 shapes that all lie upon 1400 others. Where there are
more, equal shapes are matched as groups, and if need be only at the higher thresholds; see `crowds`."""


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

    plain: Matched
    ranked: Matched | None
    unscored: Ints
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


def matches(predicted: Side, true: Side, overlapping: Overlapping, thresholds: tuple[float, ...]) -> Matches:
    """Both ways: which of them counts is only known when the whole task has been seen."""
    plain = match(predicted._replace(scores=None), true, overlapping, thresholds)
    if predicted.scores is None or np.isnan(predicted.scores).all():
        return Matches(plain, None, np.diff(predicted.at))
    unscored = sums(np.isnan(predicted.scores), predicted.at)
    return Matches(plain, match(predicted, true, overlapping, thresholds), unscored)


def match(predicted: Side, true: Side, overlapping: Overlapping, thresholds: tuple[float, ...]) -> Matched:
    """By COCO's rule where there are scores, else as many pairs as can be; no order of shapes shows in the latter."""
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
