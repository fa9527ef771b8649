"""The tally of polygons: their masks against the true ones, as a whole and, where asked for, one by one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from sightline.columns import Batch, Polygons
from sightline.columns.kinds import Hashes
from sightline.geometry.masks import CANVAS, Masks, mask_overlaps, mask_rows, shared_pixels, union_masks
from sightline.metrics.detection.matching import Side, match
from sightline.metrics.detection.sizes import EDGES, SIZES
from sightline.metrics.detection.state import MatchState, column_estimate
from sightline.metrics.masks.drawing import draw, pieces
from sightline.metrics.tally import Breakdown, Plan, Tally, Values
from sightline.records import Estimate
from sightline.stats.groups import GroupSums

INSTANCE_FIGURES = frozenset({"mask_ap", "mask_ap50", "mask_ap75"})


class MaskTally(Tally):
    """Mean IoU, Dice and pixel counts of each sample's united polygons; AP of single ones.

    Options: `instances` = true matches polygon by polygon, and a sample's score is its F1 at IoU 0.5; `width` and
    `height` cut off what lies beyond the picture; `ap` = `voc` as for boxes.
    """

    takes: ClassVar[str] = "polygons"

    def __init__(self, plan: Plan | None = None) -> None:
        super().__init__(plan)
        options = self.plan.options
        width, height = (min(int(options.get(name) or CANVAS[0]), CANVAS[0]) for name in ("width", "height"))
        self.canvas = width, height
        self.unions = GroupSums(7)
        """Columns: IoU, Dice, samples; pixels shared, of either, predicted, true."""
        self.areas = GroupSums(3 * len(SIZES))
        """Columns by size of the true mask: IoU, Dice, samples. One cluster: the sums are what counts."""
        self.state: MatchState | None = None
        if options.get("instances") or self.plan.wanted & INSTANCE_FIGURES:
            self.state = MatchState("voc" if options.get("ap") == "voc" else "coco")
        self.skipped = 0

    def count(self, batch: Batch) -> Values:
        """See `Tally`."""
        parts = [self._count(batch, *piece) for piece in pieces(batch, self.canvas)]
        if not parts:
            return {name: np.zeros(0) for name in ("score", "iou", "dice", "true_area", "predicted_area")}
        return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}

    def _count(self, batch: Batch, rows: slice, reply: Polygons, truth: Polygons) -> Values:
        answered, clusters = batch.answered[rows], batch.clusters[rows]
        said, true = draw(reply, self.canvas), draw(truth, self.canvas)
        self.skipped += said.skipped + true.skipped
        unions = union_masks(said.masks, reply.offsets), union_masks(true.masks, truth.offsets)
        values = self._count_unions(clusters, answered, *unions)
        if self.state is not None:
            left = Side(mask_rows(said.masks, self.canvas), reply.offsets, reply.scores)
            right = Side(mask_rows(true.masks, self.canvas), truth.offsets)
            matched = match(left, right, mask_overlaps(said.masks, true.masks), self.state.thresholds)
            values["score"] = self.state.add(clusters, matched, answered)["score"]
        return values

    def _count_unions(self, clusters: Hashes, answered: NDArray[np.bool_], left: Masks, right: Masks) -> Values:
        """An unread reply earns nothing, even where there was nothing to be seen."""
        shared, said_area, true_area = shared_pixels(left, right), left.areas(), right.areas()
        either, both = said_area + true_area - shared, said_area + true_area
        iou = np.where(answered, np.divide(shared, either, out=np.ones(len(shared)), where=either > 0), 0.0)
        dice = np.where(answered, np.divide(2 * shared, both, out=np.ones(len(shared)), where=both > 0), 0.0)
        one = np.ones(len(shared))
        self.unions.add(clusters, np.stack((iou, dice, one, shared, either, said_area, true_area), axis=1))
        size = np.searchsorted(EDGES, true_area, side="right")[:, None] == np.arange(len(SIZES))
        by_size = np.concatenate([size * column[:, None] for column in (iou, dice, one)], axis=1)
        self.areas.add(np.zeros(len(shared), np.uint64), by_size)
        return {"score": iou, "iou": iou, "dice": dice, "true_area": true_area, "predicted_area": said_area}

    def merge(self, other: Self) -> None:
        """See `Tally`."""
        super().merge(other)
        self.unions.merge(other.unions)
        self.areas.merge(other.areas)
        self.skipped += other.skipped
        if self.state is not None and other.state is not None:
            self.state.merge(other.state)

    def breakdowns(self) -> Sequence[Breakdown]:
        """See `Tally`."""
        if self.state is not None:
            return self.state.breakdowns()
        rows = tuple(
            (name, round(n), iou / n if n else None, dice / n if n else None)
            for name, (iou, dice, n) in zip(SIZES, self.areas.totals().reshape(3, -1).T.tolist(), strict=True)
        )
        return [Breakdown(name="by_size", head=("size", "samples", "miou", "dice"), rows=rows)]

    def remarks(self) -> Mapping[str, int]:
        """See `Tally`."""
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
            return Estimate(value=None, n=self.unions.samples, why="polygons were not matched one by one")
        return self.state.average_precision(*thresholds)
