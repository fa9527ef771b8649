"""Command `sightline generate SUITE`: generation of a new data set."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import click

from sightline.cli import DONE, GATE_FAILED
from sightline.cli.options import SuiteGroup, suite_command, typed_settings
from sightline.core import settings
from sightline.core.registry import find
from sightline.i18n import tr

EXAMPLES = """\b
Examples:
  sightline generate {suite} --count 12 --seed 7 --out fresh
  sightline generate {suite} --out fresh --check-overlap training/images"""


def _make(name: str) -> click.Command:
    suite = find("suites", name)
    generator_settings = settings.table(suite.generator_config)
    common: list[click.Parameter] = [
        click.Option(["--count"], default=8, show_default=True, type=click.IntRange(1), help=tr("number of items")),
        click.Option(["--seed"], default=0, show_default=True, help=tr("seed; the same seed gives the same bytes")),
        click.Option(["--out"], required=True, type=click.Path(), help=tr("new folder for the data set")),
        click.Option(
            ["--check-overlap"],
            type=click.Path(path_type=Path, exists=True, file_okay=False),
            help=tr("folder of training images: report near-duplicates of the new ones"),
        ),
    ]
    return suite_command(name, generator_settings, _generate, help=suite.title, epilog=EXAMPLES, extra=common)


@click.command(
    "generate",
    cls=SuiteGroup,
    no_args_is_help=True,
    epilog="""\b
Examples:
  sightline generate simulation --help
  sightline generate structural --count 20 --seed 7 --out fresh""",
)
def command() -> None:
    """Generate a new data set for a suite. `sightline generate SUITE --help` shows all options."""


command.make = _make


@click.pass_context
def _generate(ctx: click.Context, /, count: int, seed: int, out: str, check_overlap: Path | None, **_: Any) -> int:
    from sightline.api.evaluation import generate
    from sightline.cli.progress import folder_progress

    assert ctx.command.name is not None
    suite = ctx.command.name
    with folder_progress(Path(out)):
        folder = generate(suite, out, count=count, seed=seed, **typed_settings(ctx))
    message = tr(
        "Written to {folder}. Next: sightline run {suite} --data {data} --debug",
        folder=folder,
        suite=suite,
        data=shlex.quote(str(folder)),
    )
    click.echo(message)
    return _print_overlap(folder, check_overlap) if check_overlap is not None else 0


def _print_overlap(folder: Path, training: Path) -> int:
    """List near-duplicates; there should be none."""
    from sightline.data.near_duplicates import find_near_duplicates

    duplicates = find_near_duplicates(folder, training)
    if not duplicates:
        click.echo(tr("No image resembles one in {folder}.", folder=training))
        return DONE
    click.secho(tr("{count} pairs of near-duplicate images:", count=len(duplicates)), fg="yellow")
    for pair in duplicates[:20]:
        click.echo(f"  {pair.ours}  {pair.theirs}  ({pair.distance}/128)")
    return GATE_FAILED
