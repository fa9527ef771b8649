"""sightline compare A B"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sightline.cli import DONE, GATE_FAILED
from sightline.core.errors import UsageError
from sightline.i18n import tr
from sightline.i18n.cli import SpeakingCommand

if TYPE_CHECKING:
    from sightline.reports.tables import Table
    from sightline.runs.comparison.records import Comparison, Difference, Flip

_GATE = "--fail-if-worse"
_GAP = 3
"""Signs between two columns of a table."""
_KEYS = 2
"""Columns that name a row, where a table goes on below."""
_COLUMNS = (
    *("first", "second", "scope", "name", "measure", "first_value", "second_value", "difference", "low", "high", "n"),
    *("clusters", "method", "p", "test", "mid_p", "p_holm", "p_bh", "least_detectable", "first_only", "second_only"),
)


class _CompareCommand(SpeakingCommand):
    """`--fail-if-worse` may stand before a run folder, which is then not taken for its margin."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Give the gate its margin where none is typed."""
        for place, (arg, after) in enumerate(pairwise([*args, ""])):
            if arg == _GATE and not _is_number(after):
                args = [*args[:place], f"{_GATE}=0", *args[place + 1 :]]
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
    epilog="""\b
Examples:
  sightline compare runs/A runs/B
  sightline compare runs/A runs/B runs/C --out comparison
  sightline compare last~1 last
  sightline compare runs/main runs/new --fail-if-worse 0.01

RUN is a run folder, `last`, `last~1` and so on, or any unique part of a folder's name below `runs` (or
SIGHTLINE_OUTPUT_DIR); DIR/last looks in another folder. `sightline list` shows the names.

Differences are second − first, on the samples that both answered. With --fail-if-worse MARGIN the exit code is 1 when
the whole 95 % interval of the difference lies below −MARGIN and p < 0.05 (a share: 0.01 is one point; default 0).""",
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
    import msgspec

    from sightline.runs.comparison.compare import compare_runs
    from sightline.runs.run_names import resolve_run

    comparison = compare_runs([resolve_run(run) for run in runs], force, _FlipFile(out / "flips.csv") if out else None)
    if out:
        _write(comparison, out)
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(comparison), indent=2).decode())
    else:
        _print(comparison)
        if out:
            click.echo(f"\n{tr('Results')}: {out}")
    return _gate(comparison, margin)


def _gate(comparison: Comparison, margin: float | None) -> int:
    if margin is None or not (worse := comparison.worse(margin)):
        return DONE
    told = tr("Worse than the first run by more than {margin}: {runs}.", margin=margin, runs=", ".join(worse))
    click.secho(told, fg="red", err=True)
    return GATE_FAILED


def _print(comparison: Comparison) -> None:
    from sightline.reports.comparison_pages import TERMINAL_ROWS, comparison_notes, comparison_tables

    print_tables(comparison_tables(comparison, TERMINAL_ROWS), comparison_notes(comparison))


def print_tables(tables: Sequence[Table], notes: Sequence[str]) -> None:
    """Tables and what is to be said beside them; one that is too wide goes on below, so that no column is lost."""
    from msgspec.structs import replace
    from rich.markup import escape

    from sightline.reports.terminal import rich_table, wide_console

    out = wide_console()
    for table in tables:
        parts = blocks(table, out.width - 2)
        for place, part in enumerate(parts):
            titled = replace(part, title="" if place else part.title)
            # the columns are chosen already: what is still too wide is folded, not dropped
            out.print(rich_table(titled, 10 * out.width * len(titled.head)))
        if table.note:
            out.print(f"[dim]{escape(table.note)}[/]\n")
    for note in notes:
        out.print(f"[yellow]{escape(note)}[/]")


def blocks(table: Table, width: int) -> list[Table]:
    """The table, or several of its columns each that fit; those that name a row are repeated. Heads give way first."""
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
    for place, wide in enumerate(needed[keys:], keys):
        cost = min(wide, width // 3) + _GAP
        if parts[-1] and cost > left:
            parts.append([])
            left = width - named
        parts[-1].append(place)
        left -= cost
    return [
        replace(
            table,
            head=[head[place] for place in (*range(keys), *part)],
            rows=[[row[place] for place in (*range(keys), *part)] for row in table.rows],
            bars=[],
            texts=keys + sum(place < table.texts for place in part),
        )
        for part in parts
    ]


class _FlipFile:
    """flips.csv, made when the first samples come."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._mode = "w"

    def __call__(self, second: str, flips: Iterator[Flip]) -> None:
        from sightline.scoring.grades.spreadsheet import inert

        _make(self._path.parent)
        with self._path.open(self._mode, encoding="utf-8" if self._mode == "a" else "utf-8-sig", newline="") as file:
            out = csv.writer(file)
            if self._mode == "w":
                out.writerow(["run", "sample", "task", "score_first", "score_second", "source"])
            for one in flips:
                out.writerow([second, inert(one.sample), inert(one.task), one.first, one.second, inert(one.source)])
        self._mode = "a"


def _write(comparison: Comparison, folder: Path) -> None:
    from sightline.core.atomic_io import write_json
    from sightline.reports.comparison_pages import comparison_html, comparison_markdown

    _make(folder)
    write_json(folder / "comparison.json", comparison)
    (folder / "comparison.md").write_text(comparison_markdown(comparison), encoding="utf-8")
    (folder / "comparison.html").write_text(comparison_html(comparison), encoding="utf-8")
    with (folder / "comparison.csv").open("w", encoding="utf-8-sig", newline="") as file:
        csv.writer(file).writerows([_COLUMNS, *_lines(comparison)])


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError("Can't make the folder {path}: {why}", path=folder, why=error.strerror) from None


def _lines(comparison: Comparison) -> Iterator[list[object]]:
    from sightline.scoring.grades.spreadsheet import inert

    for one in comparison.versus:
        pair, flips = [one.first, one.second], [one.first_only, one.second_only]
        for difference in (one.accuracy, one.mean_score):
            yield [*pair, "overall", "", *_figures(difference), *flips]
        for part in one.slices:
            named = [inert(part.scope), inert(part.name)]
            yield [*pair, *named, *_figures(part.difference), part.first_only, part.second_only]


def _figures(one: Difference) -> list[object]:
    return [
        *(one.measure, one.first, one.second, one.value, one.low, one.high, one.n, one.clusters, one.method),
        *(one.p, one.test, one.mid_p, one.p_holm, one.p_bh, one.least),
    ]
