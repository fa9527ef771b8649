"""Command `sightline compare A B`: compare runs on the same samples, each against the first."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sightline.cli import DONE, GATE_FAILED, RUN_HELP
from sightline.cli.streams import print_json
from sightline.core.errors import UsageError
from sightline.i18n import tr
from sightline.i18n.cli import TranslatedCommand

if TYPE_CHECKING:
    from sightline.reports.tables import Table
    from sightline.runs.comparison.records import Comparison, Flip

_GATE = "--fail-if-worse"
_GAP = 3
"""Characters between two columns of a table."""
_KEYS = 2
"""Key columns, which are repeated in each block of a wide table."""


class _CompareCommand(TranslatedCommand):
    """`--fail-if-worse` may stand before a run folder, which is then not taken for its margin."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Insert the default margin of the gate."""
        for index, (arg, after) in enumerate(pairwise([*args, ""])):
            if arg == _GATE and not _is_number(after):
                args = [*args[:index], f"{_GATE}=0", *args[index + 1 :]]
        return super().parse_args(ctx, args)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


@click.command(
    "compare",
    cls=_CompareCommand,
    epilog=f"""\b
Examples:
  sightline compare runs/A runs/B
  sightline compare runs/A runs/B runs/C --out comparison
  sightline compare last~1 last
  sightline compare runs/main runs/new --fail-if-worse 0.01

{RUN_HELP}

Differences are second − first, on the samples that failed in neither run. With --fail-if-worse MARGIN the exit code is
1 when the whole 95 % interval of the difference lies below −MARGIN and p < 0.05 (a share: 0.01 is one point; default
0).""",
)
@click.argument("runs", nargs=-1, required=True, metavar="RUN…")
@click.option("--force", is_flag=True, help="compare runs even if data or scoring differ")
@click.option(
    _GATE,
    "margin",
    type=click.FloatRange(0, 1),
    metavar="[MARGIN]",
    help="exit with 1 if a run is significantly worse than the first by more than this share",
)
@click.option(
    "--out", type=click.Path(path_type=Path), help="write the comparison to this folder (JSON, CSV, Markdown, HTML)"
)
@click.option("--json", "as_json", is_flag=True, help="print everything as JSON")
def command(runs: tuple[str, ...], force: bool, margin: float | None, out: Path | None, as_json: bool) -> int:
    """Compare runs on the same samples, each against the first."""
    from sightline.reports.comparison_pages import TERMINAL_ROWS, comparison_notes, comparison_tables
    from sightline.runs.comparison.compare import compare_runs
    from sightline.runs.run_list import resolve_run

    comparison = compare_runs([resolve_run(run) for run in runs], force, _FlipFile(out / "flips.csv") if out else None)
    if out:
        _write(comparison, out)
    if as_json:
        print_json(comparison)
    else:
        print_tables(comparison_tables(comparison, TERMINAL_ROWS), comparison_notes(comparison))
        if out:
            click.echo(f"\n{tr('Results')}: {out}")
    return _gate(comparison, margin)


def _gate(comparison: Comparison, margin: float | None) -> int:
    if margin is None or not (worse := comparison.worse(margin)):
        return DONE
    message = tr("Worse than the first run by more than {margin}: {runs}.", margin=margin, runs=", ".join(worse))
    click.secho(message, fg="red", err=True)
    return GATE_FAILED


def print_tables(tables: Sequence[Table], notes: Sequence[str]) -> None:
    """Print tables and notes; a table that is too wide is split into blocks of columns."""
    from msgspec.structs import replace
    from rich.markup import escape

    from sightline.reports.terminal import rich_table, wide_console

    out = wide_console()
    for table in tables:
        parts = blocks(table, out.width - 2)
        for index, part in enumerate(parts):
            titled = replace(part, title="" if index else part.title)
            # the columns are chosen already: what is still too wide is folded, not dropped
            out.print(rich_table(titled, 10 * out.width * len(titled.head)))
        if table.note:
            out.print(f"[dim]{escape(table.note)}[/]\n")
    for note in notes:
        out.print(f"[yellow]{escape(note)}[/]")


def blocks(table: Table, width: int) -> list[Table]:
    """Split a table into blocks of columns that fit the width; key columns are repeated, headings wrap first."""
    from msgspec.structs import replace
    from rich.cells import cell_len

    columns = list(zip(table.head, *table.rows, strict=True))
    if sum(max(map(cell_len, column)) + _GAP for column in columns) <= width:
        return [replace(table, bars=[])]
    head = [cell.replace(" %", "\N{NO-BREAK SPACE}%").replace(" ", "\n") for cell in table.head]
    keys = min(table.texts, _KEYS)
    needed = [
        max(cell_len(text) for text in (*words.split("\n"), *column[1:]))
        for words, column in zip(head, columns, strict=True)
    ]
    named = sum(min(wide, width // 4) + _GAP for wide in needed[:keys])
    parts: list[list[int]] = [[]]
    left = width - named
    for index, wide in enumerate(needed[keys:], keys):
        cost = min(wide, width // 3) + _GAP
        if parts[-1] and cost > left:
            parts.append([])
            left = width - named
        parts[-1].append(index)
        left -= cost
    return [
        replace(
            table,
            head=[head[index] for index in (*range(keys), *part)],
            rows=[[row[index] for index in (*range(keys), *part)] for row in table.rows],
            bars=[],
            texts=keys + sum(index < table.texts for index in part),
        )
        for part in parts
    ]


class _FlipFile:
    """Writer of flips.csv; the file is created with the first run."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._mode = "w"

    def __call__(self, second: str, flips: Iterator[Flip]) -> None:
        from sightline.scoring.grades.duckdb_files import escape_formula

        _make_folder(self._path.parent)
        with self._path.open(self._mode, encoding="utf-8" if self._mode == "a" else "utf-8-sig", newline="") as file:
            out = csv.writer(file)
            if self._mode == "w":
                out.writerow(["run", "sample", "task", "score_first", "score_second", "source"])
            for flip in flips:
                sample, task, source = map(escape_formula, (flip.sample, flip.task, flip.source))
                out.writerow([second, sample, task, flip.first, flip.second, source])
        self._mode = "a"


def _write(comparison: Comparison, folder: Path) -> None:
    from sightline.core.atomic_io import write_json
    from sightline.reports.comparison_pages import comparison_html, comparison_markdown
    from sightline.runs.comparison.results import difference_rows
    from sightline.scoring.grades.duckdb_files import escape_formula

    _make_folder(folder)
    write_json(folder / "comparison.json", comparison)
    (folder / "comparison.md").write_text(comparison_markdown(comparison), encoding="utf-8")
    (folder / "comparison.html").write_text(comparison_html(comparison), encoding="utf-8")
    with (folder / "comparison.csv").open("w", encoding="utf-8-sig", newline="") as file:
        rows = [
            {**row, **{name: escape_formula(row[name]) for name in ("scope", "name", "measure")}}
            for row in difference_rows(comparison)
        ]
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError("Cannot create the folder {path}: {why}", path=folder, why=error.strerror) from None
