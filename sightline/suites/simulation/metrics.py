"""Metrics of the simulation suite: accuracy on physical-law questions, and consistency of logical pairs.

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

from sightline.core.interfaces import Figures, Task
from sightline.core.records import Estimate, Grade
from sightline.scoring.metrics.state import MetricContext, Values, full_marks, ratio
from sightline.scoring.metrics.sum_metric import ClusterSumState, MeanCredit
from sightline.stats.intervals import Floats

if TYPE_CHECKING:
    from sightline.scoring.batch import ScoreBatch


class LawAccuracy(MeanCredit):
    """Accuracy on questions whether a physical law is satisfied."""

    title = "Physical-law accuracy"

    def includes(self, grade: Grade) -> bool:
        """Questions on balance, conservation, boundary conditions and convergence."""
        return "law" in grade.tags

    def earned(self, grade: Grade) -> float:
        """Return 1 for full marks, else 0."""
        return full_marks(grade.score)


class PairMetric(ClusterSumState):
    """Fraction of pairs with a property. The first half is buffered until the second arrives, also across shards."""

    columns = 2
    scale = "share"

    def __init__(self, context: MetricContext | None = None) -> None:
        super().__init__(context)
        self.waiting: dict[str, tuple[int, dict[str, Any]]] = {}
        """Halves by their pair: cluster and fields of the grade; values alone, so that the state can be saved."""
        self.unparsed = 0
        """Pairs of which a half was not parsed."""

    @abstractmethod
    def is_counted(self, first: Grade, second: Grade) -> bool:
        """Whether the pair has the property that is counted."""

    def update(self, scores: ScoreBatch) -> Values:
        """See `MetricState`."""
        for grade, cluster in zip(scores.records(), scores.samples.clusters.tolist(), strict=True):
            if "pair" in grade.values:
                self._add_half(cluster, grade)
        return {}

    def _add_half(self, cluster: int, grade: Grade) -> None:
        """Buffer the first half of a pair, or count the complete pair."""
        pair = grade.values["pair"] if grade.repeat == 1 else f"{grade.values['pair']} (repeat {grade.repeat})"
        waiting = self.waiting.pop(pair, None)
        if waiting is None:
            self.waiting[pair] = (cluster, asdict(grade))
            return
        halves = (cluster, grade), (waiting[0], Grade(**waiting[1]))
        self.unparsed += any(half.status != "answered" for _, half in halves)
        (first_cluster, first), (_, second) = sorted(halves, key=lambda half: int(half[1].values["side"]))
        self.sums.add(np.array([first_cluster], np.uint64), np.array([[self.is_counted(first, second), 1.0]]))

    def merge(self, other: Self) -> None:
        """Merge another state, and join its buffered halves."""
        super().merge(other)
        self.unparsed += other.unparsed
        for cluster, half in other.waiting.values():
            self._add_half(cluster, Grade(**half))

    def compute(self) -> Estimate:
        """Estimate the fraction."""
        return replace(super().compute(), unparsed=self.unparsed)

    def statistic(self, totals: Floats) -> Any:
        """Counted pairs over all pairs."""
        return ratio(totals)


def _are_opposed(first: Grade, second: Grade, which: str) -> bool:
    return {first.values.get(which), second.values.get(which)} == {True, False}


class OpposedPairs(PairMetric):
    """Fraction of pairs that the model answers with opposite answers."""

    title = "Opposed pairs"

    def is_counted(self, first: Grade, second: Grade) -> bool:
        """Both answers were parsed and differ."""
        return _are_opposed(first, second, "predicted")


class KeyOpposedPairs(PairMetric):
    """The same fraction of the answer key: the value of `opposed_pairs` for a perfect model."""

    title = "Opposed pairs in the key"

    def is_counted(self, first: Grade, second: Grade) -> bool:
        """The key's answers differ."""
        return _are_opposed(first, second, "target")


class PairRelation(PairMetric):
    """Fraction of pairs whose relation, same or opposite, equals that of the key."""

    title = "Pair relation as in the key"

    def is_counted(self, first: Grade, second: Grade) -> bool:
        """Both were parsed, and they differ exactly if the key's answers differ."""
        are_parsed = None not in (first.values.get("predicted"), second.values.get("predicted"))
        return are_parsed and _are_opposed(first, second, "predicted") == _are_opposed(first, second, "target")


_NAMES = {"opposed_pairs": OpposedPairs.title, "pair_relation": PairRelation.title}
_CEILING = "key_opposed_pairs"


def pair_table(figures: Figures, tasks: Sequence[Task]) -> dict[str, tuple[Sequence[str], Sequence[Sequence[Any]]]]:
    """Return the table `pairs`: a row for all samples and one per task; empty if there are no pairs."""
    head = ["", "n", KeyOpposedPairs.title]
    for title in _NAMES.values():
        head += [title, f"{title}_low", f"{title}_high"]
    scopes = {("overall", ""): "All samples", **{("task", task.name): task.title for task in tasks}}
    rows = [row for scope, name in scopes.items() if (row := _row(figures, scope, name))]
    return {"pairs": (head, rows)} if rows else {}


def _row(figures: Figures, scope: tuple[str, str], name: str) -> list[Any]:
    estimates = [figures.get((*scope, metric)) for metric in (_CEILING, *_NAMES)]
    ceiling, *others = estimates
    if ceiling is None or not ceiling.n:
        return []
    row: list[Any] = [name, ceiling.n, ceiling.value]
    for estimate in others:
        row += [None, None, None] if estimate is None else [estimate.value, estimate.low, estimate.high]
    return row
