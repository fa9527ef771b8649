"""Command `sightline score`: score saved outputs or replies."""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import click
from msgspec.structs import replace

from sightline.cli.options import GroupedCommand, SettingOption, group_names, options, typed_settings
from sightline.cli.regrade import file_options, regrade_run
from sightline.core.config import RunConfig, refuse_unknown_environment
from sightline.core.errors import UsageError
from sightline.core.interfaces import ColumnSuite
from sightline.core.registry import find, names
from sightline.core.score_config import ScoreConfig
from sightline.core.settings import Setting, table
from sightline.i18n import set_language, tr

_OF_REPLIES = ("data", "params", "limit", "filter", "output_dir", "fail_under", "json", "lang")
"""Settings of a run that also apply to a file of replies."""


def _rows(suite: str) -> list[Setting]:
    """The settings of one suite: of annotation files where it has them, of a file of replies, and its own options."""
    kind = find("suites", suite)
    rows = {row.name: row for row in table(ScoreConfig)} if issubclass(kind, ColumnSuite) else {}
    replies = [replace(row, short="") for row in table(RunConfig) if row.name in _OF_REPLIES]
    for row in (*replies, *table(kind.options_type)):
        rows.setdefault(row.name, row)
    return list(rows.values())


def _default_suite() -> str:
    """The suite that scores annotation files, the built-in one first."""
    from sightline.scoring.files.suite_lookup import column_suite_names

    return next(iter(column_suite_names()), next(iter(names("suites"))))


def _suite_in(args: Sequence[str]) -> str:
    """The value of `--suite` anywhere among the arguments."""
    found = ""
    for arg, after in pairwise([*args, ""]):
        if arg == "--":
            break
        name, equals, value = arg.partition("=")
        if name == "--suite":
            found = value if equals else after
    return found


class ScoreCommand(GroupedCommand):
    """The options are those of the suite that `--suite` names, wherever it stands."""

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """The context of the command that has the chosen suite's options."""
        suite = _suite_in(args)
        chosen = _command(suite) if suite else self
        return super(ScoreCommand, chosen).make_context(info_name, args, parent, **extra)

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:
        """Without the run folder, which belongs to `sightline regrade` now."""
        return [piece for piece in super().collect_usage_pieces(ctx) if piece != "[RUN]"]


EPILOG = """\b
Examples:
  sightline score --anno-path ./anno --model-result-path ./out --output-dir ./eval_results --vis True
  sightline score --anno-path ./anno --model-result-path A=dirA --model-result-path B=dirB
  sightline score --anno-path ./anno --model-result-path ./out --task counting --limit-per-task 10
  sightline score --suite simulation --data DIR --replies replies.jsonl
  sightline score --suite simulation --help

The options are those of the suite that --suite names, by default of the suite that scores annotation files. To grade a
run again, use `sightline regrade RUN`.

Annotations NAME.txt have one JSON object per line: gt, task, source, frames, prompt. Outputs NAME_output.txt have
model_output, and sample_id or source, or the same order of lines.

A file of replies has one JSON object per line: the sample's id (sample, sample_id or id) and its reply (text, reply or
model_output). Ids are those in grades.parquet of any run, such as text/fluid/File_7/QID."""


def _command(suite: str) -> ScoreCommand:
    rows = _rows(suite)
    known = {row.name for row in rows}
    hidden = [SettingOption(row) for row in file_options() if row.name not in known]
    for option in hidden:
        option.hidden = True
    more: list[click.Parameter] = [
        click.Argument(["run"], required=False),
        click.Option(["--suite"], default="", help="suite of the replies or annotations"),
        click.Option(
            ["--replies"], default="", type=click.Path(), help="file of saved replies (JSON lines or a JSON array)"
        ),
        click.Option(["--config", "file"], type=click.Path(path_type=Path), help="settings file (TOML, JSON or YAML)"),
        click.Option(["--accept-changed-data"], is_flag=True, hidden=True),
    ]
    return ScoreCommand(
        "score",
        headings={"suite": "Data", "replies": "Data", **group_names(rows, find("suites", suite).title)},
        params=[*more, *options(rows), *hidden],
        callback=_score,
        help="Score saved outputs or replies; no request is sent.",
        epilog=EPILOG,
    )


@click.pass_context
def _score(ctx: click.Context, /, run: str | None, suite: str, replies: str, file: Path | None, **_: Any) -> int:
    given = typed_settings(ctx)
    if run is not None:
        click.secho(tr("`sightline score RUN` is now `sightline regrade RUN`."), fg="yellow", err=True)
        return regrade_run(run, given, given.get("data", ""), ctx.params["accept_changed_data"])
    if suite and replies:
        return _score_replies(suite, given | {"model": f"replay/{replies}", "fresh": True}, file)
    if "anno_path" in given or "model_result_path" in given or file is not None:
        return _score_files(suite, given, file)
    raise UsageError(
        "Give --anno-path and --model-result-path, or --suite, --data and --replies.",
        hint="See sightline score --help; a run is graded again by sightline regrade RUN",
    )


def _score_files(suite: str, given: dict[str, Any], file: Path | None) -> int:
    from sightline.api.score_files import score_files
    from sightline.cli.output import finish_scoring
    from sightline.cli.progress import report_compilation, scoring_progress
    from sightline.core.score_config import resolve_score

    refuse_unknown_environment(os.environ)
    config = resolve_score(file=file, environment=os.environ, flags=given)
    set_language(config.lang)
    report_compilation()
    with scoring_progress() as watch:
        report = score_files(config, suite, watch)
    return finish_scoring(report, config)


def _score_replies(suite: str, flags: dict[str, Any], file: Path | None) -> int:
    from sightline.api.evaluation import run
    from sightline.cli.inference_progress import make_progress
    from sightline.cli.output import finish
    from sightline.core.config import resolve

    config, suite_options = resolve(suite, file=file, environment=os.environ, flags=flags)
    set_language(config.lang)
    return finish(run(find("suites", suite)(suite_options), config, make_progress()), config)


command = _command(_default_suite())
