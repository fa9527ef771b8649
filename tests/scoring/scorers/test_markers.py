"""What every marker owes: its examples hold, no text and no truth makes it raise, and a mark is a sound one."""

from __future__ import annotations

import inspect
import json
import math
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sightline.core.records import State
from sightline.scoring.scorers import Asked, Mark
from sightline.scoring.scorers.examples import asked_of
from sightline.scoring.scorers.legacy_rules import SEED_RULES, apply_seed_rule
from tests.scoring.scorers.markers import MARKERS

NAMES = sorted(MARKERS)
plain_values = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
values = st.recursive(
    plain_values,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.text(max_size=4) | st.sampled_from(["steps", "final", "name", "arguments"]), inner, max_size=4
        )
    ),
    max_leaves=8,
)
WORDS = [
    "answer",
    "is",
    ":",
    "A",
    "B",
    "C",
    "(",
    ")",
    "**",
    "选",
    "答案",
    "not",
    "1",
    "12",
    "3.5",
    "1,000",
    "-2",
    "3/4",
    "%",
    "=",
    "$",
    "€",
    "10^5",
    "e9",
    "三十六",
    "一共",
    "{",
    "}",
    "[",
    "]",
    '"',
    "'",
    ",",
    "\\",
    "`",
    "```python",
    "|",
    "\n",
    "step",
    "1.",
    "Final:",
    "name",
    "arguments",
    "f(",
    "x=",
    ")",
    "<think>",
    "</think>",
    "<answer>",
    "\\boxed{",
    "�",
    "\u2028",
    "½",
    "²",
    "\x00",
    "nan",
    "inf",
    "~",
    "±",
    "．",
    "１２",
]
texts = st.text(max_size=40) | st.lists(st.sampled_from(WORDS), max_size=14).map(" ".join) | values.map(json.dumps)
HOSTILE = [
    *("{" * 5000, "[" * 5000, '{"a":' * 3000, '{"' * 3000, 'f(x="' * 3000, "f(x=[" * 3000, "9" * 9000, "1," * 5000),
    *("answer: " * 5000, "<think>" * 3000, "\\boxed{" * 3000, "|a|1|\n" * 3000, "1" + ",111" * 3000 + "1"),
    *("三十六" * 3000, "= " * 5000, "-" * 9000, "```python\n" * 2000, "\0" * 100, "\ud800" * 100, "1e99999", "1/0"),
    *(
        "万亿" * 50,
        "百分之" * 50,
        "x" * 30_000,
        "(B) " * 3000,
        "选A" * 3000,
        "Step 1: 3\n" * 3000,
        '"' * 3001,
        "'" * 3001,
    ),
]


def assert_sound(found: Mark) -> None:
    assert found.state in get_args(State)
    assert math.isfinite(found.score) and 0 <= found.score <= 1
    assert found.score == 0 or found.state == "ok"
    assert all(math.isfinite(value) for value in found.values.values() if isinstance(value, float))
    if found.state != "ok":
        assert found.note


@pytest.mark.parametrize("name", NAMES)
def test_it_takes_and_refuses_what_it_says(name: str) -> None:
    marker = MARKERS[name]
    assert marker.title and inspect.getdoc(type(marker))
    assert marker.accepts and marker.refuses
    for target, reply in marker.accepts:
        assert marker.mark(reply, asked_of(target)).score == 1, reply
    for target, reply in marker.refuses:
        found = marker.mark(reply, asked_of(target))
        assert_sound(found)
        assert found.score < 1, reply


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=120, deadline=None)
@given(reply=texts, target=values, options=st.lists(st.text(max_size=6), max_size=4), fact=values)
def test_it_never_raises(name: str, reply: str, target: Any, options: list[str], fact: Any) -> None:
    facts = {"tolerance": fact, "absolute": fact, "reached": fact, "turns": fact, "best_turns": fact, "folder": fact}
    for told in ({}, facts):
        assert_sound(MARKERS[name].mark(reply, Asked(target=target, options=tuple(options), facts=told)))


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=80, deadline=None)
@given(reply=texts, data=st.data())
def test_it_never_raises_where_the_truth_is_sound(name: str, reply: str, data: st.DataObject) -> None:
    target, _ = data.draw(st.sampled_from(MARKERS[name].accepts + MARKERS[name].refuses))
    found = MARKERS[name].mark(reply, asked_of(target))
    assert_sound(found)
    assert found.state != "invalid"


@pytest.mark.parametrize("name", NAMES)
def test_hostile_replies_are_marked(name: str) -> None:
    for target, _ in MARKERS[name].accepts[:2]:
        for reply in HOSTILE:
            assert_sound(MARKERS[name].mark(reply, asked_of(target)))


@pytest.mark.parametrize("name", [name for name in NAMES if name != "success"])
def test_thinking_is_no_answer_and_nothing_is_unparsed(name: str) -> None:
    for target, reply in MARKERS[name].accepts:
        asked = asked_of(target)
        assert MARKERS[name].mark(f"<think>{reply} or else 77</think>{reply}", asked).score == 1
        for nothing in ("", " \n", f"<think>{reply}", "<think>x</think> "):
            assert MARKERS[name].mark(nothing, asked).state == "unparsed"


@settings(max_examples=100, deadline=None)
@given(name=st.sampled_from([*SEED_RULES, "bleu"]), reply=texts, target=values)
def test_plain_rules_never_raise(name: str, reply: str, target: Any) -> None:
    assert_sound(apply_seed_rule(name, reply, Asked(target=target, options=("a", "b"))))


def test_plain_rules() -> None:
    options = ("left", "right")
    assert apply_seed_rule("accuracy", " b ", Asked(target="right", options=options)).score == 1
    assert apply_seed_rule("accuracy", "Right", Asked(target="right", options=options)).score == 1
    assert apply_seed_rule("accuracy", "right.", Asked(target="right", options=options)).score == 0
    assert apply_seed_rule("contains", "It points NORTH", Asked(target="no")).score == 1
    assert apply_seed_rule("f1", "red circle", Asked(target=["red circle", "blue"])).score == 1
    assert apply_seed_rule("f1", "red", Asked(target="red circle blue")).score == 0
    assert apply_seed_rule("f1", "red", Asked(target="red circle blue")).values["f1"] == 0.5
    assert apply_seed_rule("bleu", "red", Asked(target="red")).state == "invalid"
