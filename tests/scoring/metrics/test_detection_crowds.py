"""Pictures with more overlapping pairs than are listed: equal shapes count as groups, and nothing is lost unsaid."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sightline.data.columns import Batch
from sightline.scoring.metrics import matching
from sightline.scoring.metrics.detection import (
    AP50,
    MAP,
    RECALL50,
    DetectionState,
    as_shapes,
    calculate_detection_ap,
    iou,
)
from sightline.scoring.metrics.masks import calculate_mask_ap
from sightline.scoring.metrics.matching import THRESHOLDS
from tests.scoring.metrics.detection_worlds import CORNERS, World, tallied

SQUARE = [0.0, 0, 10, 10]


def crowded(seed: int, most: int = 12) -> tuple[Any, Any, Any]:
    """Few different boxes upon each other, each many times over, in any order; scores with ties."""
    rng = np.random.default_rng(seed)
    sides = []
    for _ in range(2):
        corner, size = rng.integers(0, 4, (most, 2)), rng.integers(5, 9, (most, 2))
        boxes = np.concatenate((corner, corner + size), axis=1).astype(float)
        sides.append(rng.permutation(np.repeat(boxes, rng.integers(1, 20, most), axis=0)))
    return *sides, rng.integers(0, 9, len(sides[0])) / 10


@pytest.mark.parametrize("seed", range(6))
def test_groups_find_as_many_pairs_as_scipy(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    csgraph, sparse = pytest.importorskip("scipy.sparse.csgraph"), pytest.importorskip("scipy.sparse")
    said, true, _ = crowded(seed)
    table = iou(said, true)
    monkeypatch.setattr(matching, "PAIRS", 400)
    assert (table >= 0.25).sum() > 2000
    for shapes in ((said, true), (said[:, CORNERS], true[:, CORNERS])):
        found = matching.match(*matching.shape_sides(*(as_shapes([side]) for side in shapes)), THRESHOLDS)
        expected = [
            (csgraph.maximum_bipartite_matching(sparse.csr_matrix(table >= threshold)) >= 0).sum()
            for threshold in THRESHOLDS
        ]
        assert found.hits[0].tolist() == expected
        assert [(found.predicted_bits >> k & 1).sum() for k in range(len(THRESHOLDS))] == expected
        assert [(found.true_bits >> k & 1).sum() for k in range(len(THRESHOLDS))] == expected
        assert found.skipped == 0
        assert (found.overlap[0] >= found.hits[0] * np.array(THRESHOLDS) - 1e-9).all()


@pytest.mark.parametrize("seed", range(6))
def test_groups_by_score_are_matched_as_single_shapes_are(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    said, true, scores = crowded(seed)
    sides = matching.shape_sides(as_shapes([said], [scores]), as_shapes([true]))
    single = matching.match(*sides, THRESHOLDS)
    monkeypatch.setattr(matching, "PAIRS", 400)
    grouped = matching.match(*sides, THRESHOLDS)
    assert grouped.hits.tolist() == single.hits.tolist()
    assert grouped.overlap == pytest.approx(single.overlap)
    assert grouped.predicted_bits.tolist() == single.predicted_bits.tolist()
    # equal truths are one as good as another: how many of them were found is what counts
    assert sorted(grouped.true_bits.tolist()) == sorted(single.true_bits.tolist())


@pytest.mark.parametrize("count", [1500, 5000])
def test_an_exact_copy_is_right_however_often_it_repeats_itself(count: int) -> None:
    boxes = np.array([SQUARE] * count)
    for scores in (None, [np.linspace(0, 1, count)]):
        assert calculate_detection_ap([boxes], [boxes], scores=scores) == 1
    ring = [0, 0, 9, 0, 9, 9, 0, 9]
    assert calculate_mask_ap([[ring] * count], [[ring] * count], thresholds=[0.5]) == 1


def test_a_crowd_changes_nothing_in_another_picture() -> None:
    said, true, _ = crowded(3)
    crowd = np.array([SQUARE] * 1500)
    alone = tallied(World([said], [true], [None], [0]))
    both = tallied(World([said, crowd], [true, crowd], [None, None], [0, 1]))
    apart = tallied(World([crowd], [crowd], [None], [1]))
    apart.merge(alone)
    assert [figure.compute(both) for figure in (AP50, MAP, RECALL50)] == [
        figure.compute(apart) for figure in (AP50, MAP, RECALL50)
    ]
    assert both.remarks() == {}


def test_higher_thresholds_serve_where_the_lowest_has_too_many_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    steps = np.arange(60.0)[:, None]
    boxes = np.concatenate((steps, 0 * steps, steps + 40, 0 * steps + 40), axis=1)  # each overlaps dozens of others
    monkeypatch.setattr(matching, "PAIRS", 600)
    state = tallied(World([boxes[::-1]], [boxes], [None], [0]))
    assert [figure.compute(state).value for figure in (AP50, MAP, RECALL50)] == [1, 1, 1]
    assert state.remarks() == {}


@pytest.mark.slow
def test_what_can_not_be_matched_is_told() -> None:
    rng, state = np.random.default_rng(0), DetectionState()
    low, high = rng.uniform(0, 0.2, (1600, 2)), rng.uniform(9, 9.2, (1600, 2))
    boxes = np.concatenate((low, high), axis=1)  # all different, and all alike
    batch = Batch(as_shapes([boxes]), as_shapes([boxes]), np.ones(1, bool), np.zeros(1, np.uint64))
    state.count(batch)
    hits = round(1600 * float(RECALL50.compute(state).value or 0))
    assert 1000 < hits < 1600
    assert state.remarks() == {"shapes not matched: too many overlap": 1600 - hits}
    with pytest.warns(UserWarning, match="too many overlap"):
        calculate_detection_ap([boxes], [boxes])
