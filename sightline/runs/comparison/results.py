"""Python API of comparisons and leaderboards: plain values or data frames."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from sightline.i18n import tr
from sightline.runs.comparison.compare import compare_runs
from sightline.runs.comparison.leaderboard import Leaderboard, build_leaderboard
from sightline.runs.comparison.records import Comparison, Difference, FigureDifference
from sightline.runs.run_list import resolve_run
from sightline.scoring.dataframes import TableResult, html_block, html_rows


class ComparisonResult(TableResult, Struct, frozen=True):
    """Result of comparing runs with the first one; as a table, one row per difference, overall and by slice."""

    comparison: Comparison

    def worse(self, margin: float = 0.0) -> tuple[str, ...]:
        """Letters of the runs that are significantly worse than the first by more than `margin`, a share."""
        return self.comparison.worse(margin)

    def to_dict(self) -> dict[str, Any]:
        """All figures as plain values, as in comparison.json."""
        return _to_builtins(self.comparison)

    def _rows(self) -> Iterator[dict[str, Any]]:
        return difference_rows(self.comparison)

    def _repr_html_(self) -> str:
        sides = [[side.letter, side.suite, side.model, side.samples] for side in self.comparison.sides]
        head = [tr("Run"), tr("Suite"), tr("Model"), "n"]
        tables = html_rows(head, sides, texts=3), _html(self._rows(), _DIFFERENCE_COLUMNS)
        return html_block(tr("Comparison"), tables)


class LeaderboardResult(TableResult, Struct, frozen=True):
    """Leaderboard of runs, ranked within groups of comparable runs; as a table, one row per run."""

    board: Leaderboard

    def to_dict(self) -> dict[str, Any]:
        """All figures as plain values, as in leaderboard.json."""
        return _to_builtins(self.board)

    def _rows(self) -> Iterator[dict[str, Any]]:
        return _entries(self.board)

    def _repr_html_(self) -> str:
        return html_block(tr("Leaderboard"), [_html(self._rows(), _ENTRY_COLUMNS)])


def compare(*runs: str | Path, force: bool = False) -> ComparisonResult:
    """Compare runs on the same samples, each with the first: `compare("runs/A", "runs/B")`.

    Runs are folders or names (`compare("last~1", "last")`). Runs with different data or scoring raise `DataError`
    unless `force`.
    """
    return ComparisonResult(compare_runs([resolve_run(run) for run in runs], force))


def leaderboard(folder: str | Path = "runs") -> LeaderboardResult:
    """Rank all graded runs below a folder."""
    return LeaderboardResult(build_leaderboard(folder))


def _to_builtins(record: Struct) -> dict[str, Any]:
    values: dict[str, Any] = msgspec.to_builtins(record)
    return values


def difference_rows(comparison: Comparison) -> Iterator[dict[str, Any]]:
    """Yield the rows of comparison.csv: every difference, overall and by slice."""
    for pairwise in comparison.versus:
        pair = {"first": pairwise.first, "second": pairwise.second}
        flips = {"first_only": pairwise.first_only, "second_only": pairwise.second_only}
        for difference in (pairwise.accuracy, pairwise.mean_score):
            yield {**pair, "scope": "overall", "name": "", **_difference_row(difference), **flips}
        for figure in pairwise.figures:
            yield {**pair, "scope": figure.scope, "name": figure.name, **_figure_row(figure), **_NO_FLIPS}
        for item in pairwise.slices:
            flips = {"first_only": item.first_only, "second_only": item.second_only}
            yield {**pair, "scope": item.scope, "name": item.name, **_difference_row(item.difference), **flips}


_RENAMED = {"first": "first_value", "second": "second_value", "value": "difference", "least": "least_detectable"}


def _difference_row(difference: Difference) -> dict[str, Any]:
    return {_RENAMED.get(name, name): value for name, value in _to_builtins(difference).items()}


_NO_FLIPS = {"first_only": None, "second_only": None}


def _figure_row(figure: FigureDifference) -> dict[str, Any]:
    row = _difference_row(Difference(measure="accuracy", first=None, second=None, value=None))
    found = {_RENAMED.get(name, name): value for name, value in _to_builtins(figure).items()}
    return {**{name: found.get(name) for name in row}, "measure": figure.metric}


def _entries(board: Leaderboard) -> Iterator[dict[str, Any]]:
    for group in board.groups:
        group_columns = {"group": group.name, "suite": group.suite, "metric": group.metric, "paired": group.paired}
        for entry in group.entries:
            columns = {
                name: value for name, value in _to_builtins(entry).items() if name not in ("deviations", "arguments")
            }
            yield {**group_columns, "setting": entry.setting, **columns}


_DIFFERENCE_COLUMNS = (
    *("second", "scope", "name", "measure", "first_value", "second_value"),
    *("difference", "low", "high", "p"),
)
_ENTRY_COLUMNS = ("group", "rank", "model", "setting", "value", "low", "high", "n", "skill")


def _html(rows: Iterable[Mapping[str, Any]], columns: Sequence[str]) -> str:
    """Render some columns of the data frame as an HTML table."""
    return html_rows(columns, [[row[name] for name in columns] for row in rows], texts=4)
