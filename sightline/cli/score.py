"""sightline score"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click
from msgspec.structs import replace

from sightline.cli.options import options, typed
from sightline.core.config import RunConfig, refuse_unknown_environment
from sightline.core.errors import UsageError
from sightline.core.registry import find, names
from sightline.core.score_config import ScoreConfig
from sightline.core.settings import Setting, table
from sightline.i18n import set_language
from sightline.i18n.cli import SpeakingCommand

_WANTED = ("data", "params", "limit", "filter", "output_dir", "fail_under", "json", "lang")


def _rows() -> list[Setting]:
    """The settings of scoring files first, then those of grading replies, then the options of all suites."""
    rows = {row.name: row for row in table(ScoreConfig)}
    more = [replace(row, short="") for row in table(RunConfig) if row.name in _WANTED]
    for suite in names("suites"):
        more += table(find("suites", suite).options_type)
    for row in more:
        rows.setdefault(row.name, row)
    return list(rows.values())


@click.command(
    "score",
    cls=SpeakingCommand,
    params=options(_rows()),
    epilog="""\b
Examples:
  sightline score --anno-path ./anno --model-result-path ./out --output-dir ./eval_results --vis True
  sightline score --anno-path ./anno --model-result-path A=dirA --model-result-path B=dirB
  sightline score --anno-path ./anno --model-result-path ./out --task counting --limit 10
  sightline score runs/20260101-120000_simulation_gpt-4o
  sightline score runs/20260101-120000_simulation_gpt-4o --accept-changed-data
  sightline score --suite simulation --data DIR --replies replies.jsonl

Annotations NAME.txt have one JSON object a line: gt, task, source, frames, prompt. Outputs NAME_output.txt have
model_output, and sample_id or source, or the same order of lines.

A file of replies has one JSON object a line: the sample's id (sample, sample_id or id) and its reply (text, reply or
model_output). Ids are those in grades.parquet of any run, such as text/fluid/File_7/QID.""",
)
@click.argument("run", required=False, type=click.Path(path_type=Path))
@click.option("--suite", default="", help="the suite that the replies belong to")
@click.option("--replies", default="", type=click.Path(), help="file of saved replies (JSON lines or a JSON array)")
@click.option("--config", "file", default=None, type=click.Path(path_type=Path), help="settings from a file")
@click.option(
    "--accept-changed-data", is_flag=True, help="grade a run again on data that is not what was asked; reports say so"
)
@click.pass_context
def command(ctx: click.Context, /, run: Path | None, suite: str, replies: str, file: Path | None, **_: Any) -> int:
    """Score saved outputs, replies saved in a file, or a run again. Nothing is asked."""
    given = typed(ctx)
    if run is not None:
        return _regrade(run, given, ctx.params["accept_changed_data"])
    if suite and replies:
        return _replies(suite, replies, given)
    if "anno_path" in given or "model_result_path" in given or file is not None:
        return _files(suite, given, file)
    raise UsageError(
        "Give --anno-path and --model-result-path, or a run folder, or --suite, --data and --replies.",
        hint="See sightline score --help",
    )


def _files(suite: str, given: dict[str, Any], file: Path | None) -> int:
    from sightline.api.score_files import score_files
    from sightline.cli.finish import finish_scoring
    from sightline.cli.progress import scoring_progress, tell_if_cold
    from sightline.core.score_config import resolve_score

    refuse_unknown_environment(os.environ)
    config = resolve_score(file=file, environment=os.environ, flags=given)
    set_language(config.lang)
    tell_if_cold()
    with scoring_progress() as watch:
        report = score_files(config, suite, watch)
    return finish_scoring(report, config)


def _regrade(run: Path, given: dict[str, Any], accept_changed_data: bool) -> int:
    from sightline.api.evaluation import regrade
    from sightline.cli.asking_progress import make_progress
    from sightline.cli.finish import finish

    config = RunConfig(**{k: v for k, v in given.items() if k in ("fail_under", "json", "lang")})
    set_language(config.lang)
    of_suites = {name for suite in names("suites") for name in find("suites", suite).file_options}
    again = {name: value for name, value in given.items() if name in of_suites}
    return finish(regrade(run, make_progress(), given.get("data", ""), accept_changed_data, again), config)


def _replies(suite: str, replies: str, given: dict[str, Any]) -> int:
    from sightline.api.evaluation import run
    from sightline.cli.asking_progress import make_progress
    from sightline.cli.finish import finish
    from sightline.core.config import resolve

    flags = {**given, "model": f"replay/{replies}", "fresh": True}
    config, suite_options = resolve(suite, environment=os.environ, flags=flags)
    set_language(config.lang)
    return finish(run(find("suites", suite)(suite_options), config, make_progress()), config)
