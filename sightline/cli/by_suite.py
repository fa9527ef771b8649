"""A command that is followed by the name of a suite, and takes that suite's own options."""

from __future__ import annotations

from collections.abc import Callable

import click

from sightline.core.errors import UsageError
from sightline.core.registry import names
from sightline.i18n.cli import SpeakingCommand, with_language


class BySuite(SpeakingCommand, click.Group):
    """`sightline COMMAND SUITE …`: the suites are the subcommands, made when one is named."""

    make: Callable[[str], click.Command]

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All installed suites."""
        return names("suites")

    def get_command(self, ctx: click.Context, name: str) -> click.Command:
        """The command for one suite; a name that is not there is told with the nearest."""
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
