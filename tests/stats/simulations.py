"""Worlds whose truth is known, and how often our intervals and tests say it, for tests and for bench/intervals.py.

Clusters have 12 to 20 samples. Their chances come from a beta distribution with the intraclass correlation asked for.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from sightline.runs.comparison.leaderboard import RunClusterSums, paired_test, significantly_better
from sightline.stats.cluster_sums import estimate
from sightline.stats.intervals import clustered_share, wilson
from sightline.stats.paired import Spread, clustered_shares, independent_shares, mcnemar_mid_p, paired_difference

Floats = NDArray[np.float64]
Reach = tuple[float | None, float | None]
TRIALS = 4000
SLACK = 1e-9


def chances(rng: np.random.Generator, mean: float, correlation: float, shape: tuple[int, int]) -> Floats:
    """Chances of clusters: with this mean, two samples of a cluster correlate by this much."""
    scale = 1 / correlation - 1
    return rng.beta(mean * scale, (1 - mean) * scale, shape)


def sizes(rng: np.random.Generator, clusters: int, trials: int) -> NDArray[np.int64]:
    """How many samples each cluster has."""
    return rng.integers(12, 21, (trials, clusters))


def covered(found: list[Reach], truth: float) -> float:
    """The share of intervals that hold the truth."""
    held = [low is not None and high is not None and low - SLACK <= truth <= high + SLACK for low, high in found]
    return float(np.mean(held))


def share_of_samples(n: int, share: float) -> float:
    """Exact: Wilson's interval for independent samples, over everything that can happen."""
    held = [low <= share <= high for low, high in (wilson(k, n) for k in range(n + 1))]
    return float(stats.binom.pmf(np.arange(n + 1), n, share) @ np.array(held))


def share_of_clusters(clusters: int, correlation: float, share: float, seed: int = 0) -> float:
    """A share over clusters of correlated samples that are right or wrong."""
    rng = np.random.default_rng(seed)
    counts = sizes(rng, clusters, TRIALS)
    right = rng.binomial(counts, chances(rng, share, correlation, counts.shape))
    found = []
    for hits, of in zip(right.astype(float), counts.astype(float), strict=True):
        found.append(clustered_share(hits, of, int(of.sum())) or (None, None))
    return covered(found, share)


def f1_of_clusters(clusters: int, correlation: float, share: float, seed: int = 0) -> float:
    """F1 where a share of the truths is found, and as large a share of the findings is true: then F1 is that share."""
    rng = np.random.default_rng(seed)
    counts = sizes(rng, clusters, TRIALS)
    hits = rng.binomial(counts, chances(rng, share, correlation, counts.shape))
    extra = rng.binomial(counts, 1 - chances(rng, share, correlation, counts.shape))
    found = []
    for table in np.stack((hits, extra, counts - hits), axis=2).astype(float):
        made = estimate(table, int(table.sum()), _f1, "bounded", False)
        found.append((made.low, made.high))
    return covered(found, share)


def _f1(totals: Floats) -> Any:
    return 2 * totals[..., 0] / (2 * totals[..., 0] + totals[..., 1] + totals[..., 2])


def _outcomes(n: int, lost: float, won: float) -> list[tuple[int, int, float]]:
    """What n pairs can come to, with its chance; less than one in a hundred million is left out."""
    most = [int(stats.binom.isf(1e-9, n, share)) + 1 for share in (lost, won)]
    found = []
    for first in range(min(n, most[0]) + 1):
        at = stats.binom.pmf(first, n, lost)
        seconds = np.arange(min(n - first, most[1]) + 1)
        rest = stats.binom.pmf(seconds, n - first, won / (1 - lost))
        found += [(first, int(second), float(at * p)) for second, p in zip(seconds, rest, strict=True)]
    return found


def pairs_of_samples(n: int, changed: float, won: float) -> float:
    """Exact: independent pairs, of which so many change on average, this share of them for the better."""
    lost, gained = changed / n * (1 - won), changed / n * won
    total = 0.0
    for first, second, p in _outcomes(n, lost, gained):
        spread = independent_shares(first, second, n)
        total += p * covered([(spread.low, spread.high)], gained - lost)
    return total


def refused_by_mcnemar(n: int, changed: float, test: Callable[[int, int], float] = mcnemar_mid_p) -> float:
    """Exact: how often McNemar's test calls two equal models different at 5 %."""
    outcomes = _outcomes(n, changed / n / 2, changed / n / 2)
    return sum(p for first, second, p in outcomes if test(first, second) < 0.05)


def _changes(
    rng: np.random.Generator, clusters: int, correlation: float, changed: float, won: float
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    counts = sizes(rng, clusters, TRIALS)
    moved = rng.binomial(counts, chances(rng, changed, correlation, counts.shape))
    gained = rng.binomial(moved, chances(rng, won, correlation, counts.shape))
    return counts, moved - gained, gained


def pairs_of_clusters(clusters: int, correlation: float, changed: float, won: float, seed: int = 0) -> list[Spread]:
    """Differences of two shares over clusters, of whose samples this share changes, so much of it for the better."""
    found = []
    for counts, lost, gained in zip(
        *_changes(np.random.default_rng(seed), clusters, correlation, changed, won), strict=True
    ):
        found.append(
            clustered_shares((gained - lost).astype(float), counts.astype(float), int(lost.sum()), int(gained.sum()))
        )
    return found


def scores_of_clusters(clusters: int, correlation: float, difference: float, seed: int = 0) -> list[Spread]:
    """Differences of mean scores between 0 and 1 (marks in part) over clusters."""
    rng = np.random.default_rng(seed)
    counts = sizes(rng, clusters, TRIALS).astype(float)
    own = rng.normal(0, 0.1 * np.sqrt(correlation), counts.shape)
    noise = rng.normal(0, 0.3, counts.shape) / np.sqrt(counts)
    moved = counts * (difference + own + noise)
    return [paired_difference(one, of) for one, of in zip(moved, counts, strict=True)]


def reaches(found: list[Spread]) -> list[Reach]:
    """The intervals alone."""
    return [(one.low, one.high) for one in found]


def refused(found: list[Spread]) -> float:
    """The share of differences that are called sure."""
    return float(np.mean([one.p is not None and one.p < 0.05 for one in found]))


def ranks_hold(abilities: list[float], clusters: int, trials: int = TRIALS, seed: int = 0) -> tuple[float, float]:
    """How often the ranges of all ranks hold the true ranks together, and how often each single one does."""
    rng = np.random.default_rng(seed)
    places = list(combinations(range(len(abilities)), 2))
    all_hold, each_holds = [], []
    for _ in range(trials):
        counts = rng.integers(6, 11, clusters)
        hard = rng.normal(0, 0.12, clusters)
        tallies = []
        for ability in abilities:
            own = np.clip(ability + hard + rng.normal(0, 0.05, clusters), 0, 1)
            tallies.append(
                RunClusterSums((int(counts.sum()), 0), rng.binomial(counts, own).astype(float), counts.astype(float))
            )
        better = significantly_better(places, [paired_test(tallies[i], tallies[j]) for i, j in places])
        wrong = {place for pair in better if abilities[pair[0]] <= abilities[pair[1]] for place in pair}
        all_hold.append(not wrong)
        each_holds.append(1 - len(wrong) / len(abilities))
    return float(np.mean(all_hold)), float(np.mean(each_holds))
