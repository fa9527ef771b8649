"""True negatives: how often a reply names no shape where there is none, and the table of truth against reply.

An unread reply is no true negative: nothing was said.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Self

import numpy as np

from sightline.core.records import Estimate
from sightline.data.columns import Batch, count_without_shapes
from sightline.scoring.metrics.state import Breakdown, ColumnState, Metric, MetricContext, Values, ratio
from sightline.stats.cluster_sums import ClusterSums, column_estimate

_HEAD = ("truth", "shapes in the reply", "none in the reply", "unread")


class PresenceState(ColumnState):
    """Samples by whether they have true shapes and whether their reply has any."""

    input_kind: ClassVar[str] = "shapes"
    takes_weights: ClassVar[bool] = True

    def __init__(self, context: MetricContext | None = None) -> None:
        super().__init__(context)
        self.sums = ClusterSums(2)
        """Columns: true negatives, samples without true shapes."""
        self.table = np.zeros((2, 3), np.int64)
        """Samples with true shapes and without; columns as in the breakdown."""

    def count(self, batch: Batch) -> Values:
        """See `ColumnState`."""
        has_truth, has_reply = (np.diff(side.offsets) > 0 for side in (batch.truth, batch.reply))
        has_reply |= count_without_shapes(batch.reply)
        outcome = np.where(batch.answered, np.where(has_reply, 0, 1), 2)
        np.add.at(self.table, (np.where(has_truth, 0, 1), outcome), 1)
        columns = np.stack((~has_truth & (outcome == 1), ~has_truth), axis=1).astype(np.float64)
        self.sums.add(batch.clusters, columns, batch.weights)
        return {}

    def merge(self, other: Self) -> None:
        """See `MetricState`."""
        self.sums.merge(other.sums)
        self.table += other.table

    def true_negative_rate(self) -> Estimate:
        """True negatives among the samples without true shapes."""
        if not self.table[1].any():
            return Estimate(value=None, n=0, reason="every sample has a true shape")
        return column_estimate(self.sums, [0, 1], ratio, "share")

    def breakdowns(self) -> Sequence[Breakdown]:
        """Samples with and without true shapes by what their reply has; where some have none."""
        if not self.table[1].any():
            return ()
        rows = tuple(
            (name, given, none, unread)
            for name, (given, none, unread) in zip(
                ("with objects", "without objects"), self.table.tolist(), strict=True
            )
        )
        return (Breakdown(name="presence", head=_HEAD, rows=rows),)


class MaskPresenceState(PresenceState):
    """The same of polygons."""

    input_kind: ClassVar[str] = "polygons"


TRUE_NEGATIVE_RATE = Metric(
    name="true_negative_rate",
    title="True-negative rate",
    state=PresenceState,
    compute=PresenceState.true_negative_rate,
    is_optional=True,
)
MASK_TRUE_NEGATIVE_RATE = Metric(
    name="mask_true_negative_rate",
    title="True-negative rate",
    state=MaskPresenceState,
    compute=PresenceState.true_negative_rate,
    is_optional=True,
)
