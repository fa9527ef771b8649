"""Influence of each cluster on a figure, and the estimate that carries it: what a paired comparison of runs needs.

A figure is nearly its value plus the sum of its clusters' influences, whatever it is: a quotient, AP, BLEU. So the
difference of a figure between two runs on the same pictures has the differences of their influences, and a mean of
figures the mean of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline.core.records import Estimate
from sightline.stats.intervals import Floats, influence_error, influence_interval
from sightline.stats.student import effective_degrees

Hashes = NDArray[np.uint64]
MAX_EXACT_CLUSTERS = 4096
"""Up to so many clusters are kept apart; beyond, they are folded into groups, which are as independent as they are."""
FOLDED_CLUSTERS = 1024


class Influence:
    """By how much each cluster moves a figure: the values add up to 0, their squares to nearly its variance."""

    __slots__ = ("excess", "is_folded", "keys", "step_variance", "values")

    def __init__(
        self, keys: Hashes, values: Floats, is_folded: bool = False, step_variance: float = 0.0, excess: float = 0.0
    ) -> None:
        is_known = np.isfinite(values)
        self.keys, self.values = keys[is_known], values[is_known]
        """Hashes of the clusters, ascending; of groups, their numbers."""
        self.is_folded = is_folded
        self.step_variance = step_variance
        """The variance that the steps of a figure add, where it has some: influences are those of a smooth one."""
        self.excess = excess
        """By how much a small sample makes the figure too large on average, as far as it is known."""

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Influence)
            and np.array_equal(self.keys, other.keys)
            and np.array_equal(self.values, other.values)
            and (self.is_folded, self.step_variance, self.excess)
            == (other.is_folded, other.step_variance, other.excess)
        )

    __hash__ = None  # type: ignore[assignment]  # it holds arrays

    def __len__(self) -> int:
        return len(self.keys)

    def fold(self) -> Influence:
        """The influences of groups of clusters."""
        if self.is_folded:
            return self
        groups, positions = np.unique(self.keys % np.uint64(FOLDED_CLUSTERS), return_inverse=True)
        values: Floats = np.bincount(positions, self.values, len(groups)).astype(np.float64)
        return Influence(groups, values, True, self.step_variance, self.excess)

    def error(self) -> float | None:
        """The standard error of the figure; None with fewer than two clusters."""
        if len(self) < 2:
            return None
        return float(np.sqrt(influence_error(self.values) ** 2 + self.step_variance))

    def degrees(self) -> float:
        """How many degrees of freedom the spread of the clusters is worth."""
        return effective_degrees(self.values)


def combine(influences: Sequence[Influence], factors: Sequence[float]) -> Influence:
    """The influence on Σ factor · figure. A cluster that a figure does not have does not move it."""
    if any(one.is_folded for one in influences):
        influences = [one.fold() for one in influences]
    keys = np.unique(np.concatenate([one.keys for one in influences]))
    values = np.zeros(len(keys))
    for one, factor in zip(influences, factors, strict=True):
        values[np.searchsorted(keys, one.keys)] += factor * one.values
    variance = sum(factor**2 * one.step_variance for one, factor in zip(influences, factors, strict=True))
    excess = sum(factor * one.excess for one, factor in zip(influences, factors, strict=True))
    return Influence(keys, values, any(one.is_folded for one in influences), variance, excess)


class ClusterEstimate(Estimate, frozen=True, kw_only=True):
    """An estimate with the influence of its clusters, which is never part of a report."""

    influence: Any = None
    """An `Influence`; None where there are fewer than two clusters."""


def plain_estimate(estimate: Estimate) -> Estimate:
    """The estimate without its influence."""
    if not isinstance(estimate, ClusterEstimate):
        return estimate
    return Estimate(**{name: getattr(estimate, name) for name in Estimate.__struct_fields__})


def mean_estimate(estimates: Sequence[Estimate], n: int) -> Estimate:
    """The mean of figures between 0 and 1 over the same clusters, such as AP over classes, with its interval.

    Figures without a value do not count. Without an influence of every other one there is no interval.
    """
    known = [one for one in estimates if one.value is not None]
    if not known:
        return Estimate(value=None, n=n)
    value = sum(one.value or 0.0 for one in known) / len(known)
    influences = [one.influence for one in known if isinstance(one, ClusterEstimate) and one.influence is not None]
    if len(influences) < len(known):
        return Estimate(value=value, n=n)
    influence = combine(influences, [1 / len(known)] * len(known))
    smooth, error = influence_error(influence.values) if len(influence) > 1 else 0.0, influence.error()
    stretch = 1.0 if error is None or smooth == 0 else error / smooth
    interval = influence_interval(value, stretch * influence.values, "bounded")
    if interval is None:
        return Estimate(value=value, n=n)
    return ClusterEstimate(
        value=value,
        low=max(0.0, min(interval[0] - influence.excess, value)),
        high=max(interval[1], value),
        n=n,
        clusters=len(influence),
        method="wilson over clusters",
        influence=influence,
    )
