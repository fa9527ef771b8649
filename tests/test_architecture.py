"""The house keeps its shape: layers, size, exports, what an import costs."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from functools import cache
from pathlib import Path
from statistics import median

import pytest

import sightline
from tests.support.worlds import environment

PACKAGE = Path(sightline.__file__).parent
MODULES = sorted(PACKAGE.rglob("*.py"))

LAYERS = [
    {"core", "i18n"},
    {"stats"},
    {"data"},
    {"models", "scoring"},
    {"inference"},
    {"runs"},
    {"reports"},
    {"interop", "web"},
    {"api"},
    {"cli", "__main__"},
]
RANK = {name: rank for rank, layer in enumerate(LAYERS) for name in layer}
SUITES_MAY_USE = {"core", "i18n", "stats", "data", "scoring"}
MAY_NOT_USE = {
    "inference": {"scoring"},
    "interop": {"web"},
    "web": {"interop"},
    "scoring": {"models"},
    "models": {"scoring"},
}
"""Beside each other, though one stands to the left of the other or in the same layer."""
MOST_ENTRIES = 15
REQUIRED_BY_PYTHON = {"__main__.py", "py.typed"}
"""`python -m sightline`, and the mark of a typed package (PEP 561): they can stand nowhere else."""


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def imported_by(path: Path) -> set[str]:
    """Every sightline module that a file imports, inside functions too; imports for type checking alone don't count."""
    tree = parsed(path)
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            node.body = []
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "sightline":
            names = [node.module] if node.module != "sightline" else [f"sightline.{a.name}" for a in node.names]
            found.update(filter(None, names))
        elif isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names if alias.name.startswith("sightline."))
    return found


def part(module: str) -> str:
    return module.split(".")[1]


def test_a_newcomer_understands_the_package_from_its_folders() -> None:
    entries = {path.name for path in PACKAGE.iterdir()} - {"__pycache__"} - REQUIRED_BY_PYTHON
    assert len(entries) <= MOST_ENTRIES, sorted(entries)
    assert entries - {"__init__.py", "suites"} == set(RANK) - {"__main__"}


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_module_imports_only_from_below(path: Path) -> None:
    """`docs/design/architecture.md` shows the order; suites stand beside it."""
    here = path.relative_to(PACKAGE).with_suffix("").parts
    if here[0] == "__init__":
        return
    for module in imported_by(path):
        there = part(module)
        if here[0] == "suites":
            if there == "suites":
                assert len(here) > 1 and module.split(".")[2] == here[1], f"{path} imports another suite: {module}"
            else:
                assert there in SUITES_MAY_USE, f"{path} imports {module}"
        else:
            assert there != "suites", f"{path} names a suite: {module}"
            assert there == here[0] or RANK[there] <= RANK[here[0]], f"{path} imports {module} from above"
            assert there not in MAY_NOT_USE.get(here[0], ()), f"{path} imports {module} from beside it"


def test_core_never_names_a_suite() -> None:
    """Not in code; a hint to the reader in a help text is no dependency."""
    for path in MODULES:
        if "suites" in path.relative_to(PACKAGE).parts:
            continue
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.Constant) and node.value in {
                "simulation",
                "structural",
                "matrix",
                "remote-sensing",
            }:
                raise AssertionError(f"{path}:{node.lineno} names the suite {node.value}")


def test_a_module_can_be_read_in_one_sitting() -> None:
    sizes = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in MODULES}
    largest = max((size, path) for path, size in sizes.items())
    assert largest[0] <= 600, largest


def test_the_package_is_not_split_into_fragments() -> None:
    sizes = [len(path.read_text(encoding="utf-8").splitlines()) for path in MODULES if path.name != "__init__.py"]
    assert len(sizes) < 560 and median(sizes) >= 100


def functions() -> list[tuple[Path, ast.FunctionDef | ast.AsyncFunctionDef]]:
    return [
        (path, node)
        for path in MODULES
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]


def test_functions_are_short() -> None:
    for path, node in functions():
        length = (node.end_lineno or 0) - node.lineno + 1
        assert length <= 60, f"{path}:{node.lineno} {node.name} has {length} lines"


def test_all_that_is_public_has_a_docstring() -> None:
    for path in MODULES:
        tree = parsed(path)
        assert ast.get_docstring(tree), f"{path} has no docstring"
        for node in tree.body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_"):
                assert ast.get_docstring(node), f"{path}:{node.lineno} {node.name} has no docstring"


RUNS_PROGRAMS = {"exec_module", "InspectLoader", "run_path", "run_module"}
INSIDE_THE_SANDBOX = {PACKAGE / "suites" / "matrix" / "sandbox" / "inside" / "program.py"}
"""The one place where a model's text is executed: in the shut-in child process."""


def test_nothing_is_evaluated_and_nothing_is_caught_blindly() -> None:
    for path in MODULES:
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                assert node.func.id not in {"eval", "exec", "compile", "__import__"}, f"{path}:{node.lineno}"
            if isinstance(node, ast.Attribute) and node.attr in RUNS_PROGRAMS:
                assert path in INSIDE_THE_SANDBOX, f"{path}:{node.lineno} runs a program"
            assert not (isinstance(node, ast.ExceptHandler) and node.type is None), f"{path}:{node.lineno} bare except"


LOADS_CODE = {"pickle", "marshal", "shelve", "joblib", "dill", "cloudpickle"}
MAY_PICKLE = {PACKAGE / "scoring" / "engines" / "child_processes.py"}
"""Jobs for a worker, which takes them from the process that started it."""
STARTS_PYTHON = {
    PACKAGE / "models" / "launched_server.py",
    PACKAGE / "scoring" / "engines" / "child_processes.py",
    PACKAGE / "suites" / "matrix" / "sandbox" / "unsandboxed.py",
    PACKAGE / "suites" / "matrix" / "sandbox" / "worker.py",
}
"""With -P or -I: nothing is imported from the current folder."""


def test_no_file_is_unpickled_and_no_child_imports_from_the_current_folder() -> None:
    for path in MODULES:
        for node in ast.walk(parsed(path)):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            if LOADS_CODE & {name.partition(".")[0] for name in names}:
                assert path in MAY_PICKLE, f"{path}:{node.lineno} imports {names}"
            if isinstance(node, ast.keyword) and node.arg == "allow_pickle":
                assert ast.unparse(node.value) == "False", f"{path}:{node.lineno}"
            if isinstance(node, ast.Attribute) and ast.unparse(node) == "sys.executable":
                assert path in STARTS_PYTHON, f"{path}:{node.lineno} starts Python by itself"


def test_exports_resolve_and_are_listed() -> None:
    for name in sightline.__all__:
        assert getattr(sightline, name) is not None
    assert set(sightline.__all__) <= set(dir(sightline))
    with pytest.raises(AttributeError, match="no attribute 'evaluat'"):
        sightline.evaluat  # noqa: B018


def loaded_by(code: str) -> set[str]:
    told = subprocess.run(
        [sys.executable, "-c", f"import sys\n{code}\nprint(*sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
        env=environment(),
    )
    return set(told.stdout.split())


@pytest.mark.parametrize(
    "code", ["import sightline", "from sightline.cli import cli\ncli.main(['--help'], standalone_mode=False)"]
)
def test_an_import_loads_nothing_heavy(code: str) -> None:
    heavy = {"numpy", "matplotlib", "aiohttp", "duckdb", "PIL", "yaml", "rich", "av", "torch", "asyncio"}
    assert not heavy & loaded_by(code)


def test_an_import_loads_little() -> None:
    """What an import costs, told by what it loads: seconds would be those of the machine."""
    more = loaded_by("import sightline") - loaded_by("pass")
    assert len(more) <= 40, sorted(more)
    assert {name for name in more if name.startswith("sightline")} == {"sightline"}


def test_the_architecture_page_names_what_exists() -> None:
    """Files and functions as `folder/file.py: name`, folders as `folder/`."""
    page = (PACKAGE.parent / "docs" / "design" / "architecture.md").read_text(encoding="utf-8")
    named = re.findall(r"`((?:[a-z_]+/)*[a-z_]+\.py)(?:: ([A-Za-z_.]+))?`", page)
    assert len(named) >= 20
    folder = ""
    for path, name in named:
        if path.startswith(("tests/", "tools/", "bench/")):
            assert (PACKAGE.parent / path).is_file(), path
            continue
        folder = path.rpartition("/")[0] or folder  # a bare name lies beside the one before it
        file = PACKAGE / path if "/" in path else PACKAGE / folder / path
        assert file.is_file(), path
        for part in filter(None, name.split(".")):
            assert re.search(rf"(def|class) {part}\b", file.read_text(encoding="utf-8")), f"{path}: {name}"
    folders = {path.name for path in PACKAGE.iterdir() if path.is_dir() and path.name != "__pycache__"}
    assert folders <= set(re.findall(r"^\| `(\w+)/` \|", page, re.MULTILINE))
