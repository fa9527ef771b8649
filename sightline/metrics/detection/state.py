"""What is kept of matched shapes, boxes as well as masks: sums by cluster, a ranking where there are scores, tables."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sightline.columns.kinds import Hashes
from sightline.geometry.arrays import Floats
from sightline.metrics.detection.curves import (
    RECALLS,
    Ranking,
    Rule,
    average_precision_of_images,
    tied_average_precision,
)
from sightline.metrics.detection.matching import Matched
from sightline.metrics.detection.sizes import CrowdTable, SizeTable
from sightline.metrics.detection.thresholds import COCO_THRESHOLDS, THRESHOLDS, place_of
from sightline.metrics.tally import Breakdown, Values
from sightline.records import Estimate
from sightline.stats.clusters import estimate
from sightline.stats.groups import GroupSums
from sightline.stats.intervals import Scale, Statistic


class MatchState:
    """Adds matched batches, merges, and yields figures at every threshold."""

    def __init__(self, rule: Rule = "coco", thresholds: tuple[float, ...] = THRESHOLDS) -> None:
        self.rule = rule
        self.thresholds = thresholds
        self.sums = GroupSums(len(thresholds) + 3)
        """Columns: hits at each threshold, predicted, true, the IoU of pairs at 0.5."""
        self.ranking = Ranking(len(thresholds))
        self.sizes = SizeTable()
        self.crowds = CrowdTable()
        self.skipped = 0

    def add(self, clusters: Hashes, matched: Matched, answered: NDArray[np.bool_]) -> Values:
        """Count a batch in; returns each sample's own figures. An unread reply earns nothing, even without truths."""
        level = place_of(0.5, self.thresholds)
        predicted, true = np.diff(matched.predicted_at), np.diff(matched.true_at)
        hits = matched.hits[:, level]
        self.sums.add(clusters, np.column_stack((matched.hits, predicted, true, matched.overlap[:, level])))
        if matched.scores is None:
            self.ranking.add_unranked(int(predicted.sum()), matched.hits.sum(axis=0))
            own = tied_average_precision(hits, predicted, true, self.rule)
        else:
            bits = matched.predicted_bits
            self.ranking.add(matched.scores, bits)
            own = average_precision_of_images(matched.predicted_at, matched.scores, bits, level, true, self.rule)
        self.sizes.add(matched, level)
        self.crowds.add(hits, predicted, true)
        self.skipped += matched.skipped
        both = predicted + true
        score = np.divide(2 * hits, both, out=np.ones(len(both)), where=both > 0)
        return {
            "score": np.where(answered, score, 0.0),
            "tp50": hits,
            "predicted": predicted,
            "true": true,
            "ap50": own,
        }

    def merge(self, other: MatchState) -> None:
        """Take all that `other` has counted."""
        self.sums.merge(other.sums)
        self.ranking.merge(other.ranking)
        self.sizes.counts += other.sizes.counts
        self.crowds.counts += other.crowds.counts
        self.skipped += other.skipped

    def average_precision(self, *thresholds: float) -> Estimate:
        """AP at a threshold, or its mean over several. With scores it has no interval: the curve needs all at once."""
        places = [place_of(threshold, self.thresholds) for threshold in thresholds]
        if len(self.ranking):
            truths = round(float(self.sums.totals()[len(self.thresholds) + 1]))
            found = [self.ranking.average_precision(place, truths, self.rule) for place in places]
            values = [value for value in found if value is not None]
            return Estimate(value=sum(values) / len(values) if values else None, n=self.sums.samples)

        def statistic(totals: Floats) -> Floats:
            hits, predicted, true = totals[..., :-2], totals[..., -2:-1], totals[..., -1:]
            mean: Floats = tied_average_precision(hits, predicted, true, self.rule).mean(axis=-1)
            return mean

        return self._estimate([*places, -3, -2], statistic)

    def mean_average_precision(self) -> Estimate:
        """mAP@[.5:.95]: the mean over COCO's ten thresholds."""
        return self.average_precision(*COCO_THRESHOLDS)

    def precision(self, threshold: float) -> Estimate:
        """Share of the predictions that are hits."""
        return self._estimate([place_of(threshold, self.thresholds), -3], lambda t: t[..., 0] / t[..., 1])

    def recall(self, threshold: float) -> Estimate:
        """Share of the truths that are hit."""
        return self._estimate([place_of(threshold, self.thresholds), -2], lambda t: t[..., 0] / t[..., 1])

    def f1(self, threshold: float) -> Estimate:
        """2·TP / (2·TP + FP + FN)."""
        columns = [place_of(threshold, self.thresholds), -3, -2]
        return self._estimate(columns, lambda t: 2 * t[..., 0] / (t[..., 1] + t[..., 2]))

    def mean_iou(self) -> Estimate:
        """Mean IoU of the pairs at 0.5."""
        return self._estimate([-1, place_of(0.5, self.thresholds)], lambda t: t[..., 0] / t[..., 1])

    def _estimate(self, columns: Sequence[int], statistic: Statistic) -> Estimate:
        return column_estimate(self.sums, columns, statistic, "bounded")

    def breakdowns(self) -> list[Breakdown]:
        """By size, by number, and the curve at 0.5 where there are scores."""
        tables = [self.sizes.breakdown(), self.crowds.breakdown()]
        truths = round(float(self.sums.totals()[len(self.thresholds) + 1])) if len(self.ranking) else 0
        if truths:
            read, _ = self.ranking.curve(place_of(0.5, self.thresholds), truths)
            rows = tuple(zip(RECALLS.tolist(), read.tolist(), strict=True))
            tables.append(Breakdown(name="pr_curve", head=("recall", "precision"), rows=rows))
        return tables

    def remarks(self) -> dict[str, int]:
        """Shapes that were ranked last for want of a score, or not matched at all as they were too many."""
        found = {
            "shapes without a score in a scored run": self.ranking.unranked if len(self.ranking) else 0,
            "shapes not matched: too many overlap": self.skipped,
        }
        return {text: count for text, count in found.items() if count}


def column_estimate(sums: GroupSums, columns: Sequence[int], statistic: Statistic, scale: Scale = "number") -> Estimate:
    """The statistic of some columns of the sums. A share has the columns (successes of 0 or 1, samples)."""
    table = sums.table()[:, columns]
    independent = not sums.folded and len(table) == sums.samples
    return estimate(table, sums.samples, statistic, scale, independent)
