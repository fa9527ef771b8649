"""Tango's interval against brute force, degrees of freedom against textbook values, and no share without a doubt."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize, stats

from sightline.core.records import Grade
from sightline.stats.cluster_sums import ClusterSums, estimate
from sightline.stats.intervals import clustered_share, replicates, wilson
from sightline.stats.paired import clustered_shares, independent_shares, paired_difference, tango
from sightline.stats.student import effective_degrees, quotient, student_p, student_quantile
from tests.support.evaluators import estimate_grades

Z = float(stats.norm.ppf(0.975))


def likeliest_loss(first_only: int, second_only: int, n: int, difference: float) -> float:
    """The most likely share of pairs that the first alone got right, by trying all of them."""
    same = n - first_only - second_only
    low, high = max(0.0, -difference), (1 - difference) / 2

    def unlikely(lost: float) -> float:
        parts = [(first_only, lost), (second_only, lost + difference), (same, 1 - 2 * lost - difference)]
        return -sum(count * np.log(max(share, 1e-300)) for count, share in parts if count)

    return float(optimize.minimize_scalar(unlikely, bounds=(low, high), method="bounded", options={"xatol": 1e-13}).x)


def brute_score(first_only: int, second_only: int, n: int, difference: float) -> float:
    lost = likeliest_loss(first_only, second_only, n, difference)
    variance = (2 * lost + difference - difference**2) / n
    return ((second_only - first_only) / n - difference) / np.sqrt(variance)


@pytest.mark.parametrize("counts", [(7, 1, 50), (1, 7, 50), (3, 5, 20), (12, 9, 400), (2, 0, 30), (25, 40, 90)])
def test_tango_ends_where_his_test_refuses(counts: tuple[int, int, int]) -> None:
    low, high = tango(*counts, Z)
    assert brute_score(*counts, low) == pytest.approx(Z, abs=1e-4)
    assert brute_score(*counts, high) == pytest.approx(-Z, abs=1e-4)


def test_tango_of_nothing_that_changed_is_wilsons() -> None:
    assert tango(0, 0, 50, Z) == pytest.approx((-wilson(0, 50)[1], wilson(0, 50)[1]), abs=1e-9)


@settings(deadline=None)
@given(st.integers(0, 40), st.integers(0, 40), st.integers(1, 60))
def test_differences_of_shares_keep_their_order(first: int, second: int, both: int) -> None:
    n = first + second + both
    there, back = independent_shares(first, second, n), independent_shares(second, first, n)
    assert there.low is not None and there.high is not None and there.value is not None
    assert -1 <= there.low < there.high <= 1 and there.low <= there.value <= there.high
    assert back.low == pytest.approx(-there.high, abs=1e-9)
    assert back.p == there.p


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6), st.integers(0, 6)), min_size=2, max_size=20))
def test_clustered_differences_keep_their_order(clusters: list[tuple[int, int, int]]) -> None:
    lost, won, same = (np.array(column, dtype=np.float64) for column in zip(*clusters, strict=True))
    sizes = lost + won + same
    if (sizes > 0).sum() < 2:
        return
    there = clustered_shares(won - lost, sizes, int(lost.sum()), int(won.sum()))
    back = clustered_shares(lost - won, sizes, int(won.sum()), int(lost.sum()))
    assert there.low is not None and there.high is not None and there.value is not None
    assert -1 <= there.low < there.high <= 1 and there.low <= there.value <= there.high
    assert back.low == pytest.approx(-there.high, abs=1e-9)
    assert back.p == pytest.approx(there.p)


def test_clusters_of_one_sample_are_about_samples() -> None:
    """One sample a cluster: the interval over clusters is close to, and no narrower than, that of the samples."""
    moved = np.array([-1.0] * 30 + [1.0] * 12 + [0.0] * 158)
    one, many = independent_shares(30, 12, 200), clustered_shares(moved, np.ones(200), 30, 12)
    assert many.low == pytest.approx(one.low, abs=0.004) and many.high == pytest.approx(one.high, abs=0.004)
    assert many.p == pytest.approx(one.p, abs=0.01)


def test_the_same_answer_to_a_whole_cluster_counts_once() -> None:
    """Twenty copies of each sample tell no more than the samples themselves."""
    moved = np.array([-1.0] * 6 + [1.0] * 2 + [0.0] * 22)
    many = clustered_shares(20 * moved, np.full(30, 20.0), 120, 40)
    once = clustered_shares(moved, np.ones(30), 6, 2)
    assert many.p == pytest.approx(once.p, rel=0.05)
    assert many.high - many.low == pytest.approx(once.high - once.low, rel=0.05)  # type: ignore[operator]


@pytest.mark.parametrize("degrees", [1.5, 2.0, 2.7, 9.3, 40.1])
def test_students_t_takes_fractions(degrees: float) -> None:
    assert student_quantile(0.975, degrees) == pytest.approx(stats.t.ppf(0.975, degrees), rel=1e-7)
    assert student_p(2.2, degrees) == pytest.approx(2 * stats.t.sf(2.2, degrees), rel=1e-7)


def test_what_the_spread_of_clusters_is_worth() -> None:
    assert effective_degrees(np.array([1.0, -1.0] * 10)) == 19  # no tails at all
    assert effective_degrees(np.array([0.0] * 39 + [1.0])) == 2  # one cluster makes it up
    normal = stats.norm.ppf((np.arange(200) + 0.5) / 200)
    assert effective_degrees(normal) == pytest.approx(199, rel=0.1)
    heavy = stats.t.ppf((np.arange(200) + 0.5) / 200, 5)
    assert 2 < effective_degrees(heavy) < 120


def test_the_error_of_a_quotient_is_that_of_the_jackknife() -> None:
    rng = np.random.default_rng(5)
    sizes = rng.integers(10, 30, 60).astype(float)
    hits = rng.binomial(sizes.astype(int), rng.beta(6, 3, 60)).astype(float)
    found = quotient(hits, sizes)
    assert found is not None
    without = (hits.sum() - hits) / (sizes.sum() - sizes)
    assert found.error == pytest.approx(np.sqrt(59 / 60 * ((without - without.mean()) ** 2).sum()), rel=0.02)
    alone = quotient(np.array([1.0, 0.0]), np.array([3.0, 0.0]))
    assert alone is None  # a cluster without weight is none


def test_independent_samples_in_clusters_are_worth_about_themselves() -> None:
    hits = np.random.default_rng(2).binomial(10, 0.7, 100).astype(float)
    low, high = clustered_share(hits, np.full(100, 10.0), 1000) or (0, 0)
    expected = wilson(float(hits.sum()), 1000)
    assert high - low == pytest.approx(expected[1] - expected[0], rel=0.15)
    assert high - low >= 0.999 * (expected[1] - expected[0])


def share(totals):  # type: ignore[no-untyped-def]
    return totals[..., 0] / totals[..., 1]


@pytest.mark.parametrize("hits", [0, 5])
def test_a_quotient_at_the_end_of_its_range_keeps_a_doubt(hits: int) -> None:
    """Precision of 40 pictures, of which 12 have predictions: twelve tell something."""
    table = np.array([[hits, 5.0]] * 12 + [[0.0, 0.0]] * 28)
    made = estimate(table, 40, share, "bounded", False)
    assert made.value == hits / 5
    assert (made.low, made.high) == pytest.approx(wilson(12 * hits / 5, 12))


@pytest.mark.parametrize("clustered", [False, True])
@pytest.mark.parametrize("right", [0.0, 1.0])
@pytest.mark.parametrize("name", ["accuracy", "mean_score", "balanced_accuracy"])
def test_no_share_of_grades_is_beyond_doubt(name: str, right: float, clustered: bool) -> None:
    grades = []
    for k in range(60):
        target = bool(k % 2)
        values = {"target": target, "predicted": target if right else not target}
        cluster = f"c{k % 15}" if clustered else ""
        grades.append(Grade(sample=f"s{k}", task="t", status="answered", score=right, cluster=cluster, values=values))
    found = estimate_grades(name, grades)
    assert found.value == right
    assert found.low is not None and found.high is not None and found.high - found.low > 0.02


def test_the_order_of_samples_changes_no_digit() -> None:
    rng = np.random.default_rng(9)
    keys, values = rng.integers(0, 30, 400).astype(np.uint64), np.stack([rng.random(400), np.ones(400)], axis=1)
    order = rng.permutation(400)
    there, back = ClusterSums(2), ClusterSums(2)
    there.add(keys, values)
    back.add(keys[order], values[order])
    assert there.estimate(share, "share") == back.estimate(share, "share")
    assert there.estimate(share, "share").method == "wilson over clusters"


def test_marks_in_part_may_tell_more_than_right_or_wrong() -> None:
    """Scores that hardly vary are worth more samples than there are; those of right or wrong never are."""
    totals = ClusterSums(2)
    totals.add(np.arange(40, dtype=np.uint64), np.stack((0.6 + 0.01 * (np.arange(40) % 5), np.ones(40)), axis=1))
    found = totals.estimate(share, "share")
    assert found.low is not None and found.high is not None
    assert found.high - found.low < 0.02


def test_uneven_weights_go_by_students_t() -> None:
    rng = np.random.default_rng(1)
    weights = rng.integers(1, 4, 50).astype(float)
    spread = paired_difference(weights * rng.normal(0.1, 0.3, 50), weights)
    assert spread.method == "student t over clusters" and spread.error is not None and spread.p is not None
    assert (spread.p < 0.05) == (spread.low is not None and spread.low > 0)


@pytest.mark.parametrize("clusters", [2, 40, 1500])
def test_replicates_are_exact_sums(clusters: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """So the order in which a CPU adds up can't show: the sums are those of exact arithmetic, rounded once or twice."""
    rng = np.random.default_rng(clusters)
    totals = rng.standard_normal((clusters, 3)) * [1.0, 1e-9, 1e12]
    totals[0] *= 1e5
    counts = rng.multinomial(clusters, np.full(clusters, 1 / clusters), size=30).astype(float)
    order = rng.permutation(clusters)
    found = []
    for way in (np.arange(clusters), order):
        monkeypatch.setattr("sightline.stats.intervals._draws", lambda _n, way=way: iter([counts[:, way]]))
        found.append(replicates(totals[way]))
    assert (found[0] == found[1]).all()
    for row, sums in zip(counts[:5], found[0], strict=False):
        for column, ours in zip(totals.T, sums, strict=True):
            exact = sum(Fraction(count) * Fraction(value) for count, value in zip(row, column, strict=True))
            dropped = clusters * np.abs(column).max() * 2.0**-80
            assert abs(Fraction(float(ours)) - exact) <= abs(exact) * Fraction(2) ** -52 + Fraction(dropped)
