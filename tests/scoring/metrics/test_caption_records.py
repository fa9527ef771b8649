"""Caption metrics over grades: equal to the COCO caption code; any split and order gives the same digits."""

from __future__ import annotations

import random
from typing import Any

import pytest

from sightline.core.records import Estimate, Grade
from tests.scoring.metrics.caption_texts import captions, official_scores
from tests.support.evaluators import estimate_grades, group_of_grades

METRICS = {"bleu4": "bleu", "cider": "cider", "rouge_l": "rouge_l"}
"""The official code's names, and the metrics'."""


def grades(seed: int, count: int) -> list[Grade]:
    references, replies = captions(seed, count)
    references[0] = "a road"  # the official code fails where no reference has a word
    return [
        Grade(
            sample=f"s{place}",
            task="t",
            status="answered",
            cluster=f"c{place % 5}",
            values={"reply": reply, "references": [reference, "another one"]},
        )
        for place, (reference, reply) in enumerate(zip(references, replies, strict=True))
    ]


def folded(name: str, some: list[Grade]) -> Estimate:
    return estimate_grades(METRICS[name], some)


@pytest.mark.parametrize("name", METRICS)
def test_equal_to_the_coco_caption_code(name: str) -> None:
    pytest.importorskip("pycocoevalcap")
    some = grades(3, 60)
    expected = official_scores(
        [grade.values["references"] for grade in some], [grade.values["reply"] for grade in some]
    )
    found = folded(name, some)
    assert found.value == pytest.approx(expected[name][0], rel=1e-9, abs=1e-9)
    assert found.n == 60 and found.low is not None


@pytest.mark.parametrize("name", METRICS)
def test_any_split_in_any_order_is_folding(name: str) -> None:
    some = grades(4, 40)
    chance = random.Random(1)
    shards: list[list[Grade]] = [[] for _ in range(3)]
    for grade in chance.sample(some, len(some)):
        chance.choice(shards).append(grade)
    merged = group_of_grades(METRICS[name], [])
    for shard in shards:
        merged.merge(group_of_grades(METRICS[name], shard))
    assert merged.estimate(merged.metrics[0]) == folded(name, some)


@pytest.mark.parametrize("name", METRICS)
def test_which_grades_count(name: str) -> None:
    assert folded(name, []).value is None
    some = grades(5, 20)
    texts: dict[str, Any] = {"reply": "a road", "references": "a road"}
    others = [
        Grade(sample="f", task="t", status="failed", values=texts),
        Grade(sample="i", task="t", status="invalid"),
        Grade(sample="o", task="t", status="answered", values={"reply": "a"}),
    ]
    found, plain = folded(name, some + others), folded(name, some)
    assert (found.value, found.n, found.failed, found.invalid) == (plain.value, 20, 1, 1)
    unread = Grade(sample="u", task="t", status="unparsed", values=texts)
    empty = Grade(sample="u", task="t", status="answered", values={**texts, "reply": ""})
    told = folded(name, [*some, unread])
    assert (told.value, told.n, told.unparsed) == (folded(name, [*some, empty]).value, 21, 1)


def test_a_lone_sample_has_no_cider() -> None:
    found = folded("cider", grades(1, 1))
    assert found.value is None and found.reason == "fewer than two samples"
