"""Differences of every figure between two runs, paired by cluster through the influence of each cluster."""

from __future__ import annotations

import math
from collections.abc import Mapping

from sightline.runs.comparison.records import FigureDifference
from sightline.scoring.grades.influences import Figure
from sightline.scoring.summary import Row, Summary
from sightline.stats.influence import Influence, combine
from sightline.stats.paired import figure_difference, least_detectable_by_error

_FROM_GRADES = ("accuracy", "mean_score")
"""Overall, these are compared sample by sample."""
Influences = Mapping[Figure, Influence]


def has_other_figures(summary: Summary) -> bool:
    """Whether a report has figures that grades alone do not give."""
    return any(_is_compared(row) and row.metric not in _FROM_GRADES for row in summary.rows)


def compare_figures(
    first: Summary, second: Summary, influences: tuple[Influences, Influences]
) -> tuple[FigureDifference, ...]:
    """The difference of every figure of which both runs have the influences."""
    rows = {_key(row): row for row in second.rows}
    found = []
    for row in first.rows:
        key = _key(row)
        if _is_compared(row) and key in rows and all(key in some for some in influences):
            difference = _difference(row, rows[key], (influences[0][key], influences[1][key]))
            found += [difference] if difference is not None else []
    return tuple(found)


def _is_compared(row: Row) -> bool:
    return row.scope == "task" or (row.scope == "overall" and row.metric not in _FROM_GRADES)


def _key(row: Row) -> Figure:
    return row.scope, row.name, row.metric


def _difference(row: Row, other: Row, influences: tuple[Influence, Influence]) -> FigureDifference | None:
    first, second = row.estimate, other.estimate
    if first.value is None or second.value is None:
        return None
    most = 1.0 if row.unit == "share" else math.inf
    spread = figure_difference(second.value - first.value, combine(influences[::-1], (1.0, -1.0)), most)
    return FigureDifference(
        scope=row.scope,
        name=row.name,
        english=row.english,
        metric=row.metric,
        title=row.title,
        unit=row.unit,
        higher_is_better=row.higher_is_better,
        first=first.value,
        second=second.value,
        value=second.value - first.value,
        low=spread.low,
        high=spread.high,
        n=min(first.n, second.n),
        clusters=spread.clusters,
        method=spread.method,
        p=spread.p,
        test=spread.test,
        least=None if spread.error is None else least_detectable_by_error(spread.error),
    )
