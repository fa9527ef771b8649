"""One JSON object out of any reply: the order of trust, what is mended, and nothing that a reply can do against it."""

from __future__ import annotations

import json
import math
import time
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sightline.core.records import Parsed, Unparsed
from sightline.scoring.parsers.json_object import MAX_DEPTH, read_json_object


@pytest.mark.parametrize(
    ("reply", "value", "rule"),
    [
        ('<json>{"a": 1}</json> and {"b": 2}', {"a": 1}, "json tags"),
        ('{"b": 2} <JSON>\n```json\n{"a": 1}\n```\n</JSON>', {"a": 1}, "json tags"),
        ('<json>{"a": 1}</json><json>{"b": 2}</json>', {"b": 2}, "json tags"),
        ('<json>{"a": 1}', {"a": 1}, "json tags"),
        ('<json>{"a": 1}</json><json>{"b": </json>', {"a": 1}, "json tags"),
        ('<|begin_of_box|>{"a": 1}<|end_of_box|> {"b": 2}', {"a": 1}, "box"),
        ('```json\n{"a": 1}\n``` {"b": 2}', {"a": 1}, "fence"),
        ('```\n{"a": 1}\n```', {"a": 1}, "fence"),
        ('```python\nx\n```\n```\n{"a": 1}', {"a": 1}, "fence"),
        ('draft {"a": 1}, final {"b": [{"c": {}}]}.', {"b": [{"c": {}}]}, "braces"),
        ('{"a": 1} where {} is empty', {"a": 1}, "braces"),
        ("{}", {}, "braces"),
        ('{ {"a": 1} }', {"a": 1}, "braces"),
        ('[{"a": 1}, {"b": 2}]', {"b": 2}, "braces"),
        ('<think>{"a": 1}</think>{"b": 2}', {"b": 2}, "braces"),
        (r'\text{kN} and {x: see} and {"p": [...]}, so {"p": [1]}', {"p": [1]}, "braces"),
        ('it\'s {"a": "it\'s"} isn\'t it', {"a": "it's"}, "braces"),
        ('{"p": [{"i": 1}, "l": []} again: {"p": 2}', {"p": 2}, "braces"),
    ],
)
def test_the_most_trusted_place_and_there_the_last_object(reply: str, value: Any, rule: str) -> None:
    assert read_json_object(reply) == Parsed(value, rule)


@pytest.mark.parametrize(
    ("reply", "value"),
    [
        ('{"a": 1, // one\n "b": 2}', {"a": 1, "b": 2}),
        ('{/* } */ "a": "// no /* comment */"}', {"a": "// no /* comment */"}),
        ('{"a": [1, 2,], "b": {"c": 3,},}', {"a": [1, 2], "b": {"c": 3}}),
        ("{'a': 'it\\'s \"so\"'}", {"a": 'it\'s "so"'}),
        ('{"a": True, "b": False, "c": None}', {"a": True, "b": False, "c": None}),
        ("{“a”: 1}", {"a": 1}),
        ("{points: [], _x: 1}", {"points": [], "_x": 1}),
        ('{"a": +1, "b": .5, "c": 5.}', {"a": 1.0, "b": 0.5, "c": 5.0}),
        (r'{"a": "\q"}', {"a": r"\q"}),
    ],
)
def test_what_is_mended_is_said(reply: str, value: Any) -> None:
    assert read_json_object(reply) == Parsed(value, "braces, mended")


def test_a_byte_order_mark_and_lines_in_strings_do_no_harm() -> None:
    assert read_json_object('\ufeff{\ufeff"a": "x\ny"}') == Parsed({"a": "x\ny"}, "braces")


def test_values_that_no_model_can_have_are_left_to_the_reader() -> None:
    found = read_json_object('{"a": NaN, "b": -Infinity, "c": 1e999, "d": ' + "9" * 5000 + "}")
    assert isinstance(found, Parsed)
    assert math.isnan(found.value["a"])
    assert [found.value[k] for k in "bcd"] == [-math.inf, math.inf, math.inf]


def test_half_a_surrogate_does_not_get_through() -> None:
    found = read_json_object('{"a": "\\ud800"}')
    assert isinstance(found, Parsed) and found.value["a"].encode() == "\ufffd".encode()


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("", "no JSON object"),
        ("no braces at all", "no JSON object"),
        ("[1, 2]", "no JSON object"),
        ('<think>{"a": 1}', "no JSON object"),
        ('{"points": [{"id": 1}, {"id":', "broken or cut off"),
        ('{"points": [{"id": 1}, "links": [{"id": 2}]}', "broken or cut off"),
        ('{"a": 1 "b": {"c": 2}}', "broken or cut off"),
        ('{"a": 1 + 2}', "broken or cut off"),
        ('{"a": 01x}', "broken or cut off"),
    ],
)
def test_pieces_of_a_broken_object_are_not_the_answer(reply: str, reason: str) -> None:
    found = read_json_object(reply)
    assert isinstance(found, Unparsed) and reason in found.reason


@pytest.mark.slow
def test_depth_is_bounded_and_never_recursive() -> None:
    assert isinstance(read_json_object("[" * 100_000), Unparsed)
    assert isinstance(read_json_object('{"a":' + "[" * 100_000), Unparsed)
    assert isinstance(read_json_object('{"a":' + "[" * 100_000 + "]" * 100_000 + "}"), Unparsed)
    assert isinstance(read_json_object('{"a":' * 50_000 + "1" + "}" * 50_000), Unparsed)
    deep = '{"a":' + "[" * (MAX_DEPTH - 1) + "]" * (MAX_DEPTH - 1) + "}"
    assert read_json_object(deep) == Parsed(json.loads(deep), "braces")


HOSTILE = {
    "braces": "{",
    "tags": "<json>",
    "open tags": "<json>{",
    "quotes": '"',
    "quotes and backslashes": '"\\',
    "strings that never end": '{"\\',
    "strings that end in braces": '{"',
    "apostrophes": "{'",
    "bare keys": "{a:'",
    "objects": '{"a":',
    "whole objects": '{"a":1}',
    "empty objects": "{}",
    "line comments": "{//",
    "commented lines": "{//\n",
    "block comments": "{/*",
    "fences": "```json{",
    "boxes": "<|begin_of_box|>{",
    "unbalanced": "{x:(",
    "strange signs": '{"a":\x00',
    "smart quotes": "{“",
    "spaces": "{          ",
    "think": "<think>{",
}


@pytest.mark.slow
@pytest.mark.parametrize("piece", HOSTILE.values(), ids=HOSTILE.keys())
def test_a_megabyte_of_anything_takes_less_than_a_second(piece: str) -> None:
    started = time.process_time()
    read_json_object(piece * (1_000_000 // len(piece)))
    read_json_object('{"a": ' + piece * (1_000_000 // len(piece)))
    assert time.process_time() - started < 5  # quadratic reading would take hours


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**16), 10**16) | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(st.text(), JSON, min_size=1, max_size=5), st.booleans())
def test_whatever_json_writes_is_read_alike(value: dict[str, Any], ascii_only: bool) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only)
    if "<" not in text:
        assert read_json_object(f"<json>{text}</json>") == Parsed(value, "json tags")


@given(st.text() | st.text(alphabet="{}[]\":,\\'/*`<json>|_ab1.e-\n“”tnTN"))
@example('{"a":"\\')
@example("{'\\'\"")
def test_no_text_makes_it_raise(text: str) -> None:
    found = read_json_object(text)
    assert isinstance(found, Unparsed) or isinstance(found.value, dict)
