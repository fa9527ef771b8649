"""Metrics whose state is column sums by cluster: a metric names its columns and its statistic.

Beside the base classes: mean scores, character error rate (CER), balanced accuracy, Matthews correlation (MCC) and the
agreement of a judge with objective scores.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from sightline.core.records import COUNTED, Estimate, Grade
from sightline.scoring.metrics.state import MetricContext, MetricState, Values, ratio
from sightline.stats.cluster_sums import GroupSums, with_bounds, with_statuses
from sightline.stats.exact import UNIT
from sightline.stats.intervals import Floats, Scale

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


class MeanCredit(SumMetric):
    """Weighted mean of what each record earns, from 0 to 1: Σ weight·earned / Σ weight; an unread reply earns 0."""

    columns = 2
    scale: ClassVar[Scale] = "share"
    is_mean = True

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


class AfterFeedback(MeanCredit):
    """Mean score of the last attempt: what a model reaches once it has been told about the truth."""

    title = "Score after feedback"

    def earned(self, grade: Grade) -> float:
        """The last attempt's score."""
        return grade.last_score


class BestAttempt(MeanCredit):
    """Mean over samples of the best attempt's score."""

    title = "Best attempt"

    def earned(self, grade: Grade) -> float:
        """The best attempt's score."""
        return grade.best_score


class CharacterErrorRate(MeanCredit):
    """Mean character error rate (CER) over answered samples whose grade has one; an unparsed reply counts as 1."""

    title = "Character error rate"
    higher_is_better = False
    unit = "number"
    scale = "number"
    is_mean = False

    def includes(self, grade: Grade) -> bool:
        """Only texts that were read."""
        return grade.values.get("metric") in ("anls", "cer")

    def earned(self, grade: Grade) -> float:
        """The error rate."""
        return float(grade.values.get("cer", 1.0))


class JudgeAgreement(MeanCredit):
    """Share of judged replies on which judge and `values["objective"]` agree: half or more, or less."""

    title = "Agreement with the objective marks"
    is_mean = False

    def includes(self, grade: Grade) -> bool:
        """Only verdicts that could be read beside an objective score."""
        return grade.status == "answered" and "objective" in grade.values

    def earned(self, grade: Grade) -> float:
        """1 where both agree."""
        return float((grade.score >= 0.5) == (grade.values["objective"] >= 0.5))


class BalancedAccuracy(SumMetric):
    """Mean of the recalls of True and False; an unreadable reply is a miss. Any constant answer gives one half."""

    title = "Balanced accuracy"
    columns = 4
    scale = "bounded"

    def row(self, grade: Grade) -> Sequence[float]:
        """(hits among True, True, hits among False, False)."""
        target = bool(grade.values["target"])
        hit = grade.values.get("predicted") is target
        return (hit and target, target, hit and not target, not target)

    def statistic(self, totals: Floats) -> Any:
        """Half the sum of both recalls."""
        return (totals[..., 0] / totals[..., 1] + totals[..., 2] / totals[..., 3]) / 2


class MatthewsCorrelation(SumMetric):
    """Correlation of predicted and true answers over the replies that could be read; 0 for a constant answer."""

    title = "MCC"
    columns = 4
    unit = "number"
    scale = "signed"

    def row(self, grade: Grade) -> Sequence[float]:
        """(true positive, false positive, false negative, true negative); nothing where nothing was read."""
        predicted, target = grade.values.get("predicted"), bool(grade.values["target"])
        if predicted is None:
            return (0, 0, 0, 0)
        return (predicted and target, predicted and not target, not predicted and target, not (predicted or target))

    def statistic(self, totals: Floats) -> Any:
        """The usual quotient, 0 where a row or column of the table is empty, nothing where all is."""
        tp, fp, fn, tn = (totals[..., k] for k in range(4))
        scale = np.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))
        defined = np.where(scale > 0, (tp * tn - fp * fn) / np.where(scale > 0, scale, 1), 0.0)
        return np.where(tp + fp + fn + tn > 0, defined, np.nan)
