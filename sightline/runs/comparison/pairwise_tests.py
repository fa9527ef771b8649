"""Pairwise significance tests between runs, with Holm correction."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist

import numpy as np
from msgspec import Struct

from sightline.core.records import Estimate
from sightline.runs.comparison.records import SIGNIFICANCE_LEVEL
from sightline.stats.intervals import LEVEL, Floats
from sightline.stats.paired import holm, mcnemar, paired_difference

PairTest = tuple[float, float | None]
"""Score difference between two runs and its p-value; None if there is no test."""
_QUANTILE = NormalDist().inv_cdf(0.5 + LEVEL / 2)


class ClusterSums(Struct, frozen=True):
    """A run's weighted scores summed by cluster, and a fingerprint of its samples."""

    samples: tuple[int, int]
    """Number of samples, and the sum of their hashes."""
    earned: Floats
    weight: Floats


def paired_test(first: ClusterSums, second: ClusterSums) -> PairTest:
    """Paired test on the same samples: McNemar's exact test for independent binary scores, else Student's t."""
    change = first.earned - second.earned
    if first.samples[0] == len(change) and (first.weight == 1).all() and np.isin(change, (-1, 0, 1)).all():
        return float(change.mean()), mcnemar(int((change < 0).sum()), int((change > 0).sum()))
    spread = paired_difference(change, first.weight)
    return spread.value or 0.0, spread.p


def unpaired_test(first: Estimate, second: Estimate) -> PairTest:
    """Unpaired test based on the two confidence intervals; conservative, since shared difficulty does not cancel.

    The distance from each value to the interval bound facing the other value replaces its standard error (MOVER, method
    of variance estimates recovery, Zou and Donner 2008).
    """
    bounds = (first.value, first.low, first.high, second.value, second.low, second.high)
    if None in bounds:
        return 0.0, None
    value, low, high, other, other_low, other_high = (float(end or 0.0) for end in bounds)
    difference = value - other
    margin = (
        math.hypot(value - low, other_high - other) if difference > 0 else math.hypot(high - value, other - other_low)
    )
    if margin <= 0:
        return difference, None
    return difference, math.erfc(abs(difference) / margin * _QUANTILE / math.sqrt(2))


def significantly_better(
    pairs: Sequence[tuple[int, int]], tests: Sequence[PairTest], sign: int = 1
) -> set[tuple[int, int]]:
    """Return the pairs (i, j) of run indices where run i is significantly better than run j.

    The p-values are corrected for all pairs (Holm): with 95 % confidence no pair is in the wrong order, so that all
    rank intervals hold simultaneously (Mogstad, Romano, Shaikh and Wilhelm 2024, "Inference for Ranks").
    """
    better = set()
    for (i, j), (difference, _), p in zip(pairs, tests, holm([p for _, p in tests]), strict=True):
        if p is not None and p < SIGNIFICANCE_LEVEL and difference:
            better.add((i, j) if sign * difference > 0 else (j, i))
    return better
