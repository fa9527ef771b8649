"""How far up a ladder of levels a score holds: a monotone fit, and where it falls to half."""

from __future__ import annotations

from typing import Any

import numpy as np

from sightline.stats.intervals import Floats

HALF = 0.5


def boundary(earned: Floats, weight: Floats) -> Any:
    """The level at which the score falls to half, from sums by level in shape (…, levels).

    The mean scores are fitted by the nearest sequence that never rises (weighted isotonic regression). 0: below half at
    the first level already; the number of levels: half or more up to the last; between two levels by linear
    interpolation. Levels without samples take no part; with none at all there is no boundary (NaN).
    """
    flat_earned, flat_weight = (part.reshape(-1, part.shape[-1]) for part in (earned, weight))
    found = [_boundary(e, w) for e, w in zip(flat_earned, flat_weight, strict=True)]
    return np.array(found).reshape(earned.shape[:-1])


def falling_fit(means: Floats, weights: Floats) -> Floats:
    """The nearest sequence that never rises: neighbours that rise are pooled until none does."""
    pools: list[tuple[float, float, int]] = []
    for mean, weight in zip(means.tolist(), weights.tolist(), strict=True):
        pools.append((mean, weight, 1))
        while len(pools) > 1 and pools[-2][0] < pools[-1][0]:
            (m1, w1, n1), (m2, w2, n2) = pools[-2:]
            pools[-2:] = [((m1 * w1 + m2 * w2) / (w1 + w2), w1 + w2, n1 + n2)]
    return np.array([mean for mean, _, count in pools for _ in range(count)])


def _boundary(earned: Floats, weight: Floats) -> float:
    levels = np.flatnonzero(weight > 0)
    if not len(levels):
        return float("nan")
    fit = falling_fit(earned[levels] / weight[levels], weight[levels])
    below = np.flatnonzero(fit < HALF)
    if not len(below):
        return float(levels[-1] + 1)
    first = int(below[0])
    if first == 0:
        return 0.0
    high, low = fit[first - 1], fit[first]
    start, stop = levels[first - 1] + 1, levels[first] + 1
    return float(start + (stop - start) * (high - HALF) / (high - low))
