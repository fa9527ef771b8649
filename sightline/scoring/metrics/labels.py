"""Classification metrics of labels, one or several per sample: accuracy of the whole set, macro and micro F1, kappa.

The functions `calculate_…` take lists with a text or a set of texts per sample; None is an unparsed reply.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, ClassVar, Self

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from sightline.core.records import Estimate
from sightline.data.columns import Batch, Labels
from sightline.scoring.geometry.arrays import offsets_of
from sightline.scoring.metrics.label_counts import (
    ClassCounts,
    LabelTargetStatistics,
    f1s,
    find_label_hits,
    kappa,
    macro,
    micro_f1,
    precisions,
    recalls,
)
from sightline.scoring.metrics.state import Breakdown, ColumnState, Metric, MetricContext, TargetStatistics, Values
from sightline.scoring.parsers.columns.labels import label_code
from sightline.stats.exact import fixed_weights
from sightline.stats.intervals import Floats, Scale, Statistic

OTHER, UNREAD = "(other)", "(unread)"
Given = str | Collection[str] | None


def find_hits(batch: Batch) -> NDArray[Any]:
    """Which of the true labels were given."""
    truth, reply = batch.truth, batch.reply
    return batch.compute_once("hits", lambda: find_label_hits(truth.offsets, truth.codes, reply.offsets, reply.codes))


def score_labels(batch: Batch, context: MetricContext | None = None) -> Values:
    """Full marks for just the true set of labels; F1 of the set beside it."""
    truth, reply = batch.truth, batch.reply
    common = _sum_rows(find_hits(batch), truth.offsets)
    true, given = np.diff(truth.offsets), np.diff(reply.offsets)
    f1 = np.where(true + given > 0, 2 * common / np.maximum(true + given, 1), 1.0) * batch.answered
    return {"score": (batch.answered & (common == true) & (common == given)).astype(np.float64), "f1": f1}


class LabelState(ColumnState):
    """Sets of labels against the true ones. A label that no truth has is a miss, but no class.

    Without target statistics the batches are held until a figure is read, since only then all classes are known.
    """

    input_kind: ClassVar[str] = "labels"
    takes_weights: ClassVar[bool] = True
    statistics_type: ClassVar[type[TargetStatistics] | None] = LabelTargetStatistics
    excluded_from_state: ClassVar[tuple[str, ...]] = ("_settled",)

    def __init__(self, context: MetricContext | None = None) -> None:
        super().__init__(context)
        statistics = self.context.target_statistics
        self._counted = None if statistics is None else ClassCounts(statistics)
        self._held: list[Batch] = []
        self._settled: ClassCounts | None = None
        self.unread = 0
        self.sets: dict[int, tuple[int, str]] = {}

    def count(self, batch: Batch) -> Values:
        """See `ColumnState`."""
        if self._counted is None:
            self._held.append(batch)
            self._settled = None
        else:
            self._counted.add(batch, find_hits(batch))
        self.unread += int(np.count_nonzero(~batch.answered))
        self._count_sets(batch.truth, np.ones(len(batch)) if batch.weights is None else batch.weights)
        return score_labels(batch)

    def _count_sets(self, truth: Labels, weights: Floats) -> None:
        """Sum up the weight of each whole set of labels among the truths; a sum of codes stands for a set."""
        totals = _sum_rows(truth.codes, truth.offsets)
        codes_of_sets, rows, positions = np.unique(totals, return_index=True, return_inverse=True)
        mass = np.zeros(len(rows), np.int64)
        np.add.at(mass, positions, fixed_weights(weights))
        for code, row, times in zip(codes_of_sets.tolist(), rows.tolist(), mass.tolist(), strict=True):
            if (known := self.sets.get(code)) is None:
                codes = truth.codes[truth.offsets[row] : truth.offsets[row + 1]].tolist()
                known = (0, "; ".join(sorted(truth.names[one] for one in codes)))
            self.sets[code] = (known[0] + times, known[1])

    def merge(self, other: Self) -> None:
        """See `MetricState`."""
        if self._counted is not None and other._counted is not None:
            self._counted.merge(other._counted)
        self._held += other._held
        self._settled = None
        self.unread += other.unread
        for code, (times, name) in other.sets.items():
            self.sets[code] = (self.sets.get(code, (0, name))[0] + times, name)

    @property
    def counts(self) -> ClassCounts:
        """What was counted by class."""
        if self._counted is not None:
            return self._counted
        if self._settled is None:
            statistics = LabelTargetStatistics()
            for batch in self._held:
                statistics.add(batch.truth, batch.key)
            self._settled = ClassCounts(statistics)
            for batch in self._held:
                self._settled.add(batch, find_hits(batch))
        return self._settled

    def estimate(self, statistic: Statistic, scale: Scale = "bounded") -> Estimate:
        """A figure of the counts by class; its interval where there are few classes and target statistics name them."""
        counts, n = self.counts, int(self.counts.totals[-1])
        if self._counted is not None and counts.clusters is not None:
            return replace(counts.clusters.estimate(statistic, scale, n), unparsed=self.unread)
        with np.errstate(invalid="ignore", divide="ignore"):
            value = float(statistic(counts.weighted())) if n else float("nan")
        return Estimate(value=None if np.isnan(value) else value, n=n, unparsed=self.unread)

    def kappa(self) -> Estimate:
        """Cohen's kappa, where every sample has one label."""
        if self.counts.several:
            return Estimate(value=None, n=int(self.counts.totals[-1]), reason="not defined for several labels a sample")
        found = self.estimate(kappa, "number")
        if found.value is None and found.n:
            return Estimate(value=None, n=found.n, reason="not defined for one class only")
        return found

    def best_constant(self) -> tuple[str, float] | None:
        """The most frequent true set of labels, given as the answer to everything."""
        if not self.sets:
            return None
        times, name = min(self.sets.values(), key=lambda pair: (-pair[0], pair[1]))
        return f"always {name}", times / sum(pair[0] for pair in self.sets.values())

    def breakdowns(self) -> Sequence[Breakdown]:
        """Figures by class, and the confusion of samples with one label; classes in the order of the alphabet."""
        counts, size = self.counts, len(self.counts.names)
        totals, order = counts.totals.astype(np.float64), np.argsort(np.array(counts.names, dtype=object))
        columns = [part(totals).tolist() for part in (precisions, recalls, f1s)]
        rows = tuple((counts.names[k], int(counts.totals[2 * size + k]), *(one[k] for one in columns)) for k in order)
        if not rows:
            return ()
        tables = [Breakdown(name="per_class", head=("class", "n", "precision", "recall", "f1"), rows=rows)]
        if counts.confusion is not None and counts.confusion.any():
            names = [counts.names[k] for k in order]
            shown = [*order, size, size + 1]
            lines = tuple((counts.names[k], *counts.confusion[k, shown].tolist()) for k in order)
            tables.append(Breakdown(name="confusion", head=("truth", *names, OTHER, UNREAD), rows=lines))
        return tables

    def remarks(self) -> Mapping[str, int]:
        """How many replies have a label that no truth has."""
        return {"unknown label": self.counts.unknown} if self.counts.unknown else {}


def _sum_rows(values: Any, offsets: Any) -> Any:
    """The sum of each row's values; codes wrap around at 64 bits."""
    kind = np.uint64 if values.dtype == np.uint64 else np.int64
    running = np.concatenate((np.zeros(1, kind), np.cumsum(values, dtype=kind)))
    return running[offsets[1:]] - running[offsets[:-1]]


def _metric(name: str, title: str, statistic: Statistic) -> Metric:
    return Metric(name=name, title=title, state=LabelState, compute=lambda state: state.estimate(statistic))


MACRO_F1 = _metric("macro_f1", "Macro F1", macro(f1s))
MACRO_RECALL = _metric("macro_recall", "Macro recall", macro(recalls))
MACRO_PRECISION = _metric("macro_precision", "Macro precision", macro(precisions))
MICRO_F1 = _metric("micro_f1", "Micro F1", micro_f1)
KAPPA = Metric(
    name="kappa", title="Cohen's kappa", state=LabelState, compute=lambda state: state.kappa(), unit="number"
)


def calculate_macro_f1(truths: Sequence[Given], predictions: Sequence[Given]) -> float | None:
    """Mean over the true classes of their F1."""
    return _value(MACRO_F1, truths, predictions)


def calculate_macro_recall(truths: Sequence[Given], predictions: Sequence[Given]) -> float | None:
    """Mean over the true classes of their recall."""
    return _value(MACRO_RECALL, truths, predictions)


def calculate_macro_precision(truths: Sequence[Given], predictions: Sequence[Given]) -> float | None:
    """Mean over the true classes of their precision."""
    return _value(MACRO_PRECISION, truths, predictions)


def calculate_micro_f1(truths: Sequence[Given], predictions: Sequence[Given]) -> float | None:
    """F1 of the counts of all true classes together."""
    return _value(MICRO_F1, truths, predictions)


def calculate_kappa(truths: Sequence[str], predictions: Sequence[str | None]) -> float | None:
    """Cohen's kappa of single labels."""
    return _value(KAPPA, truths, predictions)


def _value(figure: Metric, truths: Sequence[Given], predictions: Sequence[Given]) -> float | None:
    state = LabelState()
    read = np.array([given is not None for given in predictions], np.bool_)
    state.count(Batch(_column(truths), _column(predictions), read, np.arange(len(truths), dtype=np.uint64)))
    return figure.compute(state).value


def _column(values: Sequence[Given]) -> Labels:
    sets = [{one} if isinstance(one, str) else set(one or ()) for one in values]
    codes = [sorted(map(label_code, one)) for one in sets]
    offsets = offsets_of([len(one) for one in codes])
    flat = np.array([code for one in codes for code in one], np.uint64)
    return Labels(offsets, flat, {label_code(name): name for one in sets for name in one})
