"""The capability boundary of each dimension: the level at which the mean score falls to half."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from msgspec.structs import replace

from sightline.core.records import Estimate, Grade, Remark
from sightline.scoring.metrics.sum_metric import SumMetric
from sightline.stats.boundary import HALF, boundary, boundary_reach, fitted
from sightline.stats.cluster_sums import with_states
from sightline.stats.intervals import Floats

LEVELS = ("l1", "l2", "l3", "l4")


class _Boundary(SumMetric):
    """Capability boundary from 0 (below half at L1) to 4 (half or more up to L4), interpolated between levels.

    No value, but an interval and the reason, where it lies beyond the levels that were asked.
    """

    columns = 2 * len(LEVELS)
    unit = "number"
    dimension: ClassVar[str]

    def includes(self, grade: Grade) -> bool:
        """Whether a grade belongs to the dimension."""
        return grade.tags.get("dimension") == self.dimension

    def row(self, grade: Grade) -> Sequence[float]:
        """Return (weighted score, weight) at the sample's level, zero at the others."""
        level = LEVELS.index(grade.tags["difficulty"])
        columns = [0.0] * self.columns
        columns[2 * level], columns[2 * level + 1] = self.weigh(grade) * grade.score, self.weigh(grade)
        return columns

    def statistic(self, totals: Floats) -> Any:
        """The boundary of the means by level."""
        return boundary(totals[..., 0::2], totals[..., 1::2])

    def compute(self) -> Estimate:
        """Estimate the boundary; its interval comes from bounds of the levels, not from a bootstrap."""
        base = with_states(Estimate(value=None, n=self.sums.samples), self.states)
        table = self.sums.table()
        if not table[:, 1::2].any():
            return base
        value = float(self.statistic(table.sum(axis=0)))
        low, high = boundary_reach(table[:, 0::2], table[:, 1::2], self.sums.samples)
        estimate = replace(base, low=low, high=high, clusters=len(table), method="wilson over clusters")
        if np.isnan(value):
            return replace(estimate, why=str(_out_of_range_remark(table.sum(axis=0))))
        return replace(estimate, value=value)


def _out_of_range_remark(totals: Floats) -> Remark:
    """Describe on which side of the tested levels the boundary lies."""
    levels, fit = fitted(totals[0::2], totals[1::2])
    if fit[-1] >= HALF:
        return Remark("half or more up to {level}, the highest level that was asked", {"level": f"L{levels[-1]}"})
    return Remark("below half at {level}, the lowest level that was asked", {"level": f"L{levels[0]}"})


class PerceptionBoundary(_Boundary):
    """Capability boundary of perception."""

    title = "Boundary of perception"
    dimension = "perception"


class UnderstandingBoundary(_Boundary):
    """Capability boundary of understanding."""

    title = "Boundary of understanding"
    dimension = "understanding"


class ReasoningBoundary(_Boundary):
    """Capability boundary of reasoning."""

    title = "Boundary of reasoning"
    dimension = "reasoning"


class ActionBoundary(_Boundary):
    """Capability boundary of action."""

    title = "Boundary of action"
    dimension = "action"
