"""Commands that speak the user's language: `--lang`, and help that is said in it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from copy import copy
from itertools import pairwise

import click

from sightline.core.records import Remark
from sightline.i18n import LANGUAGES, tr

SENTENCES = (
    Remark("Example:"),
    Remark("Examples:"),
    Remark("Call it (TOKEN is printed at the start):"),
    Remark(
        "RUN is a run folder, `last`, `last~1` and so on, or any unique part of a folder's name below `runs` (or "
        "SIGHTLINE_OUTPUT_DIR); DIR/last looks in another folder. `sightline list` shows the names."
    ),
    Remark(
        "Without RUN, all runs below `runs` (or SIGHTLINE_OUTPUT_DIR) are shown. RUN may also be another folder of "
        "runs."
    ),
    Remark("The newest run comes last. It is called `last` wherever a run is expected, the one before it `last~1`."),
    Remark("A data set that has changed since the run is refused, and the files that differ are listed."),
    Remark(
        "Generates data for every installed suite, runs baseline models on it and compares them. Next: `sightline list "
        "sightline-demo/runs` and `sightline view sightline-demo/runs`."
    ),
    Remark(
        "Differences are second − first, on the samples that both answered. With --fail-if-worse MARGIN the exit code "
        "is 1 when the whole 95 % interval of the difference lies below −MARGIN and p < 0.05 (a share: 0.01 is one "
        "point; default 0)."
    ),
    Remark(
        "The options are those of the suite that --suite names, by default of the suite that scores annotation files. "
        "To grade a run again, use `sightline regrade RUN`."
    ),
    Remark(
        "Annotations NAME.txt have one JSON object per line: gt, task, source, frames, prompt. Outputs NAME_output.txt "
        "have model_output, and sample_id or source, or the same order of lines."
    ),
    Remark(
        "A file of replies has one JSON object per line: the sample's id (sample, sample_id or id) and its reply "
        "(text, reply or model_output). Ids are those in grades.parquet of any run, such as text/fluid/File_7/QID."
    ),
    Remark(
        "Rerun the same command to resume a run that was stopped or killed. Once the run is finished, the same command "
        "shows its result again and sends no request; --fresh starts a new run."
    ),
    Remark(
        "Every flag is also a key of --config FILE (TOML, JSON, YAML) and an environment variable SIGHTLINE_NAME; "
        "flags take precedence over the environment, the environment over the file."
    ),
    Remark(
        "Annotations are written to OUT/anno, replies to OUT/output, what could not be read to OUT/import_log.txt. "
        "With --suite the replies belong to samples of that suite, and only they are written, to OUT/replies.jsonl."
    ),
    Remark(
        "Each budget is an ordinary run of the same samples. Rerun the same command to resume a sweep; budgets whose "
        "runs are finished send no request. With --cache, images within several budgets are sent once."
    ),
    Remark(
        "The knee is the smallest budget for which the whole 95 % interval of the paired difference to the best budget "
        "lies above −MARGIN."
    ),
    Remark("Exit codes: 0 success, 2 usage error, 3 partial, 4 standard output could not be written."),
    Remark(
        "Exit codes: 0 success, 1 below --fail-under, 2 usage error, 3 partial, 4 standard output could not be written."
    ),
)
"""What commands say around their examples, a paragraph each; what is not here is said in English."""


class SpeakingCommand(click.Command):
    """Help texts are looked up when help is asked for, not when the module is loaded."""

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The usual help, in the user's language."""
        spoken = copy(self)  # this one stays English: the next call may want another language
        spoken.help = tr(self.help) if self.help else None
        spoken.params = [_spoken_option(param) for param in self.params]
        super(SpeakingCommand, spoken).format_help(ctx, formatter)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Examples as they are, and what is said around them in the user's language."""
        if self.epilog:
            formatter.write_paragraph()
            formatter.write_text("\n\n".join(map(_spoken, paragraphs(self.epilog))))


def heed_language(args: Sequence[str]) -> None:
    """`--lang zh` anywhere in a call is SIGHTLINE_LANG=zh for this call, settings and child processes included.

    It is looked for before anything is parsed, so that what parsing says, help and errors, is in that language already.
    """
    for arg, after in pairwise([*args, ""]):
        if arg == "--":
            return
        name, given, value = arg.partition("=")
        value = value if given else after
        if name == "--lang" and value in LANGUAGES:  # another value is refused where it is parsed
            os.environ["SIGHTLINE_LANG"] = value


def with_language(command: click.Command) -> click.Command:
    """The command, which takes `--lang`, as a setting of its own or as an option that `heed_language` has seen to."""
    if not any("--lang" in param.opts for param in command.params):
        command.params.append(
            click.Option(
                ["--lang"],
                type=click.Choice(LANGUAGES),
                expose_value=False,
                help="language of messages and reports",
            )
        )
    return command


def paragraphs(epilog: str) -> list[list[str]]:
    """The lines of each paragraph; examples keep their lines, prose is one."""
    parts = [part.splitlines() for part in epilog.split("\n\n") if part.strip()]
    return [part if part[0] == "\b" else [" ".join(part)] for part in parts]


def _spoken(lines: list[str]) -> str:
    return "\n".join(line if line == "\b" or line.startswith("  ") else tr(line) for line in lines)


def _spoken_option(param: click.Parameter) -> click.Parameter:
    if not isinstance(param, click.Option) or not param.help:
        return param
    spoken = copy(param)
    spoken.help = tr(param.help)
    return spoken
