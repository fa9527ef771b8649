"""The boundary of a capability: what is not known is not told, and its interval holds the truth often enough."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

from sightline.stats.boundary import boundary, boundary_interval
from sightline.stats.intervals import Floats

ONES = np.ones(4)


def reach(earned: Floats, weight: Floats) -> tuple[float, float]:
    return boundary_interval(earned, weight, len(weight))


def cells(scores: dict[int, list[float]]) -> tuple[Floats, Floats]:
    """Sums of samples that are clusters by themselves, from scores by level."""
    rows = [(level, score) for level, some in scores.items() for score in some]
    earned, weight = np.zeros((len(rows), 4)), np.zeros((len(rows), 4))
    for row, (level, score) in enumerate(rows):
        earned[row, level - 1], weight[row, level - 1] = score, 1
    return earned, weight


def alike(score: float, count: int, *levels: int) -> tuple[float, float]:
    return reach(*cells({level: [score] * count for level in levels}))


@pytest.mark.parametrize(
    ("asked", "scores", "level"),
    [
        ((1,), (1,), None),
        ((1, 2, 3), (1, 1, 0.5), None),
        ((4,), (0,), None),
        ((2, 3), (0.4, 0.3), None),
        ((1,), (0,), 0),
        ((1, 2), (0.4, 0.3), 0),
        ((4,), (1,), 4),
        ((3, 4), (0.6, 0.5), 4),
        ((2, 3), (1, 0), 2.5),
    ],
)
def test_beyond_the_levels_that_were_asked_there_is_no_value(
    asked: tuple[int, ...], scores: tuple[float, ...], level: float | None
) -> None:
    earned, weight = (part.sum(axis=0) for part in cells({k: [s] for k, s in zip(asked, scores, strict=True)}))
    found = boundary(earned, weight)
    assert np.isnan(found) if level is None else found == level


def test_the_interval_doubts_few_samples_that_are_all_alike() -> None:
    upper = [1 - 0.0175 ** (1 / count) for count in (2, 4, 6, 8)]  # L1 by itself, L1 and L2 pooled…
    assert upper[1] > 0.5 > upper[2]
    assert alike(0, 2, 1, 2, 3, 4) == (0, pytest.approx(2 + (upper[1] - 0.5) / (upper[1] - upper[2])))
    assert alike(1, 1, 1, 2, 3, 4) == (0, 4)
    low, high = alike(1, 5, 1, 2, 3, 4)
    assert 3.7 < low < 4 == high
    assert alike(1, 6, 1, 2, 3, 4) == (4, 4), "of coins, one in 64 falls so six times"
    assert alike(0, 6, 1, 2, 3, 4) == (0, 0)


def test_the_bounds_of_samples_that_are_all_right_are_exact() -> None:
    """With L1 alone the lower curve falls from its bound to nothing at L2, and crosses half on the way."""
    for count in (6, 9, 40):
        bound = binomtest(count, count).proportion_ci(0.965, "exact").low
        assert alike(1, count, 1)[0] == pytest.approx(1 + (bound - 0.5) / bound)


def test_levels_that_were_not_asked_could_be_anything() -> None:
    assert alike(1, 100, 1)[1] == 4
    assert alike(0, 100, 4)[0] == 0 and 3 < alike(0, 100, 4)[1] < 4
    low, high = reach(*cells({1: [1.0] * 100, 4: [0.0] * 100}))
    assert 1 < low < 2 and 3 < high < 4


@settings(max_examples=100, deadline=None)
@given(
    st.dictionaries(
        st.integers(1, 4), st.lists(st.sampled_from((0, 0.25, 0.5, 1)), min_size=1, max_size=12), min_size=1
    )
)
def test_the_interval_holds_the_value_and_more_samples_narrow_it(scores: dict[int, list[float]]) -> None:
    earned, weight = cells(scores)
    low, high = reach(earned, weight)
    assert 0 <= low <= high <= 4
    value = boundary(earned.sum(axis=0), weight.sum(axis=0))
    assert np.isnan(value) or low - 1e-9 <= value <= high + 1e-9
    longer = reach(np.tile(earned, (20, 1)), np.tile(weight, (20, 1)))
    assert longer[0] >= low - 1e-9 and longer[1] <= high + 1e-9


@pytest.mark.parametrize("graded", [False, True])
@pytest.mark.parametrize("count", [2, 12])
@pytest.mark.parametrize(
    "means", [(0.5,) * 4, (0.95, 0.9, 0.1, 0.05), (0.9, 0.7, 0.4, 0.2), (0.52, 0.1, 0.1, 0.1), (0.9, 0.9, 0.9, 0.49)]
)
def test_nineteen_of_twenty_intervals_hold_the_truth(means: tuple[float, ...], count: int, graded: bool) -> None:
    """Also where the truth lies at a jump of the boundary, the hardest place."""
    chance, tries = np.random.default_rng(3), 300
    truth = float(boundary(np.array(means), ONES))
    held = 0
    for _ in range(tries):
        drawn = {
            level: (chance.beta(mean, 1 - mean, count) if graded else chance.random(count) < mean)
            .astype(float)
            .tolist()
            for level, mean in enumerate(means, 1)
        }
        low, high = reach(*cells(drawn))
        held += low <= truth <= high
    assert held / tries > 0.95 - 2 * (0.95 * 0.05 / tries) ** 0.5
