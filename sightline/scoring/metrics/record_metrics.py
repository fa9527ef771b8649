"""Metrics over grades: after feedback, best attempt, character error rate, judge agreement, balanced accuracy, MCC."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sightline.core.records import Grade
from sightline.scoring.metrics.sum_metric import MeanCredit, SumMetric
from sightline.stats.intervals import Floats


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
    scale = "positive"
    is_mean = False

    def includes(self, grade: Grade) -> bool:
        """Only texts that were read."""
        return grade.values.get("metric") in ("anls", "cer")

    def earned(self, grade: Grade) -> float:
        """The error rate."""
        return float(grade.values.get("cer", 1.0))


class JudgeAgreement(MeanCredit):
    """Share of judged replies on which judge and `values["objective"]` agree: half or more, or less."""

    title = "Agreement with the objective scores"
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
