"""Rank confidence intervals: from 1 + the number of significantly better runs to n − the number of worse ones."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from sightline.core.errors import DataError
from sightline.runs.comparison.grades_database import (
    ANSWERED_SQL,
    CLUSTER_SQL,
    KEY_SQL,
    SCORE_SQL,
    fetch_row,
    grades_table,
    open_database,
)
from sightline.runs.comparison.load_run import GradedRun
from sightline.runs.comparison.pairwise_tests import (
    ClusterSums,
    PairTest,
    paired_test,
    significantly_better,
    unpaired_test,
)
from sightline.runs.folder import RunFolder
from sightline.stats.cluster_sums import EXACT, GROUPS
from sightline.stats.exact import ONE
from sightline.stats.intervals import Floats

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_TOLERANCE = 1e-9


class RankingTests:
    """Pairwise tests between all runs on the same data."""

    def __init__(self, runs: Sequence[GradedRun], higher_is_better: bool = True) -> None:
        self.estimates = [run.summary.score for run in runs]
        self.sign = 1 if higher_is_better else -1
        with open_database() as base:
            self._tallies = [_cluster_sums(base, run) for run in runs]
        available = [tally for tally in self._tallies if tally is not None]
        self.paired = len(available) == len(runs) > 1 and len({tally.samples for tally in available}) == 1
        pairs = list(combinations(range(len(runs)), 2))
        self.better = significantly_better(pairs, [self._test_pair(i, j) for i, j in pairs], self.sign)

    def _test_pair(self, i: int, j: int) -> PairTest:
        """Test run i against run j, paired if both have the same samples."""
        first, second = self._tallies[i], self._tallies[j]
        if first is not None and second is not None and first.samples == second.samples:
            return paired_test(first, second)
        first_score, second_score = self.estimates[i], self.estimates[j]
        return (0.0, None) if first_score is None or second_score is None else unpaired_test(first_score, second_score)


def rank_interval(tests: RankingTests, index: int) -> dict[str, int | None]:
    """Return a run's rank by value (ties share one) and the bounds of its rank confidence interval."""
    values = [estimate.value if estimate else None for estimate in tests.estimates]
    own_value = values[index]
    if own_value is None:
        return {"rank": None, "best_rank": None, "worst_rank": None}
    ranked = [value for value in values if value is not None]
    sign = tests.sign
    return {
        "rank": 1 + sum(sign * value > sign * own_value for value in ranked),
        "best_rank": 1 + sum((other, index) in tests.better for other in range(len(values))),
        "worst_rank": len(ranked) - sum((index, other) in tests.better for other in range(len(values))),
    }


def _cluster_sums(base: DuckDBPyConnection, run: GradedRun) -> ClusterSums | None:
    """Return the run's sums by cluster if its headline is the mean of its sample scores; else None."""
    score = run.summary.score
    if score is None or score.value is None:
        return None
    try:
        table = _sums(base, run.folder)
    except DataError:
        return None  # scored without grades: only intervals are available
    if table is None:
        return None
    samples, (scores, correct, weight) = table
    for earned in (scores, correct):
        if weight.sum() > 0 and abs(earned.sum() / weight.sum() - score.value) <= _TOLERANCE:
            return ClusterSums(samples, earned, weight)
    return None


def _sums(base: DuckDBPyConnection, folder: RunFolder) -> tuple[tuple[int, int], Floats] | None:
    grades = f"FROM {grades_table(base, folder)} WHERE {ANSWERED_SQL}"
    n, hashes, clusters = fetch_row(
        base,
        f"SELECT count(*), sum({KEY_SQL}::HUGEINT), count(DISTINCT {CLUSTER_SQL}) {grades}",
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
