"""sightline score"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from sightline.cli.options import options, typed
from sightline.config import RunConfig
from sightline.errors import UsageError
from sightline.language import set_language
from sightline.language.speaking import SpeakingCommand
from sightline.registry import find, names
from sightline.settings import Setting, table

_WANTED = ("data", "params", "limit", "filter", "output_dir", "fail_under", "json", "lang")


def _rows() -> list[Setting]:
    """The settings that matter without a model, and the options of all suites."""
    rows = [row for row in table(RunConfig) if row.name in _WANTED]
    for suite in names("suites"):
        rows += [row for row in table(find("suites", suite).options_type) if row.name not in {r.name for r in rows}]
    return rows


@click.command(
    "score",
    cls=SpeakingCommand,
    params=options(_rows()),
    epilog="""\b
Examples:
  sightline score runs/20260101-120000_simulation_gpt-4o
  sightline score --suite simulation --data DIR --replies replies.jsonl

A file of replies has one JSON object a line: the sample's id (sample, sample_id or id) and its reply (text, reply or
model_output). Ids are those in grades.parquet of any run, such as text/fluid/File_7/QID.""",
)
@click.argument("run", required=False, type=click.Path(path_type=Path))
@click.option("--suite", default="", help="the suite that the replies belong to")
@click.option("--replies", default="", type=click.Path(), help="file of saved replies (JSON lines or a JSON array)")
@click.pass_context
def command(ctx: click.Context, /, run: Path | None, suite: str, replies: str, **_: Any) -> int:
    """Grade a run again, or replies saved in a file. Nothing is asked."""
    from sightline.cli.finish import finish
    from sightline.cli.progress import make_progress
    from sightline.config import resolve
    from sightline.evaluation import regrade
    from sightline.evaluation import run as run_suite

    given = typed(ctx)
    if run is not None:
        config = RunConfig(**{k: v for k, v in given.items() if k in ("fail_under", "json", "lang")})
        set_language(config.lang)
        return finish(regrade(run, make_progress(), data=given.get("data", "")), config)
    if not (suite and replies):
        raise UsageError("Give a run folder, or --suite, --data and --replies.", hint="See sightline score --help")
    config, suite_options = resolve(
        suite, environment=os.environ, flags={**given, "model": f"replay/{replies}", "fresh": True}
    )
    set_language(config.lang)
    return finish(run_suite(find("suites", suite)(suite_options), config, make_progress()), config)
