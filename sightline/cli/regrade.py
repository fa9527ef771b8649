"""Command `sightline regrade RUN`: grade a run again from its journal."""

from __future__ import annotations

from typing import Any

import click

from sightline.cli import RUN_HELP
from sightline.cli.options import GroupedCommand, group_names, options, typed_settings
from sightline.core.config import RunConfig
from sightline.core.registry import find, names
from sightline.core.settings import Setting, convert, table
from sightline.i18n import set_language

_PRINTING = ("fail_under", "json", "lang")
"""Settings of a run that decide how its result is printed."""


def file_options() -> list[Setting]:
    """Options of suites that may be given again: files that may name code, and how replies are read."""
    rows: dict[str, Setting] = {}
    for suite in names("suites"):
        rows |= {row.name: row for row in _options_of(suite)}
    return list(rows.values())


def _options_of(suite: str) -> list[Setting]:
    kind = find("suites", suite)
    return [row for row in table(kind.options_type) if row.name in (*kind.file_options, *kind.grading_options)]


def _headings() -> dict[str, str]:
    """The options of a suite stand under its title, as in `run`: runs of other suites do not take them."""
    found: dict[str, str] = {}
    for suite in names("suites"):
        found |= group_names(_options_of(suite), find("suites", suite).title)
    return found


def _printing() -> list[Setting]:
    return [row for row in table(RunConfig) if row.name in _PRINTING]


@click.command(
    "regrade",
    cls=GroupedCommand,
    params=options([*file_options(), *_printing()]),
    headings={
        "data": "Data",
        "accept_changed_data": "Data",
        **_headings(),
        **group_names(_printing()),
    },
    epilog=f"""\b
Examples:
  sightline regrade last
  sightline regrade runs/20260101-120000_simulation_gpt-4o
  sightline regrade gpt-4o --data moved/dataset
  sightline regrade last~1 --accept-changed-data
  sightline regrade last --fail-under 0.8 --json

{RUN_HELP}

A data set that has changed since the run is refused, and the files that differ are listed.""",
)
@click.argument("run")
@click.option("--data", default="", help="new location of the data set, if it was moved")
@click.option("--accept-changed-data", is_flag=True, help="grade on a changed data set; all reports say so")
@click.pass_context
def command(ctx: click.Context, /, run: str, data: str, accept_changed_data: bool, **_: Any) -> int:
    """Grade a run again from its journal; no request is sent."""
    return regrade_run(run, typed_settings(ctx), data, accept_changed_data)


def regrade_run(run: str, given: dict[str, Any], data: str, accept_changed_data: bool) -> int:
    """Grade a run again and print its result."""
    from sightline.api.evaluation import regrade
    from sightline.cli.inference_progress import make_progress
    from sightline.cli.output import finish
    from sightline.runs.run_list import resolve_run

    config = convert(RunConfig, {name: value for name, value in given.items() if name in _PRINTING})
    set_language(config.lang)
    file_settings = {row.name: given[row.name] for row in file_options() if row.name in given}
    return finish(regrade(resolve_run(run), make_progress(), data, accept_changed_data, file_settings), config)
