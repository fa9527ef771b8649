"""Page, table and CSV of what known faults of published scorers would report."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from sightline.i18n import tr
from sightline.reports.formatting import row_name
from sightline.reports.html import bilingual, html_page, html_table, safe
from sightline.reports.markdown import markdown_safe, table_text
from sightline.reports.tables import Table, metric_title
from sightline.scoring.grades.duckdb_files import escape_formula
from sightline.scoring.known_faults import KnownFault
from sightline.scoring.summary import Row


class FaultyFigure(Struct, frozen=True, kw_only=True):
    """A figure as a scorer with one known fault reports it, beside the right one."""

    model: str
    fault: KnownFault
    right: Row
    reported: float | None

    @property
    def difference(self) -> float | None:
        """The figure with the fault minus the right one; None where one of them has no value."""
        right = self.right.estimate.value
        return None if self.reported is None or right is None else self.reported - right


def _intro() -> str:
    return tr(
        "The same files, scored again with one known fault at a time. Everything else is computed correctly, so the "
        "difference is due to the fault alone."
    )


def fault_tables(figures: Sequence[FaultyFigure]) -> list[Table]:
    """For each model a table of figures by faults, one for each group of tasks that the same faults concern.

    What the faults are is the last table.
    """
    tables = []
    for model in dict.fromkeys(figure.model for figure in figures):
        rows: dict[tuple[str, str], dict[str, FaultyFigure]] = {}
        for figure in figures:
            if figure.model == model:
                rows.setdefault((figure.right.name, figure.right.metric), {})[figure.fault.name] = figure
        title = tr("What known faults would report: {model}", model=model)
        for faults in dict.fromkeys(tuple(found) for found in rows.values()):
            tables.append(_group_table(title, faults, [found for found in rows.values() if tuple(found) == faults]))
            title = ""
    return [*tables, _legend(figures)]


def _group_table(title: str, faults: Sequence[str], rows: Sequence[Mapping[str, FaultyFigure]]) -> Table:
    return Table(
        title=title,
        head=[tr("Task"), tr("Metric"), tr("Correct"), *faults],
        rows=[_cells(found) for found in rows],
        note=tr("Shares in percent; in brackets the difference to the correct figure, in points.") if title else "",
        texts=2,
    )


def _cells(found: Mapping[str, FaultyFigure]) -> list[str]:
    row = next(iter(found.values())).right
    return [row_name(row), metric_title(row), _number(row.estimate.value, row), *map(_cell, found.values())]


def _cell(figure: FaultyFigure) -> str:
    """The figure with the fault, and the difference where there is one."""
    value, difference = _number(figure.reported, figure.right), figure.difference
    return f"{value} ({_number(difference, figure.right, '+')})" if difference else value


def _number(value: float | None, row: Row, sign: str = "") -> str:
    if value is None:
        return "–"
    return f"{100 * value:{sign}.1f}" if row.unit == "share" else f"{value:{sign}.2f}"


def _legend(figures: Sequence[FaultyFigure]) -> Table:
    """What each fault does, and which scorer has it."""
    faults = {figure.fault.name: figure.fault for figure in figures}
    return Table(
        title=tr("The faults"),
        head=[tr("Fault"), tr("What it does"), tr("Source")],
        rows=[[fault.name, str(fault.description), fault.source] for fault in faults.values()],
        texts=3,
    )


def write_fault_pages(figures: Sequence[FaultyFigure], folder: Path) -> None:
    """Write known_faults.html, known_faults.md and known_faults.csv."""
    title = tr("What known faults of published scorers would report")
    body = "\n\n".join(map(table_text, fault_tables(figures)))
    (folder / "known_faults.md").write_text(f"# {title}\n\n{markdown_safe(_intro())}\n\n{body}\n", encoding="utf-8")
    (folder / "known_faults.html").write_text(fault_page(figures), encoding="utf-8")
    with (folder / "known_faults.csv").open("w", encoding="utf-8-sig", newline="") as file:
        out = csv.writer(file)
        out.writerow(["model", "task", "metric", "fault", "correct", "with_fault", "difference", "source"])
        for one in figures:
            names = (one.model, one.right.name, one.right.metric, one.fault.name)
            values = (one.right.estimate.value, one.reported, one.difference)
            out.writerow([*map(escape_formula, names), *values, one.fault.source])


def fault_page(figures: Sequence[FaultyFigure]) -> str:
    """The tables as one page in both languages."""

    def body() -> str:
        head = f"<h1>{safe(tr('What known faults of published scorers would report'))}</h1><p>{safe(_intro())}</p>"
        return head + "".join(map(html_table, fault_tables(figures)))

    return html_page(tr("What known faults of published scorers would report"), [bilingual(body)])
