"""Per-class AP of labelled boxes and quads, and its mean over the classes (mAP as COCO and DOTA report it).

Shapes of one class are matched among themselves. The mean is over the classes that some truth has; a prediction of
another class costs the class that it missed, and adds none.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np
from msgspec.structs import replace
from numpy.typing import ArrayLike

from sightline.core.records import Estimate
from sightline.data.columns import Batch
from sightline.scoring.geometry.arrays import Floats, Ints, image_of_rows
from sightline.scoring.metrics.average_precision import Ranking, Rule, tied_average_precision
from sightline.scoring.metrics.detection import Images, ap_rule, as_shapes
from sightline.scoring.metrics.label_counts import MOST_IN_INTERVALS, ClusterCounts
from sightline.scoring.metrics.matching import (
    COCO_THRESHOLDS,
    THRESHOLDS,
    Matched,
    match_both_ways,
    shape_sides,
    threshold_index,
)
from sightline.scoring.metrics.shape_classes import (
    NO_LABELS,
    ClassState,
    ShapeClasses,
    group_by_class,
)
from sightline.scoring.metrics.state import Breakdown, Metric, MetricContext
from sightline.scoring.parsers.columns.labels import fold_label, label_code
from sightline.stats.exact import WEIGHT_UNIT, WeightRange, fixed_weights

_LEVEL = threshold_index(0.5)


class ClassMatchCounts:
    """Hits at every threshold, predictions and truths of each class; no order or split changes them."""

    excluded_from_state: ClassVar[tuple[str, ...]] = ("classes", "rule")

    def __init__(self, classes: ShapeClasses, rule: Rule) -> None:
        self.classes, self.rule = classes, rule
        size = len(classes)
        self.samples = 0
        self.weights = WeightRange()
        self.plain = np.zeros((size, len(THRESHOLDS) + 2), np.int64)
        self.plain_masses = np.zeros((size, len(THRESHOLDS) + 2), np.int64)
        self.rankings = [Ranking() for _ in range(size)]
        """Of the predictions of each class by score; empty where one had none."""
        self.scored = 0
        self.unscored = 0
        self.clusters = ClusterCounts(3 * size) if size <= MOST_IN_INTERVALS else None
        """Hits at 0.5, predictions and truths of each class, by cluster."""

    def add(self, batch: Batch) -> None:
        """Match a batch class by class and count it."""
        groups = group_by_class(batch, self.classes)
        matches = match_both_ways(*shape_sides(groups.reply, groups.truth), THRESHOLDS)
        weights = np.ones(len(batch)) if batch.weights is None else batch.weights
        self.samples += len(batch)
        self.weights.add(batch.weights)
        known, classes = groups.class_index < len(self.classes), groups.class_index
        matched = matches.unscored
        columns = np.column_stack((matched.hits, np.diff(matched.predicted_at), np.diff(matched.true_at)))[known]
        np.add.at(self.plain, classes[known], columns)
        mass = fixed_weights(weights)[groups.image[known]]
        np.add.at(self.plain_masses, classes[known], columns * mass[:, None])
        if self.clusters is not None:
            self._count_clusters(batch, matched, groups.image, classes)
        unscored = int(matches.unscored_counts[known].sum())
        self.unscored += unscored
        self.scored += int(np.diff(matched.predicted_at)[known].sum()) - unscored
        if self.unscored:
            self.rankings = [Ranking() for _ in range(len(self.classes))]
        elif matches.ranked is not None and matches.ranked.scores is not None:
            ranked = matches.ranked
            of_shape = np.repeat(np.arange(len(classes)), np.diff(ranked.predicted_at))
            for index in np.unique(classes[known]).tolist():
                rows = classes[of_shape] == index
                images = groups.image[of_shape[rows]]
                each = None if batch.weights is None else weights[images]
                clusters = batch.clusters[images]
                self.rankings[index].add(matches.ranked.scores[rows], ranked.predicted_bits[rows], clusters, each)

    def _count_clusters(self, batch: Batch, matched: Matched, image: Ints, classes: Ints) -> None:
        assert self.clusters is not None
        size = len(self.classes)
        rows, columns = [], []
        for number, (at, bits) in enumerate(
            (
                (matched.predicted_at, matched.predicted_bits & np.uint16(1 << _LEVEL) > 0),
                (matched.predicted_at, None),
                (matched.true_at, None),
            )
        ):
            group = image_of_rows(at)
            chosen = (classes[group] < size) & (True if bits is None else bits)
            rows.append(image[group[chosen]])
            columns.append(number * size + classes[group[chosen]])
        self.clusters.add(batch.clusters, np.concatenate(rows), np.concatenate(columns), batch.weights)

    def merge(self, other: ClassMatchCounts) -> None:
        """Merge the counts of `other`, over the same classes."""
        self.samples += other.samples
        self.weights.merge(other.weights)
        self.plain += other.plain
        self.plain_masses += other.plain_masses
        self.scored += other.scored
        self.unscored += other.unscored
        if self.unscored:
            self.rankings = [Ranking() for _ in range(len(self.classes))]
        else:
            for mine, theirs in zip(self.rankings, other.rankings, strict=True):
                mine.merge(theirs)
        if self.clusters is not None and other.clusters is not None:
            self.clusters.merge(other.clusters)

    def totals(self) -> Floats:
        """Hits, predictions and truths of each class, by weights where these differ."""
        return self.plain.astype(np.float64) if self.weights.is_even else self.plain_masses / WEIGHT_UNIT

    def average_precisions(self, threshold: float) -> Floats:
        """AP of each class; NaN where a class has no truth."""
        level, totals = threshold_index(threshold), self.totals()
        if not (self.scored and not self.unscored):
            found: Floats = tied_average_precision(totals[:, level], totals[:, -2], totals[:, -1], self.rule)
            return found
        is_weighted, rule = not self.weights.is_even, 0 if self.rule == "coco" else 1
        return np.array(
            [
                ranking.average_precision(level, float(true), is_weighted)[rule] if true else np.nan
                for ranking, true in zip(self.rankings, totals[:, -1].tolist(), strict=True)
            ]
        )


class ClassDetectionState(ClassState[ClassMatchCounts]):
    """AP by class."""

    input_kind: ClassVar[str] = "shapes"

    def make_counts(self, classes: ShapeClasses) -> ClassMatchCounts:
        """See `ClassState`."""
        return ClassMatchCounts(classes, ap_rule(self.context))

    def mean_average_precision(self, *thresholds: float) -> Estimate:
        """Mean over classes of AP at a threshold, or of its mean over several."""
        counts = self.counts
        if not counts.classes.are_labelled:
            return Estimate(value=None, n=counts.samples, reason=NO_LABELS)
        values = np.mean([counts.average_precisions(threshold) for threshold in thresholds], axis=0)
        has_truth = ~np.isnan(values)
        if not has_truth.any():
            return Estimate(value=None, n=counts.samples)
        value = float(values[has_truth].mean())
        is_tied = not (counts.scored and not counts.unscored)
        if thresholds != (0.5,) or not is_tied or counts.clusters is None or self._counted is None:
            return Estimate(value=value, n=counts.samples)
        smooth = counts.clusters.estimate(self._mean_of_totals, "bounded", counts.samples)
        if smooth.low is None or smooth.high is None:
            return replace(smooth, value=value)
        return replace(smooth, value=value, low=min(smooth.low, value), high=max(smooth.high, value))

    def _mean_of_totals(self, totals: Floats) -> Any:
        size = totals.shape[-1] // 3
        hits, predicted, true = (totals[..., k * size : (k + 1) * size] for k in range(3))
        # as precision × recall, which is smooth: the steps of the 101 points tell nothing about the spread
        values, has_truth = tied_average_precision(hits, predicted, true, "voc"), true > 0
        return np.where(has_truth, values, 0.0).sum(axis=-1) / has_truth.sum(axis=-1)

    def breakdowns(self) -> Sequence[Breakdown]:
        """AP, precision and recall of each class, in the order of the alphabet."""
        counts = self.counts
        if not counts.classes.are_labelled:
            return ()
        ap50, mean = (
            counts.average_precisions(0.5),
            np.mean([counts.average_precisions(t) for t in COCO_THRESHOLDS], axis=0),
        )
        table = []
        for index in np.argsort(np.array(counts.classes.names, dtype=object)).tolist():
            hits, predicted, true = (int(counts.plain[index, column]) for column in (_LEVEL, -2, -1))
            shares = [hits / whole if whole else None for whole in (predicted, true)]
            aps = [None if np.isnan(one[index]) else float(one[index]) for one in (ap50, mean)]
            table.append((counts.classes.names[index] or "–", true, predicted, *aps, *shares))
        rows = tuple(table)
        head = ("class", "true", "predicted", "ap50", "map", "precision", "recall")
        return (Breakdown(name="per_class", head=head, rows=rows),)


def _metric(name: str, title: str, compute: Callable[[ClassDetectionState], Estimate]) -> Metric:
    return Metric(name=name, title=title, state=ClassDetectionState, compute=compute, is_optional=True)


CLASS_MAP50 = _metric("class_map50", "mAP@0.5 over classes", lambda state: state.mean_average_precision(0.5))
CLASS_MAP75 = _metric("class_map75", "mAP@0.75 over classes", lambda state: state.mean_average_precision(0.75))
CLASS_MAP = _metric(
    "class_map", "mAP@[.5:.95] over classes", lambda state: state.mean_average_precision(*COCO_THRESHOLDS)
)


def calculate_class_ap(
    truths: Images,
    predictions: Images,
    truth_labels: Sequence[Sequence[str]],
    labels: Sequence[Sequence[str]],
    *,
    threshold: float = 0.5,
    scores: Sequence[ArrayLike] | None = None,
    rule: Rule = "coco",
) -> dict[str, float]:
    """AP of each class at an IoU threshold of 0.25 or 0.50 to 0.95; their mean is mAP over classes."""
    state = ClassDetectionState(MetricContext(options={"ap": rule}))
    state.count(labelled_batch(truths, predictions, truth_labels, labels, scores))
    counts = state.counts
    values = counts.average_precisions(threshold).tolist()
    return {name: value for name, value in zip(counts.classes.names, values, strict=True) if value == value}


def labelled_batch(
    truths: Images,
    predictions: Images,
    truth_labels: Sequence[Sequence[str]],
    labels: Sequence[Sequence[str]],
    scores: Sequence[ArrayLike] | None = None,
) -> Batch:
    """A batch of labelled shapes, one sample per image."""
    sides = []
    for shapes, names, marks in ((truths, truth_labels, None), (predictions, labels, scores)):
        column = as_shapes(shapes, marks)
        folded = [fold_label(name) for image in names for name in image]
        if len(folded) != len(column.coords):
            raise ValueError(f"{len(column.coords)} shapes need as many labels, not {len(folded)}")
        codes = np.array([label_code(name) for name in folded], np.uint64)
        known = dict(zip(codes.tolist(), folded, strict=True))
        sides.append(type(column)(column.offsets, column.coords, column.counts, column.scores, codes, known))
    n = len(truths)
    return Batch(sides[0], sides[1], np.ones(n, bool), np.arange(n, dtype=np.uint64))
