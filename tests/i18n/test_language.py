"""English and Chinese are both first-class: whatever can be said has its Chinese, with the same facts in it."""

from __future__ import annotations

import ast
import inspect
import re
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType

import click
import pytest

import sightline
from sightline.cli import COMMANDS
from sightline.cli.options import SettingOption
from sightline.core.config import all_settings
from sightline.core.errors import UnknownNameError
from sightline.core.registry import Kind, find, load_suite, names, unknown
from sightline.core.settings import table
from sightline.data.lines import FAULT_KINDS
from sightline.i18n import language, set_language, tr, use_language
from sightline.i18n.chinese import CHINESE, TABLES
from sightline.i18n.cli import TranslatedCommand
from sightline.reports.tables import DETAIL_TITLES as DETAILS
from sightline.scoring.batch import MISSING
from sightline.scoring.column_scorer import UNKNOWN_SIZE as NO_SIZE
from sightline.scoring.metrics.captions import meteor_lexicon
from sightline.scoring.metrics.captions import state as captions
from sightline.scoring.parsers import references
from sightline.scoring.parsers.columns.reasons import REASONS
from sightline.suites.matrix.generator.recipe import DIMENSIONS
from sightline.suites.structural.physics import descriptions as structural_words
from tests.runs.comparison.test_help import all_said

PACKAGE = Path(sightline.__file__).parent
COUNTING = ("remarks", "record_annotation_faults", "record_output_faults", "_facts")
"""Functions that name what they count."""


def literal(node: ast.expr | None) -> list[str]:
    """The texts that an expression can be: a constant, or either side of a choice between constants."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return [node.value]
    if isinstance(node, ast.IfExp):
        return literal(node.body) + literal(node.orelse)
    return []


def said_in(path: Path) -> set[str]:
    """Texts given to `tr`, to a `Remark` and to our errors, with the hints beside them."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Call) or not node.args:
            continue
        name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
        # the first argument of `ProblemError` is the type of an HTTP problem
        is_error = name.endswith("Error") and name not in (*dir(__builtins__), "ProblemError")
        if is_error or name in {"tr", "watch", "Remark", "InterruptedRun"}:
            found.update(literal(node.args[0]))
            for keyword in node.keywords:
                if keyword.arg == "hint":
                    found.update(literal(keyword.value))
    return {text for text in found if re.search(r"[A-Za-z]{2}", text)}


def said_in_template(path: Path) -> set[str]:
    """Texts given to `tr` in a Jinja template."""
    found = re.findall(r"""\btr\((?:'([^']*)'|"([^"]*)")""", path.read_text(encoding="utf-8"))
    return {text for pair in found for text in pair if re.search(r"[A-Za-z]{2}", text)}


def words_of(module: ModuleType, node: ast.AST) -> set[str]:
    """The texts below a node: its literals, and the module's own texts that it names; a head such as `n` is a sign."""
    found: set[str] = set()
    for one in ast.walk(node):
        if isinstance(one, ast.Name):
            value = getattr(module, one.id, None)
            found.update(value if isinstance(value, tuple) else [value] if isinstance(value, str) else [])
        found.update(literal(one) if isinstance(one, ast.expr) else [])
    return {text for text in found if isinstance(text, str) and re.search(r"[A-Za-z]\w", text)}


def counted_in(module: ModuleType) -> set[str]:
    """What is counted on the way to the figures and told by its name: remarks, lines that are no samples, pairings."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(inspect.getsource(module))):
        if isinstance(node, ast.FunctionDef) and node.name in COUNTING:
            document = ast.get_docstring(node, clean=False)
            found |= {text for text in words_of(module, node) if " " in text and text != document}
    return found


def tabled_in(module: ModuleType) -> set[str]:
    """The heads of the tables beside the figures, and the names of their rows where the code gives them."""
    found: set[str] = set()
    for scope in ast.walk(ast.parse(inspect.getsource(module))):
        if not isinstance(scope, ast.FunctionDef):
            continue
        local = {
            target.id: node.value
            for node in ast.walk(scope)
            if isinstance(node, ast.Assign)
            for target in node.targets
            if isinstance(target, ast.Name)
        }
        for node in ast.walk(scope):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Breakdown":
                for keyword in node.keywords:
                    value = keyword.value
                    if isinstance(value, ast.Name):
                        value = local.get(value.id, value)
                    found |= words_of(module, value) if keyword.arg in ("head", "rows") else set()
    return found


def is_sentence(text: object) -> bool:
    return isinstance(text, str) and re.fullmatch(r"[a-z][\w' {}:,-]+ [\w' {}:,-]+", text) is not None


def found_on_the_way() -> set[str]:
    """Texts that are not said where they are written, but looked up by what a metric or a book has found."""
    found = {meteor_lexicon.NO_TABLES, meteor_lexicon.OTHER_TABLES, captions.NOT_WANTED, captions.TOO_FEW}
    found |= {captions.MOST_FREQUENT, references.NOT_FOR_THIS_TASK, references.NOT_TEXTS}
    found |= {MISSING, NO_SIZE, *DETAILS.values(), *structural_words.PHRASES}
    for path in (PACKAGE / "scoring" / "scorers").glob("[a-z]*.py"):
        scorers = vars(import_module(f"sightline.scoring.scorers.{path.stem}"))
        found |= {text for name, text in scorers.items() if name.isupper() and name[0] != "_" and is_sentence(text)}
    for path in PACKAGE.rglob("*.py"):
        source = path.read_text(encoding="utf-8")
        if "Breakdown(" in source or any(f"def {name}(" in source for name in COUNTING):
            dotted = ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts)
            module = import_module(dotted)
            found |= counted_in(module) | tabled_in(module)
    return found


def help_texts() -> set[str]:
    """The help of every command and of its options, as written in the code."""
    found = set()
    built_in = [import_module(f"sightline.cli.{name}").command for name in COMMANDS]
    for command in (*built_in, *(find("commands", name) for name in names("commands"))):
        if isinstance(command, TranslatedCommand):
            found.add(command.help)
            found |= {
                o.help for o in command.params if isinstance(o, click.Option) and not isinstance(o, SettingOption)
            }
    return found - {None}


@cache
def all_texts() -> frozenset[str]:
    found = set().union(*(said_in(path) for path in PACKAGE.rglob("*.py")))
    found |= set().union(*(said_in_template(path) for path in PACKAGE.rglob("templates/*.html")))
    found |= {row.help for row in all_settings()} | {row.group for row in all_settings() if row.group}
    titled: tuple[Kind, ...] = ("metrics", "scorers", "importers", "exporters")
    found |= {find(kind, name).title for kind in titled for name in names(kind)}
    found |= set(DIMENSIONS)
    found |= set(COMMANDS.values()) | help_texts() | set(REASONS[1:]) | set(FAULT_KINDS)
    found |= found_on_the_way() | all_said()
    for name in names("suites"):
        suite = load_suite(name)
        found |= {suite.title, *suite.slices, *(task.title for task in suite.tasks().values())}
        found |= {task.level for task in suite.tasks().values() if task.level}
        found |= {row.help for row in table(suite.generator_config)}
    return frozenset(found) | {
        "overall",
        "task",
        "answered",
        "unparsed",
        "empty",
        "truncated",
        "refused",
        "failed",
        "invalid",
        "guessing",
        "running",
        "partial",
        "finished",
        "complete",
    }


def python_only(text: str) -> bool:
    """Messages to programmers of plug-ins (TypeError and the like) are English."""
    return " lacks setting(" in text or text.startswith(("module '", "language must"))


def test_whatever_can_be_said_has_its_chinese() -> None:
    missing = sorted(text for text in all_texts() if text not in CHINESE and not python_only(text))
    assert not missing, "\n".join(repr(text) for text in missing)


def test_no_chinese_is_left_of_texts_that_are_gone() -> None:
    assert not sorted(set(CHINESE) - all_texts())


def test_no_text_is_in_two_tables() -> None:
    assert sum(map(len, TABLES)) == len(CHINESE)


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
        assert tr("Model") == "模型"
        error = UnknownNameError("No {kind} is called '{name}'.", kind="suite", name="x")
        assert "x" in str(error) and "No " not in str(error)
    finally:
        set_language("")
    with pytest.raises(ValueError, match="language must be"):
        set_language("fr")


@pytest.mark.parametrize(("kind", "word"), [("suite", "评测套件"), ("task", "任务"), ("baseline", "基线模型")])
def test_an_unknown_name_is_explained_in_one_language(kind: str, word: str) -> None:
    with use_language("zh"):
        assert str(unknown(kind, "x", ["y"])).startswith(f"没有名为“x”的{word}。")
    assert str(unknown(kind, "x", ["y"])).startswith(f"No {kind} is called 'x'.")
