"""Command-line options from the table of settings, and back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from sightline.core import settings
from sightline.core.settings import Setting
from sightline.i18n import tr


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
        """What was typed, in the setting's own shape."""
        if self.row.shape == "pairs":
            return settings.pairs_from_text(self.row, given)
        if self.row.shape == "list":
            return tuple(part for text in given for part in settings.from_text(self.row, text))
        return settings.from_text(self.row, given)


def options(rows: Sequence[Setting]) -> list[click.Parameter]:
    """One option a setting."""
    return [SettingOption(row) for row in rows]


def typed(ctx: click.Context) -> dict[str, Any]:
    """The settings that were typed, and no others."""
    found = {}
    for option in ctx.command.params:
        if isinstance(option, SettingOption):
            given = ctx.params.get(option.row.name)
            if given not in (None, ()):
                found[option.row.name] = option.value(given)
    return found


def _metavar(row: Setting) -> str:
    if row.choices:
        return "|".join(filter(None, row.choices))
    words = {"switch": "[BOOL]", "whole number": "N", "number": "X", "list": "A,B…", "pairs": "KEY=VALUE"}
    return words.get(row.shape, "TEXT")


def _help(row: Setting) -> str:
    shown = ",".join(row.default) if isinstance(row.default, tuple) else row.default
    says_nothing = row.default is None or row.default is False or row.default in ("", (), {})
    return tr(row.help) + ("" if says_nothing else f"  [{tr('default')}: {shown}]")
