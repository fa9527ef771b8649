"""Scorer and metric state of shapes: boxes or quads of one class against the true ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Self

import numpy as np

from sightline.core.records import Estimate
from sightline.data.columns import Batch, Shapes
from sightline.scoring.geometry.arrays import Floats
from sightline.scoring.metrics.detection.curves import Rule
from sightline.scoring.metrics.detection.match_state import MatchState, score_matches
from sightline.scoring.metrics.detection.matching import Matches, matches, shape_sides
from sightline.scoring.metrics.detection.thresholds import THRESHOLDS
from sightline.scoring.metrics.state import Breakdown, ColumnState, MetricContext, Values
from sightline.stats.groups import GroupSums, column_estimate

MOST = 1e9
"""A count that differs by more counts as differing by so much: one absurd number shall not drown the sums."""


def match_shapes(batch: Batch) -> Matches:
    """Replies matched with truths at every threshold."""
    return batch.compute_once("matches", lambda: matches(*shape_sides(batch.reply, batch.truth), THRESHOLDS))


def score_shapes(batch: Batch, context: MetricContext | None = None) -> Values:
    """F1 at IoU 0.5 as the score; hits, AP and the error of the stated number of shapes beside it."""

    def compare() -> Values:
        said, true = _stated(batch.reply), _stated(batch.truth)
        error = np.minimum(np.where(batch.answered, np.abs(said - true), true), MOST)
        return {**score_matches(match_shapes(batch), batch.answered, ap_rule(context)), "count_error": error}

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
        self.counts = GroupSums(4)
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
        """See `ColumnState`."""
        return self.state.breakdowns()

    def remarks(self) -> Mapping[str, int]:
        """See `ColumnState`."""
        told = {"stated count differs from the number of shapes": self.disagreements} if self.disagreements else {}
        return {**told, **self.state.remarks()}

    def count_accuracy(self) -> Estimate:
        """Share of samples whose number of shapes was told exactly; an unread reply is wrong."""
        return column_estimate(self.counts, [0, 1], lambda t: t[..., 0] / t[..., 1], "share")

    def count_mae(self) -> Estimate:
        """Mean absolute error of the number of shapes; an unread reply misses them all."""
        return column_estimate(self.counts, [2, 1], lambda t: t[..., 0] / t[..., 1])

    def count_rmse(self) -> Estimate:
        """Root of the mean squared error of the number of shapes."""
        return column_estimate(self.counts, [3, 1], lambda t: np.sqrt(t[..., 0] / t[..., 1]))


def _stated(shapes: Shapes) -> Floats:
    """The count that the text states at its head, else the number of its shapes."""
    return np.where(np.isnan(shapes.counts), np.diff(shapes.offsets), shapes.counts)
