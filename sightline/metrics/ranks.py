"""Figures of ordered lists of indices, such as pictures that were retrieved.

Order matters for accuracy and for the reciprocal rank; recall, precision and F1 are those of the sets, each sample's
own, then their mean. Where nothing was to be found, an empty list is right.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np

from sightline.columns import Batch, Ranks
from sightline.metrics.tally import Figure, Plan, Tally, Values
from sightline.records import Estimate
from sightline.stats.groups import GroupSums

_NAMES = ("recall", "precision", "f1", "reciprocal_rank")


class RankTally(Tally):
    """Means over samples of how well a list of indices fits the true one; one that could not be read earns nothing."""

    takes: ClassVar[str] = "ranks"
    takes_weights: ClassVar[bool] = True

    def __init__(self, plan: Plan | None = None) -> None:
        super().__init__(plan)
        self.sums = GroupSums(len(_NAMES) + 1)

    def count(self, batch: Batch) -> Values:
        """See `Tally`."""
        from sightline.metrics.labels.set_kernels import compared

        truth, reply = batch.truth, batch.reply
        table = compared(truth.offsets, truth.indices, reply.offsets, reply.indices)
        table[~batch.answered] = 0
        self.sums.add(batch.clusters, np.concatenate((table[:, 1:], np.ones((len(batch), 1))), axis=1), batch.weights)
        return {"score": table[:, 0], **{name: table[:, k + 1] for k, name in enumerate(_NAMES)}}

    def merge(self, other: Self) -> None:
        """See `Tally`."""
        super().merge(other)
        self.sums.merge(other.sums)

    def mean(self, name: str) -> Estimate:
        """The mean of one of the measures."""
        column = _NAMES.index(name)
        return self.sums.estimate(lambda totals: totals[..., column] / totals[..., -1], "bounded")


def _figure(name: str, title: str, measure: str) -> Figure:
    return Figure(name=name, title=title, tally=RankTally, read=lambda tally: tally.mean(measure), is_mean=True)


RETRIEVAL_RECALL = _figure("retrieval_recall", "Retrieval recall", "recall")
RETRIEVAL_PRECISION = _figure("retrieval_precision", "Retrieval precision", "precision")
RETRIEVAL_F1 = _figure("retrieval_f1", "Retrieval F1", "f1")
RECIPROCAL_RANK = _figure("mrr", "Mean reciprocal rank", "reciprocal_rank")

Lists = Sequence[Sequence[int] | None]
"""None stands for a reply that could not be read."""


def calculate_retrieval_recall(truths: Sequence[Sequence[int]], predictions: Lists) -> float | None:
    """Mean share of the true indices that were given; None where there are no samples."""
    return _mean(truths, predictions, "recall")


def calculate_retrieval_precision(truths: Sequence[Sequence[int]], predictions: Lists) -> float | None:
    """Mean share of the given indices that are true; None where there are no samples."""
    return _mean(truths, predictions, "precision")


def calculate_retrieval_f1(truths: Sequence[Sequence[int]], predictions: Lists) -> float | None:
    """Mean F1 of given and true indices; None where there are no samples."""
    return _mean(truths, predictions, "f1")


def calculate_mrr(truths: Sequence[Sequence[int]], predictions: Lists) -> float | None:
    """Mean of 1 / the place of the first true index; None where there are no samples."""
    return _mean(truths, predictions, "reciprocal_rank")


def _mean(truths: Sequence[Sequence[int]], predictions: Lists, measure: str) -> float | None:
    tally, n = RankTally(), len(truths)
    read = np.array([given is not None for given in predictions], np.bool_)
    tally.count(
        Batch(_column(truths), _column([given or () for given in predictions]), read, np.arange(n, dtype=np.uint64))
    )
    totals = tally.sums.totals()
    return float(totals[_NAMES.index(measure)] / totals[-1]) if n else None


def _column(lists: Sequence[Sequence[int]]) -> Ranks:
    offsets = np.concatenate((np.zeros(1, np.int64), np.cumsum([len(one) for one in lists], dtype=np.int64)))
    flat: list[Any] = [index for one in lists for index in one]
    return Ranks(offsets, np.array(flat, np.int64))
