"""Several models side by side: one line a figure, one column a model."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

from sightline.i18n import tr
from sightline.reports.figures import figure, shown_name
from sightline.reports.markdown import table_text
from sightline.reports.tables import Table, metric_title
from sightline.scoring.grades.duckdb_files import escape_formula
from sightline.scoring.summary import Row, Summary

Key = tuple[str, str, str]


def comparison(summaries: Sequence[Summary]) -> Table:
    """Overall first, then every task's figures."""
    by_model = [_figures(summary) for summary in summaries]
    rows = []
    for key, row in _all(by_model).items():
        cells = [_cell(figures.get(key)) for figures in by_model]
        rows.append([shown_name(row) or tr("All samples"), metric_title(row), *cells])
    return Table(
        title=tr("Models side by side"),
        head=[tr("task"), tr("Metric"), *(summary.model for summary in summaries)],
        rows=rows,
        texts=2,
    )


def write_comparison(summaries: Sequence[Summary], folder: Path) -> None:
    """comparison.csv in full precision, and comparison.md for reading."""
    by_model = [_figures(summary) for summary in summaries]
    with (folder / "comparison.csv").open("w", encoding="utf-8-sig", newline="") as file:
        out = csv.writer(file)
        out.writerow(["scope", "name", "metric", *(escape_formula(summary.model) for summary in summaries)])
        for key in _all(by_model):
            found = [figures.get(key) for figures in by_model]
            out.writerow([*map(escape_formula, key), *(row.estimate.value if row else None for row in found)])
    (folder / "comparison.md").write_text(table_text(comparison(summaries)) + "\n", encoding="utf-8")


def _figures(summary: Summary) -> dict[Key, Row]:
    return {(row.scope, row.name, row.metric): row for row in summary.rows if row.scope in ("overall", "task")}


def _all(by_model: Sequence[dict[Key, Row]]) -> dict[Key, Row]:
    """Every figure that any model has."""
    return {key: row for figures in reversed(by_model) for key, row in figures.items()}


def _cell(row: Row | None) -> str:
    return "–" if row is None else figure(row.estimate.value, row.unit)
