"""Command `sightline leaderboard RUNS_DIR`: ranking of the runs in a folder."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from sightline.cli import DONE
from sightline.cli.compare import print_tables
from sightline.cli.streams import print_json
from sightline.core.errors import UsageError
from sightline.i18n import tr
from sightline.i18n.cli import TranslatedCommand

if TYPE_CHECKING:
    from sightline.runs.comparison.leaderboard import Leaderboard


@click.command(
    "leaderboard",
    cls=TranslatedCommand,
    epilog="""\b
Examples:
  sightline leaderboard
  sightline leaderboard sightline-demo/runs --out board""",
)
@click.argument("runs_dir", required=False, type=click.Path(path_type=Path))
@click.option(
    "--out", type=click.Path(path_type=Path), help="write the leaderboard to this folder (JSON, Markdown, HTML)"
)
@click.option("--json", "as_json", is_flag=True, help="print everything as JSON")
def command(runs_dir: Path | None, out: Path | None, as_json: bool) -> int:
    """Rank the runs in a folder, suite by suite."""
    from sightline.reports.comparison_pages import leaderboard_notes, leaderboard_tables
    from sightline.runs.comparison.leaderboard import build_leaderboard
    from sightline.runs.run_list import runs_folder

    board = build_leaderboard(runs_dir or runs_folder())
    if out:
        _write(board, out)
    if as_json:
        print_json(board)
        return DONE
    print_tables(leaderboard_tables(board), leaderboard_notes(board))
    if out:
        click.echo(f"\n{tr('Results')}: {out}")
    return DONE


def _write(board: Leaderboard, folder: Path) -> None:
    from sightline.core.atomic_io import write_json
    from sightline.reports.comparison_pages import leaderboard_html, leaderboard_markdown

    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_json(folder / "leaderboard.json", board)
        (folder / "leaderboard.md").write_text(leaderboard_markdown(board), encoding="utf-8")
        (folder / "leaderboard.html").write_text(leaderboard_html(board), encoding="utf-8")
    except OSError as error:
        raise UsageError("Cannot write into {folder}: {why}", folder=folder, why=error.strerror) from None
