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

    __slots__ = ("excess", "is_folded", "keys", "step_reach", "step_shift", "values")

    def __init__(
        self,
        keys: Hashes,
        values: Floats,
        is_folded: bool = False,
        step_shift: float = 0.0,
        step_reach: float = 0.0,
        excess: float = 0.0,
    ) -> None:
        is_known = np.isfinite(values)
        self.keys, self.values = keys[is_known], values[is_known]
        """Hashes of the clusters, ascending; of groups, their numbers."""
        self.is_folded = is_folded
        self.step_shift, self.step_reach = step_shift, step_reach
        """Of a figure with steps, whose influences are those of a smooth one: by how much it would lie higher on
        average were it drawn again, and how far its steps move it from there to either side."""
        self.excess = excess
        """By how much a small sample makes the figure too large on average, as far as it is known."""

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Influence)
            and np.array_equal(self.keys, other.keys)
            and np.array_equal(self.values, other.values)
            and self._numbers() == other._numbers()
        )

    __hash__ = None  # type: ignore[assignment]  # it holds arrays

    def _numbers(self) -> tuple[bool, float, float, float]:
        return self.is_folded, self.step_shift, self.step_reach, self.excess

    def __len__(self) -> int:
        return len(self.keys)

    def fold(self) -> Influence:
        """The influences of groups of clusters."""
        if self.is_folded:
            return self
        groups, positions = np.unique(self.keys % np.uint64(FOLDED_CLUSTERS), return_inverse=True)
        values: Floats = np.bincount(positions, self.values, len(groups)).astype(np.float64)
        return Influence(groups, values, True, *self._numbers()[1:])

    def error(self) -> float | None:
        """The standard error of the figure; None with fewer than two clusters."""
        if len(self) < 2:
            return None
        return influence_error(self.values)

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
    shift, excess = (
        sum(factor * getattr(one, name) for one, factor in zip(influences, factors, strict=True))
        for name in ("step_shift", "excess")
    )
    reach = sum(abs(factor) * one.step_reach for one, factor in zip(influences, factors, strict=True))
    return Influence(keys, values, any(one.is_folded for one in influences), shift, reach, excess)


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
    interval = influence_interval(value, influence.values, "bounded")
    if interval is None:
        return Estimate(value=value, n=n)
    shift, reach = influence.step_shift, influence.step_reach
    return ClusterEstimate(
        value=value,
        low=max(0.0, min(interval[0] + shift - reach - influence.excess, value)),
        high=min(1.0, max(interval[1] + shift + reach, value)),
        n=n,
        clusters=len(influence),
        method="wilson over clusters",
        influence=influence,
    )
