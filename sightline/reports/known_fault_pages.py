"""Page, table and CSV of what known faults of published scorers would report."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from sightline.i18n import tr
from sightline.reports.comparison_pages import format_points
from sightline.reports.formatting import format_value, row_name
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
    """One table per model: a row for each task, figure and fault; the largest differences first."""
    tables = []
    for model in dict.fromkeys(figure.model for figure in figures):
        shown = sorted((one for one in figures if one.model == model), key=_largest_first)
        tables.append(
            Table(
                title=tr("What known faults would report: {model}", model=model),
                head=[tr("Task"), tr("Metric"), tr("Fault"), tr("Correct"), tr("With the fault"), tr("Difference")],
                rows=[_cells(figure) for figure in shown],
                texts=3,
            )
        )
    return [*tables, _legend(figures)]


def _largest_first(figure: FaultyFigure) -> tuple[float, str, str, str]:
    return -abs(figure.difference or 0.0), figure.right.name, figure.right.metric, figure.fault.name


def _cells(figure: FaultyFigure) -> list[str]:
    row = figure.right
    is_share = row.unit == "share" and figure.difference is not None
    difference = format_points(figure.difference) if is_share else format_value(figure.difference, "number")
    return [
        row_name(row),
        metric_title(row),
        figure.fault.name,
        format_value(row.estimate.value, row.unit),
        format_value(figure.reported, row.unit),
        difference,
    ]


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
