"""What the figures come to: a digest by dimension and level, and in one sentence each where the model breaks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sightline.contracts import Figures
from sightline.records import Estimate, Remark
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
        _sentence(name, found)
        for name in DIMENSIONS
        if (found := _boundary(figures, name)) is not None and found.value is not None
    ]


def panels(figures: Figures) -> dict[str, tuple[Sequence[str], Sequence[Sequence[Any]]]]:
    """`grid`: the mean score of every cell. `ladder`: the same with interval, monotone fit and boundary."""
    grid, ladder = [], []
    for dimension in DIMENSIONS:
        found = [figures.get(("cell", f"{dimension} {level.upper()}", "mean_score")) for level in LEVELS]
        grid.append([dimension, *(one.value if one is not None else None for one in found)])
        there = [(n, e, e.value) for n, e in enumerate(found, 1) if e is not None and e.value is not None]
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
    return {"level": estimate.value, "low": estimate.low, "high": estimate.high, "n": estimate.n}


def _sentence(dimension: str, estimate: Estimate) -> Remark:
    value = estimate.value
    assert value is not None
    facts = {"what": dimension, "level": f"{value:.1f}", "interval": _interval(estimate)}
    if value <= 0:
        return Remark("{what} is below half at L1 already.", {"what": dimension})
    if value >= len(LEVELS):
        return Remark("{what} holds up to L4.", {"what": dimension})
    return Remark("{what} falls to half at level {level} (95 %: {interval}).", facts)


def _interval(estimate: Estimate) -> str:
    if estimate.low is None or estimate.high is None:
        return "–"
    return f"{estimate.low:.1f} – {estimate.high:.1f}"
