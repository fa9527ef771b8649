"""The grades of runs in DuckDB, and which samples of two runs belong together."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from sightline.core.errors import DataError
from sightline.core.records import ANSWERED
from sightline.runs.comparison.records import Pairing
from sightline.runs.folder import RunFolder
from sightline.scoring.grades.duckdb_files import quiet_base

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

MOST_VALUES = 50
"""A tag with more values than this is not broken down."""
MOST_TAGS = 24
NEEDED = ("position", "sample", "task", "state", "score", "weight", "cluster", "source", "tags")
KEY = "hash(sample, task)"
ANSWERED_SQL = "state IN (" + ", ".join(f"'{state}'" for state in ANSWERED) + ")"
SCORE_SQL = "CASE WHEN score IS NULL OR isnan(score) THEN 0 ELSE score END::DOUBLE"
CLUSTER_SQL = "('0x' || left(md5(CASE WHEN coalesce(cluster, '') = '' THEN sample ELSE cluster END), 15))::BIGINT"
"""60 bits of what the sample shares with others, the same in every process."""


@contextmanager
def opened() -> Iterator[DuckDBPyConnection]:
    """A data base of its own that spills into a folder of its own."""
    import duckdb

    with TemporaryDirectory(prefix="sightline-") as folder:
        try:
            with quiet_base(Path(folder), threads=2) as base:
                yield base
        except duckdb.Error as error:
            raise DataError("The grades can't be read: {why}", why=error) from None


def grades_of(base: DuckDBPyConnection, folder: RunFolder) -> str:
    """The grades of a run as something to select from; a name is no pattern, whatever signs are in it."""
    import duckdb

    if not folder.grades.is_file():
        raise DataError("{folder} has no grades.", hint="Grade it: sightline regrade {folder}", folder=folder.path)
    plain = re.sub(r"([*?\[])", r"[\1]", str(folder.grades)).replace("'", "''")
    table = f"read_parquet('{plain}')"
    try:
        found = base.execute(f"SELECT * FROM {table} LIMIT 0").description or ()  # noqa: S608  # quoted above
    except duckdb.Error as error:
        raise DataError("{path} can't be read: {why}", path=folder.grades, why=error) from None
    if missing := [name for name in NEEDED if name not in {column[0] for column in found}]:
        raise DataError("{path} holds no grades to compare: it lacks {names}.", path=folder.grades, names=missing)
    return table


class FirstRun:
    """The run that others are compared with, as the table `first`; `tags` become the columns tag0, tag1…"""

    def __init__(self, base: DuckDBPyConnection, folder: RunFolder) -> None:
        self.base = base
        self.table = grades_of(base, folder)
        self.tags, self.crowded = self._sort_tags()
        tags = "".join(f", map_extract(tags, {_literal(tag)})[1] AS tag{k}" for k, tag in enumerate(self.tags))
        base.execute(
            f"CREATE TEMP TABLE first AS SELECT {KEY} AS key, position, {ANSWERED_SQL} AS answered, task, "  # noqa: S608
            f"{CLUSTER_SQL} AS cluster, weight, {SCORE_SQL} AS score{tags} FROM {self.table}"
        )
        self.samples, self.repeated = _sizes(base, "first")

    def _sort_tags(self) -> tuple[list[str], list[str]]:
        """The tags to break down by, and those with too many values, by a rough count that costs little."""
        names = self.base.execute(
            f"SELECT name FROM (SELECT unnest(map_keys(tags)) AS name FROM {self.table}) "  # noqa: S608
            f"GROUP BY name ORDER BY count(*) DESC, name LIMIT {MOST_TAGS}"
        ).fetchall()
        tags = sorted(name for (name,) in names)
        if not tags:
            return [], []
        counts = ", ".join(f"approx_count_distinct(map_extract(tags, {_literal(tag)})[1])" for tag in tags)
        values = one_row(self.base, f"SELECT {counts} FROM {self.table}")  # noqa: S608
        few = [tag for tag, count in zip(tags, values, strict=True) if count <= 2 * MOST_VALUES]
        return few, [tag for tag in tags if tag not in few]

    def pair_with(self, folder: RunFolder) -> Pairing:
        """Make the table `pairs` of the samples that both runs have and both answered."""
        base, theirs = self.base, grades_of(self.base, folder)
        base.execute(
            f"CREATE OR REPLACE TEMP TABLE second AS SELECT {KEY} AS key, position, {ANSWERED_SQL} AS answered, "  # noqa: S608
            f"{SCORE_SQL} AS score FROM {theirs}"
        )
        samples, repeated = _sizes(base, "second")
        repeated = max(repeated, self.repeated)
        # an id alone would pair each of its samples with all of the other run's
        place = " AND first.position = second.position" if repeated else ""
        tags = "".join(f", tag{k}" for k in range(len(self.tags)))
        base.execute(
            "CREATE OR REPLACE TEMP TABLE pairs AS SELECT first.key, first.position, task, cluster, weight, "  # noqa: S608
            "first.score AS a, second.score AS b, "
            f"(NOT first.answered)::INT + 2 * (NOT second.answered)::INT AS silent{tags} "
            f"FROM first JOIN second ON first.key = second.key{place}"
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


def one_row(base: DuckDBPyConnection, query: str) -> tuple[Any, ...]:
    """The only row of an aggregate."""
    found = base.execute(query).fetchone()
    assert found is not None
    return tuple(found)


def _sizes(base: DuckDBPyConnection, table: str) -> tuple[int, int]:
    """How many samples, and how many of them have an id that was there already."""
    samples, different = one_row(base, f"SELECT count(*), count(DISTINCT key) FROM {table}")  # noqa: S608
    return samples, samples - different


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
