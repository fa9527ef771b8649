"""Leaderboard: all graded runs below a folder, ranked within groups of comparable runs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import combinations
from pathlib import Path
from statistics import NormalDist
from typing import TYPE_CHECKING

import msgspec
import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from sightline.core.errors import DataError, SightlineError
from sightline.core.records import Estimate, Unit
from sightline.core.remarks import Remark
from sightline.runs.comparison.graded_runs import GradedRun, comparability_key, format_setting, load_graded_run
from sightline.runs.comparison.grades_database import (
    ANSWERED_SQL,
    CLUSTER_SQL,
    KEY_SQL,
    SCORE_SQL,
    fetch_row,
    open_database,
    question_table,
)
from sightline.runs.comparison.records import SIGNIFICANCE_LEVEL
from sightline.runs.folder import RunFolder
from sightline.runs.run_list import HOW_TO_START
from sightline.stats.cluster_sums import FOLDED_CLUSTERS, MAX_EXACT_CLUSTERS
from sightline.stats.exact import SCORE_UNIT
from sightline.stats.intervals import LEVEL, Floats
from sightline.stats.paired import holm, mcnemar, paired_difference

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


PairTest = tuple[float, float | None]
"""Score difference between two runs and its p-value; None if there is no test."""
_QUANTILE = NormalDist().inv_cdf(0.5 + LEVEL / 2)


class RunClusterSums(Struct, frozen=True):
    """A run's weighted scores summed by cluster, and a fingerprint of its samples."""

    samples: tuple[int, int]
    """Number of samples, and the sum of their hashes."""
    earned: Floats
    weight: Floats


def paired_test(first: RunClusterSums, second: RunClusterSums) -> PairTest:
    """Paired test on the same samples: McNemar's exact test for independent binary scores, else Student's t."""
    change = first.earned - second.earned
    if first.samples[0] == len(change) and (first.weight == 1).all() and np.isin(change, (-1, 0, 1)).all():
        return float(change.mean()), mcnemar(int((change < 0).sum()), int((change > 0).sum()))
    spread = paired_difference(change, first.weight)
    return spread.value or 0.0, spread.p


def unpaired_test(first: Estimate, second: Estimate) -> PairTest:
    """Unpaired test based on the two confidence intervals; conservative, since shared difficulty does not cancel.

    The distance from each value to the interval bound facing the other value replaces its standard error (MOVER, method
    of variance estimates recovery, Zou and Donner 2008).
    """
    bounds = (first.value, first.low, first.high, second.value, second.low, second.high)
    if None in bounds:
        return 0.0, None
    value, low, high, other, other_low, other_high = (float(end or 0.0) for end in bounds)
    difference = value - other
    margin = (
        math.hypot(value - low, other_high - other) if difference > 0 else math.hypot(high - value, other - other_low)
    )
    if margin <= 0:
        return difference, None
    return difference, math.erfc(abs(difference) / margin * _QUANTILE / math.sqrt(2))


def significantly_better(
    pairs: Sequence[tuple[int, int]], tests: Sequence[PairTest], sign: int = 1
) -> set[tuple[int, int]]:
    """Return the pairs (i, j) of run indices where run i is significantly better than run j.

    The p-values are corrected for all pairs (Holm): with 95 % confidence no pair is in the wrong order, so that all
    rank intervals hold simultaneously (Mogstad, Romano, Shaikh and Wilhelm 2024, "Inference for Ranks").
    """
    better = set()
    for (i, j), (difference, _), p in zip(pairs, tests, holm([p for _, p in tests]), strict=True):
        if p is not None and p < SIGNIFICANCE_LEVEL and difference:
            better.add((i, j) if sign * difference > 0 else (j, i))
    return better


_TOLERANCE = 1e-9


class RankingTests:
    """Pairwise tests between all runs on the same data."""

    def __init__(self, runs: Sequence[GradedRun], higher_is_better: bool = True) -> None:
        self.estimates = [run.summary.score for run in runs]
        self.sign = 1 if higher_is_better else -1
        with open_database() as base:
            self._run_sums = [_cluster_sums(base, run) for run in runs]
        available = [run_sums for run_sums in self._run_sums if run_sums is not None]
        self.paired = len(available) == len(runs) > 1 and len({run_sums.samples for run_sums in available}) == 1
        pairs = list(combinations(range(len(runs)), 2))
        self.better = significantly_better(pairs, [self._test_pair(i, j) for i, j in pairs], self.sign)

    def _test_pair(self, i: int, j: int) -> PairTest:
        """Test run i against run j, paired if both have the same samples."""
        first, second = self._run_sums[i], self._run_sums[j]
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


def _cluster_sums(base: DuckDBPyConnection, run: GradedRun) -> RunClusterSums | None:
    """Return the run's sums by cluster if its headline is the mean of its question scores; else None."""
    score = run.summary.score
    if score is None or score.value is None:
        return None
    try:
        table = _sums_by_cluster(base, run.folder)
    except DataError:
        return None  # scored without grades: only intervals are available
    if table is None:
        return None
    samples, (scores, correct, weight) = table
    total = float(weight.sum())
    for earned in (scores, correct):
        if total > 0 and abs(float(earned.sum()) / total - score.value) <= _TOLERANCE:
            return RunClusterSums(samples, earned, weight)
    return None


def _sums_by_cluster(base: DuckDBPyConnection, folder: RunFolder) -> tuple[tuple[int, int], Floats] | None:
    """Return the questions, and by cluster the sums of their scores, of right answers and of weights."""
    grades = f"FROM {question_table(base, folder)} WHERE {ANSWERED_SQL}"
    totals = f"SELECT count(*), sum({KEY_SQL}::HUGEINT), count(DISTINCT {CLUSTER_SQL}) {grades}"
    n, hashes, clusters = fetch_row(base, totals)
    if not n:
        return None
    group = f"{CLUSTER_SQL} % {FOLDED_CLUSTERS}" if clusters > MAX_EXACT_CLUSTERS else CLUSTER_SQL
    factors = (SCORE_SQL, "correct", "1")
    sums = [f"sum(round(weight * {factor} * {SCORE_UNIT})::HUGEINT) AS sum{k}" for k, factor in enumerate(factors)]
    rows = base.execute(f"SELECT {group} AS place, {', '.join(sums)} {grades} GROUP BY ALL ORDER BY 1").fetchnumpy()
    columns = [np.asarray(rows[f"sum{k}"], np.float64) / SCORE_UNIT for k in range(len(factors))]
    return (n, int(hashes)), np.stack(columns)


class Entry(Struct, frozen=True, kw_only=True):
    """A leaderboard entry: one model in one setting."""

    model: str
    params: str = ""
    deviations: tuple[Remark, ...] = ()
    arguments: str = ""
    """Extra arguments of the model's requests, as key=value."""
    folder: str
    started: str = ""
    complete: bool = True
    earlier: int = 0
    """Number of other runs of the same model and setting that are not shown."""
    value: float | None = None
    low: float | None = None
    high: float | None = None
    n: int = 0
    coverage: float | None = None
    baseline: float | None = None
    skill: float | None = None
    rank: int | None = None
    best_rank: int | None = None
    worst_rank: int | None = None

    @property
    def setting(self) -> str:
        """Deviations from the standard protocol, in the current language; empty if there are none."""
        return "; ".join(filter(None, (*map(str, self.deviations), self.arguments)))

    @property
    def row(self) -> tuple[str, str, str]:
        """Key that joins the entries of one model and setting across suites."""
        return self.model, self.params, self.setting


class Group(Struct, frozen=True, kw_only=True):
    """Comparable runs (same data and settings), which are ranked against each other."""

    name: str
    suite: str
    title: str
    version: str
    data: str
    rules: tuple[str, ...] = ()
    """Non-default options, selection and scoring settings, as `name: value`."""
    metric: str = ""
    metric_title: str = ""
    unit: Unit = "share"
    higher_is_better: bool = True
    paired: bool = False
    """Whether all rank intervals are based on paired tests on the same samples."""
    entries: tuple[Entry, ...] = ()


class Leaderboard(Struct, frozen=True, kw_only=True):
    """All groups, and the folders that could not be read."""

    groups: tuple[Group, ...]
    left_out: tuple[Remark, ...] = ()


def build_leaderboard(runs_dir: str | Path) -> Leaderboard:
    """Rank all graded runs below a folder."""
    root = Path(runs_dir)
    graded_runs, left_out = [], []
    for path in sorted(root.rglob("manifest.json")):
        if path.parent.name == "judge" and (path.parents[1] / "manifest.json").exists():
            continue  # the judge's run belongs to the run above it
        try:
            graded_runs.append(load_graded_run(path.parent))
        except SightlineError as error:
            why = str(error).partition("\n")[0]
            left_out.append(Remark("{folder} is excluded: {reason}", {"folder": str(path.parent), "reason": why}))
    if not graded_runs:
        raise DataError("There is no graded run in {folder}.", hint=HOW_TO_START, folder=root)
    groups: dict[bytes, list[GradedRun]] = {}
    for run in graded_runs:
        key = {**comparability_key(run.manifest), "metric": run.summary.headline}
        groups.setdefault(msgspec.json.encode(key, order="deterministic"), []).append(run)
    ordered = sorted(groups.values(), key=_group_order)
    return Leaderboard(
        groups=tuple(_group(runs, name) for runs, name in zip(ordered, _group_names(ordered), strict=True)),
        left_out=tuple(left_out),
    )


def _group_order(runs: Sequence[GradedRun]) -> tuple[str, int, str]:
    """Sort key: by suite, groups with more runs first."""
    first = runs[0].manifest
    return first.suite, -len(runs), msgspec.json.encode(comparability_key(first), order="deterministic").decode()


def _group_names(groups: Iterable[Sequence[GradedRun]]) -> list[str]:
    """Name groups by suite, numbered if a suite has several groups."""
    suites = [runs[0].manifest.suite for runs in groups]
    return [
        suite if suites.count(suite) == 1 else f"{suite} #{suites[: index + 1].count(suite)}"
        for index, suite in enumerate(suites)
    ]


def _group(runs: Sequence[GradedRun], name: str) -> Group:
    latest = _latest_runs(runs)
    manifest = runs[0].manifest
    head = next((run.summary.head for run, _ in latest if run.summary.head is not None), None)
    settings = {
        key: value for key, value in comparability_key(manifest).items() if key not in ("suite", "version", "data")
    }
    higher = head is None or head.higher_is_better
    tests = RankingTests([run for run, _ in latest], higher)
    entries = [
        replace(_entry(run, earlier), **rank_interval(tests, index)) for index, (run, earlier) in enumerate(latest)
    ]
    return Group(
        name=name,
        suite=manifest.suite,
        title=manifest.title,
        version=manifest.suite_version,
        data=manifest.grading_fingerprint[1],
        rules=tuple(f"{key.partition(' ')[2]}: {format_setting(value)}" for key, value in settings.items()),
        metric=head.metric if head else "",
        metric_title=head.title if head else "",
        unit=head.unit if head else "share",
        higher_is_better=higher,
        paired=tests.paired,
        entries=tuple(sorted(entries, key=lambda entry: (entry.rank is None, entry.rank, entry.row, entry.folder))),
    )


def _latest_runs(runs: Sequence[GradedRun]) -> list[tuple[GradedRun, int]]:
    """Choose one run per model and setting, complete ones and later ones first, with the number of others."""
    by_row: dict[tuple[str, str, str], list[GradedRun]] = {}
    for run in runs:
        by_row.setdefault(_entry(run, 0).row, []).append(run)
    return [
        (max(same, key=lambda run: (run.complete, run.manifest.started, str(run.folder.path))), len(same) - 1)
        for same in by_row.values()
    ]


def _entry(run: GradedRun, earlier: int) -> Entry:
    summary, manifest = run.summary, run.manifest
    score, baseline = summary.score, summary.best_baseline
    arguments = manifest.config.get("model_args") or {}
    return Entry(
        model=summary.model,
        params=summary.params,
        deviations=tuple(manifest.deviations),
        arguments=", ".join(f"{key}={value}" for key, value in sorted(arguments.items())),
        folder=str(run.folder.path),
        started=manifest.started,
        complete=run.complete,
        earlier=earlier,
        value=score.value if score else None,
        low=score.low if score else None,
        high=score.high if score else None,
        n=score.n if score else 0,
        coverage=summary.coverage,
        baseline=baseline.value if baseline else None,
        skill=baseline.skill if baseline else None,
    )
