"""Help with the options of a command under headings, as their settings declare them (`setting(…, group="Model")`)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, get_args

import click

from sightline.core.settings import Group, Setting
from sightline.i18n import tr
from sightline.i18n.cli import SpeakingCommand


def group_names(rows: Iterable[Setting], heading: str = "") -> dict[str, str]:
    """The heading of every setting: its group, or `heading` where it declares none."""
    return {row.name: row.group or heading for row in rows}


class GroupedCommand(SpeakingCommand):
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
