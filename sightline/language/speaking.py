"""Commands whose help is said in the user's language."""

from __future__ import annotations

import click

from sightline.language import say


class SpeakingCommand(click.Command):
    """Help texts are looked up when help is asked for, not when the module is loaded."""

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The usual help, in the user's language."""
        self.help = say(self.help) if self.help else None
        for option in self.params:
            if isinstance(option, click.Option) and option.help:
                option.help = say(option.help)
        super().format_help(ctx, formatter)
