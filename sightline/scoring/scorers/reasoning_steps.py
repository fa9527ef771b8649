"""Multi-step reasoning scorer: accuracy of the intermediate steps and of the final answer."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from msgspec import Struct

from sightline.core.records import Score
from sightline.scoring.parsers.json_object import find_json_values, repair_json_values
from sightline.scoring.parsers.thinking import without_thinking
from sightline.scoring.scorers import Examples, Question
from sightline.scoring.scorers.numbers import BAD_TOLERANCE, parse_chinese_number, read_tolerance
from sightline.scoring.scorers.reply_text import EMPTY_REPLY, as_text, invalid_score, unparsed_score

INVALID_TARGET_CHAIN = "the truth has no steps and end"
NO_STEPS = "the reply contains no steps"

_STEP = re.compile(
    r"[ \t>#*_-]*+(?:step\s*+(\d{1,3})|第\s*+(\d{1,3}|[一二三四五六七八九十]{1,3})\s*+步|(\d{1,3})(?=[.)、:：](?!\d)))"
    r"[ \t*_]*+[.)、:：-]?[ \t*_]*+(.*)",
    re.IGNORECASE,
)
_FINAL = re.compile(
    r"[ \t>#*_-]*+(?:(?:the\s+)?final(?:\s+(?:answer|result))?|answer|result|最终答案|最终结果|答案|结果)"
    r"[ \t*_]*+(?:is|是|为)?[ \t*_]*+[:：=]?[ \t*_]*+(.*)",
    re.IGNORECASE,
)
_FINAL_KEYS = ("final", "final_answer", "answer", "result")
_VALUE_KEYS = ("value", "result", "answer")


class Chain(Struct, frozen=True):
    """A chain of reasoning: steps by number from 1, and the final answer; None if none is given."""

    steps: Mapping[int, Any]
    final: Any = None


def read_chain(reply: str) -> Chain | None:
    """Read the last JSON object with steps or a final answer, else lines such as "1. …", "Step 2: …", "Final: …"."""
    text = without_thinking(reply)
    for find_values in (find_json_values, repair_json_values):
        for value in reversed(find_values(text)):
            if isinstance(value, dict) and (chain := _chain_from_json(value)):
                return chain
    return _chain_from_lines(text)


def _chain_from_json(value: dict[str, Any]) -> Chain | None:
    steps = value.get("steps", [])
    final = next((value[name] for name in _FINAL_KEYS if name in value), None)
    if not isinstance(steps, list) or (not steps and final is None):
        return None
    return Chain({number: _step_value(step) for number, step in enumerate(steps, 1)}, _step_value(final))


def _step_value(step: Any) -> Any:
    """The value of a step that is given as an object."""
    if isinstance(step, dict):
        return next((step[name] for name in _VALUE_KEYS if name in step), None)
    return step


def _chain_from_lines(text: str) -> Chain | None:
    steps: dict[int, Any] = {}
    final = None
    lines = [line for line in text.splitlines() if line.strip()]
    for line in lines:
        if step := _STEP.match(line):
            number = step.group(1) or step.group(2) or step.group(3)
            steps[int(number) if number.isdecimal() else int(parse_chinese_number(number) or 0)] = step.group(4)
        elif end := _FINAL.match(line):
            final = end.group(1) or final
    if not steps and final is None and len(lines) == 1:
        final = lines[0]
    return Chain(steps, final) if steps or final is not None else None


class ChainAccuracy:
    """Fraction of correct steps, where the final answer counts as one more step.

    The target is {"steps": […], "final": …}. A number is met within the tolerance (`tolerance`, `absolute` as for
    `numeric`), a text with case and white space folded, each at its own place; more steps than there are count
    as wrong ones. The reply is JSON of the same form or lines "1. …", "Step 2: …", "第三步：…", "Final: …".
    """

    title: ClassVar[str] = "Chain accuracy"
    accepts: ClassVar[Examples] = (
        ({"steps": [3, 12], "final": 15}, '{"steps": [3, 12], "final": 15}'),
        ({"steps": [3, "red"], "final": 15}, "1. 3 dogs\n2. Red\nFinal: 15"),
        ({"steps": [3, 12], "final": 15}, "第一步：3\n第二步：3 × 4 = 12\n最终答案：15"),
    )
    refuses: ClassVar[Examples] = (
        ({"steps": [3, 12], "final": 15}, '{"steps": [3, 11], "final": 15}'),
        ({"steps": [3, 12], "final": 15}, "15"),
        ({"steps": [3, 12], "final": 15}, "Step 1: 12\nStep 2: 3\nFinal: 15"),
    )

    def score(self, reply: str, question: Question) -> Score:
        """Score a reply against the target of the question."""
        target, allowed = _target_chain(question.target), read_tolerance(question.metadata)
        if target is None:
            return invalid_score(INVALID_TARGET_CHAIN)
        if allowed is None:
            return invalid_score(BAD_TOLERANCE)
        if not without_thinking(reply).strip():
            return unparsed_score(EMPTY_REPLY)
        chain = read_chain(reply)
        if chain is None:
            return unparsed_score(NO_STEPS)
        steps, final = target
        correct = sum(allowed.matches(chain.steps.get(number), step) for number, step in enumerate(steps, 1))
        final_correct = allowed.matches(chain.final, final)
        extra = sum(not 1 <= number <= len(steps) for number in chain.steps)
        score = (correct + final_correct) / (len(steps) + 1 + extra)
        return Score(value=score, details={"steps_right": correct, "final_right": final_correct})


def _target_chain(target: Any) -> tuple[Sequence[Any], Any] | None:
    if not isinstance(target, dict) or not isinstance(target.get("steps"), list | tuple):
        return None
    steps, final = target["steps"], target.get("final")
    return None if any(as_text(value) is None for value in (*steps, final)) else (steps, final)
