"""Help that speaks: examples stay as they are, all that is said around them is in the user's language."""

from __future__ import annotations

from importlib import import_module

import click
import pytest
from click.testing import CliRunner

from sightline.cli import COMMANDS
from sightline.cli.generate import EXAMPLES as GENERATE
from sightline.cli.run import EXAMPLES as RUN
from sightline.cli.sweep import EXAMPLES as SWEEP
from sightline.core.registry import find, names
from sightline.i18n import set_language
from sightline.i18n.chinese import CHINESE
from sightline.i18n.cli import TranslatedCommand, paragraphs

SPEAKING = [
    command
    for command in (
        *(import_module(f"sightline.cli.{name}").command for name in COMMANDS),
        *(find("commands", name) for name in names("commands")),
    )
    if isinstance(command, TranslatedCommand) and command.epilog
]


def said(epilog: str) -> list[str]:
    """What an epilog says beside its commands."""
    lines = [line for part in paragraphs(epilog) for line in part]
    return [line for line in lines if line != "\b" and not line.startswith("  ")]


def all_said() -> set[str]:
    """What all epilogs say beside their commands."""
    epilogs = [RUN, GENERATE, SWEEP, *(command.epilog or "" for command in SPEAKING)]
    return {line for epilog in epilogs for line in said(epilog)}


def test_every_sentence_around_examples_has_its_chinese() -> None:
    assert len(all_said()) > 10
    assert all_said() <= set(CHINESE)


@pytest.mark.parametrize("command", SPEAKING, ids=lambda command: command.name)
def test_epilogs_are_said_in_chinese_with_their_commands_as_they_are(command: click.Command) -> None:
    set_language("zh")
    try:
        told = CliRunner().invoke(command, ["--help"]).output
    finally:
        set_language("")
    assert "示例：" in told and "Example" not in told
    for line in (command.epilog or "").splitlines():
        if line.startswith("  sightline"):
            assert line.strip() in told


def test_prose_is_wrapped_and_examples_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    compare = next(command for command in SPEAKING if command.name == "compare")
    set_language("en")
    try:
        told = CliRunner().invoke(compare, ["--help"], terminal_width=70).output
    finally:
        set_language("")
    assert max(map(len, told.splitlines())) <= 70
    assert "  sightline compare runs/A runs/B runs/C --out comparison\n" in told
