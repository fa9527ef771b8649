"""Metric state of matched shapes, boxes as well as masks: true positives by cluster, by size and by number, and AP."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sightline.core.records import Estimate
from sightline.data.columns import Hashes
from sightline.scoring.geometry.arrays import Floats, Ints
from sightline.scoring.metrics.average_precision import (
    GROUPS,
    POINTS,
    RECALLS,
    Ranking,
    Rule,
    image_curves,
    mean_tied_precision,
    tied_average_precision,
)
from sightline.scoring.metrics.matching import THRESHOLDS, Matched, Matches, threshold_index
from sightline.scoring.metrics.state import Breakdown, Values, ratio
from sightline.stats.cluster_sums import FOLDED_CLUSTERS, ClusterSums, column_estimate
from sightline.stats.influence import ClusterEstimate, Influence
from sightline.stats.intervals import (
    Statistic,
    carry_over,
    influence_error,
    influence_interval,
    jackknife,
    replicates,
)

SIZES = ("small", "medium", "large")
EDGES = (32.0**2, 96.0**2)
"""COCO's areas: below the first is small, below the second medium."""
CROWDS = ("0", "1", "2–5", "6–20", "21–100", ">100")
CROWD_EDGES = np.array([1, 2, 6, 21, 101])
_SMALL_STEPS = 4
"""By how much the error of AP must exceed the height of a step for the steps not to matter."""
_LEAST = 1e-300
_EXCESS = 2.0
"""The area under the interpolated curve exceeds the truth by about so many times as it exceeds the curve without
interpolation (simulated: 1 to 4 times)."""


class SizeTable:
    """True and predicted shapes by their own area, and how many of them were matched."""

    def __init__(self) -> None:
        self.counts: Ints = np.zeros((len(SIZES), 4), np.int64)
        """Columns: true, found, predicted, right."""

    def add(self, matched: Matched, level: int) -> None:
        """Take a batch, matched at the threshold of this place."""
        for column, areas, bits in (
            (0, matched.true_area, matched.true_bits),
            (2, matched.predicted_area, matched.predicted_bits),
        ):
            self.counts[:, column] += _sizes(areas)
            self.counts[:, column + 1] += _sizes(areas[bits & np.uint16(1 << level) > 0])

    def breakdown(self) -> Breakdown:
        """Recall by the size of true shapes, precision by that of predicted ones."""
        rows = tuple(
            (name, true, found, share(found, true), predicted, right, share(right, predicted))
            for name, (true, found, predicted, right) in zip(SIZES, self.counts.tolist(), strict=True)
        )
        head = ("size", "true", "found", "recall", "predicted", "right", "precision")
        return Breakdown(name="by_size", head=head, rows=rows)


class CrowdTable:
    """Hits by the number of true shapes in a sample."""

    def __init__(self) -> None:
        self.counts: Ints = np.zeros((len(CROWDS), 4), np.int64)
        """Columns: samples, hits, predicted, true."""

    def add(self, hits: Ints, predicted: Ints, true: Ints) -> None:
        """Take a batch of samples."""
        band = np.searchsorted(CROWD_EDGES, true, side="right")
        for column, values in enumerate((np.ones(len(true), np.int64), hits, predicted, true)):
            np.add.at(self.counts[:, column], band, values)

    def breakdown(self) -> Breakdown:
        """Precision, recall and F1 by the number of true shapes."""
        rows = tuple(
            (name, samples, share(hits, predicted), share(hits, true), share(2 * hits, predicted + true))
            for name, (samples, hits, predicted, true) in zip(CROWDS, self.counts.tolist(), strict=True)
        )
        return Breakdown(name="by_count", head=("true shapes", "samples", "precision", "recall", "f1"), rows=rows)


def share(part: int, whole: int) -> float | None:
    """The quotient; None where there is nothing to share."""
    return part / whole if whole else None


def _sizes(areas: Floats) -> Ints:
    below = [np.count_nonzero(areas < edge) for edge in EDGES]
    return np.diff([0, *below, len(areas)])


class MatchCounts:
    """True positives by cluster, size and number under one matching rule; no order or split changes them."""

    def __init__(self, thresholds: int) -> None:
        self.sums = ClusterSums(thresholds + 3)
        """Columns: hits at each threshold, predicted, true, the IoU of pairs at 0.5."""
        self.sizes = SizeTable()
        self.crowds = CrowdTable()
        self.skipped = 0

    def add(self, clusters: Hashes, matched: Matched, level: int, weights: Floats | None = None) -> None:
        """Count a batch in; `level` is the index of the threshold 0.5. A shape weighs as much as its image."""
        predicted, true = np.diff(matched.predicted_at), np.diff(matched.true_at)
        self.sums.add(clusters, np.column_stack((matched.hits, predicted, true, matched.overlap[:, level])), weights)
        self.sizes.add(matched, level)
        self.crowds.add(matched.hits[:, level], predicted, true)
        self.skipped += matched.skipped

    def merge(self, other: MatchCounts) -> None:
        """Merge the state of `other`."""
        self.sums.merge(other.sums)
        self.sizes.counts += other.sizes.counts
        self.crowds.counts += other.crowds.counts
        self.skipped += other.skipped

    def truths(self) -> int:
        """How many true shapes there are."""
        return int(self.crowds.counts[:, 3].sum())

    def weight_of_truths(self) -> float:
        """How many true shapes there are; where weights of images differ, the sum of their weights."""
        return float(self.sums.totals()[-2])


def score_matches(
    matches: Matches, answered: NDArray[np.bool_], rule: Rule = "coco", thresholds: tuple[float, ...] = THRESHOLDS
) -> Values:
    """Each sample's F1 at IoU 0.5 as its score, with AP and counts. An unread reply earns 0, even without truths."""
    level, matched, ranked = threshold_index(0.5, thresholds), matches.unscored, matches.ranked
    predicted, true = np.diff(matched.predicted_at), np.diff(matched.true_at)
    hits, ap = matched.hits[:, level], tied_average_precision(matched.hits[:, level], predicted, true, rule)
    if ranked is not None and ranked.scores is not None:
        curves = image_curves(ranked.predicted_at, ranked.scores, ranked.predicted_bits, level, true)
        ranked_ap = curves[:, 1 if rule == "voc" else 0]
        by_score = matches.unscored_counts == 0
        hits, ap = np.where(by_score, ranked.hits[:, level], hits), np.where(by_score, ranked_ap, ap)
    both = predicted + true
    score = np.divide(2 * hits, both, out=np.ones(len(both)), where=both > 0)
    return {"score": np.where(answered, score, 0.0), "tp50": hits, "predicted": predicted, "true": true, "ap50": ap}


class MatchState:
    """Adds matched batches, merges, and yields figures at every threshold.

    Scores count only where every shape of the task has one, which is known at the end: until a shape without a score
    comes, both ways of counting are kept.
    """

    excluded_from_state: ClassVar[tuple[str, ...]] = ("rule", "thresholds")

    def __init__(self, rule: Rule = "coco", thresholds: tuple[float, ...] = THRESHOLDS) -> None:
        self.rule = rule
        self.thresholds = thresholds
        self.plain = MatchCounts(len(thresholds))
        self.ranked = MatchCounts(len(thresholds))
        """By scores; empty where a shape had none."""
        self.ranking = Ranking()
        self.scored = 0
        self.unscored = 0

    def add(self, clusters: Hashes, matches: Matches, weights: Floats | None = None) -> None:
        """Update the counts with the matches of a batch."""
        level = threshold_index(0.5, self.thresholds)
        self.plain.add(clusters, matches.unscored, level, weights)
        self._add_ranked(clusters, matches, level, weights)

    def _add_ranked(self, clusters: Hashes, matches: Matches, level: int, weights: Floats | None) -> None:
        unscored = int(matches.unscored_counts.sum())
        self.unscored += unscored
        self.scored += int(matches.unscored.predicted_at[-1]) - unscored
        if self.unscored:
            self._unrank()
        else:
            # without any shape both ways find the same: nothing
            ranked = matches.ranked
            self.ranked.add(clusters, ranked or matches.unscored, level, weights)
            if ranked is not None and ranked.scores is not None:
                counts = np.diff(ranked.predicted_at)
                each = None if weights is None else np.repeat(weights, counts)
                self.ranking.add(ranked.scores, ranked.predicted_bits, np.repeat(clusters, counts), each)

    def _unrank(self) -> None:
        self.ranked, self.ranking = MatchCounts(len(self.thresholds)), Ranking()

    def merge(self, other: MatchState) -> None:
        """Merge the state of `other`."""
        self.plain.merge(other.plain)
        self.scored += other.scored
        self.unscored += other.unscored
        if self.unscored:
            self._unrank()
        else:
            self.ranked.merge(other.ranked)
            self.ranking.merge(other.ranking)

    @property
    def counts(self) -> MatchCounts:
        """By scores where every shape has one, else without."""
        return self.ranked if self.scored and not self.unscored else self.plain

    @property
    def sums(self) -> ClusterSums:
        """The sums of those counts."""
        return self.counts.sums

    def average_precision(self, *thresholds: float) -> Estimate:
        """AP at a threshold, or its mean over several.

        The error over clusters is that of the area under the curve, which is smooth. COCO's 101 points add steps: one
        more or less of them is reached by the last recall.
        """
        levels = [threshold_index(threshold, self.thresholds) for threshold in thresholds]
        sums, n = self.sums, self.sums.samples
        table, truths = sums.table()[:, [*levels, -3, -2]], self.counts.weight_of_truths()
        if not n or truths == 0:
            return Estimate(value=None, n=n)
        if len(self.ranking):
            is_weighted = not sums.weights.is_even
            found = [self.ranking.average_precision(level, truths, is_weighted) for level in levels]
            read, area = (sum(values) / len(levels) for values in zip(*found, strict=True))
            influences, raw = self._ranked_influences(levels, area, table[:, -1], is_weighted)
        else:
            whole = table.sum(axis=0)
            read, area = (float(mean_tied_precision(whole, rule)) for rule in ("coco", "voc"))
            influences, raw = jackknife(table, lambda totals: mean_tied_precision(totals, "voc")), area
        interval = influence_interval(area, influences, "bounded", int((table[:, -1] > 0).sum()))
        value, shift, reach = (read if self.rule == "coco" else area), 0.0, 0.0
        if interval is None:
            return Estimate(value=value, n=n, clusters=len(table))
        # the interpolated curve takes the best of what chance offers: small samples have a larger area
        excess = _EXCESS * (area - raw)
        interval = (interval[0] - excess, interval[1])
        if self.rule == "coco":
            interval, shift, reach = self._add_steps(interval, influences, levels, (read, area))
        return ClusterEstimate(
            value=value,
            low=max(0.0, min(interval[0], value)),
            high=min(1.0, max(interval[1], value)),
            n=n,
            clusters=len(table),
            method="wilson over clusters",
            influence=Influence(sums.keys, influences, sums.folded, shift, reach, excess),
        )

    def _ranked_influences(
        self, levels: Sequence[int], area: float, truths: Floats, is_weighted: bool
    ) -> tuple[Floats, float]:
        """Influences of the clusters on the mean area under the curves, and that area without interpolation.

        `truths` are those of each cluster. Detections know the last bits of their cluster's hash. Clusters that share
        them count as one; the others of them have NaN.
        """
        keys, total = self.sums.keys, self.counts.weight_of_truths()
        found = [self.ranking.influences(level, total, is_weighted) for level in levels]
        moved, raw = (sum(parts) / len(levels) for parts in zip(*found, strict=True))
        groups = GROUPS
        if self.sums.folded:
            groups = FOLDED_CLUSTERS
            moved = moved.reshape(-1, groups).sum(axis=0)
        positions = (keys % np.uint64(groups)).astype(np.int64)
        moved = moved - area / total * np.bincount(positions, truths, groups)
        influences = np.full(len(keys), np.nan)
        _, first = np.unique(positions, return_index=True)
        influences[first] = moved[positions[first]]
        return influences, raw

    def _add_steps(
        self, interval: tuple[float, float], influences: Floats, levels: Sequence[int], values: tuple[float, float]
    ) -> tuple[tuple[float, float], float, float]:
        """The interval of AP by COCO's points, from that of the area, and how its steps shift and widen it.

        Beside the area, which has these influences, AP has the steps of the last recall: precision there / 101 each.
        """
        read, area = values
        whole = self.sums.table().sum(axis=0)[[*levels, -3, -2]]
        heights = whole[:-2] / max(whole[-2], _LEAST) / POINTS

        def steps(totals: Floats) -> Floats:
            found: Floats = mean_tied_precision(totals, "coco") - mean_tied_precision(totals, "voc")
            return found

        if influence_error(influences[~np.isnan(influences)]) >= _SMALL_STEPS * heights.mean():
            # as if all places within a step were as likely
            shift = float((heights * (0.5 - whole[:-2] / whole[-1])).mean() - steps(whole))
            moved_by = read - area + shift
            reach = float(heights.mean()) / 2 / math.sqrt(len(levels))
            return (interval[0] + moved_by, interval[1] + moved_by), shift, reach
        drawn = self.sums.draw_replicates()[:, [*levels, -3, -2]]
        if len(self.ranking):
            smooth = area + replicates(np.nan_to_num(influences)[:, None])[:, 0]
        else:
            smooth = mean_tied_precision(drawn, "voc")
        moved = steps(drawn) - steps(whole)
        ends = carry_over(interval, smooth, smooth + moved + read - area)
        low, high = np.quantile(moved, (0.025, 0.975))
        return ends, float(moved.mean()), float(high - low) / 2

    def precision(self, threshold: float) -> Estimate:
        """Share of the predictions that are hits."""
        return self._estimate([threshold_index(threshold, self.thresholds), -3], ratio)

    def recall(self, threshold: float) -> Estimate:
        """Share of the truths that are hit."""
        return self._estimate([threshold_index(threshold, self.thresholds), -2], ratio)

    def f1(self, threshold: float) -> Estimate:
        """2·TP / (2·TP + FP + FN)."""
        columns = [threshold_index(threshold, self.thresholds), -3, -2]
        return self._estimate(columns, lambda t: 2 * t[..., 0] / (t[..., 1] + t[..., 2]))

    def mean_iou(self) -> Estimate:
        """Mean IoU of the pairs at 0.5."""
        return self._estimate([-1, threshold_index(0.5, self.thresholds)], ratio)

    def _estimate(self, columns: Sequence[int], statistic: Statistic) -> Estimate:
        return column_estimate(self.sums, columns, statistic, "bounded")

    def breakdowns(self) -> list[Breakdown]:
        """By size, by number, and the curve at 0.5 where there are scores."""
        tables = [self.counts.sizes.breakdown(), self.counts.crowds.breakdown()]
        truths = self.counts.truths() if len(self.ranking) else 0
        if truths:
            read, _ = self.ranking.curve(threshold_index(0.5, self.thresholds), truths)
            rows = tuple(zip(RECALLS.tolist(), read.tolist(), strict=True))
            tables.append(Breakdown(name="pr_curve", head=("recall", "precision"), rows=rows))
        return tables

    def remarks(self) -> dict[str, int]:
        """Shapes for whose want of a score no score was used, and shapes not matched as they were too many."""
        found = {
            "shapes without a score, so that all were counted as if they had none": self.unscored * bool(self.scored),
            "shapes not matched: too many overlap": self.counts.skipped,
        }
        return {text: count for text, count in found.items() if count}
