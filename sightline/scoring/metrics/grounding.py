"""Visual grounding metrics: Acc@0.25, Acc@0.5, Acc@0.7 and mean IoU, all over all samples.

Acc@t is the share of samples whose box has an IoU of at least t with the true one. An unread reply and one without a
box have IoU 0. Where a sample or its reply has several shapes, its IoU is the sum over matched pairs (IoU of 0.25 or
more) by the larger number of shapes. The mean IoU differs from that of matched pairs (`mean_iou`).
"""

from __future__ import annotations

from typing import ClassVar, Self

import numpy as np

from sightline.core.records import Estimate
from sightline.data.columns import Batch
from sightline.scoring.geometry.arrays import Floats
from sightline.scoring.metrics.detection import Images, as_shapes, match_shapes
from sightline.scoring.metrics.iou import paired_iou
from sightline.scoring.metrics.matching import NEAR_ONE
from sightline.scoring.metrics.state import ColumnState, Metric, MetricContext, Values, ratio
from sightline.stats.cluster_sums import ClusterSums, column_estimate

ACCURACY_THRESHOLDS = (0.25, 0.5, 0.7, 0.75, 0.9)


def sample_ious(batch: Batch) -> Floats:
    """The IoU of each sample's shape with its true one; where both have none, 1."""

    def compare() -> Floats:
        true, given = np.diff(batch.truth.offsets), np.diff(batch.reply.offsets)
        found = np.where((true == 0) & (given == 0) & batch.answered, 1.0, 0.0)
        if ((true > 0) & (given > 0) & (true + given > 2)).any():
            overlap = match_shapes(batch).unscored.overlap[:, 0]
            found = np.where(true + given > 0, overlap / np.maximum(np.maximum(true, given), 1), found)
        single = np.flatnonzero((true == 1) & (given == 1))
        found[single] = paired_iou(batch.reply.take(single), batch.truth.take(single))
        return found

    return batch.compute_once("sample ious", compare)


class GroundingState(ColumnState):
    """Sums of IoU, and of samples at or above each threshold."""

    input_kind: ClassVar[str] = "shapes"
    takes_weights: ClassVar[bool] = True

    def __init__(self, context: MetricContext | None = None) -> None:
        super().__init__(context)
        self.sums = ClusterSums(len(ACCURACY_THRESHOLDS) + 2)
        """Columns: samples at each threshold, IoU, samples."""

    def count(self, batch: Batch) -> Values:
        """See `ColumnState`."""
        found = sample_ious(batch)
        hits = found[:, None] >= np.minimum(ACCURACY_THRESHOLDS, NEAR_ONE)
        self.sums.add(batch.clusters, np.column_stack((hits, found, np.ones(len(batch)))), batch.weights)
        return {"iou": found}

    def merge(self, other: Self) -> None:
        """See `MetricState`."""
        self.sums.merge(other.sums)

    def accuracy(self, threshold: float) -> Estimate:
        """Share of samples whose IoU reaches a threshold."""
        return column_estimate(self.sums, [ACCURACY_THRESHOLDS.index(threshold), -1], ratio, "share")

    def mean_iou(self) -> Estimate:
        """Mean IoU over all samples."""
        return column_estimate(self.sums, [-2, -1], ratio, "bounded")


def _metric(threshold: float) -> Metric:
    return Metric(
        name=f"acc_iou{round(100 * threshold)}",
        title=f"Acc@{threshold:g}",
        state=GroundingState,
        compute=lambda state: state.accuracy(threshold),
        is_mean=True,
    )


ACC_IOU25, ACC_IOU50, ACC_IOU70, ACC_IOU75, ACC_IOU90 = map(_metric, ACCURACY_THRESHOLDS)
SAMPLE_IOU = Metric(
    name="sample_iou",
    title="Mean IoU over samples",
    state=GroundingState,
    compute=GroundingState.mean_iou,
    is_mean=True,
)


def calculate_grounding(truths: Images, predictions: Images) -> dict[str, float]:
    """Acc@t and mean IoU of one box or quad per sample; an empty prediction has IoU 0."""
    if len(truths) != len(predictions):
        raise ValueError(f"{len(truths)} truths, but {len(predictions)} predictions")
    n, state = len(truths), GroundingState()
    read = np.ones(n, bool)
    truth, reply = (
        as_shapes([np.atleast_2d(np.asarray(one, np.float64)) for one in side]) for side in (truths, predictions)
    )
    state.count(Batch(truth, reply, read, np.arange(n, dtype=np.uint64)))
    found = {f"acc@{threshold:g}": state.accuracy(threshold).value for threshold in ACCURACY_THRESHOLDS}
    found["mean_iou"] = state.mean_iou().value
    return {name: float("nan") if value is None else value for name, value in found.items()}
