"""The capability boundary of each dimension: the level at which the mean score falls to half."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from sightline.metrics.totals import TotalsMetric
from sightline.records import Grade
from sightline.stats.boundary import boundary
from sightline.stats.intervals import Floats

LEVELS = ("l1", "l2", "l3", "l4")


class _Boundary(TotalsMetric):
    """0: below half at L1 already. 4: half or more up to L4. Between two levels by interpolation."""

    columns = 2 * len(LEVELS)
    unit = "number"
    dimension: ClassVar[str]

    def takes(self, grade: Grade) -> bool:
        """Only samples of the dimension."""
        return grade.tags.get("dimension") == self.dimension

    def row(self, grade: Grade) -> Sequence[float]:
        """(earned, weight) at the sample's level, zero at the others."""
        at = LEVELS.index(grade.tags["difficulty"])
        columns = [0.0] * self.columns
        columns[2 * at], columns[2 * at + 1] = self.weigh(grade) * grade.score, self.weigh(grade)
        return columns

    def statistic(self, totals: Floats) -> Any:
        """The boundary of the means by level."""
        return boundary(totals[..., 0::2], totals[..., 1::2])


class PerceptionBoundary(_Boundary):
    """How far up perception holds."""

    title = "Boundary of perception"
    dimension = "perception"


class UnderstandingBoundary(_Boundary):
    """How far up understanding holds."""

    title = "Boundary of understanding"
    dimension = "understanding"


class ReasoningBoundary(_Boundary):
    """How far up reasoning holds."""

    title = "Boundary of reasoning"
    dimension = "reasoning"


class ActionBoundary(_Boundary):
    """How far up action holds."""

    title = "Boundary of action"
    dimension = "action"
