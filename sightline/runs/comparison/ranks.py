"""Ranks that say how sure they are: from 1 + all that are surely better, to all but those that are surely worse."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from sightline.core.errors import DataError
from sightline.runs.comparison.differences import Lead, Tally, paired_lead, separate_lead, surely_better
from sightline.runs.comparison.grades import ANSWERED_SQL, CLUSTER_SQL, KEY, SCORE_SQL, grades_of, one_row, opened
from sightline.runs.comparison.load_run import GradedRun
from sightline.runs.folder import RunFolder
from sightline.stats.clusters import EXACT, GROUPS
from sightline.stats.exact import ONE
from sightline.stats.intervals import Floats

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_SAME = 1e-9


class Contest:
    """Which of several runs on the same data are surely better than which."""

    def __init__(self, runs: Sequence[GradedRun], higher_is_better: bool = True) -> None:
        self.estimates = [run.summary.score for run in runs]
        self.sign = 1 if higher_is_better else -1
        with opened() as base:
            self._tallies = [_tally(base, run) for run in runs]
        told = [tally for tally in self._tallies if tally is not None]
        self.paired = len(told) == len(runs) > 1 and len({tally.samples for tally in told}) == 1
        pairs = list(combinations(range(len(runs)), 2))
        self.better = surely_better(pairs, [self._lead(i, j) for i, j in pairs], self.sign)

    def _lead(self, i: int, j: int) -> Lead:
        """How far run i lies above run j, and how likely such a lead were if they were equally good."""
        first, second = self._tallies[i], self._tallies[j]
        if first is not None and second is not None and first.samples == second.samples:
            return paired_lead(first, second)
        ours, theirs = self.estimates[i], self.estimates[j]
        return (0.0, None) if ours is None or theirs is None else separate_lead(ours, theirs)


def rank_range(contest: Contest, place: int) -> dict[str, int | None]:
    """A run's rank by value (equal values share one), and the best and worst ranks that the doubts allow."""
    values = [estimate.value if estimate else None for estimate in contest.estimates]
    mine = values[place]
    if mine is None:
        return {"rank": None, "best_rank": None, "worst_rank": None}
    ranked = [value for value in values if value is not None]
    sign = contest.sign
    return {
        "rank": 1 + sum(sign * value > sign * mine for value in ranked),
        "best_rank": 1 + sum((other, place) in contest.better for other in range(len(values))),
        "worst_rank": len(ranked) - sum((place, other) in contest.better for other in range(len(values))),
    }


def _tally(base: DuckDBPyConnection, run: GradedRun) -> Tally | None:
    """The run's sums by cluster, where its headline is the mean of what its samples earned; else None."""
    score = run.summary.score
    if score is None or score.value is None:
        return None
    try:
        table = _sums(base, run.folder)
    except DataError:
        return None  # scored without grades: intervals alone decide
    if table is None:
        return None
    samples, (scores, correct, weight) = table
    for earned in (scores, correct):
        if weight.sum() > 0 and abs(earned.sum() / weight.sum() - score.value) <= _SAME:
            return Tally(samples, earned, weight)
    return None


def _sums(base: DuckDBPyConnection, folder: RunFolder) -> tuple[tuple[int, int], Floats] | None:
    grades = f"FROM {grades_of(base, folder)} WHERE {ANSWERED_SQL}"
    n, hashes, clusters = one_row(
        base,
        f"SELECT count(*), sum({KEY}::HUGEINT), count(DISTINCT {CLUSTER_SQL}) {grades}",
    )
    if not n:
        return None
    group = f"{CLUSTER_SQL} % {GROUPS}" if clusters > EXACT else CLUSTER_SQL
    score, correct, weight = (
        f"sum(round(weight * {what} * {ONE})::HUGEINT)" for what in (SCORE_SQL, "(score >= 1)::INT", "1")
    )
    rows = base.execute(
        f"SELECT {group} AS place, {score} AS score, {correct} AS correct, {weight} AS weight "
        f"{grades} GROUP BY ALL ORDER BY 1"
    ).fetchnumpy()
    columns = [np.asarray(rows[name], np.float64) / ONE for name in ("score", "correct", "weight")]
    return (n, int(hashes)), np.stack(columns)
