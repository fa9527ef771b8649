"""Intervals against SciPy and against what they promise; sums that no order can change."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from sightline.stats.blind_baselines import BlindBaselines
from sightline.stats.cluster_sums import MAX_EXACT_CLUSTERS, ClusterSums, estimate
from sightline.stats.exact import ALONE
from sightline.stats.intervals import wilson
from sightline.stats.student import student_quantile


@given(st.integers(1, 5000), st.data())
def test_wilson_is_scipys(n: int, data: st.DataObject) -> None:
    k = data.draw(st.integers(0, n))
    expected = stats.binomtest(k, n).proportion_ci(0.95, method="wilson")
    assert wilson(k, n) == pytest.approx((expected.low, expected.high), abs=1e-12)


@pytest.mark.parametrize("degrees", [1, 2, 3, 5, 11, 30, 200, 5000])
@pytest.mark.parametrize("p", [0.9, 0.975, 0.995])
def test_student_quantile_is_scipys(p: float, degrees: int) -> None:
    assert student_quantile(p, degrees) == pytest.approx(stats.t.ppf(p, degrees), rel=1e-8)


def mean(totals):  # type: ignore[no-untyped-def]
    return totals[..., 0] / totals[..., 1]


def test_the_clustered_interval_covers_where_a_plain_one_does_not() -> None:
    """Twelve simulations of twenty questions that succeed or fail together.

    The interval must hold the truth 95 % of the time; 300 trials leave ±2.5 % of chance. A naive interval, shown beside
    it, covers less than 80 %.
    """
    rng = np.random.default_rng(1)
    ours = naive = 0
    trials = 300
    for _ in range(trials):
        ability = np.clip(rng.normal(0.6, 0.18, 12), 0, 1)
        hits = rng.binomial(20, ability)
        totals = np.stack([hits, np.full(12, 20)], axis=1).astype(float)
        found = estimate(totals, 240, mean, "number", False)
        assert found.low is not None and found.high is not None
        ours += found.low <= 0.6 <= found.high
        low, high = wilson(int(hits.sum()), 240)
        naive += low <= 0.6 <= high
    assert ours / trials > 0.92
    assert naive / trials < 0.80


def test_one_cluster_has_no_interval() -> None:
    assert estimate(np.array([[3.0, 5.0]]), 5, mean, "share", False).low is None


def add(sums: ClusterSums, cluster: int, *values: float) -> None:
    sums.add(np.array([cluster], np.uint64), np.array([values]))


@settings(max_examples=40)
@given(
    st.lists(st.tuples(st.integers(0, 30), st.floats(0, 1)), min_size=1, max_size=80), st.randoms(use_true_random=False)
)
def test_sums_depend_neither_on_order_nor_on_split(rows: list[tuple[int, float]], chance: random.Random) -> None:
    whole = ClusterSums(2)
    for cluster, score in rows:
        add(whole, cluster, score, 1)
    chance.shuffle(rows)
    shards = [ClusterSums(2) for _ in range(3)]
    for cluster, score in rows:
        add(chance.choice(shards), cluster, score, 1)
    merged = ClusterSums(2)
    for shard in shards:
        merged.merge(shard)
    assert np.array_equal(whole.table(), merged.table())
    assert whole.estimate(mean, "share") == merged.estimate(mean, "share")


def test_many_clusters_are_folded_without_changing_the_mean_or_the_width() -> None:
    chance = random.Random(3)
    scores = np.array([float(chance.random() < 0.7) for _ in range(4 * MAX_EXACT_CLUSTERS)])
    clusters = np.arange(4 * MAX_EXACT_CLUSTERS, dtype=np.uint64) // np.uint64(2) * ALONE
    columns = np.stack((scores, np.ones(len(scores))), axis=1)
    folded, parts = ClusterSums(2), [ClusterSums(2) for _ in range(2)]
    folded.add(clusters, columns)
    for k, part in enumerate(parts):
        part.add(clusters[k::2], columns[k::2])
    parts[0].merge(parts[1])
    assert len(folded.table()) <= 1024 and folded.folded
    assert np.array_equal(folded.table(), parts[0].table())
    found = folded.estimate(mean, "share")
    assert found.value == scores.mean()
    assert found.low is not None and found.high is not None
    exact = np.stack((scores[::2] + scores[1::2], np.full(len(scores) // 2, 2.0)), axis=1)
    known = estimate(exact, len(scores), mean, "share", False)
    assert known.low is not None and known.high is not None
    assert found.high - found.low == pytest.approx(known.high - known.low, rel=0.1)


def test_all_right_is_not_beyond_doubt() -> None:
    totals = ClusterSums(2)
    for k in range(36):
        add(totals, k % 12, 1, 1)
    estimate = totals.estimate(mean, "share")
    assert estimate.high == 1
    assert estimate.low == pytest.approx(wilson(12, 12)[0])


def test_full_marks_all_over_are_not_beyond_doubt_with_weights_either() -> None:
    totals = ClusterSums(2)
    for k in range(8):
        add(totals, k, 1 + k % 3, 1 + k % 3)
    estimate = totals.estimate(mean, "share")
    assert (estimate.value, estimate.high) == (1, 1)
    assert estimate.low == pytest.approx(wilson(8, 8)[0])


def test_controls_know_the_best_blind_strategy() -> None:
    controls = BlindBaselines()
    for k in range(100):
        controls.add({"True": float(k < 53), "False": float(k >= 53)}, 1.0)
    best = controls.best(0.53)
    assert best is not None
    assert (best.name, best.value, best.skill) == ("always True", 0.53, 0.0)
    assert controls.values()["guessing"] == 0.5
    perfect = controls.best(1.0)
    assert perfect is not None and perfect.skill == 1.0


def test_open_answers_have_no_control() -> None:
    controls = BlindBaselines()
    controls.add({}, 1.0)
    assert controls.best(0.4) is None
