"""The metric state of polygons: their masks against the true ones, as a whole and, where asked for, one by one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Self

import numpy as np

from sightline.core.records import Estimate
from sightline.data.columns import Batch
from sightline.scoring.metrics.detection.match_state import MatchState
from sightline.scoring.metrics.detection.sizes import EDGES, SIZES
from sightline.scoring.metrics.detection.state import ap_rule
from sightline.scoring.metrics.masks.comparison import compare_masks, matches_instances
from sightline.scoring.metrics.state import Breakdown, ColumnState, MetricContext, Values
from sightline.stats.groups import GroupSums, column_estimate


class MaskState(ColumnState):
    """Mean IoU, Dice and pixel counts of each sample's united polygons; AP of single ones.

    Options: `instances` = true matches polygon by polygon, and a sample's score is its F1 at IoU 0.5; `width` and
    `height` cut off what lies beyond the picture; `ap` = `voc` as for boxes; `space` = `pixels`, `0-1`, `0-100` or
    `0-1000` says what the coordinates are, so that coarse ones are drawn finely (0–1 is seen from the truths).
    """

    input_kind: ClassVar[str] = "polygons"
    takes_weights: ClassVar[bool] = True

    def __init__(self, context: MetricContext | None = None) -> None:
        super().__init__(context)
        self.unions = GroupSums(7)
        """Columns: IoU, Dice, samples; pixels shared, of either, predicted, true."""
        self.areas = GroupSums(3 * len(SIZES))
        """Columns by size of the true mask: IoU, Dice, samples. One cluster: the sums are what counts."""
        self.state: MatchState | None = None
        if matches_instances(self.context):
            self.state = MatchState(ap_rule(self.context))
        self.skipped = 0

    def count(self, batch: Batch) -> Values:
        """See `ColumnState`."""
        found = compare_masks(batch, self.context)
        values = found.values
        columns = (values["iou"], values["dice"], np.ones(len(batch)), found.shared, found.either)
        areas = (values["predicted_area"], values["true_area"])
        self.unions.add(batch.clusters, np.stack((*columns, *areas), axis=1), batch.weights)
        size = np.searchsorted(EDGES, areas[1], side="right")[:, None] == np.arange(len(SIZES))
        by_size = np.concatenate([size * column[:, None] for column in columns[:3]], axis=1)
        self.areas.add(np.zeros(len(batch), np.uint64), by_size)
        self.skipped += found.skipped
        if self.state is not None:
            for rows, matched in found.matches:
                weights = None if batch.weights is None else batch.weights[rows]
                self.state.add(batch.clusters[rows], matched, weights)
        return values

    def merge(self, other: Self) -> None:
        """See `MetricState`."""
        self.unions.merge(other.unions)
        self.areas.merge(other.areas)
        self.skipped += other.skipped
        if self.state is not None and other.state is not None:
            self.state.merge(other.state)

    def breakdowns(self) -> Sequence[Breakdown]:
        """See `ColumnState`."""
        if self.state is not None:
            return self.state.breakdowns()
        rows = tuple(
            (name, round(n), iou / n if n else None, dice / n if n else None)
            for name, (iou, dice, n) in zip(SIZES, self.areas.totals().reshape(3, -1).T.tolist(), strict=True)
        )
        return [Breakdown(name="by_size", head=("size", "samples", "miou", "dice"), rows=rows)]

    def remarks(self) -> Mapping[str, int]:
        """See `ColumnState`."""
        told = {"polygons too long to draw": self.skipped} if self.skipped else {}
        return {**told, **(self.state.remarks() if self.state is not None else {})}

    def share(self, part: int, whole: int) -> Estimate:
        """The quotient of two columns of the sums."""
        return column_estimate(self.unions, [part, whole], lambda t: t[..., 0] / t[..., 1], "bounded")

    def pixel_f1(self) -> Estimate:
        """2·shared / (predicted + true) pixels."""
        return column_estimate(self.unions, [3, 5, 6], lambda t: 2 * t[..., 0] / (t[..., 1] + t[..., 2]), "bounded")

    def average_precision(self, *thresholds: float) -> Estimate:
        """AP of single polygons at a mask IoU, or its mean over several."""
        if self.state is None:
            return Estimate(value=None, n=self.unions.samples, reason="polygons were not matched one by one")
        return self.state.average_precision(*thresholds)
