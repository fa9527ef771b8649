"""Commands of the structural suite: solve, diagnose, truth."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from sightline.core.remarks import Remark, format_remark
from sightline.i18n import tr
from sightline.i18n.cli import TranslatedCommand

_FILE = click.Path(path_type=Path)
_ROUNDING = 1e-9
"""Share of the largest force or moment below which a value is a rounding error and printed as 0."""


_STAGES = {
    "unreadable": Remark("unreadable"),
    "geometry": Remark("geometry"),
    "supports": Remark("supports"),
    "connections": Remark("connections"),
    "loads": Remark("loads"),
}


@click.command(
    "solve",
    cls=TranslatedCommand,
    epilog="\b\nExamples:\n  sightline solve beam.json\n  sightline solve beam.json --json --plot beam.png",
)
@click.argument("model", type=_FILE)
@click.option("--json", "as_json", is_flag=True, help="print everything as JSON")
@click.option("--plot", type=_FILE, help="draw the structure with N, V, M and its deflected shape (PNG or SVG)")
def solve(model: Path, as_json: bool, plot: Path | None) -> int:
    """Solve a structural model in FrameCalc JSON."""
    from sightline.suites.structural.tools import load_model
    from sightline.suites.structural.tools import solve as solve_model

    result = solve_model(model)
    if plot is not None:
        from sightline.suites.structural.figures.plots import plot_solution

        plot_solution(load_model(model), plot)
    if as_json:
        click.echo(json.dumps(result, ensure_ascii=False, indent=2))
    else:
        _print_solution(result)
    return 0


@click.command(
    "diagnose",
    cls=TranslatedCommand,
    epilog="\b\nExample:\n  sightline diagnose answer.json truth.json --plot overlay.png",
)
@click.argument("answer", type=_FILE)
@click.argument("truth", type=_FILE)
@click.option("--json", "as_json", is_flag=True, help="print everything as JSON")
@click.option("--plot", type=_FILE, help="draw truth and answer over each other, wrong parts in red (PNG or SVG)")
@click.option("--tolerance", default=0.01, show_default=True, help="share of a field's own peak")
def diagnose(answer: Path, truth: Path, as_json: bool, plot: Path | None, tolerance: float) -> int:
    """Score an answer and list its wrong parts."""
    from sightline.suites.structural.tools import diagnosis

    result = diagnosis(answer, truth, tolerance, "--tolerance")
    if plot is not None:
        from sightline.suites.structural.figures.plots import plot_diagnosis

        plot_diagnosis(result, plot)
    if as_json:
        click.echo(json.dumps(result.to_dict(), ensure_ascii=False, indent=2))
        return 0
    click.secho(f"{tr('Score')}: {result.score:g}", bold=True, nl=False)
    click.echo("" if result.stage == "right" else f"   {tr('first fault')}: {_STAGES[result.stage]}")
    for problem in result.problems:
        click.echo(f"  {problem.remark}")
    for line in filter(None, map(format_remark, (result.note, *result.repairs))):
        click.echo(f"  {line}")
    return 0


@click.command("truth", cls=TranslatedCommand, epilog="\b\nExample:\n  sightline truth DIR")
@click.argument("folder", type=_FILE)
def truth(folder: Path) -> int:
    """Solve the raw models of a data set, rate their difficulty, and write its metadata."""
    from sightline.suites.structural.dataset import write_truth

    report = write_truth(folder)
    click.echo(tr("{count} models solved.", count=len(report.solved)))
    for name, reason in report.problems:
        click.secho(f"  {name}: {reason}", fg="yellow")
    return 3 if report.problems else 0


def _print_solution(result: dict[str, Any]) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table

    from sightline.suites.structural.framecalc.analysis import format_force

    peaks = {
        str(link["linkId"]): [max(abs(sample[key]) for sample in link["samples"]) for key in ("n", "v", "m")]
        for link in result["axial"]
    }
    reactions = [abs(row["value"]) for row in result["reactions"]]
    noise = _ROUNDING * max(0.0, *reactions, *(peak for link in peaks.values() for peak in link))
    out = Console()
    table = Table(tr("support"), tr("component"), box=box.SIMPLE_HEAD, title=tr("Reactions"))
    table.add_column(tr("value"), justify="right")
    table.add_column()
    for row in result["reactions"]:
        unit = "kN·m" if row["type"] == "rz" else "kN"
        table.add_row(str(row["atId"]), str(row["type"]), format_force(row["value"], noise), unit)
    out.print(table)
    table = Table(tr("member"), box=box.SIMPLE_HEAD, title=tr("Largest internal forces"))
    for heading in ("max |N| / kN", "max |V| / kN", "max |M| / kN·m"):
        table.add_column(heading, justify="right")
    for name, largest in peaks.items():
        table.add_row(name, *(format_force(peak, noise) for peak in largest))
    out.print(table)
