"""What every scorer owes: its examples hold, no text and no truth makes it raise, and a mark is a sound one."""

from __future__ import annotations

import inspect
import json
import math
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sightline.core.records import Score, Status
from sightline.scoring.scorers import Question, make_question
from sightline.scoring.scorers.legacy_rules import SEED_RULES, apply_seed_rule
from tests.scoring.scorers.cases import SCORERS

NAMES = sorted(SCORERS)
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


def assert_sound(found: Score) -> None:
    assert found.status in get_args(Status)
    assert math.isfinite(found.value) and 0 <= found.value <= 1
    assert found.value == 0 or found.status == "answered"
    assert all(math.isfinite(value) for value in found.details.values() if isinstance(value, float))
    if found.status != "answered":
        assert found.message


@pytest.mark.parametrize("name", NAMES)
def test_it_takes_and_refuses_what_it_says(name: str) -> None:
    scorer = SCORERS[name]
    assert scorer.title and inspect.getdoc(type(scorer))
    assert scorer.accepts and scorer.refuses
    for target, reply in scorer.accepts:
        assert scorer.score(reply, make_question(target)).value == 1, reply
    for target, reply in scorer.refuses:
        found = scorer.score(reply, make_question(target))
        assert_sound(found)
        assert found.value < 1, reply


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=120, deadline=None)
@given(reply=texts, target=values, options=st.lists(st.text(max_size=6), max_size=4), fact=values)
def test_it_never_raises(name: str, reply: str, target: Any, options: list[str], fact: Any) -> None:
    facts = {"tolerance": fact, "absolute": fact, "reached": fact, "turns": fact, "best_turns": fact, "folder": fact}
    for told in ({}, facts):
        assert_sound(SCORERS[name].score(reply, Question(target=target, options=tuple(options), metadata=told)))


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=80, deadline=None)
@given(reply=texts, data=st.data())
def test_it_never_raises_where_the_truth_is_sound(name: str, reply: str, data: st.DataObject) -> None:
    target, _ = data.draw(st.sampled_from(SCORERS[name].accepts + SCORERS[name].refuses))
    found = SCORERS[name].score(reply, make_question(target))
    assert_sound(found)
    assert found.status != "invalid"


@pytest.mark.parametrize("name", NAMES)
def test_hostile_replies_are_marked(name: str) -> None:
    for target, _ in SCORERS[name].accepts[:2]:
        for reply in HOSTILE:
            assert_sound(SCORERS[name].score(reply, make_question(target)))


@pytest.mark.parametrize("name", [name for name in NAMES if name != "success"])
def test_thinking_is_no_answer_and_nothing_is_unparsed(name: str) -> None:
    for target, reply in SCORERS[name].accepts:
        asked = make_question(target)
        assert SCORERS[name].score(f"<think>{reply} or else 77</think>{reply}", asked).value == 1
        for nothing in ("", " \n", f"<think>{reply}", "<think>x</think> "):
            assert SCORERS[name].score(nothing, asked).status == "unparsed"


@settings(max_examples=100, deadline=None)
@given(name=st.sampled_from([*SEED_RULES, "bleu"]), reply=texts, target=values)
def test_plain_rules_never_raise(name: str, reply: str, target: Any) -> None:
    assert_sound(apply_seed_rule(name, reply, Question(target=target, options=("a", "b"))))


def test_plain_rules() -> None:
    options = ("left", "right")
    assert apply_seed_rule("accuracy", " b ", Question(target="right", options=options)).value == 1
    assert apply_seed_rule("accuracy", "Right", Question(target="right", options=options)).value == 1
    assert apply_seed_rule("accuracy", "right.", Question(target="right", options=options)).value == 0
    assert apply_seed_rule("contains", "It points NORTH", Question(target="no")).value == 1
    assert apply_seed_rule("f1", "red circle", Question(target=["red circle", "blue"])).value == 1
    assert apply_seed_rule("f1", "red", Question(target="red circle blue")).value == 0
    assert apply_seed_rule("f1", "red", Question(target="red circle blue")).details["f1"] == 0.5
    assert apply_seed_rule("bleu", "red", Question(target="red")).status == "invalid"
