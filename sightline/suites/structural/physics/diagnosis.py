"""What an answer earns and what is wrong with it: `diagnose(answer, truth)`."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from sightline.core.errors import SightlineError
from sightline.core.records import Remark
from sightline.suites.structural.difficulty import category_of
from sightline.suites.structural.framecalc.convert import solve_model
from sightline.suites.structural.framecalc.reading import read_model
from sightline.suites.structural.model import Model
from sightline.suites.structural.physics.ladder import SCORES, Stage, climb
from sightline.suites.structural.physics.places import Overlay
from sightline.suites.structural.physics.problems import Problem, find_problems


class Diagnosis(Struct, frozen=True, kw_only=True):
    """A score between 0 and 1, the first stage that is wrong (`right` if none), and the wrong parts by name."""

    score: float
    stage: Stage
    problems: list[Problem]
    mended: list[Remark] = []
    note: str = ""
    overlay: Overlay | None = None

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "score": self.score,
            "stage": self.stage,
            "problems": [problem.to_dict() for problem in self.problems],
            "mended": [str(remark) for remark in self.mended],
            "note": self.note,
        }


class UnreadableModel(Struct, frozen=True):
    """Why an answer is no structural model."""

    reason: Remark


def diagnose_models(answer: Model, truth: Model, category: str = "", tolerance: float = 0.01) -> Diagnosis:
    """The diagnosis of one model against another."""
    climbed = climb(truth, answer, category or category_of(truth), tolerance)
    problems = find_problems(climbed.overlay, tolerance) if climbed.stage != "right" else []
    return Diagnosis(
        score=SCORES[climbed.stage],
        stage=climbed.stage,
        problems=problems,
        note=_mechanism(answer) if climbed.stage != "right" else "",
        overlay=climbed.overlay,
    )


def _mechanism(model: Model) -> str:
    """What moves freely in an answer that is a mechanism."""
    try:
        solve_model(model)
    except SightlineError as error:
        return str(error)
    return ""


def diagnose_raw(
    answer: object, truth: object, category: str = "", tolerance: float = 0.01
) -> Diagnosis | UnreadableModel:
    """The diagnosis of an answer as it comes from JSON; the truth must be readable."""
    key = read_model(truth)
    if key.model is None:
        raise ValueError(f"the truth can't be read: {key.problem}")
    reading = read_model(answer)
    if reading.model is None:
        assert reading.problem is not None
        return UnreadableModel(reading.problem)
    found = diagnose_models(reading.model, key.model, category, tolerance)
    return Diagnosis(
        score=found.score,
        stage=found.stage,
        problems=found.problems,
        mended=list(reading.mended),
        note=found.note,
        overlay=found.overlay,
    )
