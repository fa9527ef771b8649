"""Tool-call scorer: extracts calls in JSON or code syntax, and gives F1 over functions and arguments."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, ClassVar

import msgspec
from msgspec import Struct

from sightline.core.records import Score
from sightline.scoring.parsers.json_object import JsonBuilder, find_json_values, repair_json_values
from sightline.scoring.parsers.thinking import without_thinking
from sightline.scoring.scorers import Examples, Question
from sightline.scoring.scorers.labels import f1
from sightline.scoring.scorers.numbers import is_close, match_deep
from sightline.scoring.scorers.reply_text import EMPTY_REPLY, fold, invalid_score, unparsed_score

Call = tuple[str, dict[str, Any]]

_START = re.compile(r"(?<![\w.])[A-Za-z_][\w.]*+\(")
_TOKEN = re.compile(
    r"""\s*+(?:
      (?P<mark>[{}\[\],:=)])
    | (?P<string>"[^"\\]*+(?:\\.[^"\\]*+)*+"|'[^'\\]*+(?:\\.[^'\\]*+)*+')
    | (?P<number>[-+]?(?:\d++(?:\.\d*+)?|\.\d++)(?:[eE][-+]?\d++)?(?![\w.]))
    | (?P<word>[^\W\d]\w*+)
    )""",
    re.VERBOSE | re.DOTALL,
)
_VALUES = {"true", "false", "null", "True", "False", "None", "NaN", "Infinity"}
_MAX_LENGTH = 100_000
_MAX_FAILURES = 1000
"""Number of false matches after which the search for calls stops."""


def parse_calls(text: str) -> list[Call]:
    """Return all function calls in a text, in order; text that only resembles a call is skipped."""
    calls: list[Call] = []
    position = failures = 0
    while failures < _MAX_FAILURES and (start := _START.search(text, position)):
        arguments, position = _parse_arguments(text, start.end())
        if arguments is None:
            failures += 1
        else:
            calls.append((start.group()[:-1], arguments))
    return calls


def _parse_arguments(text: str, position: int) -> tuple[dict[str, Any] | None, int]:
    """Parse the arguments from a position; return them and where to continue. Positional arguments are named `#1`…"""
    builder = JsonBuilder()
    builder.feed("mark", "{")
    begin, depth, unnamed, at_start = position, 0, 0, True
    end = min(len(text), begin + _MAX_LENGTH)
    while token := _TOKEN.match(text, position, end):
        kind, value = token.lastgroup or "", token.group(token.lastgroup or 0)
        after = _TOKEN.match(text, token.end(), end)
        is_named = after is not None and after.group("mark") == "="
        if depth == 0 and value == ")" and kind == "mark":
            return (builder.root, token.end()) if builder.feed("mark", "}") else (None, begin)
        if depth == 0 and at_start and not is_named:
            unnamed += 1
            if (kind == "word" and value not in _VALUES) or not builder.feed("string", f'"#{unnamed}"'):
                break
            builder.feed("mark", ":")
        if not builder.feed(*_json_token(kind, value, is_name=depth == 0 and at_start and is_named)):
            break
        at_start = depth == 0 and value == "," and kind == "mark"
        if kind == "mark":
            depth += {"{": 1, "[": 1, "}": -1, "]": -1}.get(value, 0)
        position = token.end()
    return None, begin


def _json_token(kind: str, value: str, is_name: bool) -> tuple[str, str]:
    """Convert a token to its JSON form: `=` becomes a colon, and a bare word that is not a literal becomes a string."""
    if kind == "mark":
        return kind, ":" if value == "=" else value
    if kind == "word" and not is_name and value not in _VALUES:
        return "string", f'"{value}"'
    return kind, value


_ARGUMENTS = ("arguments", "parameters", "args", "input")
_NAMES = ("name", "function", "tool", "tool_name")
_LISTS = ("tool_calls", "calls", "tools", "function_calls")


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


def values_match(first: Any, second: Any) -> bool:
    """Deep comparison of arguments: numbers within 10⁻⁶, strings case-folded, lists in order; types must agree."""

    def match_leaves(one: Any, other: Any) -> bool:
        if isinstance(one, str) and isinstance(other, str):
            return fold(one) == fold(other)
        return isinstance(one, int | float) and isinstance(other, int | float) and is_close(one, other)

    return match_deep(first, second, match_leaves)


INVALID_TARGET_CALLS = "the truth is not a list of calls"
NO_CALL = "the reply contains no call"
MAX_CALLS = 1000
"""Calls beyond this number are not matched; they count as wrong."""

_EXAMPLE_CALLS = ({"name": "move", "arguments": {"x": 1, "to": "Gate A"}}, {"name": "stop", "arguments": {}})


class CallPair(Struct, frozen=True, order=True):
    """A candidate match of two calls of the same function; sorts the best match first."""

    wrong: int
    """Arguments of either call without an equal in the other."""
    negative_right: int
    """The negated count of correct arguments."""
    reply_index: int
    target_index: int


def match_calls(reply_calls: Sequence[Call], target_calls: Sequence[Call]) -> list[CallPair]:
    """Greedy matching of calls of the same function, the most similar first; each call is in at most one pair."""
    pairs = []
    for reply_index, (name, arguments) in enumerate(reply_calls):
        for target_index, (target_name, expected_arguments) in enumerate(target_calls):
            if name == target_name:
                right = sum(
                    key in arguments and values_match(arguments[key], expected_arguments[key])
                    for key in expected_arguments
                )
                pairs.append(
                    CallPair(len(arguments) + len(expected_arguments) - 2 * right, -right, reply_index, target_index)
                )
    matches: list[CallPair] = []
    taken: tuple[set[int], set[int]] = (set(), set())
    for pair in sorted(pairs):
        if pair.reply_index not in taken[0] and pair.target_index not in taken[1]:
            matches.append(pair)
            taken[0].add(pair.reply_index)
            taken[1].add(pair.target_index)
    return matches


class ToolCallF1:
    """F1 over functions and arguments of the calls, in any order; full marks where all are right and none is too many.

    The target is a list of {"name": …, "arguments": {…}}. Calls of the same function are paired, the most alike first;
    each pair brings one item for its function and one for every argument that is equal: names and functions exactly,
    numbers within 10⁻⁶, texts folded, lists and objects all the way down. Everything unknown, missing or repeated
    stands in the denominator. The reply is a JSON list or objects, `tool_calls` as OpenAI has them, or `name(x=1)`.
    """

    title: ClassVar[str] = "Tool calls"
    accepts: ClassVar[Examples] = (
        (
            list(_EXAMPLE_CALLS),
            '[{"name": "stop", "arguments": {}}, {"name": "move", "arguments": {"to": "gate a", "x": 1.0}}]',
        ),
        (list(_EXAMPLE_CALLS), '```python\nmove(x=1, to="Gate A")\nstop()\n```'),
        (
            list(_EXAMPLE_CALLS)[:1],
            '{"tool_calls": [{"function": {"name": "move", "arguments": "{\\"x\\": 1, \\"to\\": \\"Gate A\\"}"}}]}',
        ),
    )
    refuses: ClassVar[Examples] = (
        (list(_EXAMPLE_CALLS), '[{"name": "stop", "arguments": {}}]'),
        (list(_EXAMPLE_CALLS)[:1], 'move(x=2, to="Gate A")'),
        (list(_EXAMPLE_CALLS)[1:], "stop(now=true)"),
        (list(_EXAMPLE_CALLS)[1:], "Stop()"),
    )

    def score(self, reply: str, question: Question) -> Score:
        """Score a reply against the target of the question."""
        target_calls = calls_from_json([question.target] if isinstance(question.target, dict) else question.target)
        if target_calls is None:
            return invalid_score(INVALID_TARGET_CALLS)
        text = without_thinking(reply).strip()
        if not text:
            return unparsed_score(EMPTY_REPLY)
        reply_calls = read_calls(text)
        if reply_calls is None:
            return unparsed_score(NO_CALL) if target_calls else Score(value=1.0)
        return _score_calls(reply_calls, target_calls)


def _score_calls(reply_calls: Sequence[Call], target_calls: Sequence[Call]) -> Score:
    pairs = match_calls(reply_calls[:MAX_CALLS], target_calls)
    arguments = sum(-pair.negative_right for pair in pairs)
    reply_items = sum(1 + len(call[1]) for call in reply_calls)
    target_items = sum(1 + len(call[1]) for call in target_calls)
    target_arguments = target_items - len(target_calls)
    values = {
        "names_right": len(pairs) / len(target_calls) if target_calls else float(not reply_calls),
        "arguments_right": arguments / target_arguments if target_arguments else 1.0,
    }
    return Score(value=f1(len(pairs) + arguments, reply_items, target_items), details=values)
