"""The common frame of metrics whose state is column sums by cluster: a metric names its columns and its statistic."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, Self

import msgspec

from sightline.records import ANSWERED, Estimate, Grade, Unit
from sightline.stats.clusters import ClusterTotals
from sightline.stats.exact import fixed
from sightline.stats.intervals import Floats, Scale


class TotalsMetric(ABC):
    """Adds, merges and estimates; a subclass says which grades it takes, what it sums and what it makes of the sums."""

    title: ClassVar[str]
    columns: ClassVar[int]
    higher_is_better: ClassVar[bool] = True
    unit: ClassVar[Unit] = "share"
    scale: ClassVar[Scale] = "number"

    def __init__(self) -> None:
        self.totals = ClusterTotals(columns=self.columns)
        self.unparsed = self.failed = self.invalid = 0
        self.unread_weight = self.failed_weight = 0

    def takes(self, grade: Grade) -> bool:
        """Whether the metric is about this grade at all."""
        return True

    def weigh(self, grade: Grade) -> float:
        """How much a grade counts."""
        return grade.weight

    @abstractmethod
    def row(self, grade: Grade) -> Sequence[float]:
        """The columns that a grade of an answered sample adds."""

    @abstractmethod
    def statistic(self, totals: Floats) -> Any:
        """The figure, from column totals of shape (…, columns)."""

    def add(self, grade: Grade) -> None:
        """Take one grade into account."""
        if not self.takes(grade):
            return
        if grade.state in ANSWERED:
            if grade.state != "ok":
                self.unparsed += 1
                self.unread_weight += fixed(self.weigh(grade))
            self.totals.add(grade, self.row(grade))
        elif grade.state == "failed":
            self.failed += 1
            self.failed_weight += fixed(self.weigh(grade))
        else:
            self.invalid += 1

    def merge(self, other: Self) -> None:
        """Take all that `other` has seen into account."""
        self.totals.merge(other.totals)
        self.unparsed += other.unparsed
        self.failed += other.failed
        self.unread_weight += other.unread_weight
        self.failed_weight += other.failed_weight
        self.invalid += other.invalid

    def result(self) -> Estimate:
        """The figure so far."""
        estimate = self.totals.estimate(self.statistic, self.scale)
        counted = msgspec.structs.replace(estimate, unparsed=self.unparsed, failed=self.failed, invalid=self.invalid)
        return self.bounded(counted)

    def bounded(self, estimate: Estimate) -> Estimate:
        """The estimate with floor and ceiling, where the metric has them."""
        return estimate
