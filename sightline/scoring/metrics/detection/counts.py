"""Matched shapes counted under one rule: sums by cluster, and tables by size and by number."""

from __future__ import annotations

import numpy as np

from sightline.data.columns import Hashes
from sightline.scoring.geometry.arrays import Floats
from sightline.scoring.metrics.detection.matching import Matched
from sightline.scoring.metrics.detection.sizes import CrowdTable, SizeTable
from sightline.stats.groups import GroupSums


class MatchCounts:
    """Adds matched batches and merges; no order or split shows."""

    def __init__(self, thresholds: int) -> None:
        self.sums = GroupSums(thresholds + 3)
        """Columns: hits at each threshold, predicted, true, the IoU of pairs at 0.5."""
        self.sizes = SizeTable()
        self.crowds = CrowdTable()
        self.skipped = 0

    def add(self, clusters: Hashes, matched: Matched, level: int, weights: Floats | None = None) -> None:
        """Count a batch in; `level` is the place of the threshold 0.5. A shape weighs as much as its image."""
        predicted, true = np.diff(matched.predicted_at), np.diff(matched.true_at)
        self.sums.add(clusters, np.column_stack((matched.hits, predicted, true, matched.overlap[:, level])), weights)
        self.sizes.add(matched, level)
        self.crowds.add(matched.hits[:, level], predicted, true)
        self.skipped += matched.skipped

    def merge(self, other: MatchCounts) -> None:
        """Take all that `other` has counted."""
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
