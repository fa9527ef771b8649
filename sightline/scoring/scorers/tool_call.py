"""Tool-call scorer: F1 over functions and arguments, in any order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from msgspec import Struct

from sightline.core.records import Score
from sightline.scoring.parsers.thinking import without_thinking
from sightline.scoring.scorers import Examples, Question
from sightline.scoring.scorers.call_syntax import Call
from sightline.scoring.scorers.calls import calls_from_json, read_calls, values_match
from sightline.scoring.scorers.labels import f1
from sightline.scoring.scorers.reply_text import EMPTY_REPLY, invalid, unparsed

INVALID_TARGET_CALLS = "the truth is no list of calls"
NO_CALL = "the reply holds no call"
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


class ToolCall:
    """F1 over functions and arguments of the calls, in any order; full marks where all are right and none is too many.

    The target is a list of {"name": …, "arguments": {…}}. Calls of the same function are paired, the most alike first;
    each pair brings one item for its function and one for every argument that is equal: names and functions exactly,
    numbers within 10⁻⁶, texts folded, lists and objects all the way down. Everything unknown, missing or said too often
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
            return invalid(INVALID_TARGET_CALLS)
        text = without_thinking(reply).strip()
        if not text:
            return unparsed(EMPTY_REPLY)
        reply_calls = read_calls(text)
        if reply_calls is None:
            return unparsed(NO_CALL) if target_calls else Score(value=1.0)
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
