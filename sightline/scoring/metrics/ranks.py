"""Retrieval metrics of lists of indices: recall, precision, F1 and mean reciprocal rank (MRR).

Recall, precision and F1 come from summed counts (micro average: Σ hits / Σ targets); the mean over samples of those of
each sample (macro average) stands beside them. Order matters for the reciprocal rank, and for accuracy only where the
task has the option `ordered`. Where nothing was to be found, an empty list is right.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Literal, Self

import numpy as np

from sightline.core.records import Estimate
from sightline.data.columns import Batch, Ranks
from sightline.scoring.geometry.arrays import offsets_of
from sightline.scoring.metrics.state import ColumnState, Metric, MetricContext, Values, ratio
from sightline.stats.cluster_sums import ClusterSums, column_estimate
from sightline.stats.exact import fixed_weights

_NAMES = ("recall", "precision", "f1", "reciprocal_rank")
_COMMON, _WANTED, _GIVEN, _SAMPLES = range(len(_NAMES), len(_NAMES) + 4)
"""Columns of the sums after those of `_NAMES`."""
_MOST_TARGETS = 1000
Lists = Sequence[Sequence[int] | None]
"""None stands for a reply that could not be read."""


def score_ranks(batch: Batch, context: MetricContext | None = None) -> Values:
    """Full marks for the same indices, in the same order where the task asks for it; recall, precision, F1 and
    reciprocal rank beside it."""

    def compare() -> Values:
        from sightline.scoring.metrics.label_counts import compare_lists

        truth, reply = batch.truth, batch.reply
        table = compare_lists(truth.offsets, truth.indices, reply.offsets, reply.indices)
        table[~batch.answered, :7] = 0
        is_ordered = context is not None and context.options.get("ordered") is True
        values = {"score": table[:, 0 if is_ordered else 1]}
        named = (*_NAMES, "common", "wanted", "given")
        return values | {name: table[:, k + 2] for k, name in enumerate(named)}

    return batch.compute_once("ranks", compare)


class RankState(ColumnState):
    """How well lists of indices fit the true ones: means over samples, and sums. One that could not be read is empty.

    The option `ordered` = true gives full marks only for indices in the same order.
    """

    input_kind: ClassVar[str] = "ranks"
    takes_weights: ClassVar[bool] = True

    def __init__(self, context: MetricContext | None = None) -> None:
        super().__init__(context)
        self.sums = ClusterSums(_SAMPLES + 1)
        self.targets: dict[str, int] = {}
        """The weight of each list of true indices, as `fixed_weights` has it."""
        self.mass = 0
        self.has_many_targets = False
        """There are too many different lists for a constant answer to be worth a line."""

    def count(self, batch: Batch) -> Values:
        """See `ColumnState`."""
        scored = score_ranks(batch, self.context)
        self._count_targets(batch)
        columns = [scored[name] for name in (*_NAMES, "common", "wanted", "given")]
        self.sums.add(batch.clusters, np.column_stack([*columns, np.ones(len(batch))]), batch.weights)
        return {name: column for name, column in scored.items() if name in ("score", *_NAMES)}

    def merge(self, other: Self) -> None:
        """See `MetricState`."""
        self.sums.merge(other.sums)
        self.mass += other.mass
        self.has_many_targets = self.has_many_targets or other.has_many_targets
        for listed, mass in other.targets.items():
            self.targets[listed] = self.targets.get(listed, 0) + mass
        self._bound_targets()

    def best_constant(self) -> tuple[str, float] | None:
        """The most frequent list of true indices, given as the answer to everything."""
        if not self.targets:
            return None
        listed, mass = min(self.targets.items(), key=lambda pair: (-pair[1], pair[0]))
        return f"always {listed or 'none'}", mass / self.mass

    def _count_targets(self, batch: Batch) -> None:
        weights = np.ones(len(batch)) if batch.weights is None else batch.weights
        masses = fixed_weights(weights)
        self.mass += int(masses.sum())
        if self.has_many_targets:
            return
        is_ordered = self.context.options.get("ordered") is True
        at, indices = batch.truth.offsets.tolist(), batch.truth.indices.tolist()
        for row, mass in enumerate(masses.tolist()):
            own = indices[at[row] : at[row + 1]]
            listed = ",".join(map(str, own if is_ordered else sorted(set(own))))
            self.targets[listed] = self.targets.get(listed, 0) + mass
        self._bound_targets()

    def _bound_targets(self) -> None:
        if self.has_many_targets or len(self.targets) > _MOST_TARGETS:
            self.targets, self.has_many_targets = {}, True

    def mean(self, name: str) -> Estimate:
        """The mean over samples of one of the measures."""
        return column_estimate(self.sums, [_NAMES.index(name), _SAMPLES], ratio, "bounded")

    def recall(self) -> Estimate:
        """Σ hits / Σ targets."""
        return column_estimate(self.sums, [_COMMON, _WANTED], ratio, "bounded")

    def precision(self) -> Estimate:
        """Σ hits / Σ given indices."""
        return column_estimate(self.sums, [_COMMON, _GIVEN], ratio, "bounded")

    def f1(self) -> Estimate:
        """2·Σ hits / (Σ targets + Σ given indices)."""
        columns = [_COMMON, _WANTED, _GIVEN]
        return column_estimate(self.sums, columns, lambda t: 2 * t[..., 0] / (t[..., 1] + t[..., 2]), "bounded")


def _metric(name: str, title: str, compute: Callable[[RankState], Estimate]) -> Metric:
    return Metric(name=name, title=title, state=RankState, compute=compute)


def _mean_metric(name: str, title: str, measure: str) -> Metric:
    return Metric(name=name, title=title, state=RankState, compute=lambda state: state.mean(measure), is_mean=True)


RETRIEVAL_RECALL = _metric("retrieval_recall", "Retrieval recall", RankState.recall)
RETRIEVAL_PRECISION = _metric("retrieval_precision", "Retrieval precision", RankState.precision)
RETRIEVAL_F1 = _metric("retrieval_f1", "Retrieval F1", RankState.f1)
RETRIEVAL_MACRO_RECALL = _mean_metric("retrieval_macro_recall", "Retrieval recall, mean over samples", "recall")
RETRIEVAL_MACRO_PRECISION = _mean_metric(
    "retrieval_macro_precision", "Retrieval precision, mean over samples", "precision"
)
RETRIEVAL_MACRO_F1 = _mean_metric("retrieval_macro_f1", "Retrieval F1, mean over samples", "f1")
RECIPROCAL_RANK = _mean_metric("mrr", "Mean reciprocal rank", "reciprocal_rank")
Average = Literal["micro", "macro"]


def calculate_retrieval_recall(
    truths: Sequence[Sequence[int]], predictions: Lists, *, average: Average = "micro"
) -> float | None:
    """Share of the true indices that were given, of all samples together or as the mean over samples."""
    return _value(truths, predictions, RETRIEVAL_RECALL if average == "micro" else RETRIEVAL_MACRO_RECALL)


def calculate_retrieval_precision(
    truths: Sequence[Sequence[int]], predictions: Lists, *, average: Average = "micro"
) -> float | None:
    """Share of the given indices that are true, of all samples together or as the mean over samples."""
    return _value(truths, predictions, RETRIEVAL_PRECISION if average == "micro" else RETRIEVAL_MACRO_PRECISION)


def calculate_retrieval_f1(
    truths: Sequence[Sequence[int]], predictions: Lists, *, average: Average = "micro"
) -> float | None:
    """F1 of given and true indices, of all samples together or as the mean over samples."""
    return _value(truths, predictions, RETRIEVAL_F1 if average == "micro" else RETRIEVAL_MACRO_F1)


def calculate_mrr(truths: Sequence[Sequence[int]], predictions: Lists) -> float | None:
    """Mean of 1 / the place of the first true index; None where there are no samples."""
    return _value(truths, predictions, RECIPROCAL_RANK)


def _value(truths: Sequence[Sequence[int]], predictions: Lists, figure: Metric) -> float | None:
    state, n = RankState(), len(truths)
    read = np.array([given is not None for given in predictions], np.bool_)
    state.count(
        Batch(_column(truths), _column([given or () for given in predictions]), read, np.arange(n, dtype=np.uint64))
    )
    return figure.compute(state).value


def _column(lists: Sequence[Sequence[int]]) -> Ranks:
    offsets = offsets_of([len(one) for one in lists])
    flat: list[Any] = [index for one in lists for index in one]
    return Ranks(offsets, np.array(flat, np.int64))
