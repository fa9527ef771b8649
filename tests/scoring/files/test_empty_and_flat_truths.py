"""Truths without shapes and truths without area; true negatives; numbers that are no scores."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest

from sightline import score, score_one
from sightline.data.columns import TextColumn
from sightline.scoring.parsers.columns.shapes import BOXES, POLYGONS, QUADS
from sightline.scoring.truths import read_truths
from tests.scoring.files.worlds import write_lines, write_world

BOX, QUAD = "<box><1><1><5><5></box>", "<quad><0><0><10><0><10><10><0><10></quad>"
POLY, DOT = "<poly><0><0><10><0><10><10><0><10></poly>", "<dot><0><0><10><0><10><10><0><10></dot>"
FLAT = {
    "水平区域检测": f"2 {BOX}<box><3><1><3><9></box>",
    "旋转区域检测": "<quad><0><0><5><5><10><10><2><2></quad>",
    "视觉定位": "<box><3><1><3><9></box>",
    "语义分割": "<poly><0><0><5><5><10><10></poly>",
    "实例分割": f"{POLY}<poly><0.1><0.1><0.2><0.2><0.3><0.3><0.1><0.1></poly>",
    "变化检测": "<dot><7><0><7><5><7><9></dot>",
}


@pytest.mark.parametrize(("task", "truth"), FLAT.items())
def test_a_truth_without_area_is_invalid(task: str, truth: str) -> None:
    found = score_one(truth, truth, task)
    assert found["score"] is None and found["error"] == "bad gt: shape without area"


def test_rings_without_area_in_a_mask_change_nothing() -> None:
    truth = f"{POLY}<poly><0><0><5><5><10><10></poly>"
    assert score_one(truth, POLY, "语义分割")["score"] == 1


@pytest.mark.parametrize(
    ("task", "truth"),
    [
        ("旋转区域检测", "<quad><0><0><10><10><10><0><0><10></quad>"),
        ("语义分割", "<poly><0><0><10><10><10><0><0><10></poly>"),
        ("水平区域检测", "<box><5><5><1><1></box>"),
    ],
)
def test_a_crossed_outline_has_area(task: str, truth: str) -> None:
    """A bow-tie, whose signed area is 0."""
    assert score_one(truth, truth, task)["score"] == 1


def test_points_on_a_line_are_those_of_shapely() -> None:
    import shapely

    chance = np.random.default_rng(1)
    rings = [chance.integers(0, 4, (chance.integers(3, 6), 2)) for _ in range(400)]
    texts = ["<poly>" + " ".join(map(str, ring.ravel().tolist())) + "</poly>" for ring in rings]
    errors = read_truths(POLYGONS, TextColumn.of(texts)).errors > 0
    hulls = [shapely.MultiPoint(ring).convex_hull.area == 0 for ring in rings]
    assert errors.tolist() == hulls and 0 < sum(hulls) < 400


@pytest.mark.parametrize("task", ["水平区域检测", "旋转区域检测", "VQA3", "变化检测", "语义分割", "实例分割"])
@pytest.mark.parametrize("truth", ["", "  ", "0", "[]", "无"])
def test_an_empty_truth_means_that_there_is_nothing(task: str, truth: str) -> None:
    tag = {"旋转区域检测": QUAD, "变化检测": DOT, "语义分割": POLY, "实例分割": POLY}.get(task, BOX)
    assert score_one(truth, "0", task)["score"] == 1
    assert score_one(truth, tag, task)["score"] == 0
    assert score_one(truth, "", task)["score"] == 0


@pytest.mark.parametrize("task", ["视觉定位", "计数", "图片分类", "VQA1"])
def test_an_empty_truth_of_other_tasks_is_invalid(task: str) -> None:
    assert score_one("", "1", task)["score"] is None


@pytest.mark.parametrize("engine", ["threads", "serial"])
def test_a_row_without_gt_is_invalid_and_one_with_an_empty_gt_is_not(tmp_path: Path, engine: str) -> None:
    rows: list[dict[str, Any]] = [{"gt": ""}, {"gt": None}, {}, {"gt": []}, {"gt": DOT}]
    write_lines(tmp_path / "anno/a.txt", [{"task": "变化检测", "source": f"{k}", **row} for k, row in enumerate(rows)])
    write_lines(tmp_path / "out/a_output.txt", [{"model_output": "0", "source": f"{k}"} for k in range(5)])
    report = score(tmp_path / "anno", tmp_path / "out", output_dir=str(tmp_path / "r"), engine=engine)
    assert report.summary.statuses == {"answered": 3, "invalid": 2}
    assert report.value("变化检测", "miou") == pytest.approx(2 / 3)
    assert report.value("变化检测", "mask_true_negative_rate") == 1
    reasons = [line.split("\t")[2] for line in (tmp_path / "r/invalid_sample_log.txt").read_text().splitlines()]
    assert reasons.count("no gt") == 2


def test_true_negatives_are_reported(tmp_path: Path) -> None:
    pairs = [("0", "0"), ("", "none"), ("0", f"1 {BOX}"), ("0", "???"), (BOX, "0"), (BOX, BOX)]
    report = score(*write_world(tmp_path, {"水平区域检测": pairs}), output_dir=str(tmp_path / "r"))
    assert report.value("水平区域检测", "true_negative_rate") == 0.5
    tables = {table.name: table for table in report.summary.breakdowns}
    assert tables["presence"].head == ("truth", "shapes in the reply", "none in the reply", "unread")
    assert tables["presence"].rows == (("with objects", 1, 1, 0), ("without objects", 1, 2, 1))
    saved = json.loads((tmp_path / "r/report.json").read_text())
    assert "presence" in json.dumps(saved)
    assert duckdb.sql(f"SELECT count(*) FROM '{tmp_path}/r/grades.parquet' WHERE score = 1").fetchall() == [(3,)]


def scores(parser: Any, text: str) -> Any:
    read = parser.read(TextColumn.of([text]))
    return read.reasons[read.errors[0]], None if read.values.scores is None else read.values.scores.tolist()


@pytest.mark.parametrize(
    ("parser", "text"),
    [
        (BOXES, "<box><1,000><20><30><40></box>"),
        (BOXES, "<box><1,234><20><30><40></box>"),
        (BOXES, "<box>1,000,20,30,40</box>"),
        (BOXES, "<box><10><20><30><1,040></box>"),
        (BOXES, "<box>1,234,20,30,40</box>"),
        (QUADS, "<quad><1,000><0><10><0><10><10><0><10></quad>"),
    ],
)
def test_a_thousands_separator_makes_no_score(parser: Any, text: str) -> None:
    reason, given = scores(parser, text)
    assert reason and given is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<box><1><20><30><40><0.5></box>", [0.5]),
        ("<box><1,20,30,40,1></box>", [1.0]),
        ("<box><1,20><30,40></box>", None),
        ("<box>1 20 30 40 0</box>", [0.0]),
        ("<box><1,20,30,40></box><score>87</score>", [87.0]),
    ],
)
def test_scores_and_pairs_are_read_as_before(text: str, expected: Any) -> None:
    assert scores(BOXES, text) == ("", expected)


@pytest.mark.parametrize("task", ["水平区域检测", "旋转区域检测", "VQA3", "语义分割", "实例分割", "变化检测"])
def test_a_number_without_shapes_is_no_true_negative(task: str) -> None:
    """ "3" claims three objects: it is no right answer where there is none, and no truth."""
    assert score_one("0", "0", task)["score"] == 1.0
    claimed = score_one("0", "3", task)
    assert claimed["score"] == 0.0
    assert claimed.get("true_negative_rate", claimed.get("mask_true_negative_rate")) == 0.0
    assert score_one("3", "3", task)["error"].startswith("bad gt: no ")
