"""AP by class: equal to pycocotools with scores and to plain counting without; no order, split or merge matters."""

from __future__ import annotations

import contextlib
import io
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sightline import score
from sightline.data.columns import Batch
from sightline.scoring.metrics import calculate_class_ap, calculate_detection_ap
from sightline.scoring.metrics.class_detection import (
    CLASS_MAP,
    CLASS_MAP50,
    CLASS_MAP75,
    ClassDetectionState,
    labelled_batch,
)
from sightline.scoring.metrics.matching import COCO_THRESHOLDS
from sightline.scoring.metrics.shape_classes import ShapeClassStatistics
from sightline.scoring.metrics.state import MetricContext
from sightline.scoring.parsers.columns.labels import label_code
from tests.scoring.files.worlds import write_world
from tests.scoring.metrics.labelled_worlds import NAMES, LabelledWorld, labelled_world

FIGURES = (CLASS_MAP50, CLASS_MAP75, CLASS_MAP)


def coco_class_ap(world: LabelledWorld) -> Any:
    """Thresholds × classes by pycocotools."""
    from pycocotools.coco import COCO
    from pycocotools.cocoeval import COCOeval

    notes, found = [], []
    for image, (true, said, labels, given, scores) in enumerate(zip(*world, strict=True), 1):
        for (x1, y1, x2, y2), name in zip(true.tolist(), labels, strict=True):
            box = {"bbox": [x1, y1, x2 - x1, y2 - y1], "area": (x2 - x1) * (y2 - y1), "iscrowd": 0}
            notes.append({"id": len(notes) + 1, "image_id": image, "category_id": NAMES.index(name) + 1, **box})
        for (x1, y1, x2, y2), name, mark in zip(said.tolist(), given, scores.tolist(), strict=True):
            box = {"bbox": [x1, y1, x2 - x1, y2 - y1], "score": mark}
            found.append({"image_id": image, "category_id": NAMES.index(name) + 1, **box})
    pictures = [{"id": k + 1} for k in range(len(world.true))]
    kinds = [{"id": k + 1, "name": name} for k, name in enumerate(NAMES)]
    with contextlib.redirect_stdout(io.StringIO()):
        truths = COCO()
        truths.dataset = {"info": {}, "images": pictures, "annotations": notes, "categories": kinds}
        truths.createIndex()
        work = COCOeval(truths, truths.loadRes(found), "bbox")
        work.params.areaRng, work.params.areaRngLbl, work.params.maxDets = [[0, 1e10]], ["all"], [1000]
        work.evaluate()
        work.accumulate()
    return work.eval["precision"][:, :, :, 0, 0].mean(axis=1)


def batch(world: LabelledWorld, scored: bool = True) -> Batch:
    said, true = (world.said, world.labels), (world.true, world.true_labels)
    return labelled_batch(true[0], said[0], true[1], said[1], world.scores if scored else None)


@pytest.mark.parametrize("seed", range(4))
def test_with_scores_it_is_pycocotools(seed: int) -> None:
    pytest.importorskip("pycocotools")
    world = labelled_world(seed)
    expected = coco_class_ap(world)
    state = ClassDetectionState()
    state.count(batch(world))
    for level, threshold in ((0, 0.5), (5, 0.75)):
        found = calculate_class_ap(
            world.true, world.said, world.true_labels, world.labels, threshold=threshold, scores=world.scores
        )
        assert [found[name] for name in NAMES] == pytest.approx(expected[level].tolist(), abs=1e-12)
    assert CLASS_MAP50.compute(state).value == pytest.approx(expected[0].mean(), abs=1e-12)
    assert CLASS_MAP.compute(state).value == pytest.approx(expected.mean(), abs=1e-12)
    assert len(COCO_THRESHOLDS) == len(expected)


@pytest.mark.parametrize("seed", range(3))
def test_without_scores_each_class_is_scored_by_itself(seed: int) -> None:
    world = labelled_world(seed)
    found = calculate_class_ap(world.true, world.said, world.true_labels, world.labels)
    for name in NAMES:
        sides = [
            [
                boxes[[k for k, one in enumerate(labels) if one == name]]
                for boxes, labels in zip(side, names, strict=True)
            ]
            for side, names in ((world.true, world.true_labels), (world.said, world.labels))
        ]
        assert found[name] == calculate_detection_ap(*sides)


@pytest.mark.parametrize("scored", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
def test_order_split_and_merge_change_nothing(scored: bool, weighted: bool) -> None:
    whole = batch(labelled_world(9), scored)
    chance = random.Random(3)
    weights = np.array([chance.choice([0.5, 1, 3]) for _ in range(len(whole))]) if weighted else None
    whole = Batch(whole.truth, whole.reply, whole.answered, whole.clusters % np.uint64(20), weights=weights)
    statistics = ShapeClassStatistics()
    statistics.add(whole.truth, 0)
    context = MetricContext(target_statistics=statistics)

    def told(state: ClassDetectionState) -> Any:
        return [figure.compute(state) for figure in FIGURES], state.breakdowns()

    one = ClassDetectionState(context)
    one.count(whole)
    rows = list(range(len(whole)))
    chance.shuffle(rows)
    left, right, held = ClassDetectionState(context), ClassDetectionState(context), ClassDetectionState()
    for number in range(4):
        part = np.array(rows[number::4])
        piece = Batch(
            whole.truth.take(part),
            whole.reply.take(part),
            whole.answered[part],
            whole.clusters[part],
            weights=None if weights is None else weights[part],
        )
        (left if number % 2 else right).count(piece)
        held.count(piece)
    left.merge(right)
    assert told(left) == told(one)
    assert [figure.compute(held).value for figure in FIGURES] == [figure.compute(one).value for figure in FIGURES]


def test_weights_count_as_repeats() -> None:
    world = labelled_world(2, 20)
    plain = batch(world, False)
    rows = np.repeat(np.arange(20), [1 + k % 3 for k in range(20)])
    repeated = Batch(plain.truth.take(rows), plain.reply.take(rows), plain.answered[rows], plain.clusters[rows])
    weighted = Batch(
        plain.truth, plain.reply, plain.answered, plain.clusters, weights=np.array([1.0 + k % 3 for k in range(20)])
    )
    values = []
    for one in (repeated, weighted):
        state = ClassDetectionState()
        state.count(one)
        values.append([figure.compute(state).value for figure in FIGURES])
    assert values[0] == pytest.approx(values[1], abs=1e-12)


def test_labels_nobody_knows_cost_their_class_and_add_none() -> None:
    box = [[0.0, 0, 10, 10]]
    found = calculate_class_ap([box, box], [box, box], [["ship"], ["ship"]], [["Ship"], ["kite"]])
    assert found == {"ship": pytest.approx(51 / 101)}
    assert label_code("kite") != label_code("ship")


def test_files_with_labels_have_figures_by_class(tmp_path: Path) -> None:
    ship, plane = ("<box>0 0 10 10</box><label>ship</label>", "<box>20 20 40 40</box><label>plane</label>")
    pairs = [(f"2 {ship}{plane}", f"2 {ship}{plane.replace('plane', 'ship')}"), (f"1 {plane}", f"1 {plane}")]
    report = score(*write_world(tmp_path, {"水平区域检测": pairs}), output_dir=str(tmp_path / "r"))
    assert report.value("水平区域检测", "ap50") == 1
    ap = [51 / 101 * 1.0, 51 / 101]  # ship: 1 of 2 predictions is right, all found; plane: 1 of 2 is found
    ap = [0.5, 51 / 101]
    assert report.value("水平区域检测", "class_map50") == pytest.approx(np.mean(ap))
    tables = {table.name: table for table in report.summary.breakdowns}
    assert [row[0] for row in tables["per_class"].rows] == ["plane", "ship"]
    assert report.value("水平区域检测", "tide_cls") == pytest.approx(1 - np.mean(ap))


def test_files_without_labels_have_no_figure_by_class(tmp_path: Path) -> None:
    pairs = [("1 <box>0 0 10 10</box>", "1 <box>0 0 10 10</box>")]
    report = score(*write_world(tmp_path, {"水平区域检测": pairs}), output_dir=str(tmp_path / "r"))
    names = {row.metric for row in report.summary.rows}
    assert "ap50" in names and not names & {"class_map50", "class_map", "tide_cls", "tide_both"}
    assert report.value("水平区域检测", "tide_miss") == 0
