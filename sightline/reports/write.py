"""Report files of a run: report.csv, report.md, report.html, comparison.csv and plots."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

from sightline.reports.markdown import table_text, to_markdown
from sightline.reports.report_page import ReportedRun, report_page
from sightline.reports.tables import rows_by_metric, side_by_side_table, union_of_rows
from sightline.runs.folder import RunFolder
from sightline.runs.manifest import Manifest
from sightline.scoring.grades.duckdb_files import escape_formula
from sightline.scoring.summary import Summary


def draw_plots(summaries: Sequence[Summary], folder: Path, vis_config: Path | None = None) -> list[Path]:
    """All plots of one or several models, as PNG and PDF."""
    from sightline.reports.plots.data import plot_data, read_vis_config
    from sightline.reports.plots.draw import draw_all

    return draw_all(plot_data(summaries), folder, read_vis_config(vis_config))


def write_reports(summary: Summary, manifest: Manifest, folder: RunFolder) -> None:
    """CSV, Markdown and one self-contained page."""
    write_csv([summary], folder.report_csv)
    folder.report_md.write_text(to_markdown(summary), encoding="utf-8")
    page = report_page([ReportedRun(summary=summary, manifest=manifest)])
    folder.report_html.write_text(page, encoding="utf-8")


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
            beside = (baseline.name, baseline.value, baseline.skill) if baseline else ("", "", "")
            names = (summary.suite, summary.model, summary.params, row.scope, row.name, row.metric)
            out.writerow([*map(escape_formula, names), row.core, *figures, e.floor, e.ceiling, *beside])


def write_comparison(summaries: Sequence[Summary], folder: Path) -> None:
    """comparison.csv in full precision, and comparison.md for reading."""
    by_model = [rows_by_metric(summary) for summary in summaries]
    with (folder / "comparison.csv").open("w", encoding="utf-8-sig", newline="") as file:
        out = csv.writer(file)
        out.writerow(["scope", "name", "metric", *(escape_formula(summary.model) for summary in summaries)])
        for key in union_of_rows(by_model):
            found = [figures.get(key) for figures in by_model]
            out.writerow([*map(escape_formula, key), *(row.estimate.value if row else None for row in found)])
    (folder / "comparison.md").write_text(table_text(side_by_side_table(summaries)) + "\n", encoding="utf-8")
