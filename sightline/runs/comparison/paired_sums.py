"""Sufficient statistics of paired grades: exact sums by cluster and slice, computed in DuckDB."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from msgspec import Struct

from sightline.runs.comparison.grades_database import KEY_SQL, MAX_TAG_VALUES, ReferenceRun, fetch_row
from sightline.runs.comparison.records import Flip, Pairing
from sightline.stats.cluster_sums import EXACT, GROUPS
from sightline.stats.exact import ONE
from sightline.stats.intervals import Floats

_COLUMNS = ("score", "correct", "weight", "first_score", "first_correct")


class PairedSums(Struct, frozen=True, kw_only=True):
    """Sums over the pairs of a slice: one row per cluster, or per group of clusters if there are too many."""

    n: int
    first_only: int
    second_only: int
    both_right: int
    table: Floats
    """Σ weight · (second − first) of scores and of correct answers, Σ weight, and both sums of the first run."""

    def column(self, name: str) -> Floats:
        """Return a column of the table by name."""
        values: Floats = self.table[:, _COLUMNS.index(name)]
        return values


class PairedGrades:
    """The table `pairs` created by `ReferenceRun.pair_with`."""

    def __init__(self, first: ReferenceRun, pairing: Pairing) -> None:
        self._base, self._table = first.base, first.table
        self.pairing = pairing
        self._scopes = {"task": "task", **{tag: f"tag{k}" for k, tag in enumerate(first.tags)}}
        aggregates = "count(DISTINCT cluster), min(weight), max(weight), bool_and(a IN (0, 1) AND b IN (0, 1))"
        counts = ", ".join(f"count(DISTINCT {column})" for column in self._scopes.values())
        row = fetch_row(self._base, f"SELECT {aggregates}, {counts} FROM pairs")  # noqa: S608
        clusters, lightest, heaviest, is_binary, *values = row
        self._values = dict(zip(self._scopes, values, strict=True))
        self.crowded = sorted(
            [*first.crowded, *(scope for scope in first.tags if self._values[scope] > MAX_TAG_VALUES)]
        )
        self.is_binary = bool(is_binary)
        self.weight = float(heaviest or 0)
        self.has_equal_weights = lightest == heaviest and self.weight > 0
        """Whether all samples have the same weight, `weight`."""
        self._independent = clusters == pairing.pairs
        self._group = f"cluster % {GROUPS}" if clusters > EXACT else "cluster"

    def is_independent(self, sums: PairedSums) -> bool:
        """Whether the samples of a slice are independent (one per cluster) and equally weighted."""
        return self.has_equal_weights and (self._independent or len(sums.table) == sums.n)

    def total(self) -> PairedSums:
        """Sums over all pairs."""
        return self._sums("''")[""]

    def slices(self) -> Iterator[tuple[str, dict[str, PairedSums]]]:
        """Sums by task, then by tag; scopes with a single value or the partition of an earlier scope are skipped."""
        seen = []
        for scope, column in self._scopes.items():
            if self._values[scope] > 1 and scope not in self.crowded:
                by_value = self._sums(column)
                partition = sorted((sums.n, *sums.table.sum(axis=0).tolist()) for sums in by_value.values())
                if partition not in seen:
                    seen.append(partition)
                    yield scope, by_value

    def _sums(self, column: str) -> dict[str, PairedSums]:
        """Exact fixed-point sums (multiples of 2⁻⁴⁰), independent of the order of rows."""
        a, b, a_right, b_right, weight = (
            f"round(weight * {what} * {ONE})::HUGEINT" for what in ("a", "b", "(a >= 1)::INT", "(b >= 1)::INT", "1")
        )
        rows = self._base.execute(
            f"SELECT {column} AS name, {self._group} AS place, count(*) AS n, "  # noqa: S608  # our own names
            f"sum({b} - {a}) AS score, sum({b_right} - {a_right}) AS correct, sum({weight}) AS weight, "
            f"sum({a}) AS first_score, sum({a_right}) AS first_correct, "
            "count(*) FILTER (a >= 1 AND b < 1) AS first_only, count(*) FILTER (a < 1 AND b >= 1) AS second_only, "
            "count(*) FILTER (a >= 1 AND b >= 1) AS both_right "
            f"FROM pairs WHERE {column} IS NOT NULL GROUP BY ALL ORDER BY 1, 2"
        ).fetchnumpy()
        names = np.asarray(rows["name"], dtype=object)
        table = np.stack([np.asarray(rows[name], np.float64) / ONE for name in _COLUMNS], axis=1)
        starts = np.flatnonzero(np.concatenate((np.ones(1, bool), names[1:] != names[:-1]))).tolist()
        by_value = {}
        for start, stop in zip(starts, [*starts[1:], len(names)], strict=True):
            counts = {
                name: int(rows[name][start:stop].sum()) for name in ("n", "first_only", "second_only", "both_right")
            }
            by_value[str(names[start])] = PairedSums(table=table[start:stop], **counts)
        return by_value

    def flips(self, limit: int | None = None) -> Iterator[Flip]:
        """Yield samples that only one of the two runs got right, in dataset order; at most `limit` per direction."""
        rank_sql = "row_number() OVER (PARTITION BY a >= 1 ORDER BY position, key)"
        condition = "" if limit is None else f"QUALIFY {rank_sql} <= {limit}"
        cursor = self._base.execute(
            "WITH flipped AS (SELECT key, position, a, b FROM pairs WHERE (a >= 1) <> (b >= 1) "  # noqa: S608
            f"{condition}) "
            f"SELECT sample, task, source, a, b FROM {self._table} AS grades "
            f"JOIN flipped ON flipped.key = {KEY_SQL} AND flipped.position = grades.position "
            "ORDER BY flipped.position, sample, task"
        )
        while rows := cursor.fetchmany(10_000):
            for sample, task, source, first, second in rows:
                yield Flip(sample=sample, task=task, source=source or "", first=first, second=second)
