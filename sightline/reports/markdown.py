"""A report as Markdown, for model cards and pull requests."""

from __future__ import annotations

import html
import re

from sightline.i18n import tr
from sightline.i18n.printable import printable
from sightline.reports.tables import Table, detail_tables, headline, tables
from sightline.scoring.summary import Summary


def to_markdown(summary: Summary) -> str:
    """The whole report."""
    parts = [f"# {markdown_safe(summary.suite)}: {markdown_safe(summary.model)}"]
    parts.append("\n".join(f"- **{markdown_safe(name)}**: {markdown_safe(value)}" for name, value in headline(summary)))
    parts += [table_text(table) for table in (*tables(summary), *detail_tables(summary))]
    for title, lines in (
        (tr("Deviations from the standard protocol"), [*map(str, summary.deviations)] or [tr("none")]),
        (tr("Data set notes"), [*map(str, summary.facts)]),
        (tr("Notes"), [*map(str, summary.notes)]),
    ):
        if lines:
            parts.append(f"## {title}\n\n" + "\n".join(f"- {markdown_safe(line)}" for line in lines))
    return "\n\n".join(parts) + "\n"


def table_text(table: Table) -> str:
    """One table with its title, where it has one."""
    lines = [
        " | ".join(map(markdown_safe, table.head)),
        " | ".join(["---"] * table.texts + ["---:"] * (len(table.head) - table.texts)),
    ]
    lines += [" | ".join(map(markdown_safe, row)) for row in table.rows]
    body = "\n".join(f"| {line} |" for line in lines)
    note = f"\n\n{markdown_safe(table.note)}" if table.note else ""
    title = f"## {markdown_safe(table.title)}\n\n" if table.title else ""
    return f"{title}{body}{note}"


def markdown_safe(text: str) -> str:
    """Names come from data sets and servers: they may neither break a table nor bring markup of their own."""
    plain = html.escape(printable(text), quote=False)  # not all readers of Markdown know an escaped angle bracket
    return re.sub(r"([\\`*_\[\]|#])", r"\\\1", plain)
