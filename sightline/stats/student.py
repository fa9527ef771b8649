"""Student's t distribution, and the standard error of a ratio over clusters with its effective degrees of freedom.

Integrals are added up in a fixed order, with the functions of `math`: BLAS and NumPy's vector functions have other last
digits from one CPU to the next, and an interval is written with all of its digits.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache, lru_cache
from statistics import NormalDist

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

Floats = NDArray[np.float64]
_FEWEST = 2.0
"""Fewer degrees of freedom than this would make every interval the whole range."""
_NORMAL = NormalDist()
_MOST_STEPS = 100
_SMALL_STEP = 1e-14
_POINTS = 200


@cache
def _nodes() -> list[tuple[float, float]]:
    """Gauss–Legendre nodes and weights on (0, 1), by Newton's method on the recurrence of the polynomials."""
    x = np.array([math.cos(math.pi * (i + 0.75) / (_POINTS + 0.5)) for i in range(_POINTS)])
    slope = x
    for _ in range(6):
        before, here = np.ones_like(x), x
        for k in range(2, _POINTS + 1):
            before, here = here, ((2 * k - 1) * x * here - (k - 1) * before) / k
        slope = _POINTS * (before - x * here) / ((1 - x) * (1 + x))
        x = x - here / slope
    weights = 1 / ((1 - x) * (1 + x) * slope * slope)
    return list(zip(((x + 1) / 2).tolist(), weights.tolist(), strict=True))


def _integral(function: Callable[[float], float], reach: float) -> float:
    """From 0 to `reach`."""
    return reach * math.fsum(weight * function(reach * node) for node, weight in _nodes())


@lru_cache(maxsize=4096)
def student_quantile(p: float, degrees: float) -> float:
    """The p-quantile (p > 0.5) of Student's t, by Newton's method on its distribution; SciPy is not in the base."""
    # t = √ν·tan φ turns the density into a power of a cosine on a finite range
    scale = math.exp(math.lgamma((degrees + 1) / 2) - math.lgamma(degrees / 2)) / math.sqrt(math.pi)
    x = _NORMAL.inv_cdf(p)  # never too far, since the normal has the lighter tails
    for _ in range(_MOST_STEPS):
        phi = math.atan(x / math.sqrt(degrees))
        short = p - 0.5 - scale * _integral(lambda at: math.cos(at) ** (degrees - 1), phi)
        # the density falls: steps never go too far, but for rounding
        step = short * math.sqrt(degrees) / (scale * math.cos(phi) ** (degrees + 1))
        if step <= _SMALL_STEP * x:
            break
        x += step
    return x


def student_p(t: float, degrees: float) -> float:
    """Two-sided p of Student's t, right far into the tail: the integral of a power of a sine."""
    t = abs(t)
    if t == 0:
        return 1.0
    scale = math.exp(math.lgamma((degrees + 1) / 2) - math.lgamma(degrees / 2)) / math.sqrt(math.pi)
    top = math.atan2(math.sqrt(degrees), t)
    # the integrand falls from the top like an exponential: beyond forty times its reach there is nothing
    reach = min(top, 40 / (1e-9 + (degrees - 1) / math.tan(top))) if degrees > 1 else top
    return min(1.0, 2 * scale * _integral(lambda at: math.sin(top - at) ** (degrees - 1), reach))


def effective_degrees(residuals: Floats) -> float:
    """Effective degrees of freedom of the variance of these residuals, one per cluster: at most clusters − 1.

    A variance that a few clusters make up is known less well than that of as many normal ones. Its own variance grows
    with the kurtosis κ, and a χ² with 2 · (clusters − 1) / (κ − 1) degrees of freedom varies as much (Box 1953,
    "Non-normality and tests on variances"). κ is scaled such that normal residuals are expected to have 3.
    """
    clusters = len(residuals)
    most = float(clusters - 1)
    squares = residuals**2
    total, fourth = float(squares.sum()), float((squares**2).sum())
    if clusters < 3 or total <= 0 or fourth <= 0:
        return most
    kurtosis = clusters * fourth / total**2 * (clusters + 1) / (clusters - 1)
    if kurtosis <= 1:
        return most
    # a tenth is fine enough, and lets quantiles be used again
    return min(most, max(_FEWEST, math.floor(20 * most / (kurtosis - 1)) / 10))


class Quotient(Struct, frozen=True):
    """Ratio estimate Σ part / Σ whole, with its standard error over clusters and effective degrees of freedom."""

    value: float
    error: float
    degrees: float
    clusters: int


def quotient(part: Floats, whole: Floats) -> Quotient | None:
    """Ratio estimate by linearization: a cluster deviates by part − value · whole. None with fewer than two clusters.

    Clusters without weight tell nothing and don't count.
    """
    counted = whole > 0
    part, whole = part[counted], whole[counted]
    clusters, total = len(whole), float(whole.sum())
    if clusters < 2:
        return None
    value = float(part.sum()) / total
    residuals = part - value * whole
    variance = clusters / (clusters - 1) * float((residuals**2).sum()) / total**2
    return Quotient(value, math.sqrt(variance), effective_degrees(residuals), clusters)


def ratio_influences(part: Floats, whole: Floats) -> Floats:
    """How much each cluster moves Σ part / Σ whole; NaN for clusters without weight, which tell nothing."""
    total = float(whole.sum())
    value = float(part.sum()) / total
    return np.where(whole > 0, (part - value * whole) / total, np.nan)
