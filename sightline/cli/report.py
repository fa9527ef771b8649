"""Command `sightline report RUN…`: self-contained HTML report of runs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sightline.cli import DONE, RUN_HELP
from sightline.core.errors import UsageError
from sightline.i18n import LANGUAGES, set_language, tr
from sightline.i18n.cli import TranslatedCommand

if TYPE_CHECKING:
    from sightline.runs.comparison.graded_runs import GradedRun

_ENDINGS = (".html", ".md", ".csv", ".json")


@click.command(
    "report",
    cls=TranslatedCommand,
    epilog=f"""\b
Examples:
  sightline report runs/20260101-120000_simulation_gpt-4o
  sightline report runs/A runs/B --out report.html
  sightline report runs/A --plots figures --lang zh
  sightline report last --out report.md

{RUN_HELP}""",
)
@click.argument("runs", nargs=-1, required=True, metavar="RUN…")
@click.option(
    "--out", type=click.Path(path_type=Path), help="output file (.html, .md, .csv or .json); default: report.html"
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
    from sightline.runs.comparison.graded_runs import load_graded_run
    from sightline.runs.run_list import resolve_run

    if lang:
        set_language(lang)
    graded = [load_graded_run(run) for run in _run_folders([resolve_run(run) for run in runs])]
    target = out or (graded[0].folder.report_html if len(graded) == 1 else Path("report.html"))
    if target.suffix.lower() not in _ENDINGS:
        raise UsageError(
            "{path}: unsupported file name suffix. Supported: {listed}", path=target, listed=", ".join(_ENDINGS)
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


def _run_folders(paths: Sequence[Path]) -> list[Path]:
    """Run folders; a folder with the runs of several models stands for all of them."""
    folders: list[Path] = []
    for path in paths:
        inside = sorted(path.glob("*/report.json")) if path.is_dir() and not (path / "manifest.json").exists() else []
        folders += [report.parent for report in inside] or [path]
    return folders


def _draw(graded: Sequence[GradedRun], folder: Path) -> None:
    """All models of a suite on the same plots."""
    from sightline.reports.write import draw_plots
    from sightline.runs.folder import slugify

    suites = {run.summary.suite for run in graded}
    try:
        for suite in sorted(suites):
            target = folder / slugify(suite) if len(suites) > 1 else folder
            draw_plots([run.summary for run in graded if run.summary.suite == suite], target)
    except OSError as error:
        raise UsageError("Cannot write into {folder}: {why}", folder=folder, why=error.strerror) from None
