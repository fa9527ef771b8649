"""The grade of one reply: read, mend, climb."""

from __future__ import annotations

from typing import Any

from sightline.core.errors import SightlineError
from sightline.core.records import Grade, Parsed, Sample, Unparsed
from sightline.suites.structural.framecalc.convert import solve_model
from sightline.suites.structural.framecalc.reading import read_model
from sightline.suites.structural.framecalc.results import reactions
from sightline.suites.structural.physics.diagnosis import Diagnosis, UnreadableModel, diagnose_raw
from sightline.suites.structural.physics.legacy import same_reactions

MOST_PROBLEMS = 20
"""So many wrong parts are kept with a grade; an answer that is all wrong would list hundreds."""


def grade(sample: Sample, read: Parsed | Unparsed, scoring: str, tolerance: float) -> Grade:
    """The verdict on a reply, whatever its parser has made of it."""
    if isinstance(read, Unparsed):
        return _unread(sample, read.reason)
    found = diagnose_raw(read.value, sample.target, sample.task, tolerance)
    if isinstance(found, UnreadableModel):
        return _unread(sample, str(found.reason))
    if scoring != "physics":
        return _grade(sample, float(_original(read.value, sample.target)), found)
    return _grade(sample, found.score, found)


def _grade(sample: Sample, score: float, found: Diagnosis) -> Grade:
    told = found.to_dict()
    problems = told.pop("problems")
    values: dict[str, Any] = {"stage": found.stage, "problems": problems[:MOST_PROBLEMS], "mended": told["mended"]}
    if len(problems) > MOST_PROBLEMS:
        values["more_problems"] = len(problems) - MOST_PROBLEMS
    note = "; ".join(filter(None, (found.note, *(problem["text"] for problem in problems[:3]))))
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


def _unread(sample: Sample, reason: str) -> Grade:
    return Grade(
        sample=sample.id,
        task=sample.task,
        state="unparsed",
        values={"stage": "unreadable", "problems": []},
        tags=sample.tags,
        weight=sample.weight,
        note=reason,
    )


def _original(answer: object, truth: object) -> bool:
    """The original's verdict: sorted absolute reactions."""
    values = []
    for raw in (truth, answer):
        model = read_model(raw).model
        if model is None:
            return False
        try:
            solution = solve_model(model)
        except SightlineError:
            return False
        values.append([float(row["value"]) for row in reactions(model, solution)])
    return same_reactions(*values)
