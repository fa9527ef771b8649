"""Retrieval metrics of ordered lists of indices: recall, precision, F1 and mean reciprocal rank (MRR).

Order matters for accuracy and for the reciprocal rank; recall, precision and F1 are those of each sample's sets, then
their mean. Where nothing was to be found, an empty list is right.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np

from sightline.core.records import Estimate
from sightline.data.columns import Batch, Ranks
from sightline.scoring.geometry.arrays import offsets_of
from sightline.scoring.metrics.state import ColumnState, Metric, MetricContext, Values
from sightline.stats.cluster_sums import ClusterSums

_NAMES = ("recall", "precision", "f1", "reciprocal_rank")
Lists = Sequence[Sequence[int] | None]
"""None stands for a reply that could not be read."""


def score_ranks(batch: Batch, context: MetricContext | None = None) -> Values:
    """Full marks for the same indices in the same order; recall, precision, F1 and reciprocal rank beside it."""

    def compare() -> Values:
        from sightline.scoring.metrics.label_counts import compare_lists

        truth, reply = batch.truth, batch.reply
        table = compare_lists(truth.offsets, truth.indices, reply.offsets, reply.indices)
        table[~batch.answered] = 0
        return {"score": table[:, 0], **{name: table[:, k + 1] for k, name in enumerate(_NAMES)}}

    return batch.compute_once("ranks", compare)


class RankState(ColumnState):
    """Means over samples of how well a list of indices fits the true one; one that could not be read earns nothing."""

    input_kind: ClassVar[str] = "ranks"
    takes_weights: ClassVar[bool] = True

    def __init__(self, context: MetricContext | None = None) -> None:
        super().__init__(context)
        self.sums = ClusterSums(len(_NAMES) + 1)

    def count(self, batch: Batch) -> Values:
        """See `ColumnState`."""
        scored = score_ranks(batch)
        columns = np.column_stack([*(scored[name] for name in _NAMES), np.ones(len(batch))])
        self.sums.add(batch.clusters, columns, batch.weights)
        return scored

    def merge(self, other: Self) -> None:
        """See `MetricState`."""
        self.sums.merge(other.sums)

    def mean(self, name: str) -> Estimate:
        """The mean of one of the measures."""
        column = _NAMES.index(name)
        return self.sums.estimate(lambda totals: totals[..., column] / totals[..., -1], "bounded")


def _metric(name: str, title: str, measure: str) -> Metric:
    return Metric(name=name, title=title, state=RankState, compute=lambda state: state.mean(measure), is_mean=True)


RETRIEVAL_RECALL = _metric("retrieval_recall", "Retrieval recall", "recall")
RETRIEVAL_PRECISION = _metric("retrieval_precision", "Retrieval precision", "precision")
RETRIEVAL_F1 = _metric("retrieval_f1", "Retrieval F1", "f1")
RECIPROCAL_RANK = _metric("mrr", "Mean reciprocal rank", "reciprocal_rank")


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
    state, n = RankState(), len(truths)
    read = np.array([given is not None for given in predictions], np.bool_)
    state.count(
        Batch(_column(truths), _column([given or () for given in predictions]), read, np.arange(n, dtype=np.uint64))
    )
    totals = state.sums.totals()
    return float(totals[_NAMES.index(measure)] / totals[-1]) if n else None


def _column(lists: Sequence[Sequence[int]]) -> Ranks:
    offsets = offsets_of([len(one) for one in lists])
    flat: list[Any] = [index for one in lists for index in one]
    return Ranks(offsets, np.array(flat, np.int64))
