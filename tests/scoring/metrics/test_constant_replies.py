"""Blind baselines of shapes and masks: each is the figure of the same reply given to every sample."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sightline import score
from sightline.data.columns import TextColumn
from sightline.scoring.metrics.constant_replies import AVERAGE, CENTRE, EXTENT, GRID, NOTHING, ShapePrior
from sightline.scoring.parsers.columns.shapes import QUADS
from tests.scoring.files.worlds import annotations, outputs, write_lines, write_world

CHANCE = random.Random(4)


def text(boxes: Any, tag: str = "box") -> str:
    """Boxes in tags of any kind of shape."""
    corners = [0, 1, 2, 3] if tag == "box" else [0, 1, 2, 1, 2, 3, 0, 3]
    shapes = ["".join(f"<{float(box[k])!r}>" for k in corners) for box in boxes]
    return "".join(f"<{tag}>{shape}</{tag}>" for shape in shapes) or "0"


def truths(count: int, most: int, spread: float = 60) -> list[list[list[float]]]:
    made = []
    for _ in range(count):
        boxes = []
        for _ in range(most if most == 1 else CHANCE.randint(0, most)):
            x, y = CHANCE.uniform(0, spread), CHANCE.uniform(0, spread)
            boxes.append([x, y, x + CHANCE.uniform(20, 40), y + CHANCE.uniform(20, 40)])
        made.append(boxes)
    return made


def constants(made: list[list[list[float]]]) -> dict[str, Any]:
    """The candidates, written plainly."""
    every = np.array([box for boxes in made for box in boxes])
    low, high = every[:, :2].min(axis=0), every[:, 2:].max(axis=0)
    average = every.mean(axis=0)
    count = round(len(every) / len(made))
    columns = int(np.ceil(np.sqrt(count)))
    rows = int(np.ceil(count / columns))
    half = (average[2:] - average[:2]) / 2
    spots = [low + (high - low) * [(k % columns + 0.5) / columns, (k // columns + 0.5) / rows] for k in range(count)]
    quarter = (high - low) / 4
    return {
        NOTHING: [],
        EXTENT: [[*low, *high]],
        CENTRE: [[*(low + quarter), *(high - quarter)]],
        AVERAGE: [average],
        GRID: [[*(spot - half), *(spot + half)] for spot in spots],
    }


@pytest.mark.parametrize(
    ("task", "metric", "tag", "most", "names"),
    [
        ("视觉定位", "ap50", "box", 1, (EXTENT, CENTRE, AVERAGE)),
        ("水平区域检测", "ap50", "box", 6, (CENTRE, AVERAGE, GRID)),
        ("旋转区域检测", "ap50", "quad", 6, (CENTRE, AVERAGE, GRID)),
        ("语义分割", "miou", "poly", 3, (NOTHING, EXTENT)),
        ("变化检测", "miou", "dot", 1, (NOTHING, EXTENT)),
    ],
)
def test_the_baseline_is_the_best_constant_reply(
    tmp_path: Path, task: str, metric: str, tag: str, most: int, names: tuple[str, ...]
) -> None:
    made = truths(40, most, 10 if most == 1 else 60)
    replies = {name: text(boxes, tag) for name, boxes in constants(made).items() if name in names}
    values = {}
    for number, (name, reply) in enumerate(replies.items()):
        pairs = [(text(boxes, tag), reply) for boxes in made]
        folder = tmp_path / str(number)
        report = score(*write_world(folder, {task: pairs}), output_dir=str(folder / "r"))
        values[name] = report.value(task, metric)
        row = next(row for row in report.summary.rows if row.name == task and row.metric == metric)
        assert row.baseline is not None
        assert row.baseline.skill is not None and row.baseline.skill <= 1e-9
        found = row.baseline
    best = max(values, key=lambda name: values[name] or 0)
    assert found.value == pytest.approx(values[best], abs=1e-6), values
    assert found.name == best
    assert values[best]


def test_no_order_batch_or_engine_changes_it(tmp_path: Path) -> None:
    made = truths(50, 5)
    rows = annotations("水平区域检测", [text(boxes) for boxes in made])
    replies = outputs([text(boxes) for boxes in made])
    found = []
    for number, settings in enumerate(
        ({}, {"batch_size": 7}, {"engine": "serial"}, {"engine": "processes", "workers": 2, "batch_size": 9})
    ):
        order = CHANCE.sample(range(50), 50)
        write_lines(tmp_path / f"{number}/anno/a.txt", [rows[k] for k in order])
        write_lines(tmp_path / f"{number}/out/a_output.txt", [replies[k] for k in order])
        folder = tmp_path / str(number)
        report = score(folder / "anno", folder / "out", output_dir=str(folder / "r"), **settings)
        found.append([row.baseline for row in report.summary.rows if row.baseline is not None])
    assert found[0] and all(one == found[0] for one in found)


def test_the_prior_is_exact_and_merges() -> None:
    made = truths(30, 4)
    columns = [text(boxes, "quad") for boxes in made]
    whole, left, right = ShapePrior(), ShapePrior(), ShapePrior()
    whole.add(QUADS.read(TextColumn.of(columns)).values, 0)
    for k, column in enumerate(columns):
        (left if k % 2 else right).add(QUADS.read(TextColumn.of([column])).values, k)
    left.merge(right)
    assert {k: v.tolist() for k, v in left.candidates(False).items()} == {
        k: v.tolist() for k, v in whole.candidates(False).items()
    }
    loaded = ShapePrior()
    loaded.load_state_dict(whole.state_dict())
    assert loaded.candidates(True).keys() == {NOTHING, EXTENT}
    assert ShapePrior().candidates(True).keys() == {NOTHING} and not ShapePrior().candidates(False)


def test_retrieval_has_the_most_frequent_list(tmp_path: Path) -> None:
    pairs = [("1,2", "1"), ("2,1", "2"), ("3", "3"), ("1,2", "1,2")]
    report = score(*write_world(tmp_path, {"图片检索": pairs}), output_dir=str(tmp_path / "r"))
    row = next(row for row in report.summary.rows if row.name == "图片检索" and row.metric == "accuracy")
    assert row.baseline is not None and (row.baseline.name, row.baseline.value) == ("always 1,2", 0.75)
