"""Two models on the same samples: tests, intervals of a difference, and corrections for looking many times."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from statistics import NormalDist

import numpy as np
from msgspec import Struct

from sightline.stats.intervals import LEVEL, Floats, percentiles, replicates, wilson

POWER = 0.80
_NORMAL = NormalDist()
_EQUAL = 1e-12


class Spread(Struct, frozen=True, kw_only=True):
    """A difference of weighted means with its 95 % interval, standard error and p; None where nothing can be said."""

    value: float | None
    low: float | None = None
    high: float | None = None
    error: float | None = None
    p: float | None = None
    clusters: int = 0
    method: str = ""


def mcnemar(first_only: int, second_only: int) -> float:
    """McNemar's exact p: two-sided binomial over the samples that only one of the two got right."""
    below, at = _binomial_tail(min(first_only, second_only), first_only + second_only)
    return min(1.0, 2 * (below + at))


def mcnemar_mid_p(first_only: int, second_only: int) -> float:
    """The same with half the weight on what was seen: less cautious, still close to its level."""
    below, at = _binomial_tail(min(first_only, second_only), first_only + second_only)
    return min(1.0, 2 * below + at)


def _binomial_tail(k: int, n: int) -> tuple[float, float]:
    """P(X < k) and P(X = k) of n fair coins, for k up to n / 2."""
    at = math.exp(math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1) - n * math.log(2))
    steps = np.arange(k, 0, -1, dtype=np.float64)
    return float(at * np.cumprod(steps / (n - steps + 1)).sum()), at


def student_p(t: float, degrees: int) -> float:
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


@cache
def _nodes() -> tuple[Floats, Floats]:
    return np.polynomial.legendre.leggauss(200)


def paired_difference(differences: Floats, weights: Floats) -> Spread:
    """Σ differences / Σ weights over clusters, with the interval of a bootstrap that draws whole clusters.

    `differences` are a cluster's Σ weight · (second − first). The p is Student's with clusters − 1 degrees of freedom
    on the bootstrap's standard error: a count of replicates could never be small enough to survive a correction.

    Where no more than about twenty clusters differ at all, the interval of a difference of shares may be too narrow:
    it then covers the truth in as few as 90 % of trials.
    """
    return paired_differences([np.stack([differences, weights], axis=1)])[0]


def paired_differences(tables: Sequence[Floats]) -> list[Spread]:
    """The same for many tables of clusters × (differences, weights); those with as many clusters share their draws."""
    by_clusters: dict[int, list[int]] = {}
    for place, table in enumerate(tables):
        by_clusters.setdefault(len(table), []).append(place)
    found: dict[int, Spread] = {}
    for clusters, places in by_clusters.items():
        if clusters < 2:
            found.update({place: _alone(tables[place]) for place in places})
            continue
        drawn = replicates(np.concatenate([tables[place] for place in places], axis=1))
        for column, place in enumerate(places):
            found[place] = _spread(tables[place], drawn[:, 2 * column : 2 * column + 2])
    return [found[place] for place in range(len(tables))]


def _alone(table: Floats) -> Spread:
    moved, weight = (float(total) for total in table.sum(axis=0))
    return Spread(value=moved / weight if weight > 0 else None, clusters=len(table))


def _spread(table: Floats, drawn: Floats) -> Spread:
    clusters = len(table)
    moved, weight = (float(total) for total in table.sum(axis=0))
    if weight <= 0:
        return Spread(value=None, clusters=clusters)
    value = moved / weight
    with np.errstate(invalid="ignore", divide="ignore"):
        each, draws = (pairs[:, 0] / pairs[:, 1] for pairs in (table, drawn))
    each, draws = each[np.isfinite(each)], draws[np.isfinite(draws)]
    if np.ptp(each) <= _EQUAL:
        return _without_spread(value, clusters)
    reach = percentiles(draws, clusters)
    assert reach is not None  # there is weight, so some draw has it
    error = float(draws.std()) * math.sqrt(clusters / (clusters - 1))
    return Spread(
        value=value,
        low=min(reach[0], value),
        high=max(reach[1], value),
        error=error,
        p=student_p(value / error, clusters - 1),
        clusters=clusters,
        method="paired clustered bootstrap",
    )


def _without_spread(value: float, clusters: int) -> Spread:
    """All clusters differ by the same: a bootstrap would show no doubt at all, a share of 0 among the clusters does."""
    doubt = wilson(0, clusters)[1]
    return Spread(
        value=value,
        low=max(-1.0, value - doubt),
        high=min(1.0, value + doubt),
        p=1.0 if value == 0 else mcnemar(clusters, 0),
        clusters=clusters,
        method="wilson over clusters",
    )


def least_detectable(n: int, discordance: float) -> float | None:
    """The least difference of two shares that McNemar's test at 5 % finds with 80 % power on n pairs.

    `discordance` is the share of pairs that only one got right (Connor 1987). A difference can't exceed it: where it
    would have to, the discordance is taken to be the difference itself.
    """
    z, power = _NORMAL.inv_cdf(0.5 + LEVEL / 2), _NORMAL.inv_cdf(POWER)
    if n <= z * z:
        return None
    root = z * math.sqrt(n) + power * math.sqrt(n + power * power - z * z)
    found = math.sqrt(discordance) * root / (n + power * power)
    if found < discordance:
        return found
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        enough = n * middle >= (z + power * math.sqrt(1 - middle)) ** 2
        low, high = (low, middle) if enough else (middle, high)
    return None if high == 1.0 else high


def least_detectable_by_error(error: float) -> float:
    """The least difference that is found with 80 % power where its standard error is `error`."""
    return (_NORMAL.inv_cdf(0.5 + LEVEL / 2) + _NORMAL.inv_cdf(POWER)) * error


def holm(values: Sequence[float | None]) -> list[float | None]:
    """p-values corrected so that a false alarm anywhere has 5 % (Holm); where there is no p there is none after."""
    order, known = _ranked(values)
    grown = np.maximum.accumulate(known * np.arange(len(known), 0, -1))
    return _put_back(order, np.minimum(grown, 1), len(values))


def benjamini_hochberg(values: Sequence[float | None]) -> list[float | None]:
    """p-values corrected so that 5 % of all alarms are expected to be false (Benjamini and Hochberg)."""
    order, known = _ranked(values)
    shrunk = known * len(known) / np.arange(1, len(known) + 1)
    lowest = np.minimum.accumulate(shrunk[::-1])[::-1]
    return _put_back(order, np.minimum(lowest, 1), len(values))


def _ranked(values: Sequence[float | None]) -> tuple[list[int], Floats]:
    known = [(value, place) for place, value in enumerate(values) if value is not None]
    known.sort()
    return [place for _, place in known], np.array([value for value, _ in known], dtype=np.float64)


def _put_back(order: list[int], values: Floats, size: int) -> list[float | None]:
    result: list[float | None] = [None] * size
    for place, value in zip(order, values.tolist(), strict=True):
        result[place] = value
    return result
