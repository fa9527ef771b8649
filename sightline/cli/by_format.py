"""A command that is followed by the name of a format; its help lists the formats there are."""

from __future__ import annotations

import click

from sightline.core.registry import Kind, find, names
from sightline.i18n import tr
from sightline.i18n.cli import SpeakingCommand


class ByFormat(SpeakingCommand):
    """`sightline COMMAND FORMAT …`: formats are those that are registered, plug-ins' too."""

    formats: Kind

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Formats, then options."""
        with formatter.section(tr("Formats")):
            formatter.write_dl([(name, tr(find(self.formats, name).title)) for name in names(self.formats)])
        super().format_options(ctx, formatter)


class ImportCommand(ByFormat):
    """Formats that are read."""

    formats = "importers"


class ExportCommand(ByFormat):
    """Formats that are written."""

    formats = "exporters"
