"""Intervals of correlations: honest with few clusters, and wherever all clusters are alike."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sightline.scoring.metrics.record_metrics import MatthewsCorrelation
from sightline.stats.cluster_sums import estimate
from sightline.stats.intervals import Statistic

mcc = MatthewsCorrelation().statistic


def reach(totals: np.ndarray, statistic: Statistic, scale: Any = "signed") -> tuple[float, float] | None:
    """The interval of a figure over clusters."""
    found = estimate(totals, len(totals), statistic, scale, False)
    return None if found.low is None or found.high is None else (found.low, found.high)


def clusters(right: float, count: int, seed: int, each: int = 16) -> np.ndarray:
    """Tables of true and false answers, in clusters that are not equally hard."""
    rng = np.random.default_rng(seed)
    hard = np.clip(rng.normal(right, 0.1, (count, 1)), 0, 1)
    truth = rng.random((count, each)) < 0.5
    told = np.where(rng.random((count, each)) < hard, truth, ~truth)
    cells = (told & truth, told & ~truth, ~told & truth, ~(told | truth))
    return np.stack([cell.sum(axis=1) for cell in cells], axis=1).astype(float)


@pytest.mark.parametrize("right", [0.5, 0.7, 0.9])
@pytest.mark.parametrize("count", [4, 20])
def test_the_interval_holds_the_truth_as_often_as_it_says(right: float, count: int) -> None:
    truth = float(mcc(clusters(right, 100_000, 0).sum(axis=0)))
    reaches = [reach(clusters(right, count, seed), mcc) for seed in range(1, 301)]
    held = np.mean([found is not None and found[0] <= truth <= found[1] for found in reaches])
    assert 0.92 <= held <= 1.0


@pytest.mark.parametrize(("row", "value"), [([8, 0, 0, 8], 1.0), ([8, 8, 0, 0], 0.0), ([0, 8, 8, 0], -1.0)])
def test_clusters_that_are_all_alike_leave_doubt(row: list[float], value: float) -> None:
    for count in (2, 10, 40):
        low, high = reach(np.array([row] * count), mcc) or (np.nan, np.nan)
        assert -1 <= low <= value <= high <= 1
        assert high - low > 0.5 / count**0.5


def test_a_number_whose_clusters_are_all_alike_has_no_interval() -> None:
    mean = lambda totals: totals[..., 0] / totals[..., 1]  # noqa: E731
    assert reach(np.array([[3.0, 2.0]] * 5), mean, "number") is None
    assert reach(np.array([[3.0, 2.0], [4.0, 2.0]] * 5), mean, "number") is not None
