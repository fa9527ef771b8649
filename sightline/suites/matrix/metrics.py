"""Capability boundary of each dimension: its metric, and the summary of a run by dimension and level."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from msgspec.structs import replace

from sightline.core.interfaces import Figures
from sightline.core.records import Estimate, Grade
from sightline.core.remarks import Remark, as_remark, format_remark
from sightline.scoring.metrics.sum_metric import SumMetric
from sightline.stats.boundary import HALF, boundary, boundary_interval, falling_fit, fit_levels
from sightline.stats.cluster_sums import with_statuses
from sightline.stats.intervals import Floats
from sightline.suites.matrix.generator.recipe import DIMENSIONS, LEVELS


class _Boundary(SumMetric):
    """Capability boundary from 0 (below half at L1) to 4 (half or more up to L4), interpolated between levels.

    No value, but an interval and the reason, where it lies beyond the levels that were asked.
    """

    columns = 2 * len(LEVELS)
    unit = "number"
    dimension: ClassVar[str]

    def includes(self, grade: Grade) -> bool:
        """Whether a grade belongs to the dimension."""
        return grade.tags.get("dimension") == self.dimension

    def row(self, grade: Grade) -> Sequence[float]:
        """Return (weighted score, weight) at the sample's level, zero at the others."""
        level = LEVELS.index(grade.tags["difficulty"])
        columns = [0.0] * self.columns
        columns[2 * level], columns[2 * level + 1] = self.weigh(grade) * grade.score, self.weigh(grade)
        return columns

    def statistic(self, totals: Floats) -> Any:
        """The boundary of the means by level."""
        return boundary(totals[..., 0::2], totals[..., 1::2])

    def compute(self) -> Estimate:
        """Estimate the boundary; its interval comes from bounds of the levels, not from a bootstrap."""
        base = with_statuses(Estimate(value=None, n=self.sums.samples), self.states)
        table = self.sums.table()
        if not table[:, 1::2].any():
            return base
        value = float(self.statistic(table.sum(axis=0)))
        low, high = boundary_interval(table[:, 0::2], table[:, 1::2], self.sums.samples)
        estimate = replace(base, low=low, high=high, clusters=len(table), method="wilson over clusters")
        if np.isnan(value):
            return replace(estimate, reason=_out_of_range_remark(table.sum(axis=0)))
        return replace(estimate, value=value)


def _out_of_range_remark(totals: Floats) -> Remark:
    """Describe on which side of the tested levels the boundary lies."""
    levels, fit = fit_levels(totals[0::2], totals[1::2])
    if fit[-1] >= HALF:
        return Remark("half or more up to {level}, the highest level that was asked", {"level": f"L{levels[-1]}"})
    return Remark("below half at {level}, the lowest level that was asked", {"level": f"L{levels[0]}"})


class PerceptionBoundary(_Boundary):
    """Capability boundary of perception."""

    title = "Boundary of perception"
    dimension = "perception"


class UnderstandingBoundary(_Boundary):
    """Capability boundary of understanding."""

    title = "Boundary of understanding"
    dimension = "understanding"


class ReasoningBoundary(_Boundary):
    """Capability boundary of reasoning."""

    title = "Boundary of reasoning"
    dimension = "reasoning"


class ActionBoundary(_Boundary):
    """Capability boundary of action."""

    title = "Boundary of action"
    dimension = "action"


_METRIC_FIELDS = {"accuracy": "accuracy", "mean_score": "avg_score"}


def summarize(figures: Figures) -> tuple[dict[str, Any], list[Remark]]:
    """Return the digest and a remark on the boundary of each dimension."""
    accuracy = figures.get(("overall", "", "accuracy"), Estimate(value=None))
    score = figures.get(("overall", "", "mean_score"), Estimate(value=None))
    digest = {
        "overall_accuracy": accuracy.value,
        "overall_avg_score": score.value,
        "total_samples": accuracy.n,
        "by_dimension": _slice_rows(figures, "dimension"),
        "by_difficulty": _slice_rows(figures, "difficulty"),
        "by_cell": _slice_rows(figures, "cell"),
        "by_kind": _slice_rows(figures, "task"),
        "boundary": {
            name: _boundary_as_dict(estimate)
            for name in DIMENSIONS
            if (estimate := _boundary(figures, name)) is not None
        },
    }
    return digest, [
        _boundary_remark(name, estimate, [level for level, _, _ in _level_scores(figures, name)])
        for name in DIMENSIONS
        if (estimate := _boundary(figures, name)) is not None and (estimate.value is not None or estimate.reason)
    ]


def plot_tables(figures: Figures) -> dict[str, tuple[Sequence[str], Sequence[Sequence[Any]]]]:
    """`grid`: the mean score of every cell. `ladder`: the same with interval, monotone fit and boundary."""
    grid, ladder = [], []
    for dimension in DIMENSIONS:
        levels = _level_scores(figures, dimension)
        means = {level: value for level, _, value in levels}
        grid.append([dimension, *(means.get(level) for level, _ in enumerate(LEVELS, 1))])
        if not levels:
            continue
        fit = falling_fit(np.array([v for _, _, v in levels]), np.array([float(e.n) for _, e, _ in levels]))
        boundary = _boundary(figures, dimension)
        level = boundary.value if boundary is not None else None
        ladder += [[dimension, n, v, e.low, e.high, float(f), level] for (n, e, v), f in zip(levels, fit, strict=True)]
    headers = ("dimension", "L1", "L2", "L3", "L4"), ("series", "level", "value", "low", "high", "fit", "boundary")
    return {"grid": (headers[0], grid), "ladder": (headers[1], ladder)}


def _slice_rows(figures: Figures, wanted_scope: str) -> dict[str, dict[str, Any]]:
    rows: dict[str, dict[str, Any]] = {}
    for (slice_scope, name, metric), estimate in figures.items():
        if slice_scope == wanted_scope and metric in _METRIC_FIELDS:
            row = rows.setdefault(name, {"n": estimate.n})
            row[_METRIC_FIELDS[metric]] = estimate.value
            row[f"{_METRIC_FIELDS[metric]}_interval"] = [estimate.low, estimate.high]
    return rows


def _boundary(figures: Figures, dimension: str) -> Estimate | None:
    return figures.get(("overall", "", f"boundary_{dimension}"))


def _boundary_as_dict(estimate: Estimate) -> dict[str, Any]:
    return {
        "level": estimate.value,
        "low": estimate.low,
        "high": estimate.high,
        "n": estimate.n,
        "reason": format_remark(estimate.reason),
    }


def _level_scores(figures: Figures, dimension: str) -> list[tuple[int, Estimate, float]]:
    """Return the levels with data, from 1, with their estimates and mean scores."""
    estimates = [figures.get(("cell", f"{dimension} {level.upper()}", "mean_score")) for level in LEVELS]
    return [
        (n, estimate, estimate.value)
        for n, estimate in enumerate(estimates, 1)
        if estimate is not None and estimate.value is not None
    ]


def _boundary_remark(dimension: str, estimate: Estimate, levels: Sequence[int]) -> Remark:
    """Describe the boundary in one sentence that claims no more than its interval supports."""
    value, low, high = estimate.value, estimate.low, estimate.high
    assert low is not None and high is not None
    args = {"what": Remark(dimension), "interval": f"{low:.2f} – {high:.2f}"}
    if value is None:
        return Remark("{what}: {why} (95 %: {interval}).", args | {"why": as_remark(estimate.reason)})
    if value <= 0:
        if high > 0:
            return Remark("{what} is below half at L1, but the samples don't settle it (95 %: {interval}).", args)
        return Remark("{what} is below half at L1 already (95 %: {interval}).", args)
    if value >= len(LEVELS):
        if low < len(LEVELS):
            return Remark(
                "{what} is at half or more up to L4, but the samples don't settle it (95 %: {interval}).", args
            )
        return Remark("{what} holds up to L4 (95 %: {interval}).", args)
    before, after = max(n for n in levels if n <= value), min(n for n in levels if n > value)
    if after > before + 1:
        ends = {"first": f"L{before}", "last": f"L{after}"}
        return Remark(
            "{what} falls to half between {first} and {last}, with no level between them asked (95 %: {interval}).",
            args | ends,
        )
    return Remark("{what} falls to half at level {level} (95 %: {interval}).", args | {"level": f"{value:.2f}"})
