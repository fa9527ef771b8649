"""Records made from what servers send: any tool call has a text that files and requests can hold."""

from __future__ import annotations

import json

import pytest

from sightline.core.records import ToolCall, format_tool_calls


@pytest.mark.parametrize(
    "arguments", ['{"x": "\\ud800"}', "[" * 992 + "]" * 992, "[" * 100_000, "", "no JSON", '{"a": 1}', "\ud800"]
)
def test_any_tool_call_has_a_text(arguments: str) -> None:
    text = format_tool_calls([ToolCall(name="f", arguments=arguments)])
    assert text.encode().startswith(b'[{"name": "f", "arguments": ')


def test_arguments_are_json_in_the_text() -> None:
    calls = [ToolCall(name="f", arguments='{"a": [1, "é"]}'), ToolCall(name="g", arguments="")]
    assert json.loads(format_tool_calls(calls)) == [
        {"name": "f", "arguments": {"a": [1, "é"]}},
        {"name": "g", "arguments": {}},
    ]
