"""What the figures come to: a digest by dimension and level, and in one sentence each where the model breaks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sightline.core.interfaces import Figures
from sightline.core.records import Estimate, Remark
from sightline.stats.boundary import falling_fit
from sightline.suites.matrix.generator.recipe import DIMENSIONS, LEVELS

_METRICS = {"accuracy": "accuracy", "mean_score": "avg_score"}


def conclude(figures: Figures) -> tuple[dict[str, Any], list[Remark]]:
    """The digest under the names that people look for, and the sentences."""
    accuracy = figures.get(("overall", "", "accuracy"), Estimate(value=None))
    score = figures.get(("overall", "", "mean_score"), Estimate(value=None))
    digest = {
        "overall_accuracy": accuracy.value,
        "overall_avg_score": score.value,
        "total_samples": accuracy.n,
        "by_dimension": _slice(figures, "dimension"),
        "by_difficulty": _slice(figures, "difficulty"),
        "by_cell": _slice(figures, "cell"),
        "by_kind": _slice(figures, "task"),
        "boundary": {name: _plain(found) for name in DIMENSIONS if (found := _boundary(figures, name)) is not None},
    }
    return digest, [
        _sentence(name, found, [level for level, _, _ in _levels(figures, name)])
        for name in DIMENSIONS
        if (found := _boundary(figures, name)) is not None and (found.value is not None or found.why)
    ]


def panels(figures: Figures) -> dict[str, tuple[Sequence[str], Sequence[Sequence[Any]]]]:
    """`grid`: the mean score of every cell. `ladder`: the same with interval, monotone fit and boundary."""
    grid, ladder = [], []
    for dimension in DIMENSIONS:
        there = _levels(figures, dimension)
        means = {level: value for level, _, value in there}
        grid.append([dimension, *(means.get(level) for level, _ in enumerate(LEVELS, 1))])
        if not there:
            continue
        fit = falling_fit(np.array([v for _, _, v in there]), np.array([float(e.n) for _, e, _ in there]))
        boundary = _boundary(figures, dimension)
        level = boundary.value if boundary is not None else None
        ladder += [[dimension, n, v, e.low, e.high, float(f), level] for (n, e, v), f in zip(there, fit, strict=True)]
    heads = ("dimension", "L1", "L2", "L3", "L4"), ("series", "level", "value", "low", "high", "fit", "boundary")
    return {"grid": (heads[0], grid), "ladder": (heads[1], ladder)}


def _slice(figures: Figures, scope: str) -> dict[str, dict[str, Any]]:
    rows: dict[str, dict[str, Any]] = {}
    for (where, name, metric), estimate in figures.items():
        if where == scope and metric in _METRICS:
            row = rows.setdefault(name, {"n": estimate.n})
            row[_METRICS[metric]] = estimate.value
            row[f"{_METRICS[metric]}_interval"] = [estimate.low, estimate.high]
    return rows


def _boundary(figures: Figures, dimension: str) -> Estimate | None:
    return figures.get(("overall", "", f"boundary_{dimension}"))


def _plain(estimate: Estimate) -> dict[str, Any]:
    return {"level": estimate.value, "low": estimate.low, "high": estimate.high, "n": estimate.n, "why": estimate.why}


def _levels(figures: Figures, dimension: str) -> list[tuple[int, Estimate, float]]:
    """The levels that were asked, counted from 1, with their mean scores."""
    found = [figures.get(("cell", f"{dimension} {level.upper()}", "mean_score")) for level in LEVELS]
    return [(n, one, one.value) for n, one in enumerate(found, 1) if one is not None and one.value is not None]


def _sentence(dimension: str, estimate: Estimate, asked: Sequence[int]) -> Remark:
    """What is known of the boundary; never more than its interval allows."""
    value, low, high = estimate.value, estimate.low, estimate.high
    assert low is not None and high is not None
    facts = {"what": dimension, "interval": f"{low:.2f} – {high:.2f}"}
    if value is None:
        return Remark("{what}: {why} (95 %: {interval}).", facts | {"why": estimate.why})
    if value <= 0:
        if high > 0:
            return Remark("{what} is below half at L1, but the samples don't settle it (95 %: {interval}).", facts)
        return Remark("{what} is below half at L1 already (95 %: {interval}).", facts)
    if value >= len(LEVELS):
        if low < len(LEVELS):
            return Remark(
                "{what} is at half or more up to L4, but the samples don't settle it (95 %: {interval}).", facts
            )
        return Remark("{what} holds up to L4 (95 %: {interval}).", facts)
    before, after = max(n for n in asked if n <= value), min(n for n in asked if n > value)
    if after > before + 1:
        ends = {"first": f"L{before}", "last": f"L{after}"}
        return Remark(
            "{what} falls to half between {first} and {last}, with no level between them asked (95 %: {interval}).",
            facts | ends,
        )
    return Remark("{what} falls to half at level {level} (95 %: {interval}).", facts | {"level": f"{value:.2f}"})
