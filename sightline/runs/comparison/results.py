"""Comparisons and leaderboards for people who program: plain values, or a data frame."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from sightline.i18n import say
from sightline.runs.comparison.compare import compare as compared
from sightline.runs.comparison.leaderboard import Leaderboard
from sightline.runs.comparison.leaderboard import leaderboard as ranked
from sightline.runs.comparison.records import Comparison, Difference
from sightline.runs.run_names import resolve_run
from sightline.scoring.dataframes import html_block, html_rows, to_pandas, to_polars


class ComparisonResult(Struct, frozen=True):
    """Runs against the first of them."""

    comparison: Comparison

    def worse(self, margin: float = 0.0) -> tuple[str, ...]:
        """The letters of the runs that are surely worse than the first by more than `margin`, a share."""
        return self.comparison.worse(margin)

    def to_dict(self) -> dict[str, Any]:
        """All figures as plain values, as in comparison.json."""
        return _plain(self.comparison)

    def to_dataframe(self) -> Any:
        """One row a difference, overall and by slice, as a pandas DataFrame."""
        return to_pandas(_differences(self.comparison))

    def to_polars(self) -> Any:
        """One row a difference, overall and by slice, as a Polars DataFrame."""
        return to_polars(_differences(self.comparison))

    def _repr_html_(self) -> str:
        sides = [[side.letter, side.suite, side.model, side.samples] for side in self.comparison.sides]
        head = [say("Run"), say("Suite"), say("Model"), "n"]
        told = html_rows(head, sides, texts=3), _html(_differences(self.comparison), _SHOWN_DIFFERENCE)
        return html_block(say("Comparison"), told)


class LeaderboardResult(Struct, frozen=True):
    """Runs ranked within what may be compared."""

    board: Leaderboard

    def to_dict(self) -> dict[str, Any]:
        """All figures as plain values, as in leaderboard.json."""
        return _plain(self.board)

    def to_dataframe(self) -> Any:
        """One row a run, as a pandas DataFrame."""
        return to_pandas(_entries(self.board))

    def to_polars(self) -> Any:
        """One row a run, as a Polars DataFrame."""
        return to_polars(_entries(self.board))

    def _repr_html_(self) -> str:
        return html_block(say("Leaderboard"), [_html(_entries(self.board), _SHOWN_ENTRY)])


def compare(*runs: str | Path, force: bool = False) -> ComparisonResult:
    """Compare runs on the same samples, each with the first: `compare("runs/A", "runs/B")`.

    Runs are folders or names (`compare("last~1", "last")`). Runs of other data or scoring are refused unless `force`.
    """
    return ComparisonResult(compared([resolve_run(run) for run in runs], force))


def leaderboard(folder: str | Path = "runs") -> LeaderboardResult:
    """Rank all graded runs below a folder."""
    return LeaderboardResult(ranked(folder))


def _plain(found: Struct) -> dict[str, Any]:
    plain: dict[str, Any] = msgspec.to_builtins(found)
    return plain


def _differences(comparison: Comparison) -> Iterator[dict[str, Any]]:
    for one in comparison.versus:
        pair = {"first": one.first, "second": one.second}
        flips = {"first_only": one.first_only, "second_only": one.second_only}
        for difference in (one.accuracy, one.mean_score):
            yield {**pair, "scope": "overall", "name": "", **_figures(difference), **flips}
        for part in one.slices:
            flips = {"first_only": part.first_only, "second_only": part.second_only}
            yield {**pair, "scope": part.scope, "name": part.name, **_figures(part.difference), **flips}


def _figures(one: Difference) -> dict[str, Any]:
    figures = _plain(one)
    return {"measure": figures.pop("measure"), "first_value": figures.pop("first"), **_renamed(figures)}


def _renamed(figures: dict[str, Any]) -> dict[str, Any]:
    """By the names that comparison.csv has."""
    names = {"second": "second_value", "value": "difference", "least": "least_detectable"}
    return {names.get(name, name): value for name, value in figures.items()}


def _entries(board: Leaderboard) -> Iterator[dict[str, Any]]:
    for group in board.groups:
        about = {"group": group.name, "suite": group.suite, "metric": group.metric, "paired": group.paired}
        for entry in group.entries:
            own = {name: value for name, value in _plain(entry).items() if name not in ("deviations", "arguments")}
            yield {**about, "setting": entry.setting, **own}


_SHOWN_DIFFERENCE = (
    "second",
    "scope",
    "name",
    "measure",
    "first_value",
    "second_value",
    "difference",
    "low",
    "high",
    "p",
)
_SHOWN_ENTRY = ("group", "rank", "model", "setting", "value", "low", "high", "n", "skill")


def _html(rows: Iterable[Mapping[str, Any]], columns: Sequence[str]) -> str:
    """Some columns of the data frame, under the names that they have there."""
    return html_rows(columns, [[row[name] for name in columns] for row in rows], texts=4)
