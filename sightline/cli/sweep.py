"""Command `sightline sweep SUITE`: a suite at several image sizes, and the knee of the curve."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sightline.cli import DONE, PARTIAL
from sightline.cli.options import SuiteGroup, config_option, resolve_settings, run_settings, suite_command
from sightline.cli.streams import print_json
from sightline.core.config import RunConfig
from sightline.core.registry import find
from sightline.i18n import tr

if TYPE_CHECKING:
    from sightline.api.evaluation import Result
    from sightline.api.sweep import SweepEstimate, SweepResult
    from sightline.models.launched_server import LaunchedServer

EXAMPLES = """\b
Examples:
  sightline sweep {suite} --data DIR --model NAME --api-base http://localhost:8000/v1
  sightline sweep {suite} --data DIR --model gpt-4o --max-pixels 100k,400k,1.6M,none --sample 500
  sightline sweep {suite} --data DIR --model gpt-4o --pixel-multiple 28 --margin 0.01 --dry-run

Each budget is an ordinary run of the same samples. Rerun the same command to resume a sweep; budgets whose runs are
finished send no request. With --cache, images within several budgets are sent once.

The knee is the last budget, in steps down from the largest, for which the whole 95 % interval of the paired difference
to the largest budget lies above −MARGIN.

Exit codes: 0 success, 2 usage error, 3 partial, 4 standard output could not be written."""

_LEFT_OUT = ("max_pixels", "debug", "fail_under")
"""Settings of a run that a sweep sets itself or has no use for."""


def _make(name: str) -> click.Command:
    suite = find("suites", name)
    rows = [row for row in run_settings(name) if row.name not in _LEFT_OUT]
    headings = {"budgets": "Images", "margin": "Scoring", "out": "Output"}
    extra = [
        click.Option(
            ["--max-pixels", "budgets"],
            multiple=True,
            metavar="A,B…",
            help=tr("pixel budgets, such as 100k,400k,1.6M; none: images as they are")
            + f"  [{tr('default')}: 100k,200k,400k,800k,1.6M]",
        ),
        click.Option(
            ["--margin"],
            type=click.FloatRange(0, 1),
            metavar="X",
            default=None,
            help=tr("loss against the largest budget that is accepted at the knee, as a share")
            + f"  [{tr('default')}: 0.02]",
        ),
        click.Option(
            ["--out"],
            type=click.Path(path_type=Path),
            help=tr("folder of the report; default: `sweep` in the run folder of the largest budget"),
        ),
        config_option(),
    ]
    return suite_command(name, rows, _sweep, help=suite.title, epilog=EXAMPLES, extra=extra, headings=headings)


@click.command(
    "sweep",
    cls=SuiteGroup,
    no_args_is_help=True,
    epilog="""\b
Examples:
  sightline sweep simulation --help
  sightline sweep simulation --data DIR --model gpt-4o --max-pixels 100k,400k,none""",
)
def command() -> None:
    """Run a suite at several image sizes and find the smallest that is as good as the largest."""


command.make = _make


@click.pass_context
def _sweep(ctx: click.Context, /, **_: Any) -> int:
    from sightline.api.evaluation import run
    from sightline.api.sweep import parse_budgets, preview_sweep, run_sweep
    from sightline.cli.inference_progress import make_progress
    from sightline.cli.run import install_signal_handlers
    from sightline.runs.comparison.sweep import DEFAULT_BUDGETS, DEFAULT_MARGIN, describe_budget

    suite_name = ctx.command.name or ""
    config, suite_options = resolve_settings(ctx)
    budgets = parse_budgets(ctx.params["budgets"] or DEFAULT_BUDGETS)
    if config.dry_run:
        _print_estimate(preview_sweep(find("suites", suite_name)(suite_options), config, budgets), config.json)
        return DONE
    install_signal_handlers()

    def run_budget(config: RunConfig, server: LaunchedServer | None) -> Result:
        number, budget = budgets.index(config.max_pixels) + 1, describe_budget(config.max_pixels)
        words = tr("Budget {number} of {count}: {budget}", number=number, count=len(budgets), budget=budget)
        click.secho(words, bold=True, err=True)
        return run(find("suites", suite_name)(suite_options), config, make_progress(), server=server)

    margin = ctx.params["margin"]
    found = run_sweep(config, budgets, run_budget, DEFAULT_MARGIN if margin is None else margin, ctx.params["out"])
    _print(found, config.json)
    return DONE if found.complete else PARTIAL


def _print_estimate(estimate: SweepEstimate, as_json: bool) -> None:
    if as_json:
        print_json(estimate)
        return
    from sightline.cli.compare import print_tables
    from sightline.reports.sweep_pages import estimate_table

    first = estimate.budgets[0]
    click.echo(f"{tr('Samples')}: {first.samples:,}  {tr('Invalid')}: {first.invalid:,}")
    print_tables([estimate_table(estimate.budgets, estimate.total)], [])
    if estimate.total.cost is None:
        click.echo(f"{tr('Cost (approx.)')}: {tr('unknown; set --price-in and --price-out')}")
    click.echo(tr("No request was sent."))


def _print(found: SweepResult, as_json: bool) -> None:
    if as_json:
        print_json(found.to_dict())
    elif found.sweep is not None:
        from sightline.cli.compare import print_tables
        from sightline.reports.sweep_pages import sweep_conclusion, terminal_tables

        print_tables(terminal_tables(found.sweep), list(map(str, found.sweep.notes)))
        click.echo(sweep_conclusion(found.sweep))
        click.echo(f"\n{tr('Results')}: {found.folder}")
    if found.stopped is not None:
        click.secho(f"{tr('Stopped early')}: {found.stopped}", fg="yellow", err=True)
