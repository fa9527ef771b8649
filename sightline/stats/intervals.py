"""95 % confidence intervals: Wilson's with the effective sample size of clusters, and the cluster bootstrap."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import lru_cache
from statistics import NormalDist
from typing import Any, Literal

import numpy as np

from sightline.stats.student import Floats as Floats
from sightline.stats.student import effective_degrees, quotient, student_quantile

LEVEL = 0.95
REPLICATES = 4000
_SEED = 0
_MAX_CACHED_CLUSTERS = 1024
"""Maximum number of clusters for which the table of draws (32 MB) is cached for the next figure."""
_NORMAL = NormalDist()
_UPPER = 0.5 + LEVEL / 2

Scale = Literal["number", "signed", "bounded", "share"]
"""What a figure can be: any number; something between −1 and 1, or between 0 and 1; a quotient of the first two columns
between 0 and 1."""
Statistic = Callable[[Floats], Any]
"""Column totals, shape (…, columns), to the figure, shape (…); NaN where there is none."""


def wilson(successes: float, n: int, level: float = LEVEL) -> tuple[float, float]:
    """Wilson's score interval for a share of n independent samples."""
    return score_interval(successes / n, n, _NORMAL.inv_cdf(0.5 + level / 2))


def score_interval(share: float, n: float, quantile: float) -> tuple[float, float]:
    """All shares from which the one seen is no more than `quantile` standard errors away."""
    spread = quantile * quantile / n
    middle = share + spread / 2
    reach = quantile * math.sqrt(share * (1 - share) / n + spread / (4 * n))
    low, high = (middle - reach) / (1 + spread), (middle + reach) / (1 + spread)
    return (0.0 if share == 0 else low), (1.0 if share == 1 else high)


def clustered_share(earned: Floats, weight: Floats, most: float | None = None) -> tuple[float, float] | None:
    """Wilson's interval for a share over clusters of samples. None with fewer than two clusters.

    It has the number of independent samples with which a share would be as uncertain (Korn and Graubard 1998), `most`
    at most, and the quantile of Student's t for as many degrees of freedom as the clusters' spread is worth. Where all
    clusters are alike, their spread tells nothing: a cluster counts as a sample.
    """
    found = quotient(earned, weight)
    if found is None:
        return None
    share = min(1.0, max(0.0, found.value))
    if found.error == 0 or share in (0, 1):
        return wilson(share * found.clusters, found.clusters)
    samples = share * (1 - share) / found.error**2
    if most is not None:
        samples = min(samples, most)
    return score_interval(share, samples, student_quantile(_UPPER, found.degrees))


def clustered_bounded(totals: Floats, statistic: Statistic) -> tuple[float, float] | None:
    """Wilson's interval with the jackknife variance over clusters (rows), for any smooth figure between 0 and 1.

    None with fewer than two clusters. A bootstrap is too narrow near 0 and 1: it can't draw what it has not seen.
    """
    if len(totals) < 2:
        return None
    whole = totals.sum(axis=0)
    share, without = float(statistic(whole)), statistic(whole - totals)
    without = without[~np.isnan(without)]
    clusters = len(without)
    if clusters < 2:
        return None
    apart = without - without.mean()
    variance = (clusters - 1) / clusters * float((apart**2).sum())
    if share in (0, 1) or variance == 0:
        own = statistic(totals)
        telling = int((~np.isnan(own)).sum()) or clusters
        return wilson(share * telling, telling)
    return score_interval(share, share * (1 - share) / variance, student_quantile(_UPPER, effective_degrees(apart)))


def clustered_signed(totals: Floats, statistic: Statistic) -> tuple[float, float] | None:
    """Jackknife interval for a smooth figure between −1 and 1, such as a correlation."""
    reach = clustered_bounded(totals, lambda sums: (statistic(sums) + 1) / 2)
    return None if reach is None else (2 * reach[0] - 1, 2 * reach[1] - 1)


def clustered_bootstrap(totals: Floats, statistic: Statistic) -> tuple[float, float] | None:
    """Cluster bootstrap: expanded percentile interval of a statistic of column totals, resampling clusters (rows).

    None with fewer than two clusters, or where all replicates are alike.
    """
    return None if len(totals) < 2 else bootstrap_interval(totals, statistic, replicates(totals))


def bootstrap_interval(totals: Floats, statistic: Statistic, drawn: Floats) -> tuple[float, float] | None:
    """Bootstrap percentile interval from column totals of replicates; None where all are alike."""
    clusters, draws = len(totals), statistic(drawn)
    draws = draws[~np.isnan(draws)]
    if len(draws) == 0:
        return None
    without = statistic(totals.sum(axis=0) - totals)
    without = without[~np.isnan(without)]
    tail = _expanded_tail(clusters, effective_degrees(without - without.mean()) if len(without) > 1 else clusters - 1)
    low, high = np.quantile(draws, [tail, 1 - tail])
    return (float(low), float(high)) if low < high else None


def replicates(totals: Floats) -> Floats:
    """Column totals of every bootstrap replicate: replicates × columns."""
    split = _exact_parts(totals)
    columns = totals.shape[1]
    products = [drawn @ split for drawn in _draws(len(totals))]
    return np.concatenate([product[:, :columns] + product[:, columns:] for product in products])


def _exact_parts(totals: Floats) -> Floats:
    """Each column as the sum of two whose products with the draws are exact, side by side.

    BLAS adds up in an order that depends on the CPU and on the number of threads. Where no addition rounds, the order
    does not matter. A replicate draws as many clusters as there are: with n of them and entries that are multiples of
    2⁻ᵇ of the largest, every partial sum is a whole number of these up to n · 2ᵇ, which a double holds up to 2⁵³. What
    the second column leaves is less than 2⁻⁶⁰ of the largest, and is dropped.
    """
    bits = 52 - max(1, len(totals)).bit_length()
    _, power = np.frexp(np.abs(totals).max(axis=0, initial=0.0))
    parts, rest, unit = [], totals, power - bits
    for _ in range(2):
        part = np.ldexp(np.rint(np.ldexp(rest, -unit)), unit)
        parts.append(part)
        rest, unit = rest - part, unit - bits
    return np.hstack(parts)


def _draws(clusters: int) -> Iterator[Floats]:
    """How often each replicate draws each cluster: tables of replicates × clusters, a few replicates at a time."""
    if clusters <= _MAX_CACHED_CLUSTERS:
        yield _cached_draws(clusters)
        return
    rng = np.random.default_rng(_SEED)
    block = max(1, 2**22 // clusters)
    for start in range(0, REPLICATES, block):
        yield _draw_counts(rng, min(block, REPLICATES - start), clusters)


@lru_cache(maxsize=2)
def _cached_draws(clusters: int) -> Floats:
    """Many figures rest on the same number of clusters: their draws are made once."""
    return _draw_counts(np.random.default_rng(_SEED), REPLICATES, clusters)


def _draw_counts(rng: np.random.Generator, replicates: int, clusters: int) -> Floats:
    cells = rng.integers(0, clusters, (replicates, clusters)) + clusters * np.arange(replicates)[:, None]
    counts = np.bincount(cells.ravel(), minlength=replicates * clusters)
    return counts.reshape(replicates, clusters).astype(np.float64)


def _expanded_tail(clusters: int, degrees: float) -> float:
    """The share of draws to leave out at each end.

    Percentiles are widened to those of Student's t (Hesterberg 2015, "What Teachers Should Know About the Bootstrap"):
    with a dozen clusters, or where a few make up the spread, plain ones are too narrow.
    """
    return _NORMAL.cdf(-math.sqrt(clusters / (clusters - 1)) * student_quantile(_UPPER, degrees))
