"""Ranks that say how sure they are: from 1 + all that are surely better, to all but those that are surely worse."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from msgspec import Struct

from sightline.comparing.graded import GradedRun
from sightline.comparing.grades import ANSWERED_SQL, CLUSTER_SQL, KEY, SCORE_SQL, grades_of, one_row, opened
from sightline.errors import DataError
from sightline.records import Estimate
from sightline.runs.folder import RunFolder
from sightline.stats.clusters import EXACT, GROUPS
from sightline.stats.exact import ONE
from sightline.stats.intervals import Floats
from sightline.stats.paired import paired_differences

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_SAME = 1e-9


class _Tally(Struct, frozen=True):
    """What a run earned, cluster by cluster, and which samples that were."""

    samples: tuple[int, int]
    """Their number, and the sum of their hashes."""
    earned: Floats
    weight: Floats


class Contest:
    """Which of several runs on the same data are surely better than which."""

    def __init__(self, runs: Sequence[GradedRun], higher_is_better: bool = True) -> None:
        self.estimates = [run.summary.score for run in runs]
        self.sign = 1 if higher_is_better else -1
        with opened() as base:
            self._tallies = [_tally(base, run) for run in runs]
        told = [tally for tally in self._tallies if tally is not None]
        self.paired = len(told) == len(runs) > 1 and len({tally.samples for tally in told}) == 1
        self.better = self._better()

    def _better(self) -> set[tuple[int, int]]:
        """Pairs of places: the first is surely better than the second."""
        found = set()
        places = range(len(self.estimates))
        for i in places:
            rivals = [j for j in places if j > i and self._same_samples(i, j)]
            for j, (low, high) in zip(rivals, self._differences(i, rivals), strict=True):
                found.update([(j, i)] if low > 0 else [(i, j)] if high < 0 else [])
            found.update((i, j) for j in places if not self._same_samples(i, j) and self._stands_above(i, j))
        return found

    def _same_samples(self, i: int, j: int) -> bool:
        first, second = self._tallies[i], self._tallies[j]
        return first is not None and second is not None and first.samples == second.samples

    def _differences(self, i: int, rivals: Sequence[int]) -> list[tuple[float, float]]:
        """The interval of each rival's lead over run i, on the very same samples."""
        ours = self._tallies[i]
        tables = []
        for j in rivals:
            theirs = self._tallies[j]
            assert ours is not None and theirs is not None
            tables.append(np.stack([theirs.earned - ours.earned, ours.weight], axis=1))
        return [(one.low or 0.0, one.high or 0.0) for one in paired_differences(tables)]

    def _stands_above(self, i: int, j: int) -> bool:
        """Whether the interval of run i lies wholly on the better side of that of run j."""
        first, second = self.estimates[i], self.estimates[j]
        if first is None or second is None or None in (first.low, first.high, second.low, second.high):
            return False
        (low, _), (_, high) = sorted(_reach(first, self.sign)), sorted(_reach(second, self.sign))
        return low > high


def _reach(estimate: Estimate, sign: int) -> tuple[float, float]:
    assert estimate.low is not None and estimate.high is not None
    return sign * estimate.low, sign * estimate.high


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


def _tally(base: DuckDBPyConnection, run: GradedRun) -> _Tally | None:
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
            return _Tally(samples, earned, weight)
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
