"""Command `sightline suites`: list of suites, their tasks and options."""

from __future__ import annotations

from typing import Any

import click

from sightline.cli.streams import print_json
from sightline.core.registry import find, load_suite, names
from sightline.core.settings import table
from sightline.i18n import tr
from sightline.i18n.cli import TranslatedCommand


@click.command("suites", cls=TranslatedCommand, epilog="\b\nExamples:\n  sightline suites\n  sightline suites --json")
@click.option("--json", "as_json", is_flag=True, help="print everything as JSON")
def command(as_json: bool) -> int:
    """List available suites with their tasks and options."""
    suites = {name: _describe(name) for name in names("suites")}
    if as_json:
        print_json(suites)
        return 0
    for name, facts in suites.items():
        click.secho(name, bold=True, nl=False)
        click.echo(f"  {tr(facts['title'])}")
        for task in facts["tasks"]:
            click.echo(f"  {tr('task')} {task['name']}: {tr(task['title'])} ({', '.join(task['metrics'])})")
        for option in facts["options"]:
            click.echo(f"  {option['flag']:<14} {tr(option['help'])}")
    return 0


def _describe(name: str) -> dict[str, Any]:
    suite = load_suite(name)
    return {
        "title": suite.title,
        "version": suite.version,
        "tasks": [
            {"name": task.name, "title": task.title, "aliases": task.aliases, "metrics": task.metrics}
            for task in suite.tasks().values()
        ],
        "options": [{"flag": row.flag, "help": row.help} for row in table(find("suites", name).options_type)],
    }
