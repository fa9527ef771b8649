"""How far a judge's opinion and an objective mark agree."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sightline.core.records import Grade
from sightline.scoring.metrics.sum_metric import SumMetric
from sightline.stats.intervals import Floats


class JudgeAgreement(SumMetric):
    """Share of judged replies on which both say the same: half or more, or less. `values` hold `objective`."""

    title = "Agreement with the objective marks"
    columns = 2
    scale = "share"

    def includes(self, grade: Grade) -> bool:
        """Only verdicts that could be read beside a mark."""
        return grade.status == "answered" and "objective" in grade.values

    def row(self, grade: Grade) -> Sequence[float]:
        """(agrees, weight)."""
        same = (grade.score >= 0.5) == (grade.values["objective"] >= 0.5)
        return (self.weigh(grade) * same, self.weigh(grade))

    def statistic(self, totals: Floats) -> Any:
        """Agreeing weight over all."""
        return totals[..., 0] / totals[..., 1]
