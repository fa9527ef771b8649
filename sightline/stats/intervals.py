"""95 % intervals: Wilson's for a share of independent samples, a bootstrap over clusters for everything else."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import cache, lru_cache
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

LEVEL = 0.95
REPLICATES = 4000
_KEPT = 1024
"""Up to so many clusters the table of draws (32 MB) is kept for the next figure."""
_NORMAL = NormalDist()

Floats = NDArray[np.float64]
Statistic = Callable[[Floats], Any]
"""Column totals, shape (…, columns), to the figure, shape (…); NaN where there is none."""


def wilson(successes: float, n: int, level: float = LEVEL) -> tuple[float, float]:
    """Wilson's score interval for a share of n independent samples."""
    z = _NORMAL.inv_cdf(0.5 + level / 2)
    share = successes / n
    middle = share + z * z / (2 * n)
    reach = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    low, high = (middle - reach) / (1 + z * z / n), (middle + reach) / (1 + z * z / n)
    return (0.0 if successes == 0 else low), (1.0 if successes == n else high)


def clustered_bootstrap(
    totals: Floats, statistic: Statistic, level: float = LEVEL, seed: int = 0
) -> tuple[float, float] | None:
    """The expanded percentile interval of a statistic of column totals, drawing whole clusters (rows) anew.

    The percentiles are widened to those of Student's t with clusters − 1 degrees of freedom (Hesterberg 2015, "What
    Teachers Should Know About the Bootstrap"): with a dozen clusters plain percentiles are too narrow. None with fewer
    than two clusters.
    """
    if len(totals) < 2:
        return None
    return percentiles(statistic(replicates(totals, seed)), len(totals), level)


def replicates(totals: Floats, seed: int = 0) -> Floats:
    """Column totals of every replicate: replicates × columns."""
    return np.concatenate([drawn @ totals for drawn in _draws(len(totals), seed)])


def percentiles(draws: Floats, clusters: int, level: float = LEVEL) -> tuple[float, float] | None:
    """The expanded percentiles of a statistic's replicates."""
    draws = draws[~np.isnan(draws)]
    if len(draws) == 0:
        return None
    tail = _expanded_tail(clusters, level)
    low, high = np.quantile(draws, [tail, 1 - tail])
    return float(low), float(high)


def _draws(clusters: int, seed: int) -> Iterator[Floats]:
    """How often each replicate draws each cluster: tables of replicates × clusters, a few replicates at a time."""
    if clusters <= _KEPT:
        yield _kept_draws(clusters, seed)
        return
    rng = np.random.default_rng(seed)
    block = max(1, 2**22 // clusters)
    for start in range(0, REPLICATES, block):
        yield _drawn(rng, min(block, REPLICATES - start), clusters)


@lru_cache(maxsize=2)
def _kept_draws(clusters: int, seed: int) -> Floats:
    """Many figures rest on the same number of clusters: their draws are made once."""
    return _drawn(np.random.default_rng(seed), REPLICATES, clusters)


def _drawn(rng: np.random.Generator, replicates: int, clusters: int) -> Floats:
    cells = rng.integers(0, clusters, (replicates, clusters)) + clusters * np.arange(replicates)[:, None]
    counts = np.bincount(cells.ravel(), minlength=replicates * clusters)
    return counts.reshape(replicates, clusters).astype(np.float64)


def _expanded_tail(clusters: int, level: float) -> float:
    t = student_quantile(0.5 + level / 2, clusters - 1)
    return _NORMAL.cdf(-math.sqrt(clusters / (clusters - 1)) * t)


@cache
def student_quantile(p: float, degrees: int) -> float:
    """The p-quantile (p > 0.5) of Student's t, by bisection on its density's integral; SciPy is not in the base."""
    scale = math.exp(math.lgamma((degrees + 1) / 2) - math.lgamma(degrees / 2)) / math.sqrt(degrees * math.pi)
    nodes, weights = np.polynomial.legendre.leggauss(200)

    def below(x: float) -> float:
        # t = √ν·tan φ turns the density into a power of a cosine on a finite range
        reach = math.atan(x / math.sqrt(degrees))
        phi = reach * (nodes + 1) / 2
        area = float(weights @ np.cos(phi) ** (degrees - 1)) * reach / 2
        return 0.5 + scale * math.sqrt(degrees) * area

    low, high = 0.0, 1e4
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if below(middle) < p else (low, middle)
    return (low + high) / 2
