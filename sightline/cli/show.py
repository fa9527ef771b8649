"""Command `sightline show RUN`: metrics of a run."""

from __future__ import annotations

from pathlib import Path

import click

from sightline.cli import RUN_HELP
from sightline.cli.streams import print_json
from sightline.i18n.cli import TranslatedCommand


@click.command(
    "show",
    cls=TranslatedCommand,
    epilog=f"""\b
Examples:
  sightline show
  sightline show last~1
  sightline show gpt-4o --json
  sightline show runs/20260101-120000_simulation_gpt-4o

{RUN_HELP}""",
)
@click.argument("run", default="last")
@click.option("--output-dir", type=click.Path(path_type=Path), help="folder that holds the run folders")
@click.option("--json", "as_json", is_flag=True, help="print everything as JSON")
def command(run: str, output_dir: Path | None, as_json: bool) -> int:
    """Show the metrics of a run; without a name, of the last one."""
    from sightline.api.evaluation import load_run
    from sightline.reports.terminal import print_summary
    from sightline.runs.run_list import resolve_run

    result = load_run(resolve_run(run, output_dir))
    if as_json:
        print_json(result.to_dict())
    else:
        print_summary(result.summary)
        click.echo(f"\n{result.folder}")
    return 0
