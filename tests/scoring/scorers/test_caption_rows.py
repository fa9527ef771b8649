"""Caption metrics over grades: equal to the COCO caption code; any split and order gives the same digits."""

from __future__ import annotations

import random
from typing import Any

import pytest
from sightline.scoring.metrics.captions.rows import Bleu, CaptionMetric, Cider, RougeL

from sightline.core.records import Estimate, Grade
from tests.scoring.metrics.caption_texts import captions, official_scores

METRICS: dict[str, type[CaptionMetric]] = {"bleu4": Bleu, "cider": Cider, "rouge_l": RougeL}


def grades(seed: int, count: int) -> list[Grade]:
    references, replies = captions(seed, count)
    references[0] = "a road"  # the official code fails where no reference has a word
    return [
        Grade(
            sample=f"s{place}",
            task="t",
            state="ok",
            cluster=f"c{place % 5}",
            values={"reply": reply, "references": [reference, "another one"]},
        )
        for place, (reference, reply) in enumerate(zip(references, replies, strict=True))
    ]


def folded(name: str, some: list[Grade]) -> CaptionMetric:
    metric = METRICS[name]()
    for grade in some:
        metric.add(grade)
    return metric


@pytest.mark.parametrize("name", METRICS)
def test_equal_to_the_coco_caption_code(name: str) -> None:
    pytest.importorskip("pycocoevalcap")
    some = grades(3, 60)
    expected = official_scores(
        [grade.values["references"][0] for grade in some], [grade.values["reply"] for grade in some]
    )
    found = folded(name, some).result()
    assert found.value == pytest.approx(expected[name][0], rel=1e-9, abs=1e-9)
    assert found.n == 60 and found.low is not None


@pytest.mark.parametrize("name", METRICS)
def test_any_split_in_any_order_is_folding(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    some = grades(4, 40)
    expected = folded(name, some).result()
    monkeypatch.setattr("sightline.scoring.metrics.captions.rows._AT_ONCE", 7)
    chance = random.Random(1)
    shards: list[list[Grade]] = [[] for _ in range(3)]
    for grade in chance.sample(some, len(some)):
        chance.choice(shards).append(grade)
    merged = METRICS[name]()
    for shard in shards:
        merged.merge(folded(name, shard))  # type: ignore[arg-type]
    assert merged.result() == expected == merged.result()


@pytest.mark.parametrize("name", METRICS)
def test_which_grades_count(name: str) -> None:
    assert METRICS[name]().result() == Estimate(value=None)
    some = grades(5, 20)
    texts: dict[str, Any] = {"reply": "a road", "references": "a road"}
    others = [
        Grade(sample="f", task="t", state="failed", values=texts),
        Grade(sample="i", task="t", state="invalid"),
        Grade(sample="o", task="t", state="ok", values={"reply": "a"}),
    ]
    found, plain = folded(name, some + others).result(), folded(name, some).result()
    assert (found.value, found.n, found.failed, found.invalid) == (plain.value, 20, 1, 1)
    unread = Grade(sample="u", task="t", state="unparsed", values=texts)
    empty = Grade(sample="u", task="t", state="ok", values={**texts, "reply": ""})
    told = folded(name, [*some, unread]).result()
    assert (told.value, told.n, told.unparsed) == (folded(name, [*some, empty]).result().value, 21, 1)


def test_a_lone_sample_has_no_cider() -> None:
    found = folded("cider", grades(1, 1)).result()
    assert found.value is None and found.why == "fewer than two samples"
