"""Student's t: its quantiles and tails, and how many degrees of freedom the spread of a few clusters is worth."""

from __future__ import annotations

import math
from functools import cache, lru_cache

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
_FEWEST = 2.0
"""Fewer degrees of freedom than this would make every interval the whole range."""


@cache
def _nodes() -> tuple[Floats, Floats]:
    return np.polynomial.legendre.leggauss(200)


@lru_cache(maxsize=4096)
def student_quantile(p: float, degrees: float) -> float:
    """The p-quantile (p > 0.5) of Student's t, by bisection on its density's integral; SciPy is not in the base."""
    scale = math.exp(math.lgamma((degrees + 1) / 2) - math.lgamma(degrees / 2)) / math.sqrt(degrees * math.pi)
    nodes, weights = _nodes()

    def below(x: float) -> float:
        # t = √ν·tan φ turns the density into a power of a cosine on a finite range
        reach = math.atan(x / math.sqrt(degrees))
        phi = reach * (nodes + 1) / 2
        area = float(weights @ np.cos(phi) ** (degrees - 1)) * reach / 2
        return 0.5 + scale * math.sqrt(degrees) * area

    low, high = 0.0, 1e4
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if below(middle) < p else (low, middle)
    return (low + high) / 2


def student_p(t: float, degrees: float) -> float:
    """Two-sided p of Student's t, right far into the tail: the integral of a power of a sine."""
    t = abs(t)
    if t == 0:
        return 1.0
    scale = math.exp(math.lgamma((degrees + 1) / 2) - math.lgamma(degrees / 2)) / math.sqrt(math.pi)
    top = math.atan2(math.sqrt(degrees), t)
    # the integrand falls from the top like an exponential: beyond forty times its reach there is nothing
    reach = min(top, 40 / (1e-9 + (degrees - 1) / math.tan(top))) if degrees > 1 else top
    nodes, weights = _nodes()
    area = float(weights @ np.sin(top - reach * (1 - nodes) / 2) ** (degrees - 1)) * reach / 2
    return min(1.0, 2 * scale * area)


def worth(residuals: Floats) -> float:
    """The degrees of freedom of the variance of these residuals, one a cluster: at most clusters − 1.

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
