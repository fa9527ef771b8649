"""Known faults of published scorers: each reproduction against arithmetic written down here once more."""

from __future__ import annotations

import csv
import json
import random
from pathlib import Path

import pytest

from sightline import score, score_one
from sightline.core.errors import UnknownNameError
from sightline.scoring.known_faults import KNOWN_FAULTS

SIZE = (200.0, 100.0)


def tag(box: tuple[float, ...]) -> str:
    return "<box>" + "".join(f"<{number:g}>" for number in box) + "</box>"


def published_iou(one: tuple[float, ...], other: tuple[float, ...], plus: float) -> float:
    """IoU the way the scripts write it, with `plus` added to every width and height."""
    width = max(0.0, min(one[2], other[2]) - max(one[0], other[0]) + plus)
    height = max(0.0, min(one[3], other[3]) - max(one[1], other[1]) + plus)
    areas = [(box[2] - box[0] + plus) * (box[3] - box[1] + plus) for box in (one, other)]
    return width * height / (sum(areas) - width * height)


def random_boxes(count: int) -> list[tuple[tuple[float, ...], tuple[float, ...]]]:
    dice = random.Random(3)

    def box() -> tuple[float, ...]:
        x, y = dice.uniform(0, 120), dice.uniform(0, 60)
        return x, y, x + dice.uniform(5, 80), y + dice.uniform(5, 40)

    made = []
    for _ in range(count):
        truth = box()
        near = tuple(
            number + shift
            for number, shift in zip(truth, (*(dice.uniform(-4, 4) for _ in range(2)), 8, 6), strict=True)
        )
        made.append((truth, near if dice.random() < 0.6 else box()))
    return made


def scaled(box: tuple[float, ...], extent: float) -> tuple[float, ...]:
    return tuple(number / side * extent for number, side in zip(box, SIZE * 2, strict=True))


@pytest.mark.parametrize(("fault", "extent"), [("plus-one-iou-0-1", 1.0), ("plus-one-iou-0-100", 100.0)])
def test_plus_one_iou_equals_the_published_arithmetic(fault: str, extent: float) -> None:
    for truth, reply in random_boxes(40):
        wanted = published_iou(scaled(truth, extent), scaled(reply, extent), 1.0)
        found = score_one(tag(truth), tag(reply), "视觉定位", scoring=fault, size=SIZE, truth_coords="pixels")
        assert found["ap50"] == float(wanted >= 0.5), (truth, reply, wanted)


def test_a_constant_box_passes_where_one_is_added_between_0_and_1() -> None:
    """The fault by which a published 85 % became 12 % when it was corrected."""
    truth, centre = (40.0, 20.0, 80.0, 50.0), (70.0, 35.0, 130.0, 65.0)
    assert score_one(tag(truth), tag(centre), "视觉定位", size=SIZE)["ap50"] == 0
    assert score_one(tag(truth), tag(centre), "视觉定位", scoring="plus-one-iou-0-1", size=SIZE)["ap50"] == 1


def test_corners_taken_for_sizes() -> None:
    hits = 0
    for truth, reply in random_boxes(60):
        wrong = [(x, y, x + x2, y + y2) for x, y, x2, y2 in (truth, reply)]
        wanted = float(published_iou(wrong[0], wrong[1], 0.0) >= 0.5)
        assert score_one(tag(truth), tag(reply), "视觉定位", scoring="corners-as-sizes")["ap50"] == wanted
        hits += wanted == 1 and published_iou(truth, reply, 0.0) < 0.5
    assert hits > 0  # the fault accepts boxes that are wrong


def test_best_space_flatters_a_box_of_another_space() -> None:
    truth = (20.0, 30.0, 80.0, 70.0)
    thousandths = tag((100, 300, 400, 700))
    assert score_one(tag(truth), thousandths, "视觉定位", size=SIZE)["ap50"] == 0
    assert score_one(tag(truth), thousandths, "视觉定位", size=SIZE, scoring="best-space")["ap50"] == 1
    assert score_one(tag(truth), tag((0.1, 0.3, 0.4, 0.7)), "视觉定位", size=SIZE, scoring="best-space")["ap50"] == 1
    assert score_one(tag(truth), tag(truth), "视觉定位", size=SIZE, scoring="best-space")["ap50"] == 1


def test_split_decimals_destroys_a_right_box() -> None:
    truth = "<box><12.5><30.5><80.5><70.5></box>"
    assert score_one(truth, truth, "视觉定位")["ap50"] == 1
    assert score_one(truth, truth, "视觉定位", scoring="split-decimals")["ap50"] == 0
    whole = "<box><12><30><80><70></box>"
    assert score_one(whole, whole, "视觉定位", scoring="split-decimals")["ap50"] == 1


@pytest.mark.parametrize(
    ("gt", "output", "task"),
    [
        ("3", "There are 13 cars.", "计数"),
        ("2", "I see two or three ships.", "计数"),
        ("Yes", "Yesterday's image shows nothing.", "VQA1"),
        ("ship", "not a ship but a car", "细粒度识别"),
    ],
)
def test_substring_accepts_wrong_answers(gt: str, output: str, task: str) -> None:
    assert score_one(gt, output, task)["accuracy"] == 0
    assert score_one(gt, output, task, scoring="substring")["accuracy"] == 1


def test_substring_leaves_what_does_not_contain_the_truth() -> None:
    assert score_one("7", "8", "计数", scoring="substring")["accuracy"] == 0
    assert score_one("7", "7", "计数", scoring="substring")["accuracy"] == 1


def write_files(place: Path, rows: list[tuple[str, str, str]]) -> None:
    (place / "anno").mkdir()
    (place / "out").mkdir()
    with (place / "anno/a.txt").open("w") as truths, (place / "out/a_output.txt").open("w") as replies:
        for number, (task, gt, output) in enumerate(rows):
            truths.write(json.dumps({"gt": gt, "task": task, "source": f"{number}.png", "frames": ""}) + "\n")
            replies.write(json.dumps({"model_output": output, "source": f"{number}.png"}) + "\n")


def test_file_order_changes_ap_although_nothing_else_does(tmp_path: Path) -> None:
    good, bad = (0.0, 0.0, 10.0, 10.0), (50.0, 50.0, 60.0, 60.0)
    rows = [
        ("水平区域检测", "1 " + tag(good), "1 " + tag(good if right else bad)) for right in (True,) * 5 + (False,) * 5
    ]
    found = {}
    for name, order in (("first", rows), ("last", rows[::-1])):
        place = tmp_path / name
        place.mkdir()
        write_files(place, order)
        for fault in ("", "file-order-ap"):
            report = score(place / "anno", place / "out", output_dir=str(place / f"r{fault}"), scoring=fault)
            found[name, fault] = report.value("水平区域检测", "ap50")
    assert found["first", ""] == found["last", ""]
    assert found["first", "file-order-ap"] == pytest.approx(51 / 101)  # five hits, then five misses
    # the misses first: precision 5/10 at the last hit, which is the highest anywhere
    assert found["last", "file-order-ap"] == pytest.approx(0.5 * 51 / 101)


def test_unread_replies_leave_the_denominator(tmp_path: Path) -> None:
    write_files(tmp_path, [("计数", "3", "3"), ("计数", "4", "no idea"), ("计数", "5", ""), ("计数", "6", "7")])
    right = score(tmp_path / "anno", tmp_path / "out", output_dir=str(tmp_path / "right"))
    faulty = score(tmp_path / "anno", tmp_path / "out", output_dir=str(tmp_path / "faulty"), scoring="unread-left-out")
    assert (right.value("计数", "accuracy"), faulty.value("计数", "accuracy")) == (0.25, 0.5)
    assert any("known fault" in str(line) for line in faulty.summary.deviations)


def test_the_page_shows_every_fault_that_concerns_the_files(tmp_path: Path) -> None:
    box = "<box><12.5><30.5><80.5><70.5></box>"
    write_files(tmp_path, [("视觉定位", box, box), ("计数", "3", "13"), ("计数", "4", "?")])
    score(tmp_path / "anno", tmp_path / "out", output_dir=str(tmp_path / "r"), known_faults=True)
    with (tmp_path / "r/known_faults.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    found = {(row["task"], row["fault"], row["metric"]): row for row in rows}
    assert {row["fault"] for row in rows} == set(KNOWN_FAULTS)
    counting = found["计数", "substring", "accuracy"]
    assert (float(counting["correct"]), float(counting["with_fault"])) == (0.0, 0.5)
    assert float(found["视觉定位", "split-decimals", "ap50"]["difference"]) == -1
    page = (tmp_path / "r/known_faults.html").read_text("utf-8")
    assert "LHRS-Bot" in page and "已知" in page
    assert "RSThinker" in (tmp_path / "r/known_faults.md").read_text("utf-8")


def test_an_unknown_fault_is_named_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="plus-one-iou-0-1"):
        score_one("3", "3", "计数", scoring="plus-one-iou-01")
