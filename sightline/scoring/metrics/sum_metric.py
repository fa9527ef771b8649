"""Base classes of metrics that are a function of exact sums by cluster: states, sums over grades, mean credit."""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from sightline.core.records import COUNTED, Estimate, Grade
from sightline.scoring.metrics.state import MetricContext, MetricState, Values, add_questions, ratio
from sightline.stats.cluster_sums import ClusterSums, with_bounds, with_statuses
from sightline.stats.exact import WEIGHT_UNIT
from sightline.stats.intervals import Floats, Scale
from sightline.stats.repeats import QuestionMeans

if TYPE_CHECKING:
    from sightline.scoring.batch import ScoreBatch


class ClusterSumState(MetricState):
    """Column sums by cluster and counts by status; a subclass says what it sums and what it makes of the sums."""

    columns: ClassVar[int]
    scale: ClassVar[Scale] = "number"
    takes_weights: ClassVar[bool] = True
    counts_statuses: ClassVar[bool] = True

    def __init__(self, context: MetricContext | None = None) -> None:
        super().__init__(context)
        self.sums = ClusterSums(self.columns)
        self.states: Counter[str] = Counter()
        """The number of samples of each status; saved states have this name."""
        self.masses: Counter[str] = Counter()
        """The samples of each status by their weights, as whole numbers."""

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
            self.masses[grade.status] += round(self.weigh(grade) * WEIGHT_UNIT)
            if grade.status in COUNTED:
                clusters.append(cluster)
                rows.append(self.row(grade))
        self.sums.add(np.array(clusters, np.uint64), np.array(rows, np.float64))
        return {}


class MeanCredit(SumMetric):
    """Weighted mean of what each record earns, from 0 to 1: Σ weight·earned / Σ weight; an unread reply earns 0."""

    columns = 2
    scale: ClassVar[Scale] = "share"
    is_mean = True
    excluded_from_state: ClassVar[tuple[str, ...]] = ("questions",)

    def __init__(self, context: MetricContext | None = None) -> None:
        super().__init__(context)
        self.questions = QuestionMeans()
        """Filled where questions are repeated, which only live runs do: it is never sent to another process."""

    def update(self, scores: ScoreBatch) -> Values:
        """See `MetricState`."""
        if self.is_mean and scores.samples.repeats is not None:
            grades = scores.records()
            asked = [row for row, grade in enumerate(grades) if grade.status != "invalid" and self.includes(grade)]
            earned = [self.earned(grades[row]) if grades[row].status in COUNTED else 0.0 for row in asked]
            weights = [self.weigh(grades[row]) for row in asked]
            rows, credit = np.array(asked, np.int64), np.array(earned, np.float64)
            add_questions(self.questions, scores, rows, credit, np.array(weights, np.float64))
        return super().update(scores)

    def merge(self, other: Self) -> None:
        """See `MetricState`."""
        super().merge(other)
        self.questions.merge(other.questions)

    def compute(self) -> Estimate:
        """The mean so far; with repeats, the mean over questions of what their replies earn."""
        if self.questions.questions:
            return with_statuses(self.questions.estimate(), self.states)
        return super().compute()

    def earned(self, grade: Grade) -> float:
        """What a record earns."""
        return grade.score

    def row(self, grade: Grade) -> Sequence[float]:
        """(earned, weight)."""
        weight = self.weigh(grade)
        return (weight * self.earned(grade), weight)

    def statistic(self, totals: Floats) -> Any:
        """Earned over weight."""
        return ratio(totals)
