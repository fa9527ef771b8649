"""Chains, calls, charts, success: what is read, and what it is worth."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sightline.scoring.scorers.tool_call import parse_calls, read_calls
from tests.scoring.scorers.cases import score_reply

TRUTH = {"steps": [3, 12, "red"], "final": 15}


@pytest.mark.parametrize(
    ("reply", "score"),
    [
        ('{"steps": [3, 12, "Red"], "final": 15}', 1),
        ('```json\n{"steps": [{"step": 1, "value": 3}, "12", "red"], "answer": "15"}\n```', 1),
        ("{'steps': [3, 12, 'red'], 'final': 15,}", 1),
        ("Step 1: 3\n**Step 2:** 3 × 4 = 12\n3) red\n**Final answer:** 15", 1),
        ("第一步：3\n第2步：12\n第三步：red\n答案：15", 1),
        ("1. 3\n2. 13\n3. red\nFinal: 15", 0.75),
        ("Final: 15", 0.25),
        ("15", 0.25),
        ("15.2", 0.25),
        ("1. 3\n2. 12\n3. red\n4. 99\nFinal: 15", 0.8),
        ('{"steps": [], "final": 15}', 0.25),
        ('{"steps": [3, 12.5, "red"], "final": 15.5}', 1),
    ],
)
def test_chains(reply: str, score: float) -> None:
    assert score_reply("chain", TRUTH, reply).value == pytest.approx(score)


def test_a_chain_says_what_was_right() -> None:
    found = score_reply("chain", TRUTH, '{"steps": [3, 1, "red"], "final": 1}')
    assert found.details == {"steps_right": 2, "final_right": False}
    assert score_reply("chain", TRUTH, "I can't say.\nReally.").status == "unparsed"
    assert score_reply("chain", {"steps": 3}, "1").status == "invalid"


def test_calls_are_read_from_code() -> None:
    text = 'object(s) f(1, "a", b=[1, {"c": 2}], d=red) g() h(x = -1.5e3,) see (x) k(a=b(c=1)) m(x=1'
    assert parse_calls(text) == [
        ("f", {"#1": 1, "#2": "a", "b": [1, {"c": 2}], "d": "red"}),
        ("g", {}),
        ("h", {"x": -1500.0}),
        ("b", {"c": 1}),
    ]
    assert parse_calls("f(a='it\\'s', b=\"x)\", c=None, d=True)") == [
        ("f", {"a": "it's", "b": "x)", "c": None, "d": True})
    ]


@pytest.mark.parametrize(
    "text",
    [
        '[{"name": "a", "arguments": {"x": 1}}, {"name": "b", "arguments": {}}]',
        '<tool_call>\n{"name": "a", "arguments": {"x": 1}}\n</tool_call>\n<tool_call>{"name": "b"}</tool_call>',
        "First [see below] ```json\n[{'name': 'a', 'arguments': {'x': 1,}}, {'name': 'b'}]\n```",
        '{"tool_calls": [{"type": "function", "function": {"name": "a", "arguments": "{\\"x\\": 1}"}}, {"name": "b"}]}',
        '{"calls": [{"tool": "a", "parameters": {"x": 1}}, {"function": "b", "args": null}]}',
        '[{"name": "z"}] was wrong, so: [{"name": "a", "arguments": {"x": 1}}, {"name": "b"}]',
        "I call a(x=1) and b().",
    ],
)
def test_calls_are_read_in_many_forms(text: str) -> None:
    assert read_calls(text) == [("a", {"x": 1}), ("b", {})]


CALLS = [
    {"name": "move", "arguments": {"x": 1, "to": {"gate": "A", "tags": ["b", 2.5]}}},
    {"name": "move", "arguments": {"x": 2}},
    {"name": "stop", "arguments": {}},
]


def as_json(*calls: Any) -> str:
    return json.dumps(calls)


@settings(max_examples=30, deadline=None)
@given(st.permutations(CALLS), st.integers(0, 99))
def test_the_order_of_calls_and_arguments_does_not_matter(calls: list[dict[str, Any]], seed: int) -> None:
    chance = random.Random(seed)
    mixed = [
        {
            "arguments": dict(chance.sample(list(call["arguments"].items()), len(call["arguments"]))),
            "name": call["name"],
        }
        for call in calls
    ]
    assert score_reply("tool_call", CALLS, as_json(*mixed)).value == 1


@pytest.mark.parametrize(
    ("reply", "score"),
    [
        (as_json(*CALLS[:2]), 2 * 5 / 11),
        (as_json(*CALLS, {"name": "stop", "arguments": {}}), 12 / 13),
        (as_json(*CALLS[:2], {"name": "stop", "arguments": {"now": True}}), 12 / 13),
        (as_json(*CALLS[:2], {"name": "Stop", "arguments": {}}), 10 / 12),
        (
            as_json(
                {"name": "move", "arguments": {"x": 1.0000005, "to": {"gate": "a", "tags": ["B", 2.5]}}}, *CALLS[1:]
            ),
            1,
        ),
        (
            as_json({"name": "move", "arguments": {"x": "1", "to": {"gate": "A", "tags": ["b", 2.5]}}}, *CALLS[1:]),
            10 / 12,
        ),
        (
            as_json({"name": "move", "arguments": {"x": 1, "to": {"gate": "A", "tags": [2.5, "b"]}}}, *CALLS[1:]),
            10 / 12,
        ),
        (as_json({"name": "other", "arguments": {}}), 0),
        ("[]", 0),
    ],
)
def test_what_calls_are_worth(reply: str, score: float) -> None:
    assert score_reply("tool_call", CALLS, reply).value == pytest.approx(score)


def test_numbers_beyond_all_floats_are_compared() -> None:
    huge = 10**400
    for one, other, score in ((huge, 2.5, 0.5), (2.5, huge, 0.5), (huge, huge, 1)):
        assert (
            score_reply(
                "tool_call",
                [{"name": "f", "arguments": {"x": one}}],
                f"f(x=1) {as_json({'name': 'f', 'arguments': {'x': other}})}",
            ).value
            == score
        )


def test_no_call_may_be_right_and_a_flood_is_wrong() -> None:
    assert score_reply("tool_call", [], "[]").value == 1
    assert score_reply("tool_call", [], "Nothing has to be called.").value == 1
    assert score_reply("tool_call", [], "stop()").value == 0
    assert score_reply("tool_call", CALLS, "Nothing has to be called.").status == "unparsed"
    assert score_reply("tool_call", CALLS[2:], "stop()\n" * 5000).value < 0.001
    assert score_reply("tool_call", [{"name": 3}], "stop()").status == "invalid"
    found = score_reply("tool_call", CALLS, as_json(*CALLS[:1]))
    assert found.details == {"names_right": pytest.approx(1 / 3), "arguments_right": pytest.approx(2 / 3)}


CHART = {"Sales": {"2020": 10, "2021": 20}, "Costs": {"2020": 5, "2021": 8}}
ROWS = "| Series | 2020 | 2021 |\n|:--|--:|--:|\n| sales | 10 | 20 |\n| **Costs** | 5 | $8.1 |"


@pytest.mark.parametrize(
    ("reply", "score"),
    [
        (json.dumps(CHART), 1),
        (f"Here it is:\n```json\n{json.dumps(CHART)}\n```", 1),
        (json.dumps({"data": CHART}), 1),
        (str(CHART), 1),
        (ROWS, 1),
        ("year\tSales\tCosts\n2020\t10\t5\n2021\t20\t8", 1),
        ("year,Sales,Costs\n2020,10,5\n2021,20,8", 1),
        ('year,Sales,Costs\n2020,"10.2",5\n2021,20,9', 0.75),
        (json.dumps({"Sales": CHART["Sales"]}), 2 * 2 / 6),
        (json.dumps({**CHART, "Other": {"2020": 1, "2021": 2}}), 2 * 4 / 10),
    ],
)
def test_charts(reply: str, score: float) -> None:
    assert score_reply("chart_f1", CHART, reply).value == pytest.approx(score)


def test_one_series_needs_no_name() -> None:
    truth = {"Sales": {"Q1": 10, "Q2": "high"}}
    for reply in ('{"Q1": 10, "Q2": "High"}', '{"Revenue": {"Q1": "10 k€", "Q2": "high"}}', "q,v\nQ1,10\nQ2,high"):
        assert score_reply("chart_f1", truth, reply).value == 1
    assert score_reply("chart_f1", truth, "It rises.").status == "unparsed"
    assert score_reply("chart_f1", [], "{}").status == "invalid"
    assert score_reply("chart_f1", {"a": {"b": 0}}, '{"b": 0.01}').value == 0
    assert score_reply("chart_f1", {"a": {"b": 0}}, '{"b": 0.01}', absolute=0.1).value == 1


def test_success_is_what_the_suite_says() -> None:
    found = score_reply("success", None, "up", reached=True, turns=6, best_turns=3)
    assert (found.value, found.details) == (1, {"turns": 6, "efficiency": 0.5})
    assert score_reply("success", None, "", reached=False, turns=6, best_turns=3).details["efficiency"] == 0
    assert score_reply("success", {"world": {}}, "up").status == "invalid"
