"""Detection metrics as plain functions: lists of arrays in, one list entry an image, a number out."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from sightline.data.columns import Shapes
from sightline.scoring.geometry.arrays import Floats, offsets_of
from sightline.scoring.geometry.overlap_kernels import row_order
from sightline.scoring.metrics.detection.curves import Rule
from sightline.scoring.metrics.detection.match_state import MatchState
from sightline.scoring.metrics.detection.matching import matches, shape_sides
from sightline.scoring.metrics.detection.thresholds import COCO_THRESHOLDS

Images = Sequence[ArrayLike]
"""Of each image its boxes (n × 4: x1 y1 x2 y2) or quads (n × 8: four corners)."""


def calculate_detection_ap(
    truths: Images,
    predictions: Images,
    *,
    threshold: float = 0.5,
    scores: Images | None = None,
    rule: Rule = "coco",
) -> float | None:
    """AP at an IoU threshold, by COCO's 101 points or VOC's every step; None without truths.

    Without scores all detections tie and enter the curve together.
    """
    return _matched(truths, predictions, (threshold,), scores, rule).average_precision(threshold).value


def calculate_detection_map(
    truths: Images,
    predictions: Images,
    *,
    thresholds: Sequence[float] = COCO_THRESHOLDS,
    scores: Images | None = None,
    rule: Rule = "coco",
) -> float | None:
    """The mean of AP over IoU thresholds (up to 16), COCO's ten if not told otherwise; None without truths."""
    rising = tuple(sorted(thresholds))
    return _matched(truths, predictions, rising, scores, rule).average_precision(*rising).value


def calculate_detection_f1(truths: Images, predictions: Images, *, threshold: float = 0.5) -> dict[str, float]:
    """Precision, recall and F1 at an IoU threshold; NaN where there is nothing to share."""
    state = _matched(truths, predictions, (threshold,), None, "coco")
    found = {
        "precision": state.precision(threshold),
        "recall": state.recall(threshold),
        "f1": state.f1(threshold),
    }
    return {name: float("nan") if one.value is None else one.value for name, one in found.items()}


def iou(a: ArrayLike, b: ArrayLike) -> Floats:
    """IoU of every shape of `a` (rows) with every shape of `b` (columns): boxes, or quads if either has them."""
    left, right = (as_shapes([side]) for side in (a, b))
    one, other, overlapping = shape_sides(left, right)
    order, other_order = row_order(one.rows, one.at), row_order(other.rows, other.at)
    everything = len(order) * len(other_order) + 1
    found = overlapping(one.rows[order], one.at, other.rows[other_order], other.at, 0.0, everything)
    table = np.zeros((len(order), len(other_order)))
    table[order[found.left], other_order[found.right]] = found.iou
    return table


def as_shapes(images: Images, scores: Images | None = None) -> Shapes:
    """A column of shapes, one sample an image."""
    arrays = [np.asarray(image, dtype=np.float64) for image in images]
    widths = {_width(array) for array in arrays if array.size}
    if not widths <= {4, 8} or len(widths) > 1:
        raise ValueError("every image needs boxes of 4 numbers, or every image quads of 8")
    width = widths.pop() if widths else 4
    coords = np.concatenate([np.empty((0, width)), *(array.reshape(-1, width) for array in arrays)])
    offsets = offsets_of([array.size // width for array in arrays])
    flat = None if scores is None else np.concatenate([np.empty(0), *map(_flat, scores)])
    if not np.isfinite(coords).all():
        raise ValueError("coordinates must be finite numbers")
    if flat is not None and len(flat) != len(coords):
        raise ValueError(f"{len(coords)} shapes need as many scores, not {len(flat)}")
    return Shapes(offsets, coords, np.full(len(arrays), np.nan), flat)


def _flat(values: ArrayLike) -> Floats:
    return np.asarray(values, dtype=np.float64).reshape(-1)


def _width(array: Floats) -> int:
    """Numbers a shape: the last axis, or both axes of corners (n × 4 × 2)."""
    return 8 if array.ndim == 3 else array.shape[-1]


def _matched(
    truths: Images, predictions: Images, thresholds: tuple[float, ...], scores: Images | None, rule: Rule
) -> MatchState:
    if len(truths) != len(predictions):
        raise ValueError(f"{len(truths)} images of truths, but {len(predictions)} of predictions")
    reply, truth = as_shapes(predictions, scores), as_shapes(truths)
    state = MatchState(rule, thresholds)
    images = len(truths)
    found = matches(*shape_sides(reply, truth), thresholds)
    state.add(np.arange(images, dtype=np.uint64), found)
    warn_of(state)
    return state


def warn_of(state: MatchState) -> None:
    """Who calls a function sees no remarks of a report: what makes a figure too low is told as a warning."""
    if state.counts.skipped:
        warnings.warn(f"{state.counts.skipped} shapes not matched: too many overlap", stacklevel=4)
