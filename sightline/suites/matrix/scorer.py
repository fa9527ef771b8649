"""Scorer of the matrix suite: applies the per-sample scorer that each sample names."""

from __future__ import annotations

import atexit
from collections.abc import Sequence
from functools import cache
from typing import Any

from sightline.core.records import Answer, Grade, Remark, Sample
from sightline.core.registry import find
from sightline.scoring.scorers import Asked, Mark, Marker
from sightline.scoring.scorers.execution import Execution
from sightline.scoring.scorers.legacy_rules import apply_seed_rule
from sightline.scoring.scorers.reply_text import unparsed
from sightline.suites.matrix.maze import play
from sightline.suites.matrix.sandbox import Sandbox, SandboxUnavailableError

_MAX_REPLY_LENGTH = 2000
"""Characters of a reply that the grade keeps for corpus-level caption metrics."""


class Grader:
    """Scores complete attempts; scorers are created once, and the sandbox starts when code is first run."""

    def __init__(self, seed_rules: bool, unsafe: bool) -> None:
        self._seed_rules, self._unsafe = seed_rules, unsafe
        self._markers: dict[str, Marker] = {}

    def grade(self, sample: Sample, answers: Sequence[Answer]) -> Grade:
        """Score a complete attempt."""
        reply = answers[-1].text if answers else ""
        mark = self._mark(sample, reply, [answer.text for answer in answers])
        score = min(max(mark.score, 0.0), 1.0) if mark.state == "ok" else 0.0
        return Grade(
            sample=sample.id,
            task=sample.task,
            state=mark.state,
            score=score,
            last_score=score,
            best_score=score,
            values={**mark.values, "metric": sample.target["metric"], **_caption_texts(sample, reply)},
            tags=sample.tags,
            cluster=sample.cluster,
            weight=sample.weight,
            note=mark.note,
        )

    def _mark(self, sample: Sample, reply: str, replies: list[str]) -> Mark:
        target = sample.target
        facts: dict[str, Any] = {**target["metadata"]}
        if target["metric"] == "success":
            truth = target["truth"]
            game = play(truth["world"], replies, sample.tags["language"])
            if not game.reached and not game.turns_read:
                return unparsed(str(Remark("no turn holds a move that could be read")))
            facts |= {"reached": game.reached, "turns": game.turns, "best_turns": 1}
        asked = Asked(target=target["truth"], options=tuple(target["options"]), facts=facts)
        if self._seed_rules:
            return apply_seed_rule(target["metric"], reply, asked)
        return self._marker(target["metric"]).mark(reply, asked)

    def _marker(self, name: str) -> Marker:
        if name not in self._markers:
            marker_type = find("markers", name)
            self._markers[name] = Execution(shared_sandbox(self._unsafe)) if marker_type is Execution else marker_type()
        return self._markers[name]


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
