"""sightline export FORMAT RUN"""

from __future__ import annotations

from pathlib import Path

import click

from sightline.cli import DONE
from sightline.cli.by_format import ExportCommand
from sightline.i18n import say


@click.command(
    "export",
    cls=ExportCommand,
    epilog="""\b
Examples:
  sightline export inspect runs/20260101-120000_structural_gpt-4o --out run.eval
  sightline export coco eval_results --out results.json
  sightline export model-card runs/20260101-120000_structural_gpt-4o --out card.md
  sightline export csv eval_results --out grades.csv""",
)
@click.argument("format")
@click.argument("run", type=click.Path(path_type=Path))
@click.option("--out", required=True, type=click.Path(path_type=Path, dir_okay=False), help="the file to write")
def command(format: str, run: Path, out: Path) -> int:
    """Write a run in a format of other tools."""
    from sightline.interop.exporting import export_run

    for note in export_run(format, run, out):
        click.secho(str(note), fg="yellow", err=True)
    click.echo(say("Written to {path}.", path=out))
    return DONE
