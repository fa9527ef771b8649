"""Command `sightline list RUNS_DIR`: list of runs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sightline.cli import DONE
from sightline.cli.streams import print_json
from sightline.i18n import tr
from sightline.i18n.cli import TranslatedCommand
from sightline.i18n.printable import printable

if TYPE_CHECKING:
    from sightline.runs.run_list import RunRow

_NUMBERS = (3, 4)
"""Columns that are aligned to the right."""


@click.command(
    "list",
    cls=TranslatedCommand,
    epilog="""\b
Examples:
  sightline list
  sightline list sightline-demo/runs
  sightline list --json

The newest run comes last. It is called `last` wherever a run is expected, the one before it `last~1`.""",
)
@click.argument("runs_dir", required=False, type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="print everything as JSON")
def command(runs_dir: Path | None, as_json: bool) -> int:
    """List the runs in a folder, the newest last."""
    from sightline.core.errors import UsageError
    from sightline.runs.run_list import HOW_TO_START, list_runs, runs_folder

    folder = runs_dir or runs_folder()
    if runs_dir is not None and not runs_dir.is_dir():
        raise UsageError("{path} is not a folder.", path=runs_dir)
    rows = list_runs(folder)
    if as_json:
        print_json(rows)
    elif rows:
        _print(rows)
    else:
        click.echo(tr("There are no runs in {folder}.", folder=folder))
        click.echo(tr(HOW_TO_START))
    return DONE


def _print(rows: Sequence[RunRow]) -> None:
    """Print aligned columns; names are never shortened, so that they can be copied."""
    from rich.cells import cell_len

    head = [tr("Run"), tr("Suite"), tr("Model"), tr("Samples"), tr("Score"), tr("Status"), tr("Started")]
    table = [head, *map(_cells, rows)]
    widths = [max(cell_len(row[column]) for row in table) for column in range(len(head))]
    for number, row in enumerate(table):
        cells = []
        for column, (cell, width) in enumerate(zip(row, widths, strict=True)):
            space = " " * (width - cell_len(cell))
            cells.append(space + cell if column in _NUMBERS else cell + space)
        problem = rows[number - 1].problem if number else ""
        click.secho("  ".join(cells).rstrip(), bold=not number, fg="yellow" if problem else None)
        if problem:
            click.secho(f"  {printable(problem, 200)}", fg="yellow")


def _cells(row: RunRow) -> list[str]:
    from sightline.core.records import Estimate
    from sightline.reports.formatting import format_count, format_interval, format_value

    score = "–"
    if row.graded:
        estimate = Estimate(value=row.value, low=row.low, high=row.high)
        score = format_value(row.value, row.unit) + (
            f" [{format_interval(estimate, row.unit)}]" if row.low is not None else ""
        )
    texts = [row.name, row.suite, row.model]
    status = tr(row.status) if row.graded or row.problem else tr("{status}, not graded", status=tr(row.status))
    return [
        *(printable(text) or "–" for text in texts),
        format_count(row.samples) if row.samples is not None else "–",
        score,
        printable(status),
        printable(row.started)[:16].replace("T", " ") or "–",
    ]
