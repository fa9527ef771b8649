"""Metric states over one set of samples: a task, a slice, or the whole run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline.core.records import Estimate
from sightline.scoring.batch import INVALID, STATUSES, ScoreBatch
from sightline.scoring.metrics.state import Metric, MetricState, ScoreState
from sightline.scoring.plugin_adapters import compute_plugin_metric, is_plugin
from sightline.scoring.summary import Row
from sightline.stats.blind_baselines import BlindBaseline, BlindBaselines, make_baseline
from sightline.stats.cluster_sums import with_bounds, with_statuses
from sightline.stats.exact import WeightRange, fixed_weights
from sightline.stats.influence import ClusterEstimate, Influence, plain_estimate

Scope = tuple[str, str]
"""`overall`, `task`, `level` or the name of a tag, and the name within it."""
Influences = dict[tuple[str, str, str], Influence]
"""By scope, name within it, and metric."""


class MetricGroup:
    """The states of some metrics over one set of samples."""

    def __init__(self, metrics: Sequence[Metric], core: Sequence[str], states: Iterable[MetricState]) -> None:
        self.metrics = list(metrics)
        self.core = tuple(core)
        self.states = {type(state): state for state in states}
        self.counts: Counter[str] = Counter()
        """Samples by status."""
        self.masses: Counter[str] = Counter()
        """The samples of each status by their weights, as `fixed_weights` has them."""
        self.weights = WeightRange()
        self.baselines = BlindBaselines()

    @classmethod
    def of(cls, core: Sequence[Metric], auxiliary: Sequence[Metric] = ()) -> MetricGroup:
        """A group of metrics over scores, each with a state of its own class."""
        metrics = list(dict.fromkeys([*core, *auxiliary]))
        types: dict[type[Any], None] = dict.fromkeys([ScoreState, *(metric.state for metric in metrics)])
        return cls(metrics, [metric.name for metric in core], [kind() for kind in types])

    @property
    def headline(self) -> Metric | None:
        """The first core metric."""
        return next((metric for metric in self.metrics if self.core and metric.name == self.core[0]), None)

    def count_statuses(self, scores: ScoreBatch) -> None:
        """Count samples and weights by status, and what guessing would have earned."""
        weights = scores.samples.weights
        mass = fixed_weights(np.ones(len(scores)) if weights is None else weights)
        self.weights.add(weights if weights is None else weights[scores.statuses != INVALID])
        for index, count in enumerate(np.bincount(scores.statuses, minlength=len(STATUSES)).tolist()):
            if count:
                self.counts[STATUSES[index]] += count
                self.masses[STATUSES[index]] += int(mass[scores.statuses == index].sum())
        credit = self.headline.credit if self.headline is not None else None
        if credit is not None and scores.blind:
            for row in scores.questions.tolist():
                earned = {choice: credit(score) for choice, score in scores.blind[row].items()}
                self.baselines.add(earned, 1.0 if weights is None else float(weights[row]))

    def update(self, scores: ScoreBatch) -> dict[str, NDArray[Any]]:
        """Update the states with a batch; returns values of each sample that belong into the grades."""
        values: dict[str, NDArray[Any]] = {}
        for state in self.states.values():
            values = {**state.update(scores), **values}
        self.count_statuses(scores)
        return values

    def merge(self, other: MetricGroup) -> None:
        """Merge the states of `other` of the metrics that both have."""
        for kind, state in self.states.items():
            if kind in other.states:
                state.merge(other.states[kind])
        self.counts.update(other.counts)
        self.masses.update(other.masses)
        self.weights.merge(other.weights)
        self.baselines.merge(other.baselines)

    def estimate(self, metric: Metric) -> Estimate:
        """The figure of one metric, with the samples that could not be read or scored beside it."""
        state = self.states[metric.state]
        samples = self.states[ScoreState].sums.samples  # type: ignore[attr-defined]
        found = (
            compute_plugin_metric(metric.compute, state, samples) if is_plugin(metric.state) else metric.compute(state)
        )
        if state.counts_statuses:
            return found
        counted = with_statuses(found, self.counts)
        # with repeats, means over questions have their own bounds
        return with_bounds(counted, self.masses) if metric.is_mean and found.floor is None else counted

    def rows(self, scope: Scope, english: str = "", influences: Influences | None = None) -> list[Row]:
        """All figures of the group, core ones first; what each cluster moves them is added to `influences`."""
        found = []
        for metric in self.metrics:
            estimate = self.estimate(metric)
            if metric.is_optional and estimate.value is None:
                continue
            if influences is not None and isinstance(estimate, ClusterEstimate) and estimate.influence is not None:
                influences[*scope, metric.name] = estimate.influence
            is_headline = bool(self.core) and metric.name == self.core[0]
            found.append(
                Row(
                    scope=scope[0],
                    name=scope[1],
                    metric=metric.name,
                    title=metric.title,
                    core=metric.name in self.core,
                    estimate=plain_estimate(estimate),
                    baseline=self._baseline(metric, estimate) if is_headline else None,
                    higher_is_better=metric.higher_is_better,
                    unit=metric.unit,
                    english=english,
                )
            )
        return found

    def _baseline(self, metric: Metric, estimate: Estimate) -> BlindBaseline | None:
        """The best blind baseline: of the replies a guesser could give, the most frequent truth, or constant shapes."""
        if (best := self.baselines.best(estimate.value)) is not None:
            return best
        known = (state.blind_baseline(metric) for state in self.states.values())
        best_known = next((found for found in known if found is not None), None)
        return None if best_known is None else make_baseline(*best_known, estimate.value, metric.perfect)

    def close(self) -> None:
        """Release processes."""
        for state in self.states.values():
            state.close()
