"""Paired comparison of two models: McNemar's test, Tango's interval, Student's t over clusters, p-value corrections."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist

import numpy as np
from msgspec import Struct

from sightline.stats.influence import Influence
from sightline.stats.intervals import LEVEL, wilson
from sightline.stats.student import Floats, quotient, student_p, student_quantile

POWER = 0.80
_NORMAL = NormalDist()
_UPPER = 0.5 + LEVEL / 2
_EQUAL = 1e-12


class Spread(Struct, frozen=True, kw_only=True):
    """A difference of weighted means with its 95 % interval, standard error and p; None where they are undefined."""

    value: float | None
    low: float | None = None
    high: float | None = None
    error: float | None = None
    p: float | None = None
    clusters: int = 0
    method: str = ""
    """How the interval was made; empty: there is none."""
    test: str = ""
    """How the p was; empty: there is none."""


def mcnemar(first_only: int, second_only: int) -> float:
    """McNemar's exact p: two-sided binomial over the samples that only one of the two got right."""
    below, at = _binomial_tail(min(first_only, second_only), first_only + second_only)
    return min(1.0, 2 * (below + at))


def mcnemar_mid_p(first_only: int, second_only: int) -> float:
    """McNemar's mid-p: half the weight on what was seen, less conservative and still close to its level."""
    below, at = _binomial_tail(min(first_only, second_only), first_only + second_only)
    return min(1.0, 2 * below + at)


def _binomial_tail(k: int, n: int) -> tuple[float, float]:
    """P(X < k) and P(X = k) of n fair coins, for k up to n / 2."""
    at = math.exp(math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1) - n * math.log(2))
    steps = np.arange(k, 0, -1, dtype=np.float64)
    return float(at * np.cumprod(steps / (n - steps + 1)).sum()), at


def tango(first_only: float, second_only: float, n: float, quantile: float) -> tuple[float, float]:
    """Tango's score interval for (second only − first only) / n: all differences that his score test does not refuse.

    Tango 1998, "Equivalence test and confidence interval for the difference in proportions for the paired-sample
    design". The counts may be fractions of samples.
    """
    seen = (second_only - first_only) / n
    return _last_accepted(seen, -1.0, (first_only, second_only, n), quantile), _last_accepted(
        seen, 1.0, (first_only, second_only, n), quantile
    )


def _last_accepted(inside: float, outside: float, counts: tuple[float, float, float], quantile: float) -> float:
    """Where the score test begins to refuse, on the way from a difference inside to the end of the range."""
    for _ in range(45):
        middle = (inside + outside) / 2
        if abs(_score(middle, *counts)) <= quantile:
            inside = middle
        else:
            outside = middle
    return inside


def _score(difference: float, first_only: float, second_only: float, n: float) -> float:
    """By how many standard errors the difference seen lies above the supposed one, were that the truth."""
    moved = second_only - first_only - n * difference
    # the likeliest share of pairs that the first alone got right, given the difference: a root of a quadratic
    linear = (2 * n + first_only - second_only) * difference - first_only - second_only
    rest = first_only * difference * (1 - difference)
    lost = (math.sqrt(max(0.0, linear * linear + 8 * n * rest)) - linear) / (4 * n)
    variance = n * (2 * lost + difference * (1 - difference))
    if variance <= 0:
        return 0.0 if abs(moved) <= _EQUAL else math.copysign(math.inf, moved)
    return moved / math.sqrt(variance)


def paired_difference(differences: Floats, weights: Floats) -> Spread:
    """Σ differences / Σ weights over clusters, with the interval and p of Student's t on the clusters' own deviations.

    `differences` are a cluster's Σ weight · (second − first). The degrees of freedom are those that the clusters'
    spread is worth: where a few of them make it up, fewer than clusters − 1.
    """
    weight = float(weights.sum())
    found = quotient(differences, weights)
    if found is None:
        value = float(differences.sum()) / weight if weight > 0 else None
        return Spread(value=value, clusters=len(weights))
    if found.error <= _EQUAL:
        return _without_spread(found.value, found.clusters)
    reach = student_quantile(_UPPER, found.degrees) * found.error
    return Spread(
        value=found.value,
        low=max(-1.0, found.value - reach),
        high=min(1.0, found.value + reach),
        error=found.error,
        p=student_p(found.value / found.error, found.degrees),
        clusters=found.clusters,
        method="student t over clusters",
        test="student t",
    )


def figure_difference(value: float, influence: Influence, most: float) -> Spread:
    """A difference of any figure, whose clusters have these influences on it: Student's t over clusters.

    `most` is the largest difference that there can be. Where no cluster makes a difference, that of a figure between
    bounds has the doubt of a share of 0, and any other no interval.
    """
    error, clusters = influence.error(), len(influence)
    if error is None:
        return Spread(value=value, clusters=clusters)
    if error <= _EQUAL:
        if most < math.inf:
            return _without_spread(value, clusters)
        return Spread(value=value, clusters=clusters, p=1.0 if abs(value) <= _EQUAL else None)
    degrees = influence.degrees()
    # where the truth lies within its step is unknown, but no chance: it adds to the error, on one side at a time
    steps, middle = influence.step_reach, value + influence.step_shift
    reach = max(student_quantile(_UPPER, degrees) * error, student_quantile(LEVEL, degrees) * error + steps)
    return Spread(
        value=value,
        low=max(-most, min(value, middle - reach)),
        high=min(most, max(value, middle + reach)),
        error=error,
        p=student_p(max(0.0, abs(middle) - steps) / error, degrees),
        clusters=clusters,
        method="student t over clusters",
        test="student t",
    )


def _without_spread(value: float, clusters: int) -> Spread:
    """All clusters differ by the same: their spread shows no doubt at all, a share of 0 among the clusters does."""
    doubt = wilson(0, clusters)[1]
    return Spread(
        value=value,
        low=max(-1.0, value - doubt),
        high=min(1.0, value + doubt),
        p=1.0 if abs(value) <= _EQUAL else mcnemar(clusters, 0),
        clusters=clusters,
        method="wilson over clusters",
        test="mcnemar over clusters",
    )


def independent_shares(first_only: int, second_only: int, n: int) -> Spread:
    """The difference of two shares of the same n samples, each by itself: Tango's interval and McNemar's exact p."""
    low, high = tango(first_only, second_only, n, _NORMAL.inv_cdf(_UPPER))
    value = (second_only - first_only) / n
    return Spread(
        value=value,
        low=min(low, value),
        high=max(high, value),
        error=math.sqrt(max(0.0, (first_only + second_only) / n - value * value) / n),
        p=mcnemar(first_only, second_only),
        clusters=n,
        method="tango",
        test="mcnemar exact",
    )


def clustered_shares(differences: Floats, weights: Floats, first_only: int, second_only: int) -> Spread:
    """The difference of two shares over clusters, where every sample counts 1: Tango's interval for so many samples
    as the clusters are worth, with the quantile of Student's t for what their spread is worth. p is that of its test.
    """
    found = quotient(differences, weights)
    if found is None:
        return paired_difference(differences, weights)
    n, changed = float(weights.sum()), first_only + second_only
    alone = max(0.0, changed / n - found.value**2) / n
    if alone <= _EQUAL**2:  # no sample changed, or all of them in the same way
        worth, degrees = found.clusters / n, float(found.clusters - 1)
    else:
        worth, degrees = (min(1.0, alone / found.error**2) if found.error > 0 else 1.0), found.degrees
    low, high = tango(worth * first_only, worth * second_only, worth * n, student_quantile(_UPPER, degrees))
    t = math.sqrt(worth) * (second_only - first_only) / math.sqrt(changed) if changed else 0.0
    return Spread(
        value=found.value,
        low=min(low, found.value),
        high=max(high, found.value),
        error=math.sqrt(alone / worth) if alone > _EQUAL**2 else None,
        p=student_p(t, degrees),
        clusters=found.clusters,
        method="tango over clusters",
        test="score t",
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
    """Holm's step-down correction of p-values for the family-wise error rate; None stays None."""
    order, known = _ranked(values)
    grown = np.maximum.accumulate(known * np.arange(len(known), 0, -1))
    return _put_back(order, np.minimum(grown, 1), len(values))


def benjamini_hochberg(values: Sequence[float | None]) -> list[float | None]:
    """Benjamini–Hochberg correction of p-values for the false discovery rate; None stays None."""
    order, known = _ranked(values)
    shrunk = known * len(known) / np.arange(1, len(known) + 1)
    lowest = np.minimum.accumulate(shrunk[::-1])[::-1]
    return _put_back(order, np.minimum(lowest, 1), len(values))


def _ranked(values: Sequence[float | None]) -> tuple[list[int], Floats]:
    known = [(value, position) for position, value in enumerate(values) if value is not None]
    known.sort()
    return [position for _, position in known], np.array([value for value, _ in known], dtype=np.float64)


def _put_back(order: list[int], values: Floats, size: int) -> list[float | None]:
    result: list[float | None] = [None] * size
    for position, value in zip(order, values.tolist(), strict=True):
        result[position] = value
    return result
