"""Means of scores: every answered sample counts, one that could not be read as nothing earned."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from sightline.metrics.totals import TotalsMetric
from sightline.records import Estimate, Grade
from sightline.stats.exact import ONE
from sightline.stats.intervals import Floats


class MeanScore(TotalsMetric):
    """Weighted mean of the scores of the first attempt: Σ weight·score / Σ weight."""

    title = "Mean score"
    columns = 2
    scale = "share"

    @staticmethod
    def credit(score: float) -> float:
        """What a score between 0 and 1 is worth."""
        return score

    def earned(self, grade: Grade) -> float:
        """The score that counts here."""
        return grade.score

    def row(self, grade: Grade) -> Sequence[float]:
        """(credit, weight)."""
        weight = self.weigh(grade)
        return (weight * self.credit(self.earned(grade)), weight)

    def statistic(self, totals: Floats) -> Any:
        """Credit over weight."""
        return totals[..., 0] / totals[..., 1]

    def bounded(self, estimate: Estimate) -> Estimate:
        """Floor: failures were wrong. Ceiling: failures and unreadable replies were right."""
        if estimate.value is None:
            return estimate
        earned, weight = (float(total) for total in self.totals.table().sum(axis=0))
        unread, failed = self.unread_weight / ONE, self.failed_weight / ONE
        asked = weight + failed
        return msgspec.structs.replace(
            estimate, floor=earned / asked, ceiling=min(1.0, (earned + unread + failed) / asked)
        )


class Accuracy(MeanScore):
    """Share of samples with full marks at the first attempt."""

    title = "Accuracy"

    @staticmethod
    def credit(score: float) -> float:
        """All or nothing."""
        return float(score >= 1)


class AfterFeedback(MeanScore):
    """Mean score of the last attempt: what a model reaches once it has been told about the truth."""

    title = "Score after feedback"

    def earned(self, grade: Grade) -> float:
        """The last attempt's score."""
        return grade.last_score


class BestAttempt(MeanScore):
    """Mean over samples of the best attempt's score."""

    title = "Best attempt"

    def earned(self, grade: Grade) -> float:
        """The best attempt's score."""
        return grade.best_score


class CharacterErrorRate(TotalsMetric):
    """Mean over answered samples of the character error rate, where a grade has one; an unread reply counts as 1."""

    title = "Character error rate"
    columns = 2
    higher_is_better = False
    unit = "number"

    def takes(self, grade: Grade) -> bool:
        """Only texts that were read."""
        return grade.values.get("metric") in ("anls", "cer")

    def row(self, grade: Grade) -> Sequence[float]:
        """(rate, weight)."""
        return (self.weigh(grade) * float(grade.values.get("cer", 1.0)), self.weigh(grade))

    def statistic(self, totals: Floats) -> Any:
        """Rate over weight."""
        return totals[..., 0] / totals[..., 1]
