"""Segmentation by class: class-wise IoU, its mean over classes (mIoU) and frequency-weighted IoU (FWIoU).

The polygons of one class are one area in each image. The IoU of a class is Σ intersection / Σ union over all images, as
semantic segmentation is reported; FWIoU weighs classes by their true area. Unlike `miou`, no image is averaged.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np

from sightline.core.records import Estimate
from sightline.data.columns import Batch
from sightline.scoring.geometry.arrays import Floats
from sightline.scoring.metrics.label_counts import MOST_IN_INTERVALS
from sightline.scoring.metrics.mask_comparison import compare_masks
from sightline.scoring.metrics.shape_classes import (
    NO_LABELS,
    ClassState,
    ShapeClasses,
    group_by_class,
)
from sightline.scoring.metrics.state import Breakdown, Metric, MetricContext
from sightline.stats.cluster_sums import ClusterSums
from sightline.stats.intervals import Statistic


class ClassAreas:
    """Areas of intersection, union and truth of each class, by cluster."""

    excluded_from_state: ClassVar[tuple[str, ...]] = ("classes", "_options")

    def __init__(self, classes: ShapeClasses, context: MetricContext) -> None:
        self.classes = classes
        self._options = {**context.options, "instances": False}
        self.sums = ClusterSums(3 * len(classes))
        self.samples = 0

    def add(self, batch: Batch) -> None:
        """Compare a batch class by class."""
        groups, size = group_by_class(batch, self.classes), len(self.classes)
        answered = np.ones(len(groups.image), bool)
        parted = Batch(groups.truth, groups.reply, answered, batch.clusters[groups.image])
        found = compare_masks(parted, MetricContext(options=self._options))
        known = groups.class_index < size
        image, index = groups.image[known], groups.class_index[known]
        columns = (found.shared[known], found.either[known], found.values["true_area"][known])
        self.samples += len(batch)
        is_few = size <= MOST_IN_INTERVALS
        table = np.zeros((len(batch) if is_few else 1, 3 * size))
        weights = np.ones(len(batch)) if batch.weights is None else batch.weights
        for number, areas in enumerate(columns):
            each = areas if is_few else areas * weights[image]
            np.add.at(table, (image if is_few else np.zeros_like(image), number * size + index), each)
        clusters = batch.clusters if is_few else np.zeros(1, np.uint64)  # with many classes there is no interval
        self.sums.add(clusters, table, batch.weights if is_few else None)

    def merge(self, other: ClassAreas) -> None:
        """Merge the areas of `other`, over the same classes."""
        self.sums.merge(other.sums)
        self.samples += other.samples


def class_ious(totals: Floats) -> Floats:
    """IoU of each class; NaN where neither side has any of it."""
    size = totals.shape[-1] // 3
    shared, either = totals[..., :size], totals[..., size : 2 * size]
    found: Floats = np.divide(shared, either, out=np.full(shared.shape, np.nan), where=either > 0)
    return found


def mean_iou(totals: Floats) -> Any:
    """Mean over the classes that have a true area."""
    has_truth = totals[..., 2 * totals.shape[-1] // 3 :] > 0
    return np.where(has_truth, class_ious(totals), 0.0).sum(axis=-1) / has_truth.sum(axis=-1)


def frequency_weighted_iou(totals: Floats) -> Any:
    """Mean weighted by the true area of each class."""
    true = totals[..., 2 * totals.shape[-1] // 3 :]
    return np.where(true > 0, class_ious(totals) * true, 0.0).sum(axis=-1) / true.sum(axis=-1)


class ClassMaskState(ClassState[ClassAreas]):
    """IoU by class."""

    input_kind: ClassVar[str] = "polygons"

    def make_counts(self, classes: ShapeClasses) -> ClassAreas:
        """See `ClassState`."""
        return ClassAreas(classes, self.context)

    def estimate(self, statistic: Statistic) -> Estimate:
        """A figure of the areas."""
        areas = self.counts
        if not areas.classes.are_labelled:
            return Estimate(value=None, n=areas.samples, reason=NO_LABELS)
        return areas.sums.estimate(statistic, "bounded")

    def breakdowns(self) -> Sequence[Breakdown]:
        """IoU and share of the true area of each class, in the order of the alphabet."""
        areas = self.counts
        if not areas.classes.are_labelled or not areas.samples:
            return ()
        totals, size = areas.sums.totals(), len(areas.classes)
        ious, true = class_ious(totals), totals[2 * size :]
        table = []
        for index in np.argsort(np.array(areas.classes.names, dtype=object)).tolist():
            iou = None if np.isnan(ious[index]) else float(ious[index])
            share = float(true[index] / true.sum()) if true.sum() else None
            table.append((areas.classes.names[index] or "–", iou, share))
        rows = tuple(table)
        return (Breakdown(name="per_class", head=("class", "iou", "share of the true area"), rows=rows),)


def _metric(name: str, title: str, statistic: Callable[[Floats], Any]) -> Metric:
    return Metric(
        name=name,
        title=title,
        state=ClassMaskState,
        compute=lambda state: state.estimate(statistic),
        is_optional=True,
    )


CLASS_MIOU = _metric("class_miou", "mIoU over classes", mean_iou)
CLASS_FWIOU = _metric("class_fwiou", "Frequency-weighted IoU", frequency_weighted_iou)
