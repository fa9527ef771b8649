"""sightline report RUN…"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sightline.cli import DONE
from sightline.core.errors import UsageError
from sightline.i18n import LANGUAGES, set_language, tr
from sightline.i18n.cli import SpeakingCommand

if TYPE_CHECKING:
    from sightline.runs.comparison.load_run import GradedRun

_ENDINGS = (".html", ".md", ".csv", ".json")


@click.command(
    "report",
    cls=SpeakingCommand,
    epilog="""\b
Examples:
  sightline report runs/20260101-120000_simulation_gpt-4o
  sightline report runs/A runs/B --out report.html
  sightline report runs/A --plots figures --lang zh
  sightline report last --out report.md

RUN is a run folder, `last`, `last~1` and so on, or any unique part of a folder's name below `runs` (or
SIGHTLINE_OUTPUT_DIR); DIR/last looks in another folder. `sightline list` shows the names.""",
)
@click.argument("runs", nargs=-1, required=True, metavar="RUN…")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="output file (.html, .md, .csv or .json); default: report.html",
)
@click.option("--lang", type=click.Choice(LANGUAGES), default=None, help="language in which the page opens")
@click.option("--samples", default=12, show_default=True, type=click.IntRange(0, 200), help="number of samples shown")
@click.option("--plots", type=click.Path(path_type=Path), help="write every plot to this folder (PNG and PDF)")
@click.option("--no-pictures", is_flag=True, help="leave out images and drawings, for a smaller file")
def command(
    runs: tuple[str, ...], out: Path | None, lang: str | None, samples: int, plots: Path | None, no_pictures: bool
) -> int:
    """Write a shareable, self-contained HTML report of one or more runs, with plots and notable samples."""
    from sightline.cli.progress import scoring_progress
    from sightline.reports.export import export_runs
    from sightline.reports.sample_cards import CardOptions
    from sightline.runs.comparison.load_run import load_graded_run
    from sightline.runs.run_names import resolve_run

    if lang:
        set_language(lang)
    graded = [load_graded_run(run) for run in _run_folders([resolve_run(run) for run in runs])]
    target = out or (graded[0].folder.report_html if len(graded) == 1 else Path("report.html"))
    if target.suffix.lower() not in _ENDINGS:
        raise UsageError(
            "{path}: the ending says what is written. Known: {listed}", path=target, listed=", ".join(_ENDINGS)
        )
    with scoring_progress() as watch:
        export_runs(graded, target, CardOptions(samples, not no_pictures), watch)
        if plots is not None:
            watch("drawing", 0, 1)
            _draw(graded, plots)
    click.echo(f"{tr('Report')}: {target} ({target.stat().st_size / 1e6:,.2f} MB)")
    if plots is not None:
        click.echo(f"{tr('Plots')}: {plots}")
    return DONE


def _run_folders(given: Sequence[Path]) -> list[Path]:
    """The runs; a folder that holds the runs of several models stands for all of them."""
    found: list[Path] = []
    for path in given:
        inside = sorted(path.glob("*/report.json")) if path.is_dir() and not (path / "manifest.json").exists() else []
        found += [place.parent for place in inside] or [path]
    return found


def _draw(graded: Sequence[GradedRun], folder: Path) -> None:
    """All models of a suite on the same plots."""
    from sightline.reports.write import draw_plots
    from sightline.runs.folder import slugify

    suites = {run.summary.suite for run in graded}
    try:
        for suite in sorted(suites):
            place = folder / slugify(suite) if len(suites) > 1 else folder
            draw_plots([run.summary for run in graded if run.summary.suite == suite], place)
    except OSError as error:
        raise UsageError("Can't write into {folder}: {why}", folder=folder, why=error.strerror) from None
