"""Command classes and options made from the table of settings: grouped help, one subcommand per suite, formats."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import click
from msgspec import Struct

from sightline.core import settings
from sightline.core.errors import UsageError
from sightline.core.registry import Kind, find, names
from sightline.core.settings import Group, Setting
from sightline.i18n import set_language, tr
from sightline.i18n.cli import TranslatedCommand, with_language

if TYPE_CHECKING:
    from sightline.core.config import RunConfig


class SettingOption(click.Option):
    """The flag of one setting. A switch may be given with or without a value."""

    def __init__(self, row: Setting) -> None:
        self.row = row
        names = [row.flag, row.name] + ([row.short] if row.short else [])
        more: dict[str, Any] = {}
        if row.shape == "switch":
            more = {"is_flag": False, "flag_value": "true"}
        elif row.shape in ("list", "pairs"):
            more = {"multiple": True}
        super().__init__(
            names, type=str, default=None, help=_help(row), metavar=_metavar(row), show_default=False, **more
        )

    def value(self, given: Any) -> Any:
        """Convert the typed text to the type of the setting."""
        if self.row.shape == "pairs":
            return settings.pairs_from_text(self.row, given)
        if self.row.shape == "list":
            return tuple(part for text in given for part in settings.from_text(self.row, text))
        return settings.from_text(self.row, given)


def options(rows: Sequence[Setting]) -> list[click.Parameter]:
    """One option per setting."""
    return [SettingOption(row) for row in rows]


def typed_settings(ctx: click.Context) -> dict[str, Any]:
    """The settings that were typed, and no others."""
    found = {}
    for option in ctx.command.params:
        if isinstance(option, SettingOption):
            given = ctx.params.get(option.row.name)
            if given not in (None, ()):
                found[option.row.name] = option.value(given)
    return found


def config_option() -> click.Option:
    """The option that names a settings file."""
    return click.Option(["--config"], type=click.Path(path_type=Path), help=tr("settings file (TOML, JSON or YAML)"))


def resolve_settings(ctx: click.Context) -> tuple[RunConfig, Struct]:
    """Resolve the settings of a run and the options of the suite that the command is named after; set the language."""
    from sightline.core.config import resolve

    assert ctx.command.name is not None
    file, flags = ctx.params.get("config"), typed_settings(ctx)
    config, suite_options = resolve(ctx.command.name, file=file, environment=os.environ, flags=flags)
    set_language(config.lang)
    return config, suite_options


def _metavar(row: Setting) -> str:
    if row.choices:
        return "|".join(filter(None, row.choices))
    words = {"switch": "[BOOL]", "whole number": "N", "number": "X", "list": "A,B…", "pairs": "KEY=VALUE"}
    return words.get(row.shape, "TEXT")


def _help(row: Setting) -> str:
    default = ",".join(map(str, row.default)) if isinstance(row.default, tuple) else row.default
    is_trivial = row.default is None or row.default is False or row.default in ("", (), {})
    return tr(row.help) + ("" if is_trivial else f"  [{tr('default')}: {default}]")


def group_names(rows: Iterable[Setting], heading: str = "") -> dict[str, str]:
    """The heading of every setting: its group, or `heading` where it declares none."""
    return {row.name: row.group or heading for row in rows}


class GroupedCommand(TranslatedCommand):
    """A command whose help shows options under headings: first those of a suite, then the groups in their order."""

    def __init__(self, *args: Any, headings: Mapping[str, str], **more: Any) -> None:
        super().__init__(*args, **more)
        self._headings = headings

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """One section per heading; options without one come last."""
        known = get_args(Group)
        sections: dict[str, list[tuple[str, str]]] = {}
        for option in self.get_params(ctx):
            record = option.get_help_record(ctx)
            if record is not None and isinstance(option, click.Option):
                sections.setdefault(self._headings.get(option.name or "", ""), []).append(record)
        own = [heading for heading in sections if heading not in known]
        for heading in (*own, *(group for group in known if group), ""):
            if records := sections.get(heading):
                with formatter.section(tr(heading) if heading else tr("Common options")):
                    formatter.write_dl(records)


class SuiteGroup(TranslatedCommand, click.Group):
    """`sightline COMMAND SUITE …`: the suites are the subcommands, made when one is named."""

    make: Callable[[str], click.Command]

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All installed suites."""
        return names("suites")

    def get_command(self, ctx: click.Context, name: str) -> click.Command:
        """The command for one suite; an unknown name raises an error that suggests the nearest."""
        return with_language(self.make(name))

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """The suite comes first: only it knows which options there are."""
        flags = " ".join(args)  # parsing uses the list up
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption:
            raise UsageError(
                "Name the suite first: sightline {command} SUITE {flags}", command=self.name, flags=flags
            ) from None


class FormatCommand(TranslatedCommand):
    """`sightline COMMAND FORMAT …`: formats are those that are registered, plug-ins' too."""

    def __init__(self, *args: Any, formats: Kind, **more: Any) -> None:
        super().__init__(*args, **more)
        self.formats: Kind = formats

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Formats, then options."""
        with formatter.section(tr("Formats")):
            formatter.write_dl([(name, tr(find(self.formats, name).title)) for name in names(self.formats)])
        super().format_options(ctx, formatter)
