"""Extraction of tool calls from a reply, in any of the formats that models use."""

from __future__ import annotations

from typing import Any

import msgspec

from sightline.scoring.scorers.call_syntax import Call, parse_calls
from sightline.scoring.scorers.json_values import find_json_values, repair_json_values
from sightline.scoring.scorers.numbers import is_close
from sightline.scoring.scorers.reply_text import fold

_ARGUMENTS = ("arguments", "parameters", "args", "input")
_NAMES = ("name", "function", "tool", "tool_name")
_LISTS = ("tool_calls", "calls", "tools", "function_calls")
_MAX_DEPTH = 64


def read_calls(text: str) -> list[Call] | None:
    """Return the calls of the last JSON list of calls, else of all JSON objects that are calls, else those in code."""
    for find_values in (find_json_values, repair_json_values):
        values = find_values(text)
        listed = [calls for value in values if (calls := calls_from_json(value)) is not None]
        single = [call for value in values if (call := call_from_json(value)) is not None]
        if listed or single:
            return listed[-1] if listed and (listed[-1] or not single) else single
    return parse_calls(text) or None


def calls_from_json(value: Any) -> list[Call] | None:
    """Convert a JSON list of calls, bare or under a key such as `tool_calls`; None for any other value."""
    if isinstance(value, dict):
        value = next((value[name] for name in _LISTS if isinstance(value.get(name), list)), None)
    if not isinstance(value, list | tuple):
        return None
    calls = [call_from_json(item) for item in value]
    return [call for call in calls if call is not None] if None not in calls else None


def call_from_json(value: Any) -> Call | None:
    """Convert {"name": …, "arguments": {…}}, also inside `function`; arguments may be a JSON string, or be missing."""
    if not isinstance(value, dict):
        return None
    if isinstance(value.get("function"), dict):
        value = value["function"]
    name = next((value[key] for key in _NAMES if isinstance(value.get(key), str)), None)
    arguments: Any = next((value[key] for key in _ARGUMENTS if key in value), {})
    if isinstance(arguments, str):
        arguments = _decode_arguments(arguments)
    arguments = {} if arguments is None else arguments
    if not name or not isinstance(arguments, dict) or not all(isinstance(key, str) for key in arguments):
        return None
    return name.strip(), arguments


def _decode_arguments(text: str) -> Any:
    try:
        return msgspec.json.decode(text.encode("utf-8", "replace")) if text.strip() else {}
    except (msgspec.DecodeError, RecursionError):
        return text


def values_match(first: Any, second: Any, depth: int = 0) -> bool:
    """Deep comparison of arguments: numbers within 10⁻⁶, strings case-folded, lists in order; types must agree."""
    if depth > _MAX_DEPTH:
        return False
    if isinstance(first, bool) or isinstance(second, bool) or first is None or second is None:
        return first is second
    if isinstance(first, str) and isinstance(second, str):
        return fold(first) == fold(second)
    if isinstance(first, int | float) and isinstance(second, int | float):
        return is_close(first, second)
    if isinstance(first, dict) and isinstance(second, dict):
        return first.keys() == second.keys() and all(values_match(first[key], second[key], depth + 1) for key in first)
    if isinstance(first, list | tuple) and isinstance(second, list | tuple):
        pairs = zip(first, second, strict=False)
        return len(first) == len(second) and all(values_match(left, right, depth + 1) for left, right in pairs)
    return False
