"""Segmentation metrics as plain functions: of each image a list of rings, each n × 2 points or their flat numbers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from sightline.data.columns import Batch, Polygons
from sightline.scoring.geometry.arrays import offsets_of
from sightline.scoring.metrics.detection.curves import Rule
from sightline.scoring.metrics.detection.plain import warn_of
from sightline.scoring.metrics.detection.thresholds import COCO_THRESHOLDS, THRESHOLDS
from sightline.scoring.metrics.masks.state import MaskState
from sightline.scoring.metrics.state import MetricContext

Images = Sequence[Sequence[ArrayLike]]


def calculate_miou(truths: Images, predictions: Images) -> float | None:
    """Mean over images of the IoU of the united polygons; both empty is 1. None without images."""
    return _compared(truths, predictions, MetricContext()).share(0, 2).value


def calculate_dice(truths: Images, predictions: Images) -> float | None:
    """Mean over images of Dice of the united polygons; both empty is 1. None without images."""
    return _compared(truths, predictions, MetricContext()).share(1, 2).value


def calculate_mask_ap(
    truths: Images,
    predictions: Images,
    *,
    thresholds: Sequence[float] = COCO_THRESHOLDS,
    scores: Sequence[ArrayLike] | None = None,
    rule: Rule = "coco",
) -> float | None:
    """AP of single polygons by mask IoU, the mean over thresholds of 0.25 and 0.50 to 0.95; None without truths."""
    if any(min(abs(threshold - known) for known in THRESHOLDS) > 1e-9 for threshold in thresholds):
        raise ValueError(f"thresholds must be some of {THRESHOLDS}")
    context = MetricContext(options={"instances": True, "ap": rule})
    return _compared(truths, predictions, context, scores).average_precision(*thresholds).value


def as_polygons(images: Images, scores: Sequence[ArrayLike] | None = None) -> Polygons:
    """A column of polygons, one sample an image."""
    rings = [np.asarray(ring, dtype=np.float64).reshape(-1, 2) for image in images for ring in image]
    points = np.concatenate([np.empty((0, 2)), *rings])
    if not np.isfinite(points).all():
        raise ValueError("coordinates must be finite numbers")
    flat = None
    if scores is not None:
        flat = np.concatenate([np.empty(0), *(np.asarray(one, dtype=np.float64).reshape(-1) for one in scores)])
        if len(flat) != len(rings):
            raise ValueError(f"{len(rings)} polygons need as many scores, not {len(flat)}")
    offsets = offsets_of([len(image) for image in images])
    return Polygons(offsets, offsets_of([len(ring) for ring in rings]), points, np.full(len(images), np.nan), flat)


def _compared(
    truths: Images, predictions: Images, context: MetricContext, scores: Sequence[ArrayLike] | None = None
) -> MaskState:
    if len(truths) != len(predictions):
        raise ValueError(f"{len(truths)} images of truths, but {len(predictions)} of predictions")
    images = len(truths)
    state = MaskState(context)
    reply, truth = as_polygons(predictions, scores), as_polygons(truths)
    state.count(Batch(truth, reply, np.ones(images, bool), np.arange(images, dtype=np.uint64)))
    if state.state is not None:
        warn_of(state.state)
    return state
