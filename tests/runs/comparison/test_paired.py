"""Tests, intervals and corrections against SciPy and statsmodels, and against what they promise."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from sightline.stats.paired import (
    benjamini_hochberg,
    holm,
    least_detectable,
    least_detectable_by_error,
    mcnemar,
    mcnemar_mid_p,
    paired_difference,
)
from sightline.stats.student import student_p
from tests.support.peers import Peer

contingency_tables = Peer("statsmodels.stats.contingency_tables")
multitest = Peer("statsmodels.stats.multitest")

COUNTS = st.integers(0, 400)
CHANCES = st.lists(st.floats(0, 1), min_size=1, max_size=40)


@settings(deadline=None)
@given(COUNTS, COUNTS)
def test_mcnemar_is_that_of_statsmodels(first: int, second: int) -> None:
    expected = 1.0 if first + second == 0 else contingency_tables.mcnemar([[5, first], [second, 7]], exact=True).pvalue
    assert mcnemar(first, second) == pytest.approx(expected, rel=1e-9)
    assert mcnemar(second, first) == mcnemar(first, second)


@settings(deadline=None)
@given(COUNTS, COUNTS)
def test_mid_p_takes_half_of_what_was_seen(first: int, second: int) -> None:
    few, total = min(first, second), first + second
    expected = 2 * (stats.binom.cdf(few - 1, total, 0.5) + stats.binom.pmf(few, total, 0.5) / 2)
    assert mcnemar_mid_p(first, second) == pytest.approx(min(1.0, expected), rel=1e-9)
    assert mcnemar_mid_p(first, second) <= mcnemar(first, second)


def test_mcnemar_of_a_million() -> None:
    expected = stats.binomtest(499_000, 999_000).pvalue
    assert mcnemar(500_000, 499_000) == pytest.approx(expected, rel=1e-7)


@pytest.mark.parametrize("degrees", [1, 2, 3, 11, 100, 1023, 4095])
@pytest.mark.parametrize("t", [0.0, 1e-4, 0.3, 1.0, 2.5, 7.0, 25.0])
def test_student_p_is_scipys_far_into_the_tail(t: float, degrees: int) -> None:
    assert student_p(t, degrees) == pytest.approx(2 * stats.t.sf(t, degrees), rel=1e-9)
    assert student_p(-t, degrees) == student_p(t, degrees)


@pytest.mark.slow
@settings(deadline=None, max_examples=40)
@given(CHANCES)
def test_corrections_are_those_of_statsmodels(values: list[float]) -> None:
    assert holm(values) == pytest.approx(multitest.multipletests(values, method="holm")[1], abs=1e-12)
    assert benjamini_hochberg(values) == pytest.approx(multitest.multipletests(values, method="fdr_bh")[1], abs=1e-12)


def test_corrections_leave_out_what_was_not_tested() -> None:
    assert holm([0.01, None, 0.02]) == [0.02, None, 0.02]
    assert benjamini_hochberg([None, None]) == [None, None]
    assert holm([]) == []


def test_the_error_is_that_of_the_mean() -> None:
    """With even weights the bootstrap's error, and with it the p, is that of a t-test on the clusters."""
    moved = np.random.default_rng(3).normal(0.04, 0.2, 60)
    found = paired_difference(moved, np.ones(60))
    expected = stats.ttest_1samp(moved, 0)
    assert found.value == pytest.approx(moved.mean())
    assert found.error == pytest.approx(stats.sem(moved), rel=0.03)
    assert found.p == pytest.approx(expected.pvalue, rel=0.15)
    assert found.low == pytest.approx(expected.confidence_interval().low, abs=0.006)
    assert found.high == pytest.approx(expected.confidence_interval().high, abs=0.006)


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(-4, 4), st.integers(1, 5)), min_size=1, max_size=30))
def test_swapping_the_runs_turns_the_sign(clusters: list[tuple[int, int]]) -> None:
    table = np.array(clusters, dtype=np.float64)
    there, back = paired_difference(table[:, 0], table[:, 1]), paired_difference(-table[:, 0], table[:, 1])
    assert there.value == -back.value if there.value is not None else back.value is None
    if there.low is None or there.high is None:
        assert back.low is None and len(clusters) == 1
        return
    assert back.low == pytest.approx(-there.high, abs=1e-9)
    assert back.high == pytest.approx(-there.low, abs=1e-9)
    assert back.p == pytest.approx(there.p)


def test_no_difference_anywhere_leaves_a_doubt() -> None:
    same = paired_difference(np.zeros(50), np.ones(50))
    assert same.value == 0 and same.p == 1
    assert same.low == -same.high and same.high == pytest.approx(0.0713, abs=1e-3)  # type: ignore[operator]
    all_lost = paired_difference(-np.ones(6), np.ones(6))
    assert all_lost.low == -1 and -1 < all_lost.high < 0  # type: ignore[operator]
    assert all_lost.p == pytest.approx(2 * 0.5**6)
    assert paired_difference(np.zeros(0), np.zeros(0)).value is None
    assert paired_difference(np.zeros(3), np.zeros(3)).value is None


def covered(trials: int, seed: int) -> float:
    """Share of intervals that hold the truth: 40 simulations of uneven size, where two models fail together."""
    rng = np.random.default_rng(seed)
    hits = 0
    for _ in range(trials):
        sizes = rng.integers(5, 25, 40)
        hard = rng.normal(0, 0.15, 40)
        first = rng.binomial(sizes, np.clip(0.6 + hard, 0, 1))
        second = rng.binomial(sizes, np.clip(0.66 + hard + rng.normal(0, 0.08, 40), 0, 1))
        found = paired_difference((second - first).astype(float), sizes.astype(float))
        assert found.low is not None and found.high is not None
        hits += found.low <= 0.06 <= found.high
    return hits / trials


def test_the_paired_interval_covers() -> None:
    """150 trials leave ±3.6 % of chance."""
    assert 0.90 <= covered(150, seed=2) <= 0.99


@pytest.mark.slow
def test_the_paired_interval_covers_at_its_level() -> None:
    """3,000 trials leave ±0.8 % of chance."""
    assert covered(3000, seed=11) == pytest.approx(0.95, abs=0.015)


def test_the_least_detectable_difference_is_found_four_times_in_five() -> None:
    n, discordance = 600, 0.2
    least = least_detectable(n, discordance)
    assert least is not None
    rng = np.random.default_rng(7)
    lost, won = (discordance - least) / 2, (discordance + least) / 2
    draws = rng.multinomial(n, [lost, won, 1 - discordance], 4000)
    z = np.abs(draws[:, 1] - draws[:, 0]) / np.sqrt(draws[:, 0] + draws[:, 1])
    assert float((z > stats.norm.ppf(0.975)).mean()) == pytest.approx(0.8, abs=0.03)


def test_the_least_detectable_difference_never_exceeds_the_discordance_it_needs() -> None:
    assert least_detectable(3, 0.5) is None
    none_seen = least_detectable(1000, 0.0)
    assert none_seen is not None and 0 < none_seen < 0.01
    some = [least_detectable(1000, share) for share in (0.05, 0.1, 0.4)]
    assert some == sorted(some)  # type: ignore[type-var]
    assert least_detectable_by_error(0.01) == pytest.approx(0.028, abs=1e-4)
