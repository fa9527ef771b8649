"""The state of metrics over matched shapes, boxes as well as masks: counts without scores and with them, and ranks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sightline.core.records import Estimate
from sightline.data.columns import Hashes
from sightline.scoring.geometry.arrays import Floats
from sightline.scoring.metrics.detection.counts import MatchCounts
from sightline.scoring.metrics.detection.curves import (
    RECALLS,
    Ranking,
    Rule,
    average_precision_of_images,
    tied_average_precision,
)
from sightline.scoring.metrics.detection.matching import Matches
from sightline.scoring.metrics.detection.thresholds import COCO_THRESHOLDS, THRESHOLDS, place_of
from sightline.scoring.metrics.state import Breakdown, Values
from sightline.stats.groups import GroupSums, column_estimate
from sightline.stats.intervals import Statistic


def score_matches(
    matches: Matches,
    answered: NDArray[np.bool_],
    rule: Rule = "coco",
    thresholds: tuple[float, ...] = THRESHOLDS,
) -> Values:
    """Each sample's F1 at IoU 0.5 as its score, with AP and counts. An unread reply earns 0, even without truths."""
    level, matched, ranked = place_of(0.5, thresholds), matches.plain, matches.ranked
    predicted, true = np.diff(matched.predicted_at), np.diff(matched.true_at)
    hits, own = matched.hits[:, level], tied_average_precision(matched.hits[:, level], predicted, true, rule)
    if ranked is not None and ranked.scores is not None:
        alone = average_precision_of_images(
            ranked.predicted_at, ranked.scores, ranked.predicted_bits, level, true, rule
        )
        by_score = matches.unscored == 0
        hits, own = np.where(by_score, ranked.hits[:, level], hits), np.where(by_score, alone, own)
    both = predicted + true
    score = np.divide(2 * hits, both, out=np.ones(len(both)), where=both > 0)
    return {
        "score": np.where(answered, score, 0.0),
        "tp50": hits,
        "predicted": predicted,
        "true": true,
        "ap50": own,
    }


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
        """Take the matches of a batch into account."""
        level = place_of(0.5, self.thresholds)
        self.plain.add(clusters, matches.plain, level, weights)
        self._add_ranked(clusters, matches, level, weights)

    def _add_ranked(self, clusters: Hashes, matches: Matches, level: int, weights: Floats | None) -> None:
        unscored = int(matches.unscored.sum())
        self.unscored += unscored
        self.scored += int(matches.plain.predicted_at[-1]) - unscored
        if self.unscored:
            self._unrank()
        else:
            # without any shape both ways find the same: nothing
            ranked = matches.ranked
            self.ranked.add(clusters, ranked or matches.plain, level, weights)
            if ranked is not None and ranked.scores is not None:
                each = None if weights is None else np.repeat(weights, np.diff(ranked.predicted_at))
                self.ranking.add(ranked.scores, ranked.predicted_bits, each)

    def _unrank(self) -> None:
        self.ranked, self.ranking = MatchCounts(len(self.thresholds)), Ranking()

    def merge(self, other: MatchState) -> None:
        """Take all that `other` has counted."""
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
    def sums(self) -> GroupSums:
        """The sums of those counts."""
        return self.counts.sums

    def average_precision(self, *thresholds: float) -> Estimate:
        """AP at a threshold, or its mean over several. With scores it has no interval: the curve needs all at once."""
        places = [place_of(threshold, self.thresholds) for threshold in thresholds]
        if len(self.ranking):
            truths, is_weighted = self.counts.weight_of_truths(), not self.sums.weights.is_even
            found = [self.ranking.average_precision(place, truths, self.rule, is_weighted) for place in places]
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
        tables = [self.counts.sizes.breakdown(), self.counts.crowds.breakdown()]
        truths = self.counts.truths() if len(self.ranking) else 0
        if truths:
            read, _ = self.ranking.curve(place_of(0.5, self.thresholds), truths)
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
