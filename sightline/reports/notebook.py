"""Graded runs as a notebook shows them: the lines that everybody should read, and the figures by task."""

from __future__ import annotations

from collections.abc import Sequence

from sightline.i18n import tr
from sightline.reports.compare import comparison
from sightline.reports.tables import Table, headline, tables
from sightline.scoring.dataframes import html_block, html_rows
from sightline.scoring.summary import Summary


def summaries_html(summaries: Sequence[Summary]) -> str:
    """One model with its figures, or several side by side; nothing in it is run or loaded."""
    if len(summaries) == 1:
        return _one(summaries[0])
    return html_block(tr("Models side by side"), [_table(comparison(summaries))])


def _one(summary: Summary) -> str:
    shown = [table for table in tables(summary) if table.rows][:2]
    lines = html_rows((), headline(summary), texts=2)
    return html_block(f"{summary.suite}: {summary.model}", [lines, *map(_table, shown)])


def _table(table: Table) -> str:
    return html_rows(table.head, table.rows, table.texts)
