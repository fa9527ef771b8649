"""Scorer of the suite: parse a reply, repair it, and compare it with the truth in stages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sightline.core.errors import SightlineError
from sightline.core.records import Grade, Parsed, Sample, Unparsed
from sightline.suites.structural.framecalc.analysis import list_reactions, solve_model
from sightline.suites.structural.framecalc.reader import read_model
from sightline.suites.structural.physics.diagnosis import Diagnosis, UnreadableModel, diagnose_raw

MAX_PROBLEMS = 20
"""Maximum number of problems stored with a grade; a completely wrong answer would have hundreds."""


def grade(sample: Sample, parsed: Parsed | Unparsed, scoring: str, tolerance: float) -> Grade:
    """Grade a parsed or unparsed reply."""
    if isinstance(parsed, Unparsed):
        return _unparsed_grade(sample, parsed.reason)
    diagnosis = diagnose_raw(parsed.value, sample.target, sample.task, tolerance)
    if isinstance(diagnosis, UnreadableModel):
        return _unparsed_grade(sample, str(diagnosis.reason))
    if scoring != "physics":
        return _grade(sample, float(_original_verdict(parsed.value, sample.target)), diagnosis)
    return _grade(sample, diagnosis.score, diagnosis)


def _grade(sample: Sample, score: float, diagnosis: Diagnosis) -> Grade:
    report = diagnosis.to_dict()
    problems = report.pop("problems")
    values: dict[str, Any] = {"stage": diagnosis.stage, "problems": problems[:MAX_PROBLEMS], "mended": report["mended"]}
    if len(problems) > MAX_PROBLEMS:
        values["more_problems"] = len(problems) - MAX_PROBLEMS
    note = "; ".join(filter(None, (diagnosis.note, *(problem["text"] for problem in problems[:3]))))
    return Grade(
        sample=sample.id,
        task=sample.task,
        state="ok",
        score=score,
        values=values,
        tags=sample.tags,
        weight=sample.weight,
        note=note,
    )


def _unparsed_grade(sample: Sample, reason: str) -> Grade:
    return Grade(
        sample=sample.id,
        task=sample.task,
        state="unparsed",
        values={"stage": "unreadable", "problems": []},
        tags=sample.tags,
        weight=sample.weight,
        note=reason,
    )


def _original_verdict(answer: object, truth: object) -> bool:
    """The verdict of the original benchmark: sorted absolute reactions agree."""
    values = []
    for raw in (truth, answer):
        model = read_model(raw).model
        if model is None:
            return False
        try:
            solution = solve_model(model)
        except SightlineError:
            return False
        values.append([float(row["value"]) for row in list_reactions(model, solution)])
    return same_reactions(*values)


SHARE = 0.05
_NOTHING = 1e-9


def same_reactions(truth: Sequence[float], answer: Sequence[float]) -> bool:
    """Whether the sorted absolute values agree within 5 % each."""
    if len(truth) != len(answer):
        return False
    pairs = zip(sorted(map(abs, truth)), sorted(map(abs, answer)), strict=True)
    return all(abs(expected - got) <= max(SHARE * expected, _NOTHING) for expected, got in pairs)
