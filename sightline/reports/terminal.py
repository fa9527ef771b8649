"""Reports in the terminal, with Rich tables and small bars."""

from __future__ import annotations

import os
from collections.abc import Sequence

from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.markup import escape as escape_markup
from rich.table import Table as RichTable

from sightline.core.records import COUNTED
from sightline.core.remarks import Remark
from sightline.i18n import tr
from sightline.i18n.printable import printable
from sightline.reports.tables import Bar, Table, headline, overview_table, side_by_side_table, tables
from sightline.scoring.summary import Summary

_WIDTH = 20
_LONGEST = 2000
"""Characters of a note."""


def print_summary(summary: Summary, console: Console | None = None) -> None:
    """Headline, tables, deviations."""
    out = console or wide_console()
    grid = RichTable.grid(padding=(0, 2, 0, 0))
    for name, value in headline(summary):
        grid.add_row(f"[bold]{escape(name)}[/]", escape(value))
    out.print(grid)
    has_graded = any(summary.statuses.get(status) for status in COUNTED)
    for table in tables(summary) if has_graded else ():  # without a graded reply every cell would say "no data"
        out.print()
        out.print(rich_table(table, out.width))
        if table.note:
            out.print(f"[dim]{escape(table.note)}[/]")
    out.print()
    deviations = "; ".join(map(str, summary.deviations)) or tr("none")
    out.print(f"[bold]{tr('Deviations from the standard protocol')}[/]: {escape(deviations)}")
    for fact in summary.facts:
        out.print(f"[dim]{_remark_line(fact)}[/]")
    for note in summary.notes:
        out.print(f"[yellow]{_remark_line(note)}[/]")


def print_side_by_side(summaries: Sequence[Summary]) -> None:
    """Print every figure of several models, and the notes on each."""
    out = wide_console()
    out.print(rich_table(side_by_side_table(summaries), out.width))
    for summary in summaries:
        for note in summary.notes:
            out.print(f"[yellow]{escape(summary.model)}: {_remark_line(note)}[/]")


def print_comparison(summaries: Sequence[Summary], console: Console | None = None) -> None:
    """One line per run: score, interval, best blind baseline, skill."""
    out = console or wide_console()
    out.print(rich_table(overview_table(summaries), out.width))


def _remark_line(remark: Remark) -> str:
    """A sentence that may quote servers and files: nothing in it is obeyed by a terminal or read as markup."""
    return escape(printable(str(remark), _LONGEST))


def escape(text: str) -> str:
    """Text of data sets, servers and shared folders as a cell: neither markup nor anything that a terminal obeys."""
    return escape_markup(printable(text))


def wide_console() -> Console:
    """Rich takes a pipe to be 80 wide; a file has room."""
    console = Console()
    return console if console.is_terminal or "COLUMNS" in os.environ else Console(width=140)


def rich_table(table: Table, width: int) -> RichTable:
    """The table as Rich draws it, with the columns that fit."""
    columns, drawn = _fitting_columns(table, width)
    made = RichTable(title=escape(table.title) or None, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD)
    for column in columns:
        made.add_column(
            escape(table.head[column]), justify="left" if column < table.texts else "right", overflow="fold"
        )
    if drawn:
        made.add_column("", no_wrap=True)
    for row, bar in zip(table.rows, table.bars or [None] * len(table.rows), strict=True):
        made.add_row(*(escape(row[column]) for column in columns), *([_bar(bar)] if drawn else []))
    return made


def _fitting_columns(table: Table, width: int) -> tuple[list[int], bool]:
    """The columns that fit, from the left, and whether bars do; reports have all of them."""
    needed = [_column_width(table, column) + 3 for column in range(len(table.head))]
    columns = list(range(len(needed)))
    drawn = any(table.bars) and sum(needed) + _WIDTH + 3 <= width
    while sum(needed[column] for column in columns) > width and len(columns) > 3:
        columns.pop()
    return columns, drawn


def _column_width(table: Table, column: int) -> int:
    """A head may wrap between words, a cell may not."""
    words = table.head[column].split() or [""]
    return max(cell_len(text) for text in (*words, *(row[column] for row in table.rows)))


def _bar(bar: Bar | None) -> str:
    """Filled up to the value; the best blind baseline is a mark of its own colour."""
    if bar is None:
        return ""
    filled = round(_WIDTH * bar.value)
    cells = ["[blue]█[/]" if k < filled else "[dim]·[/]" for k in range(_WIDTH)]
    if bar.baseline is not None:
        cells[min(_WIDTH - 1, round(_WIDTH * bar.baseline))] = "[bold red]|[/]"
    return "".join(cells)
