"""sightline generate SUITE"""

from __future__ import annotations

import click

from sightline.cli.speaking import SpeakingCommand
from sightline.language import say


@click.command(
    "generate",
    cls=SpeakingCommand,
    epilog="\b\nExample:\n  sightline generate simulation --count 12 --seed 7 --out fresh",
)
@click.argument("suite")
@click.option("--count", default=8, show_default=True, type=click.IntRange(1), help="how many items")
@click.option("--seed", default=0, show_default=True, help="the same seed gives the same bytes")
@click.option("--out", required=True, type=click.Path(), help="a new folder")
def command(suite: str, count: int, seed: int, out: str) -> int:
    """Make a fresh data set of a suite."""
    from sightline.evaluation import generate

    folder = generate(suite, out, count=count, seed=seed)
    click.echo(
        say("Written to {folder}. Next: sightline run {suite} --data {folder} --debug", folder=folder, suite=suite)
    )
    return 0
