"""Names of the package follow the glossary: one word per concept, and none of the words that explain nothing."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import sightline

PACKAGE = Path(sightline.__file__).parent
PARTICIPLES = {"told", "said", "shown", "heard", "dressed", "sought", "tallied", "graded", "asked", "kept", "given"}
"""What a function named by a bare participle does cannot be guessed."""
METAPHORS = {"desk", "ledger", "company", "clerk", "shelf", "tongue", "tongues", "plate", "plates", "tally", "telling"}
REPLACED = {
    "mark": "score",
    "marker": "scorer",
    "markers": "scorers",
    "control": "baseline",
    "controls": "baselines",
    "survey": "target_statistics",
    "figure_tally": "metric_state",
    "sheet": "annotation_file",
    "say": "tr",
    "say_again": "row_message",
    "ideal": "oracle_reply",
    "spoiled": "corrupted_replies",
    "survives_cut": "accepts_truncated",
    "is_costly": "defers_grading",
    "conclude": "summarize",
    "panels": "plot_tables",
}
"""Words of version 1 for public names, and what stands for them now."""
AMBIGUOUS = {"place", "plain", "own", "one", "part", "found"}
"""Words with several meanings: they may name a local variable, but no module, class or public function."""
EXEMPT = {
    "suites/matrix/generator": "a place on a map, a licence plate: things that are drawn",
    "suites/matrix/sandbox/inside/zygote.py": "the control socket",
    "suites/simulation": "plates and parts are structures; solver controls",
    "suites/structural": "parts of a structure",
    "suites/remote_sensing/generator": "places of objects",
}


def is_exempt(path: Path) -> bool:
    return any(path.relative_to(PACKAGE).as_posix().startswith(part) for part in EXEMPT)


def definitions(path: Path) -> Iterator[tuple[str, str]]:
    """Names that a module defines, each with where."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    yield path.stem, str(path)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name, f"{path}:{node.lineno}"


def banned(words: set[str]) -> list[str]:
    modules = [path for path in sorted(PACKAGE.rglob("*.py")) if not is_exempt(path)]
    names = [(name, where) for path in modules for name, where in definitions(path)]
    return [f"{where} {name}" for name, where in names if name.strip("_").lower() in words]


def test_no_function_class_or_module_is_named_by_a_bare_participle_or_a_metaphor() -> None:
    assert not banned(PARTICIPLES | METAPHORS)


def test_words_that_were_replaced_are_gone() -> None:
    assert not banned(set(REPLACED))


def test_no_module_class_or_function_has_a_name_with_several_meanings() -> None:
    assert not banned(AMBIGUOUS)


def test_no_local_variable_or_attribute_is_called_told_or_said() -> None:
    found = []
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                name = node.id
            elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
                name = node.attr
            elif isinstance(node, ast.arg):
                name = node.arg
            else:
                continue
            if name.strip("_") in {"told", "said", "heard", "dressed", "tongue", "ledger", "desk", "tally"}:
                found.append(f"{path}:{node.lineno} {name}")
    assert not found, "\n".join(found)
