"""Figures for yes/no questions that a constant answer can't earn. `values` of a grade hold `predicted` and `target`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sightline.core.records import Grade
from sightline.scoring.metrics.sum_metric import SumMetric
from sightline.stats.intervals import Floats


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
