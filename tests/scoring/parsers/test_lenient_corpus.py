"""Lenient reading on a published corpus of replies: wrong readings are rarer than 1 in 1,000."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import numpy as np

from sightline.core.reply_formats import REPLY_SPACES
from sightline.data.columns import TextColumn
from sightline.scoring.parsers.base import ColumnParser
from sightline.scoring.parsers.columns.indices import INDICES
from sightline.scoring.parsers.columns.labels import LABEL, YES_NO
from sightline.scoring.parsers.columns.numbers import NUMBER
from sightline.scoring.parsers.columns.shapes import BOXES, POLYGONS
from sightline.scoring.parsers.columns.texts import TEXT
from sightline.scoring.parsers.lenient.reader import parse_rewritten, read_leniently
from tests.scoring.parsers.replies.rules import FOLDER, LABELS, corpus, corpus_text

PARSERS: dict[str, ColumnParser] = {
    "count": NUMBER,
    "yesno": YES_NO,
    "label": LABEL,
    "indices": INDICES,
    "boxes": BOXES,
    "polygons": POLYGONS,
    "caption": TEXT,
}
VOCABULARY = frozenset(LABELS)


def read_as_product(kind: str, reply: str) -> Any:
    """The reading of a reply as asked, else leniently; None where it has none."""
    parser, space = PARSERS[kind], ""
    column = parser.read(TextColumn.of([reply]))
    is_known = kind != "label" or parser.value(column.values) in VOCABULARY if column.errors[0] == 0 else False
    if not is_known or kind == "caption":
        made = read_leniently(TextColumn.of([reply]), parser, VOCABULARY, lambda rows: None, declared=False)
        if len(made.rows):
            made, column = parse_rewritten(made, parser)
            space = REPLY_SPACES[made.spaces[0] - 1] if made.spaces[0] else ""
        elif kind != "caption":
            return None
    if column.errors[0]:
        return None
    value = parser.value(column.values)
    if kind in ("boxes", "polygons"):
        shapes = [np.ravel(shape).tolist() for shape in value["shapes"]]
        return {"space": space, "shapes": shapes}
    return value


def test_the_published_file_is_what_the_rules_make() -> None:
    assert (FOLDER / "corpus.jsonl").read_text(encoding="utf-8") == corpus_text()


def test_wrong_readings_are_rarer_than_one_in_a_thousand() -> None:
    cases = corpus()
    assert len(cases) >= 2000
    wrong, missed, read = [], [], Counter[str]()
    for case in cases:
        found = read_as_product(case["kind"], case["reply"])
        if found is not None and json.dumps(case["reading"]) != json.dumps(found) and case["reading"] != found:
            wrong.append((case, found))
        elif found is None and case["reading"] is not None:
            missed.append(case)
        read[case["kind"]] += 1
    assert len(wrong) < len(cases) / 1000, wrong[:20]
    readable = sum(case["reading"] is not None for case in cases)
    assert len(missed) < 0.02 * readable, missed[:20]
    assert min(read.values()) >= 50


def test_equal_numbers_of_several_parts_are_not_the_number_of_all() -> None:
    parts = [
        "2 on the left, 2 on the right",
        "Two in the north and two in the south.",
        "左边2艘，右边2艘",
        "左边三艘，右边三艘",
    ]
    assert [read_as_product("count", reply) for reply in parts] == [None] * 4
    assert read_as_product("count", "There are 3 ships: 3 in total.") == 3
    assert read_as_product("count", "I see 12 ships, so the number is 12.") == 12
    assert read_as_product("count", "一张图中，有5辆车") == 5
