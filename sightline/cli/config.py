"""sightline config init FOLDER"""

from __future__ import annotations

from pathlib import Path

import click

from sightline.cli import DONE
from sightline.i18n import tr
from sightline.i18n.cli import TranslatedCommand


@click.command(
    "config",
    cls=TranslatedCommand,
    epilog="""\b
Examples:
  sightline config init conf
  sightline score --anno-path anno --model-result-path out --config conf/score.toml --defaults conf

Writes the settings of scoring with their defaults (score.toml), and the tables that suites ship: tasks, names of
fields and labels, plots. Change what you need, and give the folder as --defaults.""",
)
@click.argument("action", type=click.Choice(["init"]))
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False), default=Path())
@click.option("--overwrite", is_flag=True, help="replace files that already exist")
def command(action: str, folder: Path, overwrite: bool) -> int:
    """Write the default configuration files into a folder."""
    from sightline.api.default_files import write_default_files

    assert action == "init"
    for path in write_default_files(folder, overwrite):
        click.echo(tr("Written to {path}.", path=path))
    return DONE
