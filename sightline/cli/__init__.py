"""The command line: one file per command, each imported when it is called."""

from __future__ import annotations

import sys
from importlib import import_module

import click

from sightline.cli.streams import OutputError, protect_streams
from sightline.core.errors import RunStoppedError, SightlineError
from sightline.core.registry import find, names, nearest
from sightline.core.remarks import Remark
from sightline.i18n import tr
from sightline.i18n.cli import TranslatedCommand, apply_lang_option, with_language
from sightline.i18n.click_catalog import install_click_translations

DONE, GATE_FAILED, USAGE, PARTIAL, OUTPUT_FAILED = 0, 1, 2, 3, 4
"""Exit codes: all answered; below --fail-under; the call is wrong; some samples have no answer yet; all is done, but
standard output could not be written."""

COMMANDS = {
    "run": "Run a suite against a model and grade the replies.",
    "sweep": "Run a suite at several image sizes and find the smallest that is as good as the largest.",
    "score": "Score saved outputs or replies; no request is sent.",
    "regrade": "Grade a run again from its journal; no request is sent.",
    "list": "List runs, the newest last.",
    "show": "Show the metrics of a run.",
    "report": "Write a shareable HTML report.",
    "compare": "Compare runs on the same samples.",
    "leaderboard": "Rank the runs in a folder, suite by suite.",
    "view": "Browse runs and samples in the browser.",
    "suites": "List available suites, their tasks and options.",
    "generate": "Generate a new data set for a suite.",
    "demo": "Run an end-to-end demo; no network or API key required.",
    "config": "Write the default configuration files into a folder.",
    "doctor": "Check the installation.",
}

RUN_HELP = """RUN is a run folder, `last`, `last~1` and so on, or any unique part of a folder's name below `runs` (or
SIGHTLINE_OUTPUT_DIR); DIR/last looks in another folder. `sightline list` shows the names."""
"""The last paragraph of the help of commands that take a run."""

FIRST_STEPS = {
    "sightline demo": Remark("run an end-to-end demo, offline"),
    "sightline suites": Remark("list available suites"),
    "sightline run simulation --data DIR --model gpt-4o": Remark("run a suite against a model"),
    "sightline show": Remark("show the last run"),
}


class _Commands(TranslatedCommand, click.Group):
    """Commands by name, loaded late; a typo gets the nearest name."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Set the language of the call first: all messages depend on it."""
        install_click_translations()
        apply_lang_option(args)
        return super().parse_args(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*COMMANDS, *(name for name in names("commands") if name not in COMMANDS)]

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name in names("commands") and name not in COMMANDS:
            command: click.Command = find("commands", name)
        elif name in COMMANDS:
            command = import_module(f"sightline.cli.{name}").command
        else:
            return None
        return with_language(command)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        known = self.list_commands(ctx)
        if args and args[0] not in known and not args[0].startswith("-"):
            near = nearest(args[0], known)
            ctx.fail(tr("Unknown command '{name}'. Did you mean '{near}'?", name=args[0], near=near or "run"))
        return super().resolve_command(ctx, args)

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        super().format_help_text(ctx, formatter)
        formatter.write_paragraph()
        with formatter.indentation():
            formatter.write_dl([(call, str(why)) for call, why in FIRST_STEPS.items()], col_max=60)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section(tr("Commands")):
            formatter.write_dl([(name, tr(self._title(ctx, name))) for name in self.list_commands(ctx)])

    def _title(self, ctx: click.Context, name: str) -> str:
        """Title of a command; built-in commands are not imported for it."""
        if name in COMMANDS:
            return COMMANDS[name]
        command = self.get_command(ctx, name)
        return (command and command.help) or ""


@click.command(
    cls=_Commands,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    help=Remark("Trustworthy scores for vision-language models on engineering and remote-sensing imagery.").text,
)
@click.version_option(
    package_name="sightline", message="sightline %(version)s", help=Remark("show the version and exit").text
)
@click.pass_context
def cli(ctx: click.Context) -> None:
    """Print the help if no command is given."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


with_language(cli)


def main() -> None:
    """Run the command line; every known error becomes one message and an exit code."""
    protect_streams()
    code = DONE
    try:
        code = _run()
        sys.stdout.flush()
    except OutputError as error:
        code = code or error.exit_code or (DONE if error.is_unwanted else OUTPUT_FAILED)
        if not error.is_unwanted:
            _print_error(tr("Cannot write to standard output: {why}", why=error.why))
    sys.exit(code)


def _run() -> int:
    try:
        code = cli.main(standalone_mode=False)
    except SightlineError as error:
        _print_error(str(error))
        return PARTIAL if isinstance(error, RunStoppedError) else USAGE
    except click.ClickException as error:
        error.show()
        return USAGE
    except (click.Abort, KeyboardInterrupt):
        _print_error(tr("Stopped by the user."))
        return PARTIAL
    return code if isinstance(code, int) else DONE


def _print_error(message: str) -> None:
    first, _, rest = message.partition("\n")
    click.secho(f"{tr('Error')}: {first}", fg="red", err=True)
    if rest:
        click.echo(rest, err=True)
