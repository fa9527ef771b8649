"""Prompt construction, and oracle replies that are known to be correct or wrong."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from typing import Any

import msgspec

from sightline.core.records import Answer, Message, Prompt, Sample, Text, Tool
from sightline.scoring.scorers.options import append_options, option_letter, option_letter_of_text
from sightline.suites.matrix.maze import optimal_reply, play


def next_prompt(sample: Sample, answers: Sequence[Answer]) -> Prompt | None:
    """Build the next prompt of an attempt; None when it is complete."""
    question = append_options(sample.question, sample.target["options"], sample.tags["language"])
    first_prompt = Prompt((Message("user", (*sample.media, Text(question))),))
    if sample.target["metric"] == "tool_call":
        return _next_tool_prompt(sample, first_prompt, answers)
    if not answers:
        return first_prompt
    if sample.target["metric"] != "success":
        return None
    truth = sample.target["truth"]
    game = play(truth["world"], [answer.text for answer in answers], sample.tags["language"])
    if game.reached or len(answers) >= truth["most_turns"]:
        return None
    messages = (
        message
        for answer, response in zip(answers, game.responses, strict=True)
        for message in (Message("assistant", (Text(answer.text),)), Message("user", (Text(response),)))
    )
    return first_prompt.then(*messages)


_TOOL_RESULT = '{"status": "ok"}'
"""The result of every call: the tools of the samples exist in words only."""
_MORE_TURNS, _MAX_TURNS = 2, 10


def _next_tool_prompt(sample: Sample, first_prompt: Prompt, answers: Sequence[Answer]) -> Prompt | None:
    """The question with its tools, then the results of native calls until the model calls none."""
    if tools := _offered_tools(sample):
        instruction = _without_tool_list(sample)
        native = (Message("user", (*sample.media, Text(instruction))),) if instruction else ()
        first_prompt = Prompt(first_prompt.messages, tools, native)
    if not answers:
        return first_prompt
    truth = sample.target["truth"]
    most = min(_MAX_TURNS, (len(truth) if isinstance(truth, list) else 1) + _MORE_TURNS)
    if not answers[-1].tool_calls or answers[-1].stop != "complete" or len(answers) >= most:
        return None
    messages: list[Message] = []
    for answer in answers:
        messages.append(Message("assistant", (Text(answer.text),), answer.tool_calls))
        messages += [Message("tool", (Text(_TOOL_RESULT),), call_id=call.id) for call in answer.tool_calls]
    return first_prompt.then(*messages)


def _offered_tools(sample: Sample) -> tuple[Tool, ...]:
    """The tools that a sample describes by name and JSON schema; those of other data sets may be in words only."""
    listed = sample.target["metadata"].get("tools")
    try:
        return msgspec.convert(listed if isinstance(listed, list) else [], tuple[Tool, ...])
    except msgspec.ValidationError:
        return ()


def _without_tool_list(sample: Sample) -> str:
    """The instruction alone: the question up to the line before its list of tools; empty where there is none."""
    listed = json.dumps(sample.target["metadata"]["tools"][0], ensure_ascii=False)
    before, found, _ = sample.question.partition(listed)
    return before.rstrip("\n").rpartition("\n")[0] if found else ""


def ideal_reply(sample: Sample) -> str:
    """Return a reply that scores 1."""
    target, truth = sample.target, sample.target["truth"]
    if target["options"]:
        return str(option_letter_of_text(str(truth), target["options"]))
    if target["metric"] == "success":
        return optimal_reply(truth["world"], (), sample.tags["language"])
    if isinstance(stored := target["metadata"].get("ideal") or target["metadata"].get("solution"), str):
        return stored
    return _reply_for_target(target["metric"], truth)


def _reply_for_target(metric: str, truth: Any) -> str:
    match metric:
        case "vqa_accuracy":
            return Counter(map(str, truth)).most_common(1)[0][0]
        case "f1":
            return ", ".join(map(str, truth)) if isinstance(truth, list) else str(truth)
        case "bleu" | "anls" | "cer" | "contains":
            return str(truth[0] if isinstance(truth, list) else truth)
    return truth if isinstance(truth, str) else json.dumps(truth, ensure_ascii=False)


def wrong_reply(sample: Sample) -> str:
    """Return a wrong reply: another option's letter, or an unrelated word."""
    options = sample.target["options"]
    if options:
        correct = option_letter_of_text(str(sample.target["truth"]), options)
        return next(letter for letter in map(option_letter, range(len(options))) if letter != correct)
    return "zzz"
