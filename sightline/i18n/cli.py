"""Click commands with `--lang` and translated help."""

from __future__ import annotations

import os
from collections.abc import Sequence
from copy import copy
from itertools import pairwise

import click

from sightline.i18n import LANGUAGES, tr


class TranslatedCommand(click.Command):
    """Help texts are looked up when help is asked for, not when the module is loaded."""

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The usual help, in the user's language."""
        translated = copy(self)  # this one stays English: the next call may want another language
        translated.help = tr(self.help) if self.help else None
        translated.params = [_translate_option(param) for param in self.params]
        super(TranslatedCommand, translated).format_help(ctx, formatter)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Examples unchanged, and the text around them in the user's language."""
        if self.epilog:
            formatter.write_paragraph()
            formatter.write_text("\n\n".join(map(_translate_paragraph, paragraphs(self.epilog))))


def apply_lang_option(args: Sequence[str]) -> None:
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
    """The command with `--lang`: a setting of its own, or an option that `apply_lang_option` has applied."""
    if not any("--lang" in param.opts for param in command.params):
        words = "language of messages and reports"
        command.params.append(click.Option(["--lang"], type=click.Choice(LANGUAGES), expose_value=False, help=words))
    return command


def paragraphs(epilog: str) -> list[list[str]]:
    """The lines of each paragraph; examples keep their lines, prose is one."""
    parts = [part.splitlines() for part in epilog.split("\n\n") if part.strip()]
    return [part if part[0] == "\b" else [" ".join(part)] for part in parts]


def _translate_paragraph(lines: list[str]) -> str:
    return "\n".join(line if line == "\b" or line.startswith("  ") else tr(line) for line in lines)


def _translate_option(param: click.Parameter) -> click.Parameter:
    if not isinstance(param, click.Option) or not param.help:
        return param
    translated = copy(param)
    translated.help = tr(param.help)
    return translated
