"""95 % confidence intervals over clusters: Wilson's, Hall's for skewed figures, and that of figures with steps."""

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
REPLICATES = 2000
_SEED = 0
_MAX_CACHED_CLUSTERS = 1024
"""Maximum number of clusters for which the table of draws (16 MB) is cached for the next figure."""
_NORMAL = NormalDist()
_UPPER = 0.5 + LEVEL / 2
_NO_SKEWNESS = 1e-9

Scale = Literal["number", "positive", "signed", "bounded", "share"]
"""What a figure can be: any number, or any from 0 on; something between −1 and 1, or between 0 and 1; a quotient of the
first two columns between 0 and 1. It names the method of the interval."""
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


def jackknife(totals: Floats, statistic: Statistic) -> Floats:
    """How much each cluster (row) moves the figure, by leaving it out; NaN where nothing is left without it.

    For n clusters the variance of the figure is n / (n − 1) · Σ of their squares (delete-one jackknife).
    """
    without = statistic(totals.sum(axis=0) - totals)
    is_known = ~np.isnan(without)
    clusters = int(is_known.sum())
    if not clusters:
        return np.full(len(totals), np.nan)
    moved: Floats = (clusters - 1) / clusters * (without[is_known].mean() - without)
    return moved


def influence_error(influences: Floats) -> float:
    """The standard error of a figure from the influences of its clusters, which add up to 0."""
    clusters = len(influences)
    return math.sqrt(clusters / (clusters - 1) * float((influences**2).sum()))


def influence_interval(value: float, influences: Floats, scale: Scale, telling: int = 0) -> tuple[float, float] | None:
    """The interval of a figure from the influences of its clusters, by the method of its scale.

    None with fewer than two clusters, and for a number whose clusters are all alike. Where clusters of a figure between
    bounds are all alike, each of the `telling` ones, which have the figure by themselves, counts as a sample.
    """
    influences = influences[~np.isnan(influences)]
    if len(influences) < 2:
        return None
    if scale in ("number", "positive"):
        interval = skewed_interval(value, influences)
        return interval if interval is None or scale == "number" else (max(0.0, interval[0]), interval[1])
    if scale == "signed":
        low, high = bounded_interval((value + 1) / 2, influences / 2, telling)
        return 2 * low - 1, 2 * high - 1
    return bounded_interval(value, influences, telling)


def bounded_interval(value: float, influences: Floats, telling: int = 0) -> tuple[float, float]:
    """Wilson's interval for a smooth figure between 0 and 1, with the variance of its clusters' influences.

    A bootstrap is too narrow near 0 and 1: it can't draw what it has not seen.
    """
    if value in (0, 1) or (error := influence_error(influences)) == 0:
        alike = telling or len(influences)
        return wilson(value * alike, alike)
    degrees = effective_degrees(influences)
    return score_interval(value, value * (1 - value) / error**2, student_quantile(_UPPER, degrees))


def skewed_interval(value: float, influences: Floats) -> tuple[float, float] | None:
    """Hall's interval: Student's t with the skewness of the clusters removed by a cubic transformation.

    Hall 1992, "On the removal of skewness by transformation". A mean of errors of which a few are large falls short of
    the truth more often than it exceeds it, and falls short most where its standard error is small too: the interval
    reaches farther up than down. The degrees of freedom are those that the clusters' spread is worth.
    """
    clusters = len(influences)
    if (error := influence_error(influences)) == 0:
        return None
    skewness = float((influences**3).mean()) / float((influences**2).mean()) ** 1.5
    reach = student_quantile(_UPPER, effective_degrees(influences))
    return value - _unskew(reach, skewness, clusters) * error, value - _unskew(-reach, skewness, clusters) * error


def _unskew(normal: float, skewness: float, clusters: int) -> float:
    """The t-value of a mean of so many skewed values that Hall's transformation makes this value of a normal one."""
    slope = skewness / math.sqrt(clusters)
    if abs(slope) < _NO_SKEWNESS:
        return normal
    return 3 / slope * (math.cbrt(1 + slope * (normal - slope / 6)) - 1)


def carry_over(interval: tuple[float, float], smooth: Floats, stepped: Floats) -> tuple[float, float]:
    """The interval of a figure with steps, from that of a smooth figure near it and bootstrap draws of both.

    A step is crossed or not, which no standard error can tell. The end of the smooth interval is a quantile of the
    draws of the smooth figure, and the same quantile of the draws of the stepped one is the end of its interval. Beyond
    the draws, which all are alike near 0 and 1, the same distance is kept.
    """
    smooth, stepped = np.sort(smooth), np.sort(stepped)
    low, high = interval
    ranks = np.searchsorted(smooth, interval) / len(smooth)
    first, last = (float(np.quantile(stepped, min(rank, 1.0))) for rank in ranks)
    return first - max(0.0, float(smooth[0]) - low), last + max(0.0, high - float(smooth[-1]))


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
