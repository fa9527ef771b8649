"""Grades of runs in DuckDB: pairing of the samples of two runs, exact sums of paired grades by cluster and slice."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec import Struct

from sightline.core.errors import DataError
from sightline.core.legacy import upgrade_grades
from sightline.core.records import COUNTED
from sightline.runs.comparison.records import Flip, Pairing
from sightline.runs.folder import RunFolder
from sightline.scoring.grades.duckdb_files import connect_duckdb, sql_literal
from sightline.stats.cluster_sums import FOLDED_CLUSTERS, MAX_EXACT_CLUSTERS
from sightline.stats.exact import SCORE_UNIT
from sightline.stats.intervals import Floats

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


MAX_TAG_VALUES = 50
"""Tags with more values are not used as slices."""
MAX_TAGS = 24
REQUIRED_COLUMNS = ("position", "sample", "task", "status", "score", "weight", "cluster", "source", "tags")
KEY_SQL = "hash(sample, task)"
ANSWERED_SQL = "status IN (" + ", ".join(f"'{state}'" for state in COUNTED) + ")"
SCORE_SQL = "CASE WHEN score IS NULL OR isnan(score) THEN 0 ELSE score END::DOUBLE"
CLUSTER_SQL = "('0x' || left(md5(CASE WHEN coalesce(cluster, '') = '' THEN sample ELSE cluster END), 15))::BIGINT"
"""60-bit hash of the cluster, the same in every process."""


@contextmanager
def open_database() -> Iterator[DuckDBPyConnection]:
    """Open an in-memory DuckDB database that spills to a temporary folder."""
    import duckdb

    with TemporaryDirectory(prefix="sightline-") as folder:
        try:
            with connect_duckdb(Path(folder), threads=2) as base:
                yield base
        except duckdb.Error as error:
            raise DataError("Cannot read the grades: {why}", why=error) from None


def grades_table(base: DuckDBPyConnection, folder: RunFolder) -> str:
    """Return the SQL table expression for a run's grades; glob characters in the path are escaped."""
    import duckdb

    if not folder.grades.is_file():
        raise DataError("{folder} has no grades.", hint="Grade it: sightline regrade {folder}", folder=folder.path)
    path = re.sub(r"([*?\[])", r"[\1]", str(folder.grades))
    table = f"read_parquet({sql_literal(path)})"
    try:
        columns = base.execute(f"SELECT * FROM {table} LIMIT 0").description or ()  # noqa: S608  # quoted above
    except duckdb.Error as error:
        raise DataError("Cannot read {path}: {why}", path=folder.grades, why=error) from None
    names = [column[0] for column in columns]
    table = upgrade_grades(table, names)
    present = {*names, *(("status",) if "state" in names else ())}
    if missing := [name for name in REQUIRED_COLUMNS if name not in present]:
        raise DataError(
            "{path} lacks the columns {names}, which a comparison needs.", path=folder.grades, names=missing
        )
    return table


def question_table(base: DuckDBPyConnection, folder: RunFolder) -> str:
    """Return the SQL table expression for a run's grades by question: repeats are averaged.

    Beside the columns of the grades it has `correct`, the share of a question's replies with full marks. Replies that
    failed do not count.
    """
    table = grades_table(base, folder)
    columns = [column[0] for column in base.execute(f"SELECT * FROM {table} LIMIT 0").description or ()]  # noqa: S608
    correct = f"({SCORE_SQL} >= 1)::DOUBLE"
    if "repeat" not in columns:
        return f"(SELECT *, {correct} AS correct FROM {table})"  # noqa: S608
    firsts = ", ".join(f"arg_min({name}, repeat) AS {name}" for name in ("weight", "cluster", "source", "tags"))
    # exact sums, so that no order of rows changes a digit; rounded as `GroupSums` rounds, so that the mean over
    # questions is the headline of the run to the last digit
    score, right = (
        f"round_even(sum(round_even({what} * {SCORE_UNIT}, 0)::HUGEINT) FILTER ({ANSWERED_SQL})"
        f" / (count(*) FILTER ({ANSWERED_SQL})), 0) / {SCORE_UNIT}"
        for what in (SCORE_SQL, correct)
    )
    return (
        f"(SELECT position, sample, task, {firsts}, coalesce(arg_min(status, repeat) FILTER ({ANSWERED_SQL}), "  # noqa: S608
        f"arg_min(status, repeat)) AS status, coalesce({score}, 0) AS score, coalesce({right}, 0) AS correct "
        f"FROM {table} GROUP BY position, sample, task)"
    )


class ReferenceRun:
    """The reference run of a comparison, loaded as table `first`; `tags` become the columns tag0, tag1…"""

    def __init__(self, base: DuckDBPyConnection, folder: RunFolder) -> None:
        self.base = base
        self.table = question_table(base, folder)
        self.tags, self.crowded = self._sort_tags()
        tags = "".join(f", map_extract(tags, {sql_literal(tag)})[1] AS tag{k}" for k, tag in enumerate(self.tags))
        base.execute(
            f"CREATE TEMP TABLE first AS SELECT {KEY_SQL} AS key, position, {ANSWERED_SQL} AS answered, task, "  # noqa: S608
            f"{CLUSTER_SQL} AS cluster, weight, {SCORE_SQL} AS score, correct{tags} FROM {self.table}"
        )
        self.samples, self.repeated = _count_samples(base, "first")

    def _sort_tags(self) -> tuple[list[str], list[str]]:
        """Return the tags to slice by and those with too many values, by approximate distinct counts."""
        names = self.base.execute(
            f"SELECT name FROM (SELECT unnest(map_keys(tags)) AS name FROM {self.table}) "  # noqa: S608
            f"GROUP BY name ORDER BY count(*) DESC, name LIMIT {MAX_TAGS}"
        ).fetchall()
        tags = sorted(name for (name,) in names)
        if not tags:
            return [], []
        counts = ", ".join(f"approx_count_distinct(map_extract(tags, {sql_literal(tag)})[1])" for tag in tags)
        values = fetch_row(self.base, f"SELECT {counts} FROM {self.table}")  # noqa: S608
        usable = [tag for tag, count in zip(tags, values, strict=True) if count <= 2 * MAX_TAG_VALUES]
        return usable, [tag for tag in tags if tag not in usable]

    def pair_with(self, folder: RunFolder) -> Pairing:
        """Create the table `pairs` of the samples that both runs answered."""
        base, second_table = self.base, question_table(self.base, folder)
        base.execute(
            f"CREATE OR REPLACE TEMP TABLE second AS SELECT {KEY_SQL} AS key, position, {ANSWERED_SQL} AS answered, "  # noqa: S608
            f"{SCORE_SQL} AS score, correct FROM {second_table}"
        )
        samples, repeated = _count_samples(base, "second")
        repeated = max(repeated, self.repeated)
        # with repeated ids, the id alone would give a Cartesian product
        same_position = " AND first.position = second.position" if repeated else ""
        tags = "".join(f", tag{k}" for k in range(len(self.tags)))
        base.execute(
            "CREATE OR REPLACE TEMP TABLE pairs AS SELECT first.key, first.position, task, cluster, weight, "  # noqa: S608
            "first.score AS a, second.score AS b, first.correct AS a_right, second.correct AS b_right, "
            f"(NOT first.answered)::INT + 2 * (NOT second.answered)::INT AS silent{tags} "
            f"FROM first JOIN second ON first.key = second.key{same_position}"
        )
        base.execute("DROP TABLE second")
        silent = dict(base.execute("SELECT silent, count(*) FROM pairs GROUP BY silent").fetchall())
        base.execute("DELETE FROM pairs WHERE silent > 0")
        shared = sum(silent.values())
        return Pairing(
            pairs=silent.get(0, 0),
            only_first=self.samples - shared,
            only_second=samples - shared,
            unanswered_first=silent.get(1, 0),
            unanswered_second=silent.get(2, 0),
            unanswered_both=silent.get(3, 0),
            repeated=repeated,
        )


def fetch_row(base: DuckDBPyConnection, query: str) -> tuple[Any, ...]:
    """Run a query that returns exactly one row."""
    row = base.execute(query).fetchone()
    assert row is not None
    return tuple(row)


def _count_samples(base: DuckDBPyConnection, table: str) -> tuple[int, int]:
    """Count the samples, and those among them with a repeated id."""
    samples, distinct = fetch_row(base, f"SELECT count(*), count(DISTINCT key) FROM {table}")  # noqa: S608
    return samples, samples - distinct


_COLUMNS = ("score", "correct", "weight", "first_score", "first_correct")
_RIGHT = {side: f"({side}_right > 0.5)" for side in "ab"}
"""Whether a run got a question right: with repeats, in more than half of them."""


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

    def __init__(self, first: ReferenceRun, pairing: Pairing, has_repeats: bool = False) -> None:
        self._base, self._table = first.base, first.table
        self.pairing = pairing
        self.has_repeats = has_repeats
        """Whether one of the runs asked its questions several times."""
        self._scopes = {"task": "task", **{tag: f"tag{k}" for k, tag in enumerate(first.tags)}}
        aggregates = (
            "count(DISTINCT cluster), min(weight), max(weight), bool_and(a IN (0, 1) AND b IN (0, 1)), "
            "bool_and(a_right IN (0, 1) AND b_right IN (0, 1))"
        )
        counts = ", ".join(f"count(DISTINCT {column})" for column in self._scopes.values())
        row = fetch_row(self._base, f"SELECT {aggregates}, {counts} FROM pairs")  # noqa: S608
        clusters, lightest, heaviest, is_binary, is_whole, *values = row
        self._values = dict(zip(self._scopes, values, strict=True))
        self.crowded = sorted(
            [*first.crowded, *(scope for scope in first.tags if self._values[scope] > MAX_TAG_VALUES)]
        )
        self.is_binary = bool(is_binary)
        self.has_whole_counts = bool(is_whole)
        """Whether each question is right or wrong; with repeats it may be right in some of them."""
        self.weight = float(heaviest or 0)
        self.has_equal_weights = lightest == heaviest and self.weight > 0
        """Whether all samples have the same weight, `weight`."""
        self._independent = clusters == pairing.pairs
        self._group = f"cluster % {FOLDED_CLUSTERS}" if clusters > MAX_EXACT_CLUSTERS else "cluster"

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
            f"round(weight * {what} * {SCORE_UNIT})::HUGEINT" for what in ("a", "b", "a_right", "b_right", "1")
        )
        rows = self._base.execute(
            f"SELECT {column} AS name, {self._group} AS place, count(*) AS n, "  # noqa: S608  # our own names
            f"sum({b} - {a}) AS score, sum({b_right} - {a_right}) AS correct, sum({weight}) AS weight, "
            f"sum({a}) AS first_score, sum({a_right}) AS first_correct, "
            f"count(*) FILTER ({_RIGHT['a']} AND NOT {_RIGHT['b']}) AS first_only, "
            f"count(*) FILTER ({_RIGHT['b']} AND NOT {_RIGHT['a']}) AS second_only, "
            f"count(*) FILTER ({_RIGHT['a']} AND {_RIGHT['b']}) AS both_right "
            f"FROM pairs WHERE {column} IS NOT NULL GROUP BY ALL ORDER BY 1, 2"
        ).fetchnumpy()
        names = np.asarray(rows["name"], dtype=object)
        table = np.stack([np.asarray(rows[name], np.float64) / SCORE_UNIT for name in _COLUMNS], axis=1)
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
        rank_sql = f"row_number() OVER (PARTITION BY {_RIGHT['a']} ORDER BY position, key)"
        condition = "" if limit is None else f"QUALIFY {rank_sql} <= {limit}"
        cursor = self._base.execute(
            f"WITH flipped AS (SELECT key, position, a, b FROM pairs WHERE {_RIGHT['a']} <> {_RIGHT['b']} "  # noqa: S608
            f"{condition}) "
            f"SELECT sample, task, source, a, b FROM {self._table} AS grades "
            f"JOIN flipped ON flipped.key = {KEY_SQL} AND flipped.position = grades.position "
            "ORDER BY flipped.position, sample, task"
        )
        while rows := cursor.fetchmany(10_000):
            for sample, task, source, first, second in rows:
                yield Flip(sample=sample, task=task, source=source or "", first=first, second=second)
