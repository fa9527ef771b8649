"""Influences of clusters on AP are its derivatives by their weights, and no order or split changes a digit of them."""

from __future__ import annotations

import random

import numpy as np
import pytest
from numpy.typing import NDArray

from sightline.scoring.metrics.average_precision import Ranking, weighted_curve
from sightline.scoring.metrics.detection import AP50, AP75, MAP, DetectionState
from sightline.stats.cluster_sums import MAX_EXACT_CLUSTERS
from sightline.stats.influence import ClusterEstimate, mean_estimate
from tests.scoring.metrics.detection_worlds import World, random_world, tallied

Floats = NDArray[np.float64]


@pytest.mark.parametrize("is_weighted", [False, True])
def test_the_influence_of_a_group_is_the_derivative_of_the_area(is_weighted: bool) -> None:
    """A little more weight on a picture's detections and truths moves the area by as much as its influence says.

    Where two steps have the same precision the area has no derivative; no two of these have.
    """
    rng = np.random.default_rng(5)
    pictures, n = 12, 150
    owner, scores = rng.integers(0, pictures, n), np.round(rng.random(n), 1)
    bits = (rng.random(n) < 0.3 + 0.5 * scores).astype(np.uint16)
    truths = np.bincount(owner, bits, pictures) + rng.integers(0, 4, pictures)
    weights = rng.choice((0.5, 1.0, 2.0), pictures) if is_weighted else np.ones(pictures)
    ranking = Ranking()
    ranking.add(scores, bits, owner.astype(np.uint64), weights[owner] if is_weighted else None)
    order = np.argsort(scores, kind="stable")

    def area(of: Floats) -> float:
        return weighted_curve(scores[order], bits[order] > 0, of[owner][order], float(of @ truths))[1]

    total = float(weights @ truths)
    contributions, raw = ranking.influences(0, total, is_weighted)
    assert raw <= area(weights)
    found = contributions[:pictures] - area(weights) * weights * truths / total
    for picture in range(pictures):
        step = np.zeros(pictures)
        step[picture] = 1e-4 * weights[picture]
        moved = (area(weights + step) - area(weights - step)) / 2e-4
        assert found[picture] == pytest.approx(moved, abs=1e-5)
    assert found.sum() == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize("is_scored", [False, True])
def test_no_order_or_split_changes_an_interval(is_scored: bool) -> None:
    world, chance = random_world(7, 80, grid=True), random.Random(1)
    world = world._replace(scores=[np.round(scores, 1) for scores in world.scores])
    whole = tallied(world, is_scored)
    mixed = world.shuffled(chance)
    parts = [tallied(mixed.part(range(k, 80, 3)), is_scored) for k in range(3)]
    for part in parts[1:]:
        parts[0].merge(part)
    for metric in (AP50, AP75, MAP):
        found = metric.compute(whole)
        assert found.low is not None and isinstance(found, ClusterEstimate)
        assert metric.compute(parts[0]) == found


def test_many_pictures_are_folded_and_the_interval_stays() -> None:
    small = random_world(9, 40)
    times = 2 * MAX_EXACT_CLUSTERS // 40
    world = World(*(column * times for column in small))
    clusters = np.random.default_rng(0).integers(0, 2**63, len(world.said)).tolist()
    state = tallied(world._replace(clusters=clusters), scored=True)
    found = AP50.compute(state)
    assert state.state.sums.folded
    assert isinstance(found, ClusterEstimate) and found.low is not None and found.high is not None
    assert found.influence.error() == pytest.approx(_exact_error(small) / times**0.5, rel=0.1)


def _exact_error(world: World) -> float:
    state = tallied(world._replace(clusters=list(range(len(world.said)))), scored=True)
    found = AP50.compute(state)
    assert isinstance(found, ClusterEstimate)
    return float(found.influence.error()) * (len(found.influence) - 1) ** 0.5 / len(found.influence) ** 0.5


def test_the_mean_over_classes_has_the_mean_influence() -> None:
    """mAP over thresholds is the mean of APs, and so is its influence."""
    state: DetectionState = tallied(random_world(4, 60), scored=True)
    single = [state.state.average_precision(threshold) for threshold in (0.5, 0.75)]
    both = state.state.average_precision(0.5, 0.75)
    mean = mean_estimate(single, both.n)
    assert mean.value == pytest.approx(both.value)
    assert isinstance(both, ClusterEstimate) and isinstance(mean, ClusterEstimate)
    assert mean.influence.values == pytest.approx(both.influence.values, abs=1e-9)
    assert mean.low == pytest.approx(both.low, abs=0.01)
