"""Command `sightline export FORMAT RUN`: export of a run to a format of other tools."""

from __future__ import annotations

from pathlib import Path

import click

from sightline.cli import DONE, RUN_HELP
from sightline.cli.options import FormatCommand
from sightline.i18n import tr


@click.command(
    "export",
    cls=FormatCommand,
    formats="exporters",
    epilog=f"""\b
Examples:
  sightline export inspect runs/20260101-120000_structural_gpt-4o --out run.eval
  sightline export coco eval_results --out results.json
  sightline export model-card runs/20260101-120000_structural_gpt-4o --out card.md
  sightline export csv last --out grades.csv
  sightline export outputs last --out outputs

{RUN_HELP}""",
)
@click.argument("format")
@click.argument("run")
@click.option("--out", required=True, type=click.Path(path_type=Path), help="file or folder to write")
def command(format: str, run: str, out: Path) -> int:
    """Export a run to a format of other tools."""
    from sightline.interop.exporting import export_run
    from sightline.runs.run_list import resolve_run

    for note in export_run(format, resolve_run(run), out):
        click.secho(str(note), fg="yellow", err=True)
    click.echo(tr("Written to {path}.", path=out))
    return DONE
