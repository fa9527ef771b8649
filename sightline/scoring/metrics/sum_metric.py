"""Metrics whose state is column sums by cluster: a metric names its columns and its statistic."""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from sightline.core.records import COUNTED, Estimate, Grade
from sightline.scoring.metrics.state import MetricContext, MetricState, Values
from sightline.stats.bounds import with_bounds, with_statuses
from sightline.stats.groups import GroupSums
from sightline.stats.intervals import Floats, Scale
from sightline.stats.weights import UNIT

if TYPE_CHECKING:
    from sightline.scoring.batch import ScoreBatch


class ClusterSumState(MetricState):
    """Column sums by cluster and counts by state; a subclass says what it sums and what it makes of the sums."""

    columns: ClassVar[int]
    scale: ClassVar[Scale] = "number"
    takes_weights: ClassVar[bool] = True
    counts_statuses: ClassVar[bool] = True

    def __init__(self, context: MetricContext | None = None) -> None:
        super().__init__(context)
        self.sums = GroupSums(self.columns)
        self.states: Counter[str] = Counter()
        self.masses: Counter[str] = Counter()
        """The samples of each state by their weights, as whole numbers."""

    @abstractmethod
    def statistic(self, totals: Floats) -> Any:
        """The figure, from column totals of shape (…, columns)."""

    def merge(self, other: Self) -> None:
        """See `MetricState`."""
        self.sums.merge(other.sums)
        self.states.update(other.states)
        self.masses.update(other.masses)

    def compute(self) -> Estimate:
        """The figure so far."""
        found = with_statuses(self.sums.estimate(self.statistic, self.scale), self.states)
        return with_bounds(found, self.masses) if self.is_mean else found


class SumMetric(ClusterSumState):
    """Sums over grades: a subclass says which grades it includes, how much each counts, and which columns it adds."""

    def includes(self, grade: Grade) -> bool:
        """Whether the metric is about this grade at all."""
        return True

    def weigh(self, grade: Grade) -> float:
        """How much a grade counts."""
        return grade.weight

    @abstractmethod
    def row(self, grade: Grade) -> Sequence[float]:
        """The columns that a grade of an answered sample adds."""

    def update(self, scores: ScoreBatch) -> Values:
        """See `MetricState`."""
        clusters: list[int] = []
        rows: list[Sequence[float]] = []
        for grade, cluster in zip(scores.records(), scores.samples.clusters.tolist(), strict=True):
            if not self.includes(grade):
                continue
            self.states[grade.status] += 1
            self.masses[grade.status] += round(self.weigh(grade) * UNIT)
            if grade.status in COUNTED:
                clusters.append(cluster)
                rows.append(self.row(grade))
        self.sums.add(np.array(clusters, np.uint64), np.array(rows, np.float64))
        return {}
