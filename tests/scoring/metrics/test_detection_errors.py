"""TIDE error split: equal to the reference implementation, and to its definition written plainly."""

from __future__ import annotations

import os
import random
import sys
from typing import Any

import numpy as np
import pytest

from sightline.data.columns import Batch
from sightline.scoring.metrics import calculate_detection_errors
from sightline.scoring.metrics.class_detection import labelled_batch
from sightline.scoring.metrics.detection_errors import (
    KINDS,
    TIDE_BKG,
    TIDE_BOTH,
    TIDE_CLS,
    TIDE_DUPE,
    TIDE_LOC,
    TIDE_MISS,
    DetectionErrorState,
)
from sightline.scoring.metrics.shape_classes import ShapeClassStatistics
from sightline.scoring.metrics.state import MetricContext
from tests.scoring.geometry.references import plain_box_iou
from tests.scoring.metrics.detection_worlds import CORNERS
from tests.scoring.metrics.labelled_worlds import NAMES, LabelledWorld, labelled_world

FIGURES = (TIDE_CLS, TIDE_LOC, TIDE_BOTH, TIDE_DUPE, TIDE_BKG, TIDE_MISS)
SHORT = dict(zip(("Cls", "Loc", "Both", "Dupe", "Bkg", "Miss"), KINDS, strict=True))


@pytest.fixture(scope="module")
def tide() -> Any:
    """The reference implementation: pip install --target FOLDER tidecv opencv-python-headless; TIDE_PACKAGES=FOLDER."""
    folder = os.environ.get("TIDE_PACKAGES", "")
    if folder:
        sys.path.append(folder)
    try:
        return pytest.importorskip("tidecv", reason="tidecv is missing: name its folder in TIDE_PACKAGES")
    finally:
        if folder:
            sys.path.remove(folder)


def by_reference(tide: Any, world: LabelledWorld) -> tuple[float, dict[str, float], dict[str, int]]:
    truth, found = tide.Data("truth", max_dets=1000), tide.Data("found", max_dets=1000)
    for data in (truth, found):
        for number, name in enumerate(NAMES):
            data.add_class(number, name)
    for image, (true, said, labels, given, scores) in enumerate(zip(*world, strict=True)):
        truth.add_image(image, str(image))
        for (x1, y1, x2, y2), name in zip(true.tolist(), labels, strict=True):
            truth.add_ground_truth(image, NAMES.index(name), [x1, y1, x2 - x1, y2 - y1])
        for (x1, y1, x2, y2), name, mark in zip(said.tolist(), given, scores.tolist(), strict=True):
            found.add_detection(image, NAMES.index(name), mark, [x1, y1, x2 - x1, y2 - y1])
    run = tide.TIDE().evaluate(truth, found, mode=tide.TIDE.BOX)
    costs = {SHORT[kind.short_name]: cost / 100 for kind, cost in run.fix_main_errors().items()}
    counts = {SHORT[kind.short_name]: count for kind, count in run.count_errors().items()}
    special = {kind.short_name: cost / 100 for kind, cost in run.fix_special_errors().items()}
    costs |= {"all false positives": special["FalsePos"], "all false negatives": special["FalseNeg"]}
    return run.ap / 100, costs, counts


@pytest.mark.parametrize("seed", range(6))
def test_with_scores_it_is_the_reference_implementation(tide: Any, seed: int) -> None:
    world = labelled_world(seed)
    ap, costs, counts = by_reference(tide, world)
    found = calculate_detection_errors(world.true, world.said, world.true_labels, world.labels, scores=world.scores)
    assert found.average_precision == pytest.approx(ap, abs=1e-9)
    assert {kind: found.errors[kind] for kind in KINDS} == counts
    assert found.costs == pytest.approx(costs, abs=1e-9)
    assert min(counts.values()) > 0


def judged(world: LabelledWorld) -> dict[str, int]:
    """The definition, one prediction after the other in the order of scores."""
    counts = dict.fromkeys(KINDS, 0)
    for true, said, labels, given, scores in zip(*world, strict=True):
        table = np.array([[plain_box_iou(p, t) for t in true.tolist()] for p in said.tolist()]).reshape(
            len(said), len(true)
        )
        same = np.array([[one == other for other in labels] for one in given], bool).reshape(table.shape)
        partner: dict[int, int] = {}
        order = sorted(range(len(said)), key=lambda k: -scores[k])
        for row in order:
            free = [(table[row, t], t) for t in range(len(true)) if same[row, t] and t not in partner.values()]
            if free and max(free)[0] >= 0.5:
                partner[row] = max(free)[1]
        mendable = set()
        for row in order:
            if row in partner:
                continue
            near = max(((table[row, t], t) for t in range(len(true)) if same[row, t]), default=(0.0, -1))
            wrong = max(((table[row, t], t) for t in range(len(true)) if not same[row, t]), default=(0.0, -1))
            taken = max((table[row, t] for t in partner.values() if same[row, t]), default=0.0)
            if 0.1 <= near[0] <= 0.5:
                counts["localization"] += 1
                mendable.add(near[1])
            elif wrong[0] >= 0.5:
                counts["classification"] += 1
                mendable.add(wrong[1])
            elif taken >= 0.5:
                counts["duplicate"] += 1
            elif max(near[0], wrong[0]) <= 0.1:
                counts["background"] += 1
            else:
                counts["both"] += 1
        counts["missed"] += len(set(range(len(true))) - set(partner.values()) - mendable)
    return counts


@pytest.mark.parametrize("seed", range(10, 14))
def test_kinds_are_those_of_the_definition_for_boxes_and_quads(seed: int) -> None:
    world = labelled_world(seed)
    found = calculate_detection_errors(world.true, world.said, world.true_labels, world.labels, scores=world.scores)
    assert {kind: found.errors[kind] for kind in KINDS} == judged(world)
    quads = [[boxes[:, CORNERS] for boxes in side] for side in (world.true, world.said)]
    same = calculate_detection_errors(*quads, world.true_labels, world.labels, scores=world.scores)
    assert same.errors == found.errors and same.costs == pytest.approx(found.costs, abs=1e-9)


def test_what_each_error_costs_without_scores() -> None:
    """Five true shapes, one error of each kind: AP = precision × share of the recall points reached."""
    true = np.array([[0.0, 0, 10, 10], [100, 0, 110, 10], [200, 0, 210, 10], [300, 0, 310, 10], [400, 0, 410, 10]])
    said = np.array(
        [
            [0.0, 0, 10, 10],  # hit
            [0, 0, 10, 9],  # duplicate
            [100, 0, 110, 4],  # IoU 0.4: localization
            [200, 0, 210, 10],  # the wrong class
            [300, 0, 310, 3],  # IoU 0.3 and the wrong class
            [700, 0, 710, 10],  # background
        ]
    )
    labels, given = ["a", "a", "a", "a", "b"], ["a", "a", "a", "b", "b", "a"]
    found = calculate_detection_errors([true], [said], [labels], [given])
    assert [found.errors[kind] for kind in KINDS] == [1, 1, 1, 1, 1, 2]

    def ap(hits: int, predicted: int, truths: int) -> float:
        return hits / predicted * (np.floor(100 * hits / truths + 1e-9) + 1) / 101 if predicted and hits else 0.0

    base = (ap(1, 4, 4) + 0) / 2
    assert found.average_precision == pytest.approx(base)
    expected = {
        "classification": (ap(2, 5, 4) + 0) / 2,
        "localization": (ap(2, 4, 4) + 0) / 2,
        "both": (ap(1, 4, 4) + 0) / 2,
        "duplicate": ap(1, 3, 4) / 2,
        "background": ap(1, 3, 4) / 2,
        "missed": (ap(1, 4, 3) + 0) / 2,  # the only b is missed: predictions of b remain, without any truth
    }
    assert {kind: found.costs[kind] for kind in KINDS} == pytest.approx(
        {kind: value - base for kind, value in expected.items()}
    )


@pytest.mark.parametrize("scored", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
def test_order_split_and_merge_change_nothing(scored: bool, weighted: bool) -> None:
    world, chance = labelled_world(5), random.Random(1)
    whole = labelled_batch(world.true, world.said, world.true_labels, world.labels, world.scores if scored else None)
    weights = np.array([chance.choice([0.5, 1, 3]) for _ in range(len(whole))]) if weighted else None
    statistics = ShapeClassStatistics()
    statistics.add(whole.truth, 0)
    context = MetricContext(target_statistics=statistics)

    def piece(rows: list[int]) -> Batch:
        chosen = np.array(rows)
        return Batch(
            whole.truth.take(chosen),
            whole.reply.take(chosen),
            whole.answered[chosen],
            whole.clusters[chosen],
            weights=None if weights is None else weights[chosen],
        )

    one, left, right = (DetectionErrorState(context) for _ in range(3))
    one.count(piece(list(range(len(whole)))))
    rows = chance.sample(range(len(whole)), len(whole))
    for number in range(5):
        (left if number % 2 else right).count(piece(rows[number::5]))
    left.merge(right)
    assert left.breakdowns() == one.breakdowns()
    assert [figure.compute(left) for figure in FIGURES] == [figure.compute(one) for figure in FIGURES]


def test_weights_count_as_repeats() -> None:
    world = labelled_world(7, 20)
    for scores in (world.scores, None):
        plain = labelled_batch(world.true, world.said, world.true_labels, world.labels, scores)
        times = np.array([1 + k % 3 for k in range(20)])
        rows = np.repeat(np.arange(20), times)
        states = [DetectionErrorState(), DetectionErrorState()]
        repeated = Batch(plain.truth.take(rows), plain.reply.take(rows), plain.answered[rows], plain.clusters[rows])
        states[0].count(repeated)
        states[1].count(Batch(plain.truth, plain.reply, plain.answered, plain.clusters, weights=times.astype(float)))
        values = [[figure.compute(state).value for figure in FIGURES] for state in states]
        assert values[0] == pytest.approx(values[1], abs=1e-12)


def test_without_labels_there_is_one_class() -> None:
    world = labelled_world(3)
    found = calculate_detection_errors(world.true, world.said, scores=world.scores)
    assert found.errors["classification"] == found.errors["both"] == 0
    one_class = labelled_world(3)
    named = [[["x"] * len(image) for image in side] for side in (one_class.true, one_class.said)]
    assert calculate_detection_errors(world.true, world.said, *named, scores=world.scores) == found


def test_nothing_at_all() -> None:
    found = calculate_detection_errors([np.empty((0, 4))], [np.empty((0, 4))])
    assert found.average_precision is None and set(found.errors.values()) == {0}
