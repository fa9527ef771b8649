"""Capability boundary: the level at which a score falls to half, by isotonic regression, and its interval."""

from __future__ import annotations

from typing import Any

import numpy as np

from sightline.stats.intervals import Floats, score_interval, wilson
from sightline.stats.student import quotient, student_quantile

HALF = 0.5
_TAIL = 0.0175
"""How often a bound may be wrong. It is less than 2.5 %, for of several bounds the best is taken; so the interval
holds the truth 95 times in 100 where all levels are alike and near half, the hardest case (simulated)."""


def boundary(earned: Floats, weight: Floats) -> Any:
    """The level at which the score falls to half, from sums by level in shape (…, levels).

    The mean scores are fitted by the nearest sequence that never rises (weighted isotonic regression). 0: below half at
    the first level already; the number of levels: half or more up to the last; between two levels by linear
    interpolation. Levels without samples take no part. Where it lies below the lowest level that has samples, or
    above the highest, there is none to be told (NaN).
    """
    flat_earned, flat_weight = (part.reshape(-1, part.shape[-1]) for part in (earned, weight))
    found = [_boundary(e, w) for e, w in zip(flat_earned, flat_weight, strict=True)]
    return np.array(found).reshape(earned.shape[:-1])


def falling_fit(means: Floats, weights: Floats) -> Floats:
    """Isotonic regression to the nearest sequence that never rises, by pooling adjacent violators."""
    pools: list[tuple[float, float, int]] = []
    for mean, weight in zip(means.tolist(), weights.tolist(), strict=True):
        pools.append((mean, weight, 1))
        while len(pools) > 1 and pools[-2][0] < pools[-1][0]:
            (m1, w1, n1), (m2, w2, n2) = pools[-2:]
            pools[-2:] = [((m1 * w1 + m2 * w2) / (w1 + w2), w1 + w2, n1 + n2)]
    return np.array([mean for mean, _, count in pools for _ in range(count)])


def fit_levels(earned: Floats, weight: Floats) -> tuple[list[int], Floats]:
    """The levels that have samples, counted from 1, and the fit at these."""
    there = np.flatnonzero(weight > 0)
    return (there + 1).tolist(), falling_fit(earned[there] / weight[there], weight[there])


def boundary_interval(earned: Floats, weight: Floats, samples: int) -> tuple[float, float]:
    """The 95 % interval of the boundary, from sums in shape (clusters, levels): the boundaries of two curves.

    The falling fit is the least over j ≤ k of the greatest over m ≥ k of the means of levels j to m pooled. The lower
    curve has the lower bounds of these means in their place, the upper curve the upper ones, mirrored. So few samples
    make it wide where all are right or all are wrong too, when no draw of a bootstrap could differ. A level without
    samples is known by its neighbours alone: it is no worse than those above, no better than those below.
    """
    steps, each = range(weight.shape[1]), float(weight.sum()) / samples
    pools = {
        (j, m): _bounds(earned[:, j : m + 1].sum(axis=1), weight[:, j : m + 1].sum(axis=1), each)
        for j in steps
        for m in steps[j:]
    }
    low = [min(max(pools[j, m][0] for m in steps[k:]) for j in steps[: k + 1]) for k in steps]
    high = [max(min(pools[j, m][1] for j in steps[: k + 1]) for m in steps[k:]) for k in steps]
    first, last = (float(boundary(np.array(curve), np.ones(len(steps)))) for curve in (low, high))
    return first, last


def _bounds(earned: Floats, weight: Floats, each: float) -> tuple[float, float]:
    """Bounds of a mean score over clusters; exact ones (Clopper and Pearson 1934) where all are right or all wrong.

    Wilson's would say "half or more" after four right ones, which one in sixteen coins does too. A sample, which has
    the weight `each`, is worth no more than one: two scores that are nearly alike by chance tell little.
    """
    clusters, total = int((weight > 0).sum()), float(weight.sum())
    if not clusters:
        return 0.0, 1.0
    share = min(1.0, max(0.0, float(earned.sum()) / total))
    if share in (0, 1):
        least = _TAIL ** (1 / clusters)
        return (least, 1.0) if share else (0.0, 1 - least)
    found = quotient(earned, weight)
    if found is None:
        return 0.0, 1.0
    if (variance := found.error**2) == 0:
        return wilson(share * clusters, clusters, 1 - 2 * _TAIL)
    samples = min(share * (1 - share) / variance, max(1.0, total / each))
    return score_interval(share, samples, student_quantile(1 - _TAIL, found.degrees))


def _boundary(earned: Floats, weight: Floats) -> float:
    levels, fit = fit_levels(earned, weight)
    below = np.flatnonzero(fit < HALF)
    if not len(below):
        return float(levels[-1]) if levels and levels[-1] == len(weight) else float("nan")
    first = int(below[0])
    if first == 0:
        return 0.0 if levels[0] == 1 else float("nan")
    high, low = fit[first - 1], fit[first]
    start, stop = levels[first - 1], levels[first]
    return float(start + (stop - start) * (high - HALF) / (high - low))
