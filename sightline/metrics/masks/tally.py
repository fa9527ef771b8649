"""The tally of polygons: their masks against the true ones, as a whole and, where asked for, one by one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Self

import numpy as np

from sightline.columns import Batch
from sightline.geometry.masks import CANVAS, mask_overlaps, mask_rows, shared_pixels, union_masks
from sightline.metrics.detection.matching import Matched, Side, matches
from sightline.metrics.detection.sizes import EDGES, SIZES
from sightline.metrics.detection.state import MatchState, column_estimate
from sightline.metrics.masks.drawing import Piece, drawn
from sightline.metrics.masks.grids import declared_scale
from sightline.metrics.tally import Breakdown, Plan, Tally, Values
from sightline.records import Estimate
from sightline.stats.groups import GroupSums

INSTANCE_FIGURES = frozenset({"mask_ap", "mask_ap50", "mask_ap75"})
VALUES = ("score", "iou", "dice", "true_area", "predicted_area")


class MaskTally(Tally):
    """Mean IoU, Dice and pixel counts of each sample's united polygons; AP of single ones.

    Options: `instances` = true matches polygon by polygon, and a sample's score is its F1 at IoU 0.5; `width` and
    `height` cut off what lies beyond the picture; `ap` = `voc` as for boxes; `space` = `pixels`, `0-1`, `0-100` or
    `0-1000` says what the coordinates are, so that coarse ones are drawn finely (0–1 is seen from the truths).
    """

    takes: ClassVar[str] = "polygons"
    takes_weights: ClassVar[bool] = True
    excluded_from_state: ClassVar[tuple[str, ...]] = ("canvas", "declared")

    def __init__(self, plan: Plan | None = None) -> None:
        super().__init__(plan)
        options = self.plan.options
        width, height = (min(int(options.get(name) or CANVAS[0]), CANVAS[0]) for name in ("width", "height"))
        self.canvas = width, height
        self.declared = declared_scale(options.get("space"))
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
        values: Values = {name: np.zeros(len(batch)) for name in VALUES}
        for piece in drawn(batch.reply, batch.truth, self.canvas, self.declared):
            part = Batch(
                truth=None,
                reply=None,
                answered=batch.answered[piece.rows],
                clusters=batch.clusters[piece.rows],
                weights=None if batch.weights is None else batch.weights[piece.rows],
            )
            for name, column in self._count(part, piece).items():
                values[name][piece.rows] = column
        return values

    def _count(self, part: Batch, piece: Piece) -> Values:
        self.skipped += piece.skipped
        values = self._count_unions(part, piece)
        if self.state is not None:
            (reply, said, _), (truth, true, _) = piece.reply, piece.truth
            left = Side(mask_rows(said, piece.canvas), reply.offsets, reply.scores)
            right = Side(mask_rows(true, piece.canvas), truth.offsets)
            found = matches(left, right, mask_overlaps(said, true), self.state.thresholds)
            found = found._replace(
                plain=_unscaled(found.plain, piece.scale),
                ranked=found.ranked and _unscaled(found.ranked, piece.scale),
            )
            values["score"] = self.state.add(part.clusters, found, part.answered, part.weights)["score"]
        return values

    def _count_unions(self, part: Batch, piece: Piece) -> Values:
        """An unread reply earns nothing, even where there was nothing to be seen.

        Only where neither side has a polygon is saying nothing right: polygons without a pixel share none.
        """
        left, right = (union_masks(side.masks, side.polygons.offsets) for side in (piece.reply, piece.truth))
        nothing = (np.diff(piece.reply.polygons.offsets) == 0) & (np.diff(piece.truth.polygons.offsets) == 0)
        shared, said_area, true_area = (
            pixels / float(piece.scale) ** 2 for pixels in (shared_pixels(left, right), left.areas(), right.areas())
        )
        either, both, alike = said_area + true_area - shared, said_area + true_area, nothing.astype(np.float64)
        iou = np.where(part.answered, np.divide(shared, either, out=alike.copy(), where=either > 0), 0.0)
        dice = np.where(part.answered, np.divide(2 * shared, both, out=alike, where=both > 0), 0.0)
        one = np.ones(len(shared))
        columns = np.stack((iou, dice, one, shared, either, said_area, true_area), axis=1)
        self.unions.add(part.clusters, columns, part.weights)
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


def _unscaled(matched: Matched, scale: int) -> Matched:
    """With areas in units of the space, whichever grid they were drawn on."""
    unit = float(scale) ** 2
    return matched._replace(predicted_area=matched.predicted_area / unit, true_area=matched.true_area / unit)
