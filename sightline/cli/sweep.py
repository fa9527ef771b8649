"""sightline sweep SUITE"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sightline.cli import DONE, PARTIAL
from sightline.cli.options import GroupedCommand, SuiteGroup, group_names, options, typed_settings
from sightline.core import settings
from sightline.core.config import RunConfig
from sightline.core.registry import find
from sightline.i18n import set_language, tr

if TYPE_CHECKING:
    from sightline.api.evaluation import Result
    from sightline.api.sweep import SweepResult
    from sightline.core.interfaces import Suite

EXAMPLES = """\b
Examples:
  sightline sweep {suite} --data DIR --model NAME --api-base http://localhost:8000/v1
  sightline sweep {suite} --data DIR --model gpt-4o --max-pixels 100k,400k,1.6M,none --sample 500
  sightline sweep {suite} --data DIR --model gpt-4o --pixel-multiple 28 --margin 0.01 --dry-run

Each budget is an ordinary run of the same samples. Rerun the same command to resume a sweep; budgets whose runs are
finished send no request. With --cache, images within several budgets are sent once.

The knee is the smallest budget for which the whole 95 % interval of the paired difference to the best budget lies
above −MARGIN.

Exit codes: 0 success, 2 usage error, 3 partial, 4 standard output could not be written."""

_LEFT_OUT = ("max_pixels", "debug", "fail_under")
"""Settings of a run that a sweep sets itself or has no use for."""


def _make(name: str) -> click.Command:
    suite = find("suites", name)
    rows = [*settings.table(suite.options_type), *settings.table(RunConfig)]
    rows = [row for row in rows if row.name not in _LEFT_OUT]
    headings = {**group_names(rows, suite.title), "budgets": "Images", "margin": "Scoring", "out": "Output"}
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
            default=None,
            help=tr("loss against the best budget that is accepted at the knee, as a share")
            + f"  [{tr('default')}: 0.02]",
        ),
        click.Option(
            ["--out"],
            type=click.Path(path_type=Path),
            help=tr("folder of the report; default: `sweep` in the run folder of the largest budget"),
        ),
        click.Option(["--config"], type=click.Path(path_type=Path), help=tr("settings file (TOML, JSON or YAML)")),
    ]
    return GroupedCommand(
        name,
        headings=headings,
        params=[*options(rows), *extra],
        callback=_sweep,
        help=tr(suite.title),
        epilog=EXAMPLES.format(suite=name),
    )


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
    """Run a suite at several image sizes and find the smallest that is as good as the best."""


command.make = _make


@click.pass_context
def _sweep(ctx: click.Context, /, **_: Any) -> int:
    from msgspec.structs import replace

    from sightline.api.evaluation import run
    from sightline.api.sweep import parse_budgets, run_sweep
    from sightline.cli.inference_progress import make_progress
    from sightline.cli.run import take_signals
    from sightline.core.config import resolve
    from sightline.runs.comparison.sweep import DEFAULT_BUDGETS, DEFAULT_MARGIN, Budget, describe_budget

    assert ctx.command.name is not None
    suite_name = ctx.command.name
    config, suite_options = resolve(
        suite_name, file=ctx.params.get("config"), environment=os.environ, flags=typed_settings(ctx)
    )
    set_language(config.lang)
    suite = find("suites", suite_name)(suite_options)
    budgets = parse_budgets(ctx.params["budgets"] or DEFAULT_BUDGETS)
    if config.dry_run:
        _preview(suite, config, budgets)
        return DONE
    take_signals()

    def run_budget(budget: Budget) -> Result:
        number = budgets.index(budget) + 1
        words = tr(
            "Budget {number} of {count}: {budget}", number=number, count=len(budgets), budget=describe_budget(budget)
        )
        click.secho(words, bold=True, err=True)
        return run(find("suites", suite_name)(suite_options), replace(config, max_pixels=budget), make_progress())

    margin = ctx.params["margin"]
    found = run_sweep(budgets, run_budget, DEFAULT_MARGIN if margin is None else margin, ctx.params["out"])
    _print(found, config.json)
    return DONE if found.complete else PARTIAL


def _preview(suite: Suite, config: RunConfig, budgets: list[int | None]) -> None:
    from msgspec.structs import replace

    from sightline.api.evaluation import preview
    from sightline.cli.output import print_forecast
    from sightline.runs.comparison.sweep import describe_budget

    for budget in budgets:
        if not config.json:
            click.secho(str(describe_budget(budget)), bold=True)
        print_forecast(preview(suite, replace(config, max_pixels=budget)), config)


def _print(found: SweepResult, as_json: bool) -> None:
    from sightline.i18n.printable import printable_json

    if as_json:
        click.echo(printable_json(json.dumps(found.to_dict(), ensure_ascii=False, indent=2)))
    elif found.sweep is not None:
        from sightline.cli.compare import print_tables
        from sightline.reports.sweep_pages import sweep_conclusion, sweep_table

        print_tables([sweep_table(found.sweep)], list(map(str, found.sweep.notes)))
        click.echo(sweep_conclusion(found.sweep))
        click.echo(f"\n{tr('Results')}: {found.folder}")
    if found.stopped is not None:
        click.secho(f"{tr('Stopped early')}: {found.stopped}", fg="yellow", err=True)
