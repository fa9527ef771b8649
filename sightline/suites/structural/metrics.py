"""The score weighted by difficulty, and how many answers come how far up the ladder."""

from __future__ import annotations

from typing import ClassVar

from sightline.metrics.mean import MeanScore
from sightline.records import Grade


class WeightedScore(MeanScore):
    """Σ difficulty · score / Σ difficulty, at the first attempt."""

    title = "Score weighted by difficulty"


class _Reached(MeanScore):
    """Share of drawings whose answer earned at least `rung`."""

    rung: ClassVar[float]

    def weigh(self, grade: Grade) -> float:
        """Every drawing alike, whatever its difficulty."""
        return 1.0

    def earned(self, grade: Grade) -> float:
        """All or nothing."""
        return float(grade.score >= self.rung)


class GeometryRight(_Reached):
    """Members where they should be."""

    title = "Geometry right"
    rung = 0.25


class SupportsRight(_Reached):
    """Geometry and supports right."""

    title = "Supports right too"
    rung = 0.5


class JointsRight(_Reached):
    """Geometry, supports and releases right."""

    title = "Joints right too"
    rung = 0.75


class FullMarks(_Reached):
    """The same structure under the same loads."""

    title = "All right"
    rung = 1.0
