"""Calls of functions in a reply, in any of the forms that models use."""

from __future__ import annotations

from typing import Any

import msgspec

from sightline.scoring.scorers.call_syntax import Call, written_calls
from sightline.scoring.scorers.json_values import json_values, mended_values
from sightline.scoring.scorers.numbers import close
from sightline.scoring.scorers.texts import fold

_ARGUMENTS = ("arguments", "parameters", "args", "input")
_NAMES = ("name", "function", "tool", "tool_name")
_LISTS = ("tool_calls", "calls", "tools", "function_calls")
_DEEPEST = 64


def read_calls(text: str) -> list[Call] | None:
    """The calls of the last JSON list of calls; else of all JSON objects that are calls; else those written as code."""
    for values in (json_values, mended_values):
        found = values(text)
        listed = [calls for value in found if (calls := as_calls(value)) is not None]
        single = [call for value in found if (call := as_call(value)) is not None]
        if listed or single:
            return listed[-1] if listed and (listed[-1] or not single) else single
    return written_calls(text) or None


def as_calls(value: Any) -> list[Call] | None:
    """A list of calls, bare or under a name such as `tool_calls`; None where it is anything else."""
    if isinstance(value, dict):
        value = next((value[name] for name in _LISTS if isinstance(value.get(name), list)), None)
    if not isinstance(value, list | tuple):
        return None
    calls = [as_call(one) for one in value]
    return [call for call in calls if call is not None] if None not in calls else None


def as_call(value: Any) -> Call | None:
    """{"name": …, "arguments": {…}}, also inside `function`; arguments may be JSON in a text, or be missing."""
    if not isinstance(value, dict):
        return None
    if isinstance(value.get("function"), dict):
        value = value["function"]
    name = next((value[key] for key in _NAMES if isinstance(value.get(key), str)), None)
    arguments: Any = next((value[key] for key in _ARGUMENTS if key in value), {})
    if isinstance(arguments, str):
        arguments = _decoded(arguments)
    arguments = {} if arguments is None else arguments
    if not name or not isinstance(arguments, dict) or not all(isinstance(key, str) for key in arguments):
        return None
    return name.strip(), arguments


def _decoded(text: str) -> Any:
    try:
        return msgspec.json.decode(text.encode("utf-8", "replace")) if text.strip() else {}
    except (msgspec.DecodeError, RecursionError):
        return text


def same_value(one: Any, other: Any, depth: int = 0) -> bool:
    """Equal all the way down: numbers within a millionth, texts folded, lists in their order; types must agree."""
    if depth > _DEEPEST:
        return False
    if isinstance(one, bool) or isinstance(other, bool) or one is None or other is None:
        return one is other
    if isinstance(one, str) and isinstance(other, str):
        return fold(one) == fold(other)
    if isinstance(one, int | float) and isinstance(other, int | float):
        return close(one, other)
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same_value(one[key], other[key], depth + 1) for key in one)
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        pairs = zip(one, other, strict=False)
        return len(one) == len(other) and all(same_value(left, right, depth + 1) for left, right in pairs)
    return False
