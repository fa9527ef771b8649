"""Lenient reading of replies that were written without knowledge of the reader, and of hostile ones."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from sightline import score_one
from tests.scoring.parsers.replies.rules import FOLDER
from tests.scoring.parsers.test_lenient_corpus import read_as_product


def held_out() -> list[tuple[str, str, Any, str]]:
    """Kind, reply, right reading, remark."""
    lines = (FOLDER / "held_out.tsv").read_text(encoding="utf-8").splitlines()
    rows = [(line + "\t").split("\t")[:4] for line in lines if not line.startswith("#")]
    return [(kind, json.loads(reply), json.loads(reading), remark) for kind, reply, reading, remark in rows]


def test_wrong_readings_of_held_out_replies_are_the_known_ones() -> None:
    # Before the reader was mended on them: 22 of 371 wrong, 31 missed; then 13 of 139 wrong, 18 missed.
    # Since it was mended on both, neither is a held-out sample.
    cases = held_out()
    found = [(read_as_product(kind, reply), reading, reply, remark) for kind, reply, reading, remark in cases]
    wrong = {reply for value, reading, reply, _ in found if value is not None and value != reading}
    assert wrong == {reply for *_, reply, remark in found if remark}
    missed = [reply for value, reading, reply, _ in found if value is None and reading is not None]
    assert len(missed) <= 38, missed


@pytest.mark.parametrize(
    ("kind", "reply"),
    [
        ("count", r"\boxed{5} \boxed{6}"),
        ("count", "<answer>5</answer> <answer>6</answer>"),
        ("count", r"<answer>5</answer> \boxed{6}"),
        ("count", "\\boxed{5}\nAnswer: 6"),
        ("count", "<|begin_of_box|>5<|end_of_box|><answer>6</answer>"),
        ("yesno", r"\boxed{yes}\boxed{no}"),
        ("yesno", "true false"),
        ("yesno", "Yes. It is false."),
        ("label", r"\boxed{ship} \boxed{car}"),
        ("label", "<answer>ship</answer> <answer>car</answer>"),
        ("indices", "<answer>[1]</answer><answer>[2]</answer>"),
        ("indices", "The top 3 images are 1, 4 and 6."),
        ("boxes", "<answer>[1,2,3,4]</answer><answer>[5,6,7,8]</answer>"),
        ("boxes", r"\boxed{[1,2,3,4]} \boxed{[5,6,7,8]}"),
    ],
)
def test_several_different_answers_are_none(kind: str, reply: str) -> None:
    assert read_as_product(kind, reply) is None


@pytest.mark.parametrize(
    ("kind", "reply", "reading"),
    [
        ("count", r"<answer>\boxed{5}</answer>", 5),
        ("count", "<answer>5</answer>\nAnswer: 5 ships", 5),
        ("count", "The answer is as follows.\n\\boxed{5}", 5),
        ("yesno", r"<answer>Yes</answer> \boxed{yes}", "yes"),
    ],
)
def test_an_answer_that_is_marked_twice_is_one(kind: str, reply: str, reading: Any) -> None:
    assert read_as_product(kind, reply) == reading


@pytest.mark.parametrize(
    "reply",
    [
        "{<1><2><3><4>|<1e999>}",
        '{"cx": 1, "cy": 1, "w": 1, "h": 2, "angle": 1e400}',
        '{"x": 1e308, "y": 1, "w": 1e308, "h": 2}',
        '[{"rbox": [1, 2, 3, 4, 1e999]}]',
        "[1e400, 2, 3, 4]",
        "[NaN, 2, 3, 4]",
        '[{"bbox_2d": [Infinity, 1, 2, 3]}]',
    ],
)
def test_numbers_without_bounds_are_no_boxes(reply: str) -> None:
    assert read_as_product("boxes", reply) is None
    assert score_one("<box><1><2><3><4></box>", reply, "视觉定位", size=(100, 100))["lenient_score"] == 0.0


@pytest.mark.parametrize("kind", ["count", "yesno", "label", "indices", "boxes", "polygons", "caption"])
@pytest.mark.parametrize(
    "unit", ["<answer>", "\\boxed{", "\\text{", "<|begin_of_box|>", "<answer><", "is a ", "是否", "y1 ", "no image "]
)
def test_time_grows_with_the_length(kind: str, unit: str) -> None:
    def seconds(length: int) -> float:
        start = time.process_time()
        read_as_product(kind, unit * (length // len(unit)))
        return time.process_time() - start

    seconds(1000)
    short = min(seconds(50_000) for _ in range(2))
    assert seconds(400_000) < 30 * max(short, 0.01)
