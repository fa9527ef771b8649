"""95 % is what intervals hold, 5 % what tests refuse, in worlds whose truth is known.

Single samples are counted out exactly. Clusters are simulated 4,000 times, which leaves ±0.7 points of chance.
"""

from __future__ import annotations

import pytest

from sightline.stats.paired import mcnemar, mcnemar_mid_p
from tests.stats.simulations import (
    covered,
    f1_of_clusters,
    pairs_of_clusters,
    pairs_of_samples,
    ranks_hold,
    reaches,
    refused,
    refused_by_mcnemar,
    scores_of_clusters,
    share_of_clusters,
)

LEVEL, NEAR = 0.95, 0.015


@pytest.mark.parametrize("changed", [5, 10])
@pytest.mark.parametrize("won", [0.5, 0.8])
def test_few_samples_that_differ_do_not_make_the_interval_too_narrow(changed: int, won: float) -> None:
    assert pairs_of_samples(200, changed, won) == pytest.approx(LEVEL, abs=NEAR)


@pytest.mark.parametrize("won", [0.5, 0.8, 1.0])
def test_hardly_any_that_differ_make_it_wide(won: float) -> None:
    """With two that change on average there is no interval of 95 %: those that can come out hold more."""
    assert LEVEL < pairs_of_samples(200, 2, won) < 1


@pytest.mark.parametrize("changed", [5, 10, 20, 40])
def test_mcnemar_keeps_its_level(changed: int) -> None:
    exact, middle = refused_by_mcnemar(100, changed, mcnemar), refused_by_mcnemar(100, changed, mcnemar_mid_p)
    assert exact < middle <= 0.05
    assert changed < 20 or middle > 0.04


@pytest.mark.parametrize("clusters", [10, 20, 40])
def test_a_share_over_clusters_at_a_glance(clusters: int) -> None:
    assert share_of_clusters(clusters, 0.3, 0.8) == pytest.approx(LEVEL, abs=NEAR)


@pytest.mark.slow
@pytest.mark.parametrize("clusters", [20, 40])
@pytest.mark.parametrize("correlation", [0.1, 0.3, 0.5])
@pytest.mark.parametrize("share", [0.5, 0.8, 0.9, 0.95])
def test_a_share_over_clusters(clusters: int, correlation: float, share: float) -> None:
    assert share_of_clusters(clusters, correlation, share) == pytest.approx(LEVEL, abs=NEAR)


@pytest.mark.slow
@pytest.mark.parametrize("correlation", [0.1, 0.3, 0.5])
@pytest.mark.parametrize("share", [0.5, 0.8, 0.9, 0.95])
def test_a_share_over_ten_clusters_is_never_too_sure(correlation: float, share: float) -> None:
    """Ten clusters of which most are all right say little: there the interval holds more than it promises."""
    held = share_of_clusters(10, correlation, share)
    assert held >= LEVEL - NEAR
    assert share == 0.95 or correlation == 0.5 or held <= LEVEL + NEAR


@pytest.mark.slow
@pytest.mark.parametrize("clusters", [20, 40])
@pytest.mark.parametrize("correlation", [0.1, 0.5])
def test_other_figures_over_clusters(clusters: int, correlation: float) -> None:
    """Such as F1, in the middle of the range and near its end."""
    assert f1_of_clusters(clusters, correlation, 0.8) == pytest.approx(LEVEL, abs=NEAR)
    assert f1_of_clusters(clusters, correlation, 0.95) == pytest.approx(LEVEL, abs=NEAR)


@pytest.mark.slow
@pytest.mark.parametrize("correlation", [0.1, 0.3, 0.5])
def test_differences_of_shares_over_clusters(correlation: float) -> None:
    moved = pairs_of_clusters(40, correlation, 0.3, 0.8)
    assert covered(reaches(moved), 0.3 * 0.6) == pytest.approx(LEVEL, abs=NEAR)
    equal = pairs_of_clusters(40, correlation, 0.3, 0.5)
    assert covered(reaches(equal), 0) == pytest.approx(LEVEL, abs=NEAR)
    assert refused(equal) == pytest.approx(1 - LEVEL, abs=NEAR)


@pytest.mark.slow
@pytest.mark.parametrize("clusters", [10, 20])
@pytest.mark.parametrize(("changed", "won"), [(0.1, 0.5), (0.1, 0.8), (0.3, 0.5), (0.3, 0.8)])
def test_differences_over_few_clusters_are_never_too_sure(clusters: int, changed: float, won: float) -> None:
    found = pairs_of_clusters(clusters, 0.3, changed, won)
    assert covered(reaches(found), changed * (2 * won - 1)) >= LEVEL - NEAR
    assert won != 0.5 or refused(found) <= 0.05 + NEAR


@pytest.mark.slow
@pytest.mark.parametrize("clusters", [10, 40])
def test_differences_of_scores_over_clusters(clusters: int) -> None:
    assert covered(reaches(scores_of_clusters(clusters, 0.3, 0.05)), 0.05) == pytest.approx(LEVEL, abs=NEAR)
    assert refused(scores_of_clusters(clusters, 0.3, 0.0)) == pytest.approx(1 - LEVEL, abs=NEAR)


@pytest.mark.slow
@pytest.mark.parametrize("abilities", [[0.6] * 5, [0.5, 0.5, 0.5, 0.6, 0.7]], ids=["equal", "some equal"])
@pytest.mark.parametrize("clusters", [10, 30])
def test_all_ranges_of_ranks_hold_together(abilities: list[float], clusters: int) -> None:
    together, _ = ranks_hold(abilities, clusters)
    assert together >= LEVEL
