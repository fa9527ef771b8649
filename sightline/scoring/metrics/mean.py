"""Means over records: of later attempts, and of the character error rate."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sightline.core.records import Grade
from sightline.scoring.metrics.state import ratio
from sightline.scoring.metrics.sum_metric import SumMetric
from sightline.stats.intervals import Floats


class MeanCredit(SumMetric):
    """Weighted mean of what each record earns, from 0 to 1: Σ weight·earned / Σ weight; an unread reply earns 0."""

    columns = 2
    scale = "share"
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


class CharacterErrorRate(SumMetric):
    """Mean over answered samples of the character error rate, where a grade has one; an unread reply counts as 1."""

    title = "Character error rate"
    columns = 2
    higher_is_better = False
    unit = "number"

    def includes(self, grade: Grade) -> bool:
        """Only texts that were read."""
        return grade.values.get("metric") in ("anls", "cer")

    def row(self, grade: Grade) -> Sequence[float]:
        """(rate, weight)."""
        return (self.weigh(grade) * float(grade.values.get("cer", 1.0)), self.weigh(grade))

    def statistic(self, totals: Floats) -> Any:
        """Rate over weight."""
        return ratio(totals)
