"""sightline run SUITE"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from sightline import settings
from sightline.cli.options import SettingOption, options, typed
from sightline.config import RunConfig
from sightline.errors import UsageError
from sightline.language import say, set_language
from sightline.registry import find, names

EXAMPLES = """\b
Examples:
  sightline run {suite} --data DIR --model baseline/random
  sightline run {suite} --data DIR --model gpt-4o --concurrency 64
  sightline run {suite} --data DIR --model Qwen/Qwen2.5-VL-7B --api-base http://localhost:8000/v1
  sightline run {suite} --data DIR --model gpt-4o --limit 20 --dry-run
  sightline run {suite} --debug

Killed or stopped, the same command goes on where it was. Every flag is also a key of --config FILE (TOML, JSON, YAML)
and an environment variable SIGHTLINE_NAME; flags win over the environment, the environment over the file.

Exit codes: 0 done, 1 below --fail-under, 2 usage, 3 partial."""


class SuiteCommand(click.Command):
    """`run SUITE`: the run's settings and the suite's own options, in two sections of the help."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The suite's own options first."""
        own = {row.name for row in settings.table(RunConfig)}
        mine: list[tuple[str, str]] = []
        common: list[tuple[str, str]] = []
        for option in self.get_params(ctx):
            record = option.get_help_record(ctx)
            if record is not None:
                is_common = not isinstance(option, SettingOption) or option.row.name in own
                (common if is_common else mine).append(record)
        with formatter.section(say("Options of {suite}", suite=self.name)):
            formatter.write_dl(mine)
        with formatter.section(say("Options of every run")):
            formatter.write_dl(common)


class _Suites(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return names("suites")

    def get_command(self, ctx: click.Context, name: str) -> click.Command:
        suite = find("suites", name)
        rows = settings.table(suite.options_type) + settings.table(RunConfig)
        file = click.Option(["--config"], type=click.Path(path_type=Path), help=say("file with settings"))
        return SuiteCommand(
            name,
            params=[*options(rows), file],
            callback=_run,
            help=say(suite.title),
            short_help=say(suite.title),
            epilog=EXAMPLES.format(suite=name),
        )

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if args and args[0].startswith("-") and args[0] not in ("-h", "--help"):
            raise UsageError("Name the suite first: sightline run SUITE {flags}", flags=" ".join(args))
        return super().parse_args(ctx, args)


@click.command(cls=_Suites, no_args_is_help=True)
def command() -> None:
    """Ask a model the questions of a suite, and grade it. `sightline run SUITE --help` shows all options."""


@click.pass_context
def _run(ctx: click.Context, /, **_: Any) -> int:
    from sightline.cli.finish import finish
    from sightline.cli.progress import make_progress
    from sightline.config import resolve
    from sightline.evaluation import preview, run

    assert ctx.command.name is not None
    suite_name = ctx.command.name
    config, suite_options = resolve(suite_name, file=ctx.params.get("config"), environment=os.environ, flags=typed(ctx))
    set_language(config.lang)
    suite = find("suites", suite_name)(suite_options)
    if config.dry_run:
        from sightline.cli.forecast import print_forecast

        print_forecast(preview(suite, config), config)
        return 0
    return finish(run(suite, config, make_progress()), config)
