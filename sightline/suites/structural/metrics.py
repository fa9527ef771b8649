"""Metrics of the suite: score weighted by difficulty, and share of answers that reach each stage."""

from __future__ import annotations

from typing import ClassVar

from sightline.core.records import Grade
from sightline.scoring.metrics.state import Metric, ScoreState, identity_credit
from sightline.scoring.metrics.sum_metric import MeanCredit

WEIGHTED_SCORE = Metric(
    name="weighted_score",
    title="Score weighted by difficulty",
    state=ScoreState,
    compute=ScoreState.mean_score,
    is_mean=True,
    credit=identity_credit,
)
"""Σ difficulty · score / Σ difficulty, at the first attempt: the difficulty of a drawing is its sample weight."""


class _Reached(MeanCredit):
    """Share of drawings whose answer earned at least `rung`."""

    rung: ClassVar[float]

    def weigh(self, grade: Grade) -> float:
        """Equal weight for every drawing, regardless of difficulty."""
        return 1.0

    def earned(self, grade: Grade) -> float:
        """1 if the stage was reached, else 0."""
        return float(grade.score >= self.rung)


class GeometryRight(_Reached):
    """Geometry is right."""

    title = "Geometry right"
    rung = 0.25


class SupportsRight(_Reached):
    """Geometry and supports are right."""

    title = "Supports right too"
    rung = 0.5


class JointsRight(_Reached):
    """Geometry, supports and releases are right."""

    title = "Joints right too"
    rung = 0.75


class FullMarks(_Reached):
    """Structure and loads are right."""

    title = "All right"
    rung = 1.0
