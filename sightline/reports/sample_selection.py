"""Selection of notable samples of a run: the worst ones, from different tasks and statuses.

The same run gives the same choice. However many grades there are, only a few rows of each task and status leave the
database.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from sightline.runs.comparison.grades_database import SCORE_SQL, grades_table, open_database
from sightline.runs.folder import RunFolder

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

Row = dict[str, Any]
CORRECT = "right"
MAX_CORRECT = 3
_GAP_SQL = "abs(coalesce(best_score - score, 0)) + abs(coalesce(last_score - score, 0))"
_COLUMNS = (
    *("position", "sample", "task", "status", "score", "last_score", "best_score", "attempts", "repeat", "message"),
    *("remark", "source", "truth", "reply", "lenient_score", "deviation"),
)


class Candidate(Struct, frozen=True):
    """A sample that may be chosen."""

    position: int
    sample: str
    task: str
    status: str
    """How it ended; `right` where it earned full marks."""
    score: float
    gap: float
    """How far its attempts lie apart."""


def notable_samples(folder: RunFolder, most: int) -> list[Row]:
    """The rows of the chosen samples in the order of their choice; a `DataError` says why there are none."""
    if most < 1:
        return []
    with open_database() as base:
        table = grades_table(base, folder)
        columns = {row[0] for row in base.execute(f"DESCRIBE SELECT * FROM {table}").fetchall()}  # noqa: S608  # quoted
        if "repeat" in columns:  # a question is shown once, with its worst repeat
            worst = f"row_number() OVER (PARTITION BY position, sample ORDER BY {SCORE_SQL}, repeat) = 1"
            table = f"(SELECT * FROM {table} QUALIFY {worst})"  # noqa: S608
        chosen = select(_candidates(base, table, columns, most), most)
        return _rows(base, table, columns, chosen)


def select(candidates: Sequence[Candidate], most: int) -> list[Candidate]:
    """In turn one of each status, each time from the task that was shown least.

    Samples with full marks come only where places are left, and few of them. Among these the lowest score first, then
    the widest gap between attempts, then the order of the data set.
    """
    left = sorted(candidates, key=lambda one: (one.score, -one.gap, one.position))
    chosen: list[Candidate] = []
    statuses: Counter[str] = Counter()
    tasks: Counter[str] = Counter()
    while left and len(chosen) < most:
        best = min(left, key=lambda one: (one.status == CORRECT, statuses[one.status], tasks[one.task]))
        if best.status == CORRECT and statuses[CORRECT] >= MAX_CORRECT:
            break
        left.remove(best)
        chosen.append(best)
        statuses[best.status] += 1
        tasks[best.task] += 1
    return chosen


def _candidates(base: DuckDBPyConnection, table: str, columns: set[str], most: int) -> list[Candidate]:
    gap = _GAP_SQL if {"best_score", "last_score"} <= columns else "0"
    ended = f"CASE WHEN status = 'answered' AND score >= 1 THEN '{CORRECT}' ELSE status END"
    rows = base.execute(
        f"SELECT position, sample, task, {ended} AS ended, {SCORE_SQL} AS points, ({gap})::DOUBLE AS gap "  # noqa: S608  # own words
        f"FROM {table} WHERE status <> 'invalid' QUALIFY row_number() OVER "
        "(PARTITION BY task, ended ORDER BY points, gap DESC, position) <= ?",
        [most],
    ).fetchall()
    return [Candidate(*row) for row in rows]


def _rows(base: DuckDBPyConnection, table: str, columns: set[str], chosen: Sequence[Candidate]) -> list[Row]:
    wanted = [name for name in _COLUMNS if name in columns]
    values = ", CAST(values AS VARCHAR) AS values" if "values" in columns else ""
    marks = ", ".join("?" * len(chosen))
    if not chosen:
        return []
    found = base.execute(
        f"SELECT {', '.join(wanted)}{values} FROM {table} WHERE position IN ({marks})",  # noqa: S608  # own words
        [one.position for one in chosen],
    )
    names = [column[0] for column in found.description or ()]
    rows = [dict(zip(names, row, strict=True)) for row in found.fetchall()]
    by_place = {(row["position"], row["sample"]): row for row in rows}
    return [by_place[one.position, one.sample] for one in chosen if (one.position, one.sample) in by_place]
