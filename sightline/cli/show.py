"""sightline show RUN"""

from __future__ import annotations

import json
from pathlib import Path

import click

from sightline.core.errors import DataError
from sightline.i18n.cli import SpeakingCommand
from sightline.i18n.printable import printable_json


@click.command(
    "show",
    cls=SpeakingCommand,
    epilog="\b\nExamples:\n  sightline show\n  sightline show runs/20260101-120000_simulation_gpt-4o --json",
)
@click.argument("run", required=False, type=click.Path(path_type=Path))
@click.option("--output-dir", default="runs", show_default=True, help="where the runs are, when none is named")
@click.option("--json", "as_json", is_flag=True, help="print everything as JSON")
def command(run: Path | None, output_dir: str, as_json: bool) -> int:
    """Show the figures of a run; without a name, of the last one."""
    from sightline.api.evaluation import load_run
    from sightline.reports.terminal import print_summary

    result = load_run(run or _latest(Path(output_dir)))
    if as_json:
        click.echo(printable_json(json.dumps(result.to_dict(), ensure_ascii=False, indent=2)))
    else:
        print_summary(result.summary)
        click.echo(f"\n{result.folder}")
    return 0


def _latest(folder: Path) -> Path:
    runs = sorted(folder.glob("*/report.json"), key=lambda path: path.stat().st_mtime)
    if not runs:
        raise DataError("There is no graded run in {folder}.", hint="Make one: sightline demo", folder=folder)
    return runs[-1].parent
