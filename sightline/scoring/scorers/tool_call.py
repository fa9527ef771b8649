"""Tool calls: the right functions with the right arguments, in any order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from msgspec import Struct

from sightline.scoring.parsers.thinking import without_thinking
from sightline.scoring.scorers import Asked, Mark
from sightline.scoring.scorers.call_syntax import Call
from sightline.scoring.scorers.calls import as_calls, read_calls, same_value
from sightline.scoring.scorers.examples import Examples
from sightline.scoring.scorers.labels import f1
from sightline.scoring.scorers.texts import EMPTY_REPLY, invalid, unparsed

NO_TRUE_CALLS = "the truth is no list of calls"
NO_CALL = "the reply holds no call"
MOST_CALLS = 1000
"""More are not looked at one by one; they count as wrong."""

_CLOCK = ({"name": "move", "arguments": {"x": 1, "to": "Gate A"}}, {"name": "stop", "arguments": {}})


class Pair(Struct, frozen=True, order=True):
    """Two calls of the same function; the best pair comes first when sorted."""

    wrong: int
    """Arguments of either call that are not met by the other."""
    missed: int
    """The same as a negative count of arguments that are right."""
    said: int
    true: int


def matched(said: Sequence[Call], true: Sequence[Call]) -> list[Pair]:
    """Calls of the same function paired, the most alike first; each belongs to one pair at most."""
    pairs = []
    for place, (name, arguments) in enumerate(said):
        for other, (wanted, truths) in enumerate(true):
            if name == wanted:
                right = sum(key in arguments and same_value(arguments[key], truths[key]) for key in truths)
                pairs.append(Pair(len(arguments) + len(truths) - 2 * right, -right, place, other))
    chosen: list[Pair] = []
    taken: tuple[set[int], set[int]] = (set(), set())
    for pair in sorted(pairs):
        if pair.said not in taken[0] and pair.true not in taken[1]:
            chosen.append(pair)
            taken[0].add(pair.said)
            taken[1].add(pair.true)
    return chosen


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
            list(_CLOCK),
            '[{"name": "stop", "arguments": {}}, {"name": "move", "arguments": {"to": "gate a", "x": 1.0}}]',
        ),
        (list(_CLOCK), '```python\nmove(x=1, to="Gate A")\nstop()\n```'),
        (
            list(_CLOCK)[:1],
            '{"tool_calls": [{"function": {"name": "move", "arguments": "{\\"x\\": 1, \\"to\\": \\"Gate A\\"}"}}]}',
        ),
    )
    refuses: ClassVar[Examples] = (
        (list(_CLOCK), '[{"name": "stop", "arguments": {}}]'),
        (list(_CLOCK)[:1], 'move(x=2, to="Gate A")'),
        (list(_CLOCK)[1:], "stop(now=true)"),
        (list(_CLOCK)[1:], "Stop()"),
    )

    def mark(self, reply: str, asked: Asked) -> Mark:
        """What the reply earns."""
        true = as_calls([asked.target] if isinstance(asked.target, dict) else asked.target)
        if true is None:
            return invalid(NO_TRUE_CALLS)
        text = without_thinking(reply).strip()
        if not text:
            return unparsed(EMPTY_REPLY)
        said = read_calls(text)
        if said is None:
            return unparsed(NO_CALL) if true else Mark(score=1.0)
        return _compared(said, true)


def _compared(said: Sequence[Call], true: Sequence[Call]) -> Mark:
    pairs = matched(said[:MOST_CALLS], true)
    arguments = sum(-pair.missed for pair in pairs)
    said_items = sum(1 + len(call[1]) for call in said)
    true_items = sum(1 + len(call[1]) for call in true)
    wanted = true_items - len(true)
    values = {
        "names_right": len(pairs) / len(true) if true else float(not said),
        "arguments_right": arguments / wanted if wanted else 1.0,
    }
    return Mark(score=f1(len(pairs) + arguments, said_items, true_items), values=values)
