"""Scorer of the suite: parse a reply, repair it, and compare it with the truth in stages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sightline.core.errors import SightlineError
from sightline.core.records import Parsed, Sample, Score, Unparsed
from sightline.core.remarks import Explanation, format_remark, join_remarks
from sightline.i18n import use_language
from sightline.suites.structural.framecalc.analysis import list_reactions, solve_model
from sightline.suites.structural.framecalc.reader import read_model
from sightline.suites.structural.physics.diagnosis import Diagnosis, UnreadableModel, diagnose_raw
from sightline.suites.structural.prompts import LANGUAGES

MAX_PROBLEMS = 20
"""Maximum number of problems stored with a grade; a completely wrong answer would have hundreds."""


def score_reply(sample: Sample, parsed: Parsed | Unparsed, scoring: str, tolerance: float) -> Score:
    """Score a parsed or unparsed reply."""
    if isinstance(parsed, Unparsed):
        return _unparsed(parsed.reason)
    diagnosis = diagnose_raw(parsed.value, sample.target, sample.task, tolerance)
    if isinstance(diagnosis, UnreadableModel):
        return _unparsed(diagnosis.reason)
    if scoring != "physics":
        return _score(float(_original_verdict(parsed.value, sample.target)), diagnosis)
    return _score(diagnosis.score, diagnosis)


def _score(value: float, diagnosis: Diagnosis) -> Score:
    problems = diagnosis.problems
    details: dict[str, Any] = {
        "stage": diagnosis.stage,
        "problems": [problem.to_dict() for problem in problems[:MAX_PROBLEMS]],
        "mended": [str(remark) for remark in diagnosis.repairs],
    }
    faults: list[Explanation] = [row.reason for row in diagnosis.left_out]
    if diagnosis.note:
        faults.append(diagnosis.note)
    if faults:
        details["reply_faults"] = _translate(faults)
    if len(problems) > MAX_PROBLEMS:
        details["more_problems"] = len(problems) - MAX_PROBLEMS
    message = join_remarks((diagnosis.note, *(problem.remark for problem in problems[:3])))
    return Score(value=value, details=details, message=message)


def _unparsed(reason: Explanation) -> Score:
    details = {"stage": "unreadable", "problems": [], "reply_faults": _translate([reason])}
    return Score(status="unparsed", details=details, message=reason)


def _translate(faults: Sequence[Explanation]) -> dict[str, list[str]]:
    """What is wrong with the reply by itself, whatever the truth, in the languages of the prompts: for feedback."""
    texts = {}
    for language in LANGUAGES:
        with use_language(language):
            texts[language] = [format_remark(fault) for fault in faults[:MAX_PROBLEMS]]
    return texts


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
