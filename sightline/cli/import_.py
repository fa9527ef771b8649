"""Command `sightline import FORMAT SOURCE`: import of samples and replies from files of other tools."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from typing import Any

import click

from sightline.cli import DONE, PARTIAL
from sightline.cli.options import FormatCommand
from sightline.i18n import tr

_LIVE_SECONDS, _PLAIN_SECONDS = 0.2, 10.0


@click.command(
    "import",
    cls=FormatCommand,
    formats="importers",
    epilog="""\b
Examples:
  sightline import coco instances.json --results results.json --out coco
  sightline import dota labelTxt --results results --images images --out dota
  sightline import vrsbench VRSBench_EVAL_referring.json --images Images_val --out vrsbench
  sightline import dior-rsvg DIOR_RSVG/test.txt --results replies.jsonl --out rsvg
  sightline import vlmevalkit Bench.tsv --results Model_Bench.xlsx --out bench
  sightline import lmms-eval 2026_samples_bench.jsonl --task "image classification" --out bench
  sightline import parquet data --task VQA1 --field-mapping answer_text=gt --out asked
  sightline import inspect logs/2026.eval --suite structural --data drawings --out replies

Annotations are written to OUT/anno, replies to OUT/output, what could not be read to OUT/import_log.txt. With --suite
the replies belong to samples of that suite, and only they are written, to OUT/replies.jsonl.""",
)
@click.argument("format")
@click.argument("source", type=click.Path(path_type=Path))
@click.option("--out", required=True, type=click.Path(path_type=Path), help="new folder for the converted files")
@click.option("--results", type=click.Path(path_type=Path), help="file or folder with a model's results")
@click.option(
    "--images", type=click.Path(path_type=Path, file_okay=False), help="folder of the images that the files refer to"
)
@click.option("--task", default="", help="task of the rows, by any of its names")
@click.option(
    "--field-mapping", multiple=True, metavar="THEIRS=OURS", help="meaning of a column, or a JSON file with all of them"
)
@click.option(
    "--frames/--no-frames", default=True, help="embed images in the annotations, so that a model can be run on them"
)
@click.option("--suite", default="", help="suite whose samples the replies belong to")
@click.option("--data", default="", help="data set of that suite")
def command(format: str, source: Path, **options: Any) -> int:
    """Convert files of other tools into samples and replies to score."""
    from sightline.interop.importing import ImportRequest, import_files

    with _count_rows() as watch:
        done = import_files(ImportRequest(format=format, source=source, **options), watch)
    counts = {"samples": f"{done.samples:,}", "replies": f"{done.replies:,}"}
    click.echo(tr("{samples} samples and {replies} replies imported.", **counts))
    for note in done.notes:
        click.secho(str(note), fg="yellow", err=True)
    for where, why in done.first:
        click.secho(f"  {where}: {why}", fg="yellow", err=True)
    if done.faults:
        log = options["out"] / "import_log.txt"
        message = tr("{count} faults, listed in {log}.", count=f"{done.faults:,}", log=log)
        click.secho(message, fg="yellow", err=True)
    click.echo(tr("Next: {command}", command=done.command))
    return PARTIAL if done.faults else DONE


@contextmanager
def _count_rows() -> Iterator[Callable[[int], None]]:
    """Progress callback that prints the number of rows: a line that is redrawn, or a new one every few seconds."""
    live = sys.stderr.isatty()
    printed = monotonic() + (1.0 - _LIVE_SECONDS if live else 0.0)

    def watch(count: int) -> None:
        nonlocal printed
        if count % 64 == 0 and monotonic() - printed >= (_LIVE_SECONDS if live else _PLAIN_SECONDS):
            printed = monotonic()
            text = tr("{count} rows", count=f"{count:,}")
            click.echo(f"\r{text} " if live else text, nl=not live, err=True)

    try:
        yield watch
    finally:
        if live:
            click.echo("\r" + " " * 40 + "\r", nl=False, err=True)
