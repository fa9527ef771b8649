"""Detection metrics of boxes and quads: AP, mAP, precision, recall, F1 and counts, all computed from one state.

The functions `calculate_…` take lists of arrays, one entry per image, and return a number.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from sightline.core.records import Estimate
from sightline.data.columns import Batch, Shapes, count_without_shapes
from sightline.scoring.geometry.arrays import Floats, offsets_of
from sightline.scoring.geometry.boxes import row_order
from sightline.scoring.metrics.average_precision import Rule
from sightline.scoring.metrics.match_state import MatchState, score_matches
from sightline.scoring.metrics.matching import COCO_THRESHOLDS, THRESHOLDS, Matches, match_both_ways, shape_sides
from sightline.scoring.metrics.state import Breakdown, ColumnState, Metric, MetricContext, Values, ratio
from sightline.stats.cluster_sums import ClusterSums, column_estimate

MOST = 1e9
"""A count that differs by more counts as differing by so much: one absurd number shall not drown the sums."""
Images = Sequence[ArrayLike]
"""Of each image its boxes (n × 4: x1 y1 x2 y2) or quads (n × 8: four corners)."""


def match_shapes(batch: Batch) -> Matches:
    """Replies matched with truths at every threshold."""
    return batch.compute_once("matches", lambda: match_both_ways(*shape_sides(batch.reply, batch.truth), THRESHOLDS))


def score_shapes(batch: Batch, context: MetricContext | None = None) -> Values:
    """F1 at IoU 0.5 as the score; hits, AP and the error of the stated number of shapes beside it."""

    def compare() -> Values:
        predicted, true = _stated_counts(batch.reply), _stated_counts(batch.truth)
        error = np.minimum(np.where(batch.answered, np.abs(predicted - true), true), MOST)
        locates = batch.answered & ~count_without_shapes(batch.reply)
        return {**score_matches(match_shapes(batch), locates, ap_rule(context)), "count_error": error}

    return batch.compute_once("shape scores", compare)


def ap_rule(context: MetricContext | None) -> Rule:
    """The rule of average precision that a task asks for."""
    return "voc" if context is not None and context.options.get("ap") == "voc" else "coco"


class DetectionState(ColumnState):
    """AP, precision, recall and F1 at IoU 0.25 and 0.50 to 0.95, and how well the number of shapes was told.

    The option `ap` = `voc` takes the area under every step of the curve instead of COCO's 101 points.
    """

    input_kind: ClassVar[str] = "shapes"
    takes_weights: ClassVar[bool] = True

    def __init__(self, context: MetricContext | None = None) -> None:
        super().__init__(context)
        self.state = MatchState(ap_rule(self.context))
        self.counts = ClusterSums(4)
        """Columns: told exactly, samples, absolute error, squared error."""
        self.disagreements = 0

    def count(self, batch: Batch) -> Values:
        """See `ColumnState`."""
        self.state.add(batch.clusters, match_shapes(batch), batch.weights)
        scored = score_shapes(batch, self.context)
        error = scored["count_error"]
        exact = batch.answered & (error == 0)
        columns = np.stack((exact, np.ones(len(batch)), error, error**2), axis=1)
        self.counts.add(batch.clusters, columns, batch.weights)
        stated = batch.answered & ~np.isnan(batch.reply.counts)
        self.disagreements += int((stated & (batch.reply.counts != np.diff(batch.reply.offsets))).sum())
        return scored

    def merge(self, other: Self) -> None:
        """See `MetricState`."""
        self.state.merge(other.state)
        self.counts.merge(other.counts)
        self.disagreements += other.disagreements

    def breakdowns(self) -> Sequence[Breakdown]:
        """See `MetricState`."""
        return self.state.breakdowns()

    def remarks(self) -> Mapping[str, int]:
        """See `MetricState`."""
        notes = {"stated count differs from the number of shapes": self.disagreements} if self.disagreements else {}
        return {**notes, **self.state.remarks()}

    def count_accuracy(self) -> Estimate:
        """Share of samples whose number of shapes was told exactly; an unread reply is wrong."""
        return column_estimate(self.counts, [0, 1], ratio, "share")

    def count_mae(self) -> Estimate:
        """Mean absolute error of the number of shapes; an unread reply misses them all."""
        return column_estimate(self.counts, [2, 1], ratio, "positive")

    def count_rmse(self) -> Estimate:
        """Root of the mean squared error of the number of shapes."""
        return column_estimate(self.counts, [3, 1], lambda t: np.sqrt(t[..., 0] / t[..., 1]), "positive")


def _stated_counts(shapes: Shapes) -> Floats:
    """The count that the text states at its head, else the number of its shapes."""
    return np.where(np.isnan(shapes.counts), np.diff(shapes.offsets), shapes.counts)


def _metric(name: str, title: str, compute: Callable[[DetectionState], Estimate], **more: Any) -> Metric:
    return Metric(name=name, title=title, state=DetectionState, compute=compute, **more)


AP50 = _metric("ap50", "AP@0.5", lambda state: state.state.average_precision(0.5))
AP75 = _metric("ap75", "AP@0.75", lambda state: state.state.average_precision(0.75))
AP25 = _metric("ap25", "AP@0.25", lambda state: state.state.average_precision(0.25))
MAP = _metric("map", "mAP@[.5:.95]", lambda state: state.state.average_precision(*COCO_THRESHOLDS))
PRECISION50 = _metric("precision50", "Precision@0.5", lambda state: state.state.precision(0.5))
RECALL50 = _metric("recall50", "Recall@0.5", lambda state: state.state.recall(0.5))
F1_50 = _metric("f1_50", "F1@0.5", lambda state: state.state.f1(0.5))
F1_75 = _metric("f1_75", "F1@0.75", lambda state: state.state.f1(0.75))
MEAN_IOU = _metric("mean_iou", "Mean IoU of matches", lambda state: state.state.mean_iou())
COUNT_ACCURACY = _metric("count_accuracy", "Count accuracy", DetectionState.count_accuracy, is_mean=True)
COUNT_MAE = _metric("count_mae", "Count MAE", DetectionState.count_mae, higher_is_better=False, unit="number")
COUNT_RMSE = _metric("count_rmse", "Count RMSE", DetectionState.count_rmse, higher_is_better=False, unit="number")


def calculate_detection_ap(
    truths: Images, predictions: Images, *, threshold: float = 0.5, scores: Images | None = None, rule: Rule = "coco"
) -> float | None:
    """AP at an IoU threshold, by COCO's 101 points or VOC's every step; None without truths.

    Without scores all detections tie and enter the curve together.
    """
    return _match_images(truths, predictions, (threshold,), scores, rule).average_precision(threshold).value


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
    return _match_images(truths, predictions, rising, scores, rule).average_precision(*rising).value


def calculate_detection_f1(truths: Images, predictions: Images, *, threshold: float = 0.5) -> dict[str, float]:
    """Precision, recall and F1 at an IoU threshold; NaN where there is nothing to share."""
    state = _match_images(truths, predictions, (threshold,), None, "coco")
    found = {"precision": state.precision(threshold), "recall": state.recall(threshold), "f1": state.f1(threshold)}
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
    """A column of shapes, one sample per image."""
    arrays = [np.asarray(image, dtype=np.float64) for image in images]
    # numbers per shape: the last axis, or both axes of corners (n × 4 × 2)
    widths = {8 if array.ndim == 3 else array.shape[-1] for array in arrays if array.size}
    if not widths <= {4, 8} or len(widths) > 1:
        raise ValueError("every image needs boxes of 4 numbers, or every image quads of 8")
    width = widths.pop() if widths else 4
    coords = np.concatenate([np.empty((0, width)), *(array.reshape(-1, width) for array in arrays)])
    offsets = offsets_of([array.size // width for array in arrays])
    flat = None
    if scores is not None:
        flat = np.concatenate([np.empty(0), *(np.asarray(one, dtype=np.float64).reshape(-1) for one in scores)])
    if not np.isfinite(coords).all():
        raise ValueError("coordinates must be finite numbers")
    if flat is not None and len(flat) != len(coords):
        raise ValueError(f"{len(coords)} shapes need as many scores, not {len(flat)}")
    return Shapes(offsets, coords, np.full(len(arrays), np.nan), flat)


def _match_images(
    truths: Images, predictions: Images, thresholds: tuple[float, ...], scores: Images | None, rule: Rule
) -> MatchState:
    if len(truths) != len(predictions):
        raise ValueError(f"{len(truths)} images of truths, but {len(predictions)} of predictions")
    reply, truth = as_shapes(predictions, scores), as_shapes(truths)
    state = MatchState(rule, thresholds)
    images = len(truths)
    found = match_both_ways(*shape_sides(reply, truth), thresholds)
    state.add(np.arange(images, dtype=np.uint64), found)
    warn_of_skipped(state)
    return state


def warn_of_skipped(state: MatchState) -> None:
    """Who calls a function sees no remarks of a report: what makes a figure too low is told as a warning."""
    if state.counts.skipped:
        warnings.warn(f"{state.counts.skipped} shapes not matched: too many overlap", stacklevel=4)
