"""Segmentation metrics of polygons: mean IoU, Dice, cumulative IoU, pixel F1 and mask AP.

The functions `calculate_…` take a list of rings per image, each n × 2 points or their flat numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from sightline.core.records import Estimate
from sightline.data.columns import Batch, Polygons
from sightline.scoring.geometry.arrays import offsets_of
from sightline.scoring.metrics.average_precision import Rule
from sightline.scoring.metrics.detection import ap_rule, warn_of_skipped
from sightline.scoring.metrics.mask_comparison import compare_masks, matches_instances
from sightline.scoring.metrics.match_state import EDGES, SIZES, MatchState
from sightline.scoring.metrics.matching import COCO_THRESHOLDS, THRESHOLDS
from sightline.scoring.metrics.state import Breakdown, ColumnState, Metric, MetricContext, Values, ratio
from sightline.stats.cluster_sums import ClusterSums, column_estimate

Images = Sequence[Sequence[ArrayLike]]


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
        self.unions = ClusterSums(7)
        """Columns: IoU, Dice, samples; pixels shared, of either, predicted, true."""
        self.areas = ClusterSums(3 * len(SIZES))
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
        """See `MetricState`."""
        if self.state is not None:
            return self.state.breakdowns()
        rows = tuple(
            (name, round(n), iou / n if n else None, dice / n if n else None)
            for name, (iou, dice, n) in zip(SIZES, self.areas.totals().reshape(3, -1).T.tolist(), strict=True)
        )
        return [Breakdown(name="by_size", head=("size", "samples", "miou", "dice"), rows=rows)]

    def remarks(self) -> Mapping[str, int]:
        """See `MetricState`."""
        notes = {"polygons too long to draw": self.skipped} if self.skipped else {}
        return {**notes, **(self.state.remarks() if self.state is not None else {})}

    def share(self, part: int, whole: int) -> Estimate:
        """The quotient of two columns of the sums."""
        return column_estimate(self.unions, [part, whole], ratio, "bounded")

    def pixel_f1(self) -> Estimate:
        """2·shared / (predicted + true) pixels."""
        return column_estimate(self.unions, [3, 5, 6], lambda t: 2 * t[..., 0] / (t[..., 1] + t[..., 2]), "bounded")

    def average_precision(self, *thresholds: float) -> Estimate:
        """AP of single polygons at a mask IoU, or its mean over several."""
        if self.state is None:
            return Estimate(value=None, n=self.unions.samples, reason="polygons were not matched one by one")
        return self.state.average_precision(*thresholds)


def _metric(name: str, title: str, compute: Callable[[MaskState], Estimate], is_mean: bool = False) -> Metric:
    return Metric(name=name, title=title, state=MaskState, compute=compute, is_mean=is_mean)


MASK_AP = _metric("mask_ap", "Mask AP", lambda state: state.average_precision(*COCO_THRESHOLDS))
MASK_AP50 = _metric("mask_ap50", "Mask AP@0.5", lambda state: state.average_precision(0.5))
MASK_AP75 = _metric("mask_ap75", "Mask AP@0.75", lambda state: state.average_precision(0.75))
MIOU = _metric("miou", "mIoU", lambda state: state.share(0, 2), is_mean=True)
DICE = _metric("dice", "Dice", lambda state: state.share(1, 2), is_mean=True)
CIOU = _metric("ciou", "Cumulative IoU", lambda state: state.share(3, 4))
PIXEL_F1 = _metric("pixel_f1", "Pixel F1", MaskState.pixel_f1)
PIXEL_PRECISION = _metric("pixel_precision", "Pixel precision", lambda state: state.share(3, 5))
PIXEL_RECALL = _metric("pixel_recall", "Pixel recall", lambda state: state.share(3, 6))


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
        warn_of_skipped(state.state)
    return state
