"""Command `sightline run SUITE`: run a suite against a model."""

from __future__ import annotations

import signal
from typing import Any

import click

from sightline.cli.options import SuiteGroup, config_option, resolve_settings, run_settings, suite_command
from sightline.core.registry import find

EXAMPLES = """\b
Examples:
  sightline run {suite} --data DIR --model baseline/random
  sightline run {suite} --data DIR --model gpt-4o --concurrency 64
  sightline run {suite} --data DIR --model Qwen/Qwen2.5-VL-7B --api-base http://localhost:8000/v1
  sightline run {suite} --data DIR --model NAME --api-base http://one:8000/v1 --api-base http://two:8000/v1
  sightline run {suite} --data DIR --model NAME --api-base http://one:8000/v1 --join
  sightline run {suite} --data DIR --model gpt-4o --batch
  sightline run {suite} --data DIR --model gpt-4o --limit 20 --dry-run
  sightline run {suite} --debug

Rerun the same command to resume a run that was stopped or killed. Once the run is finished, the same command shows
its result again and sends no request; --fresh starts a new run.

Every flag is also a key of --config FILE (TOML, JSON, YAML) and an environment variable SIGHTLINE_NAME; flags take
precedence over the environment, the environment over the file.

Exit codes: 0 success, 1 below --fail-under, 2 usage error, 3 partial, 4 standard output could not be written."""


def _make(name: str) -> click.Command:
    suite = find("suites", name)
    return suite_command(name, run_settings(name), _run, help=suite.title, epilog=EXAMPLES, extra=[config_option()])


@click.command(
    "run",
    cls=SuiteGroup,
    no_args_is_help=True,
    epilog="""\b
Examples:
  sightline run simulation --help
  sightline run simulation --data DIR --model gpt-4o""",
)
def command() -> None:
    """Run a suite against a model and grade the replies. `sightline run SUITE --help` shows all options."""


command.make = _make


@click.pass_context
def _run(ctx: click.Context, /, **_: Any) -> int:
    from sightline.api.evaluation import preview, run
    from sightline.cli.inference_progress import make_progress
    from sightline.cli.output import finish

    config, suite_options = resolve_settings(ctx)
    suite = find("suites", ctx.command.name or "")(suite_options)
    if config.dry_run:
        from sightline.cli.output import print_forecast

        print_forecast(preview(suite, config), config)
        return 0
    install_signal_handlers()
    return finish(run(suite, config, make_progress()), config)


def install_signal_handlers() -> None:
    """Let SIGTERM and SIGHUP end the command like Ctrl-C, also outside inference: message, exit code 3."""
    from sightline.inference.stop_signals import stop_signals

    for number in stop_signals():
        if number != signal.SIGINT:
            signal.signal(number, signal.default_int_handler)
