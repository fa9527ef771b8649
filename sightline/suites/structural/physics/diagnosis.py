"""Score of an answer, its first wrong stage and its wrong parts, by comparison with the true model."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from sightline.core.errors import SightlineError
from sightline.core.records import Explanation, Remark, format_remark
from sightline.suites.structural.difficulty import category_of
from sightline.suites.structural.framecalc.convert import solve_model
from sightline.suites.structural.framecalc.reader import read_model
from sightline.suites.structural.model import Model
from sightline.suites.structural.physics.overlay import Overlay
from sightline.suites.structural.physics.problems import Problem, find_problems
from sightline.suites.structural.physics.staged_diagnosis import SCORES, Stage, diagnose_stage


class Diagnosis(Struct, frozen=True, kw_only=True):
    """A score between 0 and 1, the first stage that is wrong (`right` if none), and the wrong parts by name."""

    score: float
    stage: Stage
    problems: list[Problem]
    repairs: list[Remark] = []
    note: Explanation = ""
    overlay: Overlay | None = None

    def to_dict(self) -> dict[str, Any]:
        """As JSON-serializable data."""
        return {
            "score": self.score,
            "stage": self.stage,
            "problems": [problem.to_dict() for problem in self.problems],
            "mended": [str(remark) for remark in self.repairs],
            "note": format_remark(self.note),
        }


class UnreadableModel(Struct, frozen=True):
    """Reason why an answer cannot be parsed as a structural model."""

    reason: Remark


def diagnose_models(answer: Model, truth: Model, category: str = "", tolerance: float = 0.01) -> Diagnosis:
    """Compare one model with another."""
    stage_result = diagnose_stage(truth, answer, category or category_of(truth), tolerance)
    problems = find_problems(stage_result.overlay, tolerance) if stage_result.stage != "right" else []
    return Diagnosis(
        score=SCORES[stage_result.stage],
        stage=stage_result.stage,
        problems=problems,
        note=_mechanism(answer) if stage_result.stage != "right" else "",
        overlay=stage_result.overlay,
    )


def _mechanism(model: Model) -> Explanation:
    """Message about the free motion of an answer that is a mechanism, or an empty string."""
    try:
        solve_model(model)
    except SightlineError as error:
        return error.remark
    return ""


def diagnose_raw(
    answer: object, truth: object, category: str = "", tolerance: float = 0.01
) -> Diagnosis | UnreadableModel:
    """Compare two models given as decoded JSON; the truth must be readable."""
    truth_reading = read_model(truth)
    if truth_reading.model is None:
        raise ValueError(f"the truth can't be read: {truth_reading.problem}")
    answer_reading = read_model(answer)
    if answer_reading.model is None:
        assert answer_reading.problem is not None
        return UnreadableModel(answer_reading.problem)
    diagnosis = diagnose_models(answer_reading.model, truth_reading.model, category, tolerance)
    return Diagnosis(
        score=diagnosis.score,
        stage=diagnosis.stage,
        problems=diagnosis.problems,
        repairs=list(answer_reading.repairs),
        note=diagnosis.note,
        overlay=diagnosis.overlay,
    )
