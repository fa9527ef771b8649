"""Metrics of the suite's own: physical-law questions, and logical pairs.

The key itself does not always oppose within a pair. So three figures stand together: the share of pairs that the model
answers with opposed answers, the same share of the key (what a perfect model reaches), and the share of pairs whose
relation, same or opposed, is the key's.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from msgspec.structs import asdict, replace

from sightline.core.records import Estimate, Grade
from sightline.scoring.metrics.mean import MeanCredit
from sightline.scoring.metrics.state import MetricContext, Values, full_marks, ratio
from sightline.scoring.metrics.sum_metric import SumMetric
from sightline.stats.intervals import Floats

if TYPE_CHECKING:
    from sightline.scoring.batch import ScoreBatch


class LawAccuracy(MeanCredit):
    """Accuracy on the questions whether a physical law holds."""

    title = "Physical-law accuracy"

    def includes(self, grade: Grade) -> bool:
        """Questions on balance, conservation, boundary conditions and convergence."""
        return "law" in grade.tags

    def earned(self, grade: Grade) -> float:
        """All or nothing."""
        return full_marks(grade.score)


class PairMetric(SumMetric):
    """A share of pairs. A half waits until the other comes, also across shards."""

    columns = 2
    scale = "share"

    def __init__(self, context: MetricContext | None = None) -> None:
        super().__init__(context)
        self.waiting: dict[str, tuple[int, dict[str, Any]]] = {}
        """Halves by their pair: cluster and fields of the grade; values alone, so that the state can be saved."""
        self.unparsed = 0
        """Pairs of which a half was not read."""

    @abstractmethod
    def is_counted(self, first: Grade, second: Grade) -> bool:
        """Whether the pair counts for the share."""

    def update(self, scores: ScoreBatch) -> Values:
        """See `MetricState`."""
        for grade, cluster in zip(scores.records(), scores.samples.clusters.tolist(), strict=True):
            if "pair" in grade.values:
                self._add_half(cluster, grade)
        return {}

    def _add_half(self, cluster: int, grade: Grade) -> None:
        """Keep a half, or count the pair."""
        waiting = self.waiting.pop(grade.values["pair"], None)
        if waiting is None:
            self.waiting[grade.values["pair"]] = (cluster, asdict(grade))
            return
        halves = (cluster, grade), (waiting[0], Grade(**waiting[1]))
        self.unparsed += any(half.state != "ok" for _, half in halves)
        (first, one), (_, two) = sorted(halves, key=lambda half: int(half[1].values["side"]))
        self.sums.add(np.array([first], np.uint64), np.array([[self.is_counted(one, two), 1.0]]))

    def merge(self, other: Self) -> None:
        """Take all that `other` has seen, and join halves."""
        super().merge(other)
        self.unparsed += other.unparsed
        for cluster, half in other.waiting.values():
            self._add_half(cluster, Grade(**half))

    def compute(self) -> Estimate:
        """The share so far."""
        return replace(super().compute(), unparsed=self.unparsed)

    def row(self, grade: Grade) -> Sequence[float]:
        """Pairs are counted, not grades."""
        raise NotImplementedError

    def statistic(self, totals: Floats) -> Any:
        """Pairs that hold over pairs."""
        return ratio(totals)


def _are_opposed(first: Grade, second: Grade, which: str) -> bool:
    return {first.values.get(which), second.values.get(which)} == {True, False}


class OpposedPairs(PairMetric):
    """Share of pairs that the model answers with opposed answers."""

    title = "Opposed pairs"

    def is_counted(self, one: Grade, other: Grade) -> bool:
        """Both answers were read, and they differ."""
        return _are_opposed(one, other, "predicted")


class KeyOpposedPairs(PairMetric):
    """The same share of the answer key: the ceiling of `opposed_pairs` for a model that is right."""

    title = "Opposed pairs in the key"

    def is_counted(self, one: Grade, other: Grade) -> bool:
        """The key's answers differ."""
        return _are_opposed(one, other, "target")


class PairRelation(PairMetric):
    """Share of pairs whose relation, same or opposed, is the key's."""

    title = "Pair relation as in the key"

    def is_counted(self, one: Grade, other: Grade) -> bool:
        """Both were read, and they differ just where the key's differ."""
        read = None not in (one.values.get("predicted"), other.values.get("predicted"))
        return read and _are_opposed(one, other, "predicted") == _are_opposed(one, other, "target")
