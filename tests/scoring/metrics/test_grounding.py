"""Acc@t, mean IoU over all samples and the public IoU function: equal to plain formulas and to shapely."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st

from sightline import score
from sightline.scoring.metrics import calculate_grounding, calculate_iou
from sightline.scoring.metrics.grounding import (
    ACC_IOU25,
    ACC_IOU50,
    ACC_IOU70,
    ACC_IOU75,
    ACC_IOU90,
    SAMPLE_IOU,
    GroundingState,
    sample_ious,
)
from sightline.scoring.parsers.columns.shapes import BOXES, ONE_BOX, QUADS
from tests.scoring.files.worlds import write_world
from tests.scoring.metrics.columns import Sample, batch_of, check_laws

FIGURES = (ACC_IOU25, ACC_IOU50, ACC_IOU70, ACC_IOU75, ACC_IOU90, SAMPLE_IOU)
numbers = st.integers(0, 8)
boxes = st.tuples(numbers, numbers, numbers, numbers).map(lambda c: (c[0], c[1], c[0] + c[2] + 1, c[1] + c[3] + 1))


def text(box: Any) -> str:
    return "<box>" + " ".join(map(str, box)) + "</box>"


def plain_iou(a: Any, b: Any) -> float:
    wide = max(0, min(a[2], b[2]) - max(a[0], b[0]))
    high = max(0, min(a[3], b[3]) - max(a[1], b[1]))
    either = (a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - wide * high
    return wide * high / either


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(boxes, boxes | st.none(), st.integers(0, 4)), min_size=1, max_size=20), st.integers(0, 99))
def test_figures_are_plain_means_over_all_samples(rows: list[Any], seed: int) -> None:
    samples: list[Sample] = [(text(a), "?" if b is None else text(b), cluster) for a, b, cluster in rows]
    check_laws(GroundingState, ONE_BOX, samples, lambda s: [figure.compute(s) for figure in FIGURES], seed)
    ious = [0.0 if b is None else plain_iou(a, b) for a, b, _ in rows]
    state = GroundingState()
    state.count(batch_of(ONE_BOX, samples))
    expected = [np.mean([iou >= t for iou in ious]) for t in (0.25, 0.5, 0.7, 0.75, 0.9)] + [np.mean(ious)]
    assert [figure.compute(state).value for figure in FIGURES] == pytest.approx(expected)
    found = calculate_grounding([a for a, _, _ in rows], [[] if b is None else b for _, b, _ in rows])
    assert list(found) == ["acc@0.25", "acc@0.5", "acc@0.7", "acc@0.75", "acc@0.9", "mean_iou"]
    assert list(found.values()) == pytest.approx(expected)


def test_other_numbers_of_shapes() -> None:
    rows = [("0", "0", 0), ("0", text((0, 0, 1, 1)), 1), (text((0, 0, 2, 2)), text((0, 0, 2, 2)) * 2, 2)]
    assert sample_ious(batch_of(BOXES, rows)).tolist() == [1, 0, 0.5]
    quad = "<quad>0 0 4 0 4 4 0 4</quad>"
    assert sample_ious(batch_of(QUADS, [(quad, "<quad>0 0 4 0 4 2 0 2</quad>", 0)])).tolist() == [0.5]


def test_grounding_reports_them_beside_ap(tmp_path: Path) -> None:
    pairs = [(text((0, 0, 10, 10)), text((0, 0, 10, b))) for b in (10, 8, 6, 3)] + [(text((0, 0, 10, 10)), "nothing")]
    report = score(*write_world(tmp_path, {"视觉定位": pairs}), output_dir=str(tmp_path / "r"))
    assert report.value("视觉定位", "acc_iou50") == pytest.approx(3 / 5)
    assert report.value("视觉定位", "acc_iou70") == pytest.approx(2 / 5)
    assert report.value("视觉定位", "acc_iou25") == pytest.approx(4 / 5)
    assert report.value("视觉定位", "sample_iou") == pytest.approx((1 + 0.8 + 0.6 + 0.3) / 5)


def polygons(seed: int, count: int, points: int) -> list[Any]:
    chance = np.random.default_rng(seed)
    turns = [(np.arange(points) + chance.uniform(0, 0.4, points)) * 2 * np.pi / points for _ in range(count)]
    return [
        np.stack((np.cos(turn), np.sin(turn)), axis=1) * chance.uniform(2, 6, (points, 1)) + chance.uniform(0, 9, 2)
        for turn in turns
    ]


@pytest.mark.parametrize("points", [4, 3, 9])
def test_iou_of_quads_and_polygons_is_shapelys(points: int) -> None:
    a, b = polygons(1, 8, points), polygons(2, 5, points)
    expected = [
        [
            shapely.Polygon(p).intersection(shapely.Polygon(q)).area / shapely.Polygon(p).union(shapely.Polygon(q)).area
            for q in b
        ]
        for p in a
    ]
    assert np.allclose(calculate_iou(a, b), expected, atol=1e-9)
    if points == 4:
        rows = [np.array([p.ravel() for p in side]) for side in (a, b)]
        assert np.allclose(calculate_iou(*rows, kind="quads"), calculate_iou(a, b, kind="polygons"), atol=1e-9)


@given(st.lists(boxes, max_size=6), st.lists(boxes, max_size=6))
@settings(max_examples=60, deadline=None)
def test_iou_of_boxes(a: list[Any], b: list[Any]) -> None:
    found = calculate_iou(a, b, kind="boxes")
    assert found.shape == (len(a), len(b))
    assert np.allclose(found, np.array([[plain_iou(p, q) for q in b] for p in a]).reshape(len(a), len(b)))


def test_iou_of_strange_shapes() -> None:
    bow_tie = [(0, 0), (10, 10), (10, 0), (0, 10)]
    assert calculate_iou([bow_tie], [bow_tie], kind="polygons") == pytest.approx(1.0)
    assert calculate_iou([bow_tie], [bow_tie]) == pytest.approx(1.0)
    assert calculate_iou([[0, 0, 0, 5]], [[0, 0, 0, 5]]).tolist() == [[0.0]]
    assert calculate_iou([[(0, 0), (1, 1), (2, 2)]], [[(0, 0), (1, 1), (2, 2)]]).tolist() == [[0.0]]
    with pytest.raises(ValueError, match="finite"):
        calculate_iou([[0, 0, np.nan, 1]], [[0, 0, 1, 1]])
    with pytest.raises(ValueError, match="4 numbers"):
        calculate_iou([[0, 0, 4, 0, 4, 4, 0, 4]], [[0, 0, 4, 0, 4, 4, 0, 4]], kind="boxes")
