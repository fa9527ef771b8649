"""English and Chinese are both first-class: whatever can be said has its Chinese, with the same facts in it."""

from __future__ import annotations

import ast
import re
from importlib import import_module
from pathlib import Path

import click
import pytest

import sightline
from sightline.cli import COMMANDS
from sightline.cli.options import SettingOption
from sightline.config import all_settings
from sightline.errors import UnknownNameError
from sightline.language import language, say, set_language
from sightline.language.chinese import CHINESE
from sightline.language.speaking import SpeakingCommand
from sightline.registry import find, load_suite, names
from sightline.settings import table

PACKAGE = Path(sightline.__file__).parent


def literal(node: ast.expr | None) -> list[str]:
    """The texts that an expression can be: a constant, or either side of a choice between constants."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return [node.value]
    if isinstance(node, ast.IfExp):
        return literal(node.body) + literal(node.orelse)
    return []


def said_in(path: Path) -> set[str]:
    """Texts given to `say`, to a `Remark` and to our errors, with the hints beside them."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Call) or not node.args:
            continue
        name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
        if name in {"say", "Remark", "InterruptedRun"} or (name.endswith("Error") and name not in dir(__builtins__)):
            found.update(literal(node.args[0]))
            for keyword in node.keywords:
                if keyword.arg == "hint":
                    found.update(literal(keyword.value))
    return {text for text in found if re.search(r"[A-Za-z]{2}", text)}


def help_texts() -> set[str]:
    """The help of every command and of its options, as written in the code."""
    found = set()
    built_in = [import_module(f"sightline.cli.{name}").command for name in COMMANDS]
    for command in (*built_in, *(find("commands", name) for name in names("commands"))):
        if isinstance(command, SpeakingCommand):
            found.add(command.help)
            found |= {
                o.help for o in command.params if isinstance(o, click.Option) and not isinstance(o, SettingOption)
            }
    return found - {None}


def all_texts() -> set[str]:
    found = set().union(*(said_in(path) for path in PACKAGE.rglob("*.py")))
    found |= {row.help for row in all_settings()}
    found |= {find("metrics", name).title for name in names("metrics")}
    found |= set(COMMANDS.values()) | help_texts()
    for name in names("suites"):
        suite = load_suite(name)
        found |= {suite.title, *suite.slices, *(task.title for task in suite.tasks().values())}
        found |= {row.help for row in table(suite.recipe_type)}
    return found | {
        "overall",
        "task",
        "ok",
        "unparsed",
        "empty",
        "truncated",
        "refused",
        "failed",
        "invalid",
        "guessing",
    }


def python_only(text: str) -> bool:
    """Messages to programmers of plug-ins (TypeError and the like) are English."""
    return " lacks setting(" in text or text.startswith(("module '", "language must"))


def test_whatever_can_be_said_has_its_chinese() -> None:
    missing = sorted(text for text in all_texts() if text not in CHINESE and not python_only(text))
    assert not missing, "\n".join(repr(text) for text in missing)


def test_no_chinese_is_left_of_texts_that_are_gone() -> None:
    assert not sorted(set(CHINESE) - all_texts())


@pytest.mark.parametrize("text", sorted(CHINESE))
def test_both_languages_tell_the_same_facts(text: str) -> None:
    facts = re.compile(r"\{(\w+)\}")
    assert set(facts.findall(text)) == set(facts.findall(CHINESE[text]))


def test_the_language_can_be_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SIGHTLINE_LANG", "LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    assert language() == "en"
    monkeypatch.setenv("LANG", "zh_CN.UTF-8")
    assert language() == "zh"
    monkeypatch.setenv("SIGHTLINE_LANG", "en")
    assert language() == "en"
    set_language("zh")
    try:
        assert say("Model") == "模型"
        error = UnknownNameError("No {kind} is called '{name}'.", kind="suite", name="x")
        assert "x" in str(error) and "No " not in str(error)
    finally:
        set_language("")
    with pytest.raises(ValueError, match="language must be"):
        set_language("fr")
