"""Scorer of the matrix suite: applies the per-sample scorer that each sample names."""

from __future__ import annotations

import atexit
from collections.abc import Sequence
from functools import cache
from typing import Any

from msgspec.structs import replace

from sightline.core.records import Answer, Sample, Score, format_tool_calls
from sightline.core.registry import find
from sightline.scoring.scorers import Question, ReplyScorer
from sightline.scoring.scorers.execution import Execution
from sightline.scoring.scorers.legacy_rules import apply_seed_rule
from sightline.scoring.scorers.reply_text import unparsed_score
from sightline.suites.matrix.maze import play
from sightline.suites.matrix.sandbox import Sandbox, SandboxUnavailableError

_MAX_REPLY_LENGTH = 2000
"""Characters of a reply that the grade keeps for corpus-level caption metrics."""


class MatrixScorer:
    """Scores complete attempts; reply scorers are created once, and the sandbox starts when code is first run."""

    def __init__(self, seed_rules: bool, unsafe: bool) -> None:
        self._seed_rules, self._unsafe = seed_rules, unsafe
        self._scorers: dict[str, ReplyScorer] = {}

    def __call__(self, sample: Sample, answers: Sequence[Answer]) -> Score:
        """Score a complete attempt."""
        calls = [call for answer in answers for call in answer.tool_calls]
        # calls may be made one by one over several turns, after which the model says that it is done
        reply = format_tool_calls(calls) if calls else answers[-1].text if answers else ""
        score = self._score(sample, reply, [answer.text for answer in answers])
        return replace(
            score,
            value=min(max(score.value, 0.0), 1.0),
            details={**score.details, "metric": sample.target["metric"], **_caption_texts(sample, reply)},
        )

    def _score(self, sample: Sample, reply: str, replies: list[str]) -> Score:
        target = sample.target
        metadata: dict[str, Any] = {**target["metadata"]}
        if target["metric"] == "success":
            truth = target["truth"]
            game = play(truth["world"], replies, sample.tags["language"])
            if not game.reached and not game.turns_read:
                return unparsed_score("no turn holds a move that could be read")
            metadata |= {"reached": game.reached, "turns": game.turns, "best_turns": 1}
        question = Question(target=target["truth"], options=tuple(target["options"]), metadata=metadata)
        if self._seed_rules:
            return apply_seed_rule(target["metric"], reply, question)
        return self._reply_scorer(target["metric"]).score(reply, question)

    def _reply_scorer(self, name: str) -> ReplyScorer:
        if name not in self._scorers:
            kind = find("scorers", name)
            self._scorers[name] = Execution(shared_sandbox(self._unsafe)) if kind is Execution else kind()
        return self._scorers[name]


@cache
def shared_sandbox(unsafe: bool) -> Sandbox | None:
    """Return the sandbox shared by the whole process; None if code cannot be run safely."""
    try:
        sandbox = Sandbox(unsafe=unsafe)
    except SandboxUnavailableError:
        return None
    atexit.register(sandbox.close)
    return sandbox


def _caption_texts(sample: Sample, reply: str) -> dict[str, Any]:
    """Return reply and references for corpus-level caption metrics."""
    if sample.target["metric"] not in ("bleu", "cider"):
        return {}
    truth = sample.target["truth"]
    return {"reply": reply[:_MAX_REPLY_LENGTH], "references": truth if isinstance(truth, list) else [truth]}
