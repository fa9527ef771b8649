"""Every figure as one line of CSV, in full precision."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

from sightline.scoring.grades.duckdb_files import escape_formula
from sightline.scoring.summary import Summary

COLUMNS = (
    *("suite", "model", "params", "scope", "name", "metric", "core", "value", "low", "high", "n", "clusters", "method"),
    *("unparsed", "failed", "invalid", "floor", "ceiling", "baseline", "baseline_value", "skill"),
)


def write_csv(summaries: Sequence[Summary], path: Path) -> None:
    """Write report.csv; the signature at its head makes spreadsheets read Chinese rightly."""
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        out = csv.writer(file)
        out.writerow(COLUMNS)
        for summary, row in ((one, row) for one in summaries for row in one.rows):
            e, baseline = row.estimate, row.baseline
            figures = (e.value, e.low, e.high, e.n, e.clusters, e.method, e.unparsed, e.failed, e.invalid)
            beside = (
                e.floor,
                e.ceiling,
                *((baseline.name, baseline.value, baseline.skill) if baseline else ("", "", "")),
            )
            names = (summary.suite, summary.model, summary.params, row.scope, row.name, row.metric)
            out.writerow([*map(escape_formula, names), row.core, *figures, *beside])
