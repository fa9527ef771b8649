"""Progress of scoring, reporting and generating on standard error: live in a terminal, now and then in a pipe."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from threading import Event, Thread
from time import monotonic

import click

from sightline.i18n import tr

EVERY_SECONDS = 10.0
"""Interval of progress lines in a pipe."""


def report_compilation() -> None:
    """Print a note if Numba has no cached kernels yet, since the first call compiles them."""
    folder = Path(__file__).parents[1] / "data" / "lines" / "__pycache__"
    if not any(folder.glob("*.nbi")):
        click.echo(tr("Compiling kernels (first use only, up to a minute) …"), err=True)


@contextmanager
def scoring_progress() -> Iterator[Callable[[str, int, int], None]]:
    """A bar for each stage of scoring files; in a pipe a line now and then."""
    if not sys.stderr.isatty():
        from sightline.scoring.files.progress import LineStages

        yield LineStages(EVERY_SECONDS, partial(click.echo, err=True))
        return
    from rich.console import Console
    from rich.progress import Progress as RichProgress

    with RichProgress(console=Console(stderr=True), transient=True, refresh_per_second=8) as bar:
        task = bar.add_task("")

        def watch(stage: str, done: int, total: int) -> None:
            bar.update(task, description=tr(stage), completed=done, total=total)

        yield watch


@contextmanager
def folder_progress(folder: Path) -> Iterator[None]:
    """Report how much has been written to a folder while it is being filled."""
    done = Event()

    def report() -> None:
        started = monotonic()
        every = 0.5 if sys.stderr.isatty() else EVERY_SECONDS
        while not done.wait(every):
            size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6
            line = tr("{size} MB written, {seconds} s", size=f"{size:,.1f}", seconds=round(monotonic() - started))
            click.echo(f"\r{line}  " if sys.stderr.isatty() else line, nl=not sys.stderr.isatty(), err=True)

    reporter = Thread(target=report, daemon=True)
    reporter.start()
    try:
        yield
    finally:
        done.set()
        reporter.join()
        if sys.stderr.isatty():
            click.echo("\r" + " " * 60 + "\r", nl=False, err=True)
