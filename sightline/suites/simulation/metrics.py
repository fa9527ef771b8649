"""Figures of the suite's own: physical-law questions, and logical pairs.

The key itself does not always oppose within a pair. So three figures stand together: the share of pairs that the model
answers with opposed answers, the same share of the key (what a perfect model reaches), and the share of pairs whose
relation, same or opposed, is the key's.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, Self

from msgspec.structs import asdict

from sightline.metrics.mean import Accuracy
from sightline.metrics.totals import TotalsMetric
from sightline.records import Grade
from sightline.stats.intervals import Floats


class LawAccuracy(Accuracy):
    """Accuracy on the questions whether a physical law holds."""

    title = "Physical-law accuracy"

    def takes(self, grade: Grade) -> bool:
        """Questions on balance, conservation, boundary conditions and convergence."""
        return "law" in grade.tags


class PairMetric(TotalsMetric):
    """A share of pairs. A half waits until the other comes, also across shards."""

    columns = 2
    scale = "share"

    def __init__(self) -> None:
        super().__init__()
        self.waiting: dict[str, dict[str, Any]] = {}
        """Halves by their pair, each as the fields of its grade: values alone, so that the state can be saved."""

    def takes(self, grade: Grade) -> bool:
        """Grades of questions that belong to a pair."""
        return "pair" in grade.values

    @abstractmethod
    def holds(self, one: Grade, other: Grade) -> bool:
        """Whether the pair counts for the share."""

    def add(self, grade: Grade) -> None:
        """Keep a half, or count the pair."""
        if not self.takes(grade):
            return
        half = self.waiting.pop(grade.values["pair"], None)
        if half is None:
            self.waiting[grade.values["pair"]] = asdict(grade)
            return
        other = Grade(**half)
        self.unparsed += grade.state != "ok" or other.state != "ok"
        one, two = sorted((grade, other), key=lambda half: int(half.values["side"]))
        self.totals.add(one, (self.holds(one, two), 1))

    def merge(self, other: Self) -> None:
        """Take all that `other` has seen, and join halves."""
        super().merge(other)
        for half in other.waiting.values():
            self.add(Grade(**half))

    def row(self, grade: Grade) -> Sequence[float]:
        """Pairs are counted in `add`."""
        raise NotImplementedError

    def statistic(self, totals: Floats) -> Any:
        """Pairs that hold over pairs."""
        return totals[..., 0] / totals[..., 1]


def _opposed(one: Grade, other: Grade, which: str) -> bool:
    return {one.values.get(which), other.values.get(which)} == {True, False}


class OpposedPairs(PairMetric):
    """Share of pairs that the model answers with opposed answers."""

    title = "Opposed pairs"

    def holds(self, one: Grade, other: Grade) -> bool:
        """Both answers were read, and they differ."""
        return _opposed(one, other, "predicted")


class KeyOpposedPairs(PairMetric):
    """The same share of the answer key: the ceiling of `opposed_pairs` for a model that is right."""

    title = "Opposed pairs in the key"

    def holds(self, one: Grade, other: Grade) -> bool:
        """The key's answers differ."""
        return _opposed(one, other, "target")


class PairRelation(PairMetric):
    """Share of pairs whose relation, same or opposed, is the key's."""

    title = "Pair relation as in the key"

    def holds(self, one: Grade, other: Grade) -> bool:
        """Both were read, and they differ just where the key's differ."""
        read = None not in (one.values.get("predicted"), other.values.get("predicted"))
        return read and _opposed(one, other, "predicted") == _opposed(one, other, "target")
