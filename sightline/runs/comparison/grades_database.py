"""Grades of runs in DuckDB: access to grades.parquet and pairing of the samples of two runs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from sightline.core.errors import DataError
from sightline.core.records import COUNTED
from sightline.runs.comparison.records import Pairing
from sightline.runs.folder import RunFolder
from sightline.scoring.grades.duckdb_files import quiet_base

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
            with quiet_base(Path(folder), threads=2) as base:
                yield base
        except duckdb.Error as error:
            raise DataError("The grades can't be read: {why}", why=error) from None


def grades_table(base: DuckDBPyConnection, folder: RunFolder) -> str:
    """Return the SQL table expression for a run's grades; glob characters in the path are escaped."""
    import duckdb

    if not folder.grades.is_file():
        raise DataError("{folder} has no grades.", hint="Grade it: sightline regrade {folder}", folder=folder.path)
    path = re.sub(r"([*?\[])", r"[\1]", str(folder.grades)).replace("'", "''")
    table = f"read_parquet('{path}')"
    try:
        columns = base.execute(f"SELECT * FROM {table} LIMIT 0").description or ()  # noqa: S608  # quoted above
    except duckdb.Error as error:
        raise DataError("{path} can't be read: {why}", path=folder.grades, why=error) from None
    if missing := [name for name in REQUIRED_COLUMNS if name not in {column[0] for column in columns}]:
        raise DataError("{path} holds no grades to compare: it lacks {names}.", path=folder.grades, names=missing)
    return table


class ReferenceRun:
    """The reference run of a comparison, loaded as table `first`; `tags` become the columns tag0, tag1…"""

    def __init__(self, base: DuckDBPyConnection, folder: RunFolder) -> None:
        self.base = base
        self.table = grades_table(base, folder)
        self.tags, self.crowded = self._sort_tags()
        tags = "".join(f", map_extract(tags, {_sql_literal(tag)})[1] AS tag{k}" for k, tag in enumerate(self.tags))
        base.execute(
            f"CREATE TEMP TABLE first AS SELECT {KEY_SQL} AS key, position, {ANSWERED_SQL} AS answered, task, "  # noqa: S608
            f"{CLUSTER_SQL} AS cluster, weight, {SCORE_SQL} AS score{tags} FROM {self.table}"
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
        counts = ", ".join(f"approx_count_distinct(map_extract(tags, {_sql_literal(tag)})[1])" for tag in tags)
        values = fetch_row(self.base, f"SELECT {counts} FROM {self.table}")  # noqa: S608
        usable = [tag for tag, count in zip(tags, values, strict=True) if count <= 2 * MAX_TAG_VALUES]
        return usable, [tag for tag in tags if tag not in usable]

    def pair_with(self, folder: RunFolder) -> Pairing:
        """Create the table `pairs` of the samples that both runs answered."""
        base, second_table = self.base, grades_table(self.base, folder)
        base.execute(
            f"CREATE OR REPLACE TEMP TABLE second AS SELECT {KEY_SQL} AS key, position, {ANSWERED_SQL} AS answered, "  # noqa: S608
            f"{SCORE_SQL} AS score FROM {second_table}"
        )
        samples, repeated = _count_samples(base, "second")
        repeated = max(repeated, self.repeated)
        # with repeated ids, the id alone would give a Cartesian product
        same_position = " AND first.position = second.position" if repeated else ""
        tags = "".join(f", tag{k}" for k in range(len(self.tags)))
        base.execute(
            "CREATE OR REPLACE TEMP TABLE pairs AS SELECT first.key, first.position, task, cluster, weight, "  # noqa: S608
            "first.score AS a, second.score AS b, "
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


def _sql_literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
