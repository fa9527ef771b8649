"""The documents say what the code does: names, links, twins, commands, and every example that they show."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest

import sightline
from sightline.cli import COMMANDS, cli
from sightline.cli.options import typed_settings
from sightline.core import registry
from sightline.core.errors import SightlineError
from sightline.core.registry import Kind, load_suite, names
from sightline.i18n.chinese import CHINESE
from tests.support.worlds import ROOT, write_questions

sys.path.insert(0, str(ROOT / "tools"))
import manual as site
import reference

PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
LANGUAGES = {"en": ROOT / "docs", "zh": ROOT / "docs" / "zh"}
_BLOCK = re.compile(r"^```(\w+)[^\n]*\n(.*?)^```", re.DOTALL | re.MULTILINE)
_FILE = re.compile(r"# (my_package/\w+\.py)\n")
FOR_DEVELOPERS = {"CHANGELOG.md", "CONTRIBUTING.md", "README.zh.md"}
RUNNING = [page for page in PAGES if "```python" in page.read_text(encoding="utf-8") and page.name != "CONTRIBUTING.md"]
COMMANDING = [page for page in PAGES if "sightline " in page.read_text(encoding="utf-8")]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def blocks(page: Path) -> list[tuple[str, str]]:
    """Language and text of every block of code."""
    return _BLOCK.findall(page.read_text(encoding="utf-8"))


def run_page(page: Path, folder: Path, patch: pytest.MonkeyPatch, only_install: bool = False) -> None:
    """Write the page's files, install its package, and run its examples from top to bottom in one name space."""
    found = blocks(page)
    files = [(match.group(1), text) for kind, text in found if kind == "python" and (match := _FILE.match(text))]
    if files and page.name != "CONTRIBUTING.md":
        _install(files, [text for kind, text in found if kind == "toml"], folder, patch)
    space: dict[str, Any] = {"__name__": "example"}
    for kind, text in found if not only_install else ():
        if kind == "python" and not _FILE.match(text):
            exec(compile(text, str(page), "exec"), space)


def _install(files: list[tuple[str, str]], tomls: list[str], folder: Path, patch: pytest.MonkeyPatch) -> None:
    """What pip would do: modules on the path, and their entry points beside them."""
    for name, text in files:
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    info = folder / "my_package-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: my-package\nVersion: 1.0\n")
    points = "\n".join(
        re.findall(r"^\[project\.entry-points\..*?(?=^\[|\Z)", "\n".join(tomls), re.DOTALL | re.MULTILINE)
    )
    (info / "entry_points.txt").write_text(
        re.sub(r'\[project\.entry-points\."(.*?)"\]', r"[\1]", points).replace('"', "")
    )
    for name in [name for name in sys.modules if name.partition(".")[0] == "my_package"]:
        patch.delitem(sys.modules, name)
    patch.syspath_prepend(folder)
    # the names of an earlier page are not kept
    patch.setattr(registry, "_installed", registry._installed.__wrapped__)
    patch.setattr(registry, "_entries", registry._entries.__wrapped__)
    patch.setattr(registry, "_load", registry._load.__wrapped__)


def world(folder: Path, page: Path) -> Path:
    """A folder with the files that examples speak of."""
    text = "\n".join(text for kind, text in blocks(page) if kind == "python")
    if '"DIR"' in text:
        _questions(folder / "DIR")
    if '"anno"' in text and "my_package" not in text:
        sightline.generate("remote-sensing", folder / "made", count=1, seed=1)
        (folder / "made" / "anno").rename(folder / "anno")
        for path in (folder / "anno").iterdir():  # two tasks show the way; METEOR alone would take half a minute
            if not any(task in path.read_text(encoding="utf-8") for task in ('"计数"', '"水平区域检测"')):
                path.unlink()
        for name in ("outA", "outB"):
            _copy(folder / "made" / "output", folder / name)
    if "beam.json" in text:
        sightline.generate("structural", folder / "drawings", count=1, seed=1)
        model = next((folder / "drawings" / "raw_models").iterdir()).read_text(encoding="utf-8")
        for name in ("beam.json", "answer.json", "truth.json"):
            (folder / name).write_text(model, encoding="utf-8")
    if '"runs/A"' in text:
        _runs(folder)
    return folder


def _questions(folder: Path) -> None:
    write_questions(folder, questions=6)
    text = folder / "data" / "structural" / "text"
    text.mkdir()
    (text / "File_1.txt").write_text("Maximum stress 12 MPa.")


def _copy(source: Path, target: Path) -> None:
    target.mkdir()
    for path in source.iterdir():
        (target / path.name).write_bytes(path.read_bytes())


def _runs(folder: Path) -> None:
    _questions(folder / "DIR")
    for name, model in (("A", "baseline/oracle"), ("B", "baseline/random")):
        made = sightline.evaluate("simulation", data=str(folder / "DIR"), model=model, output_dir=str(folder / "runs"))
        made.folder.rename(folder / "runs" / name)


def command_lines(page: Path) -> Iterator[list[str]]:
    """The arguments of every call of Sightline in blocks for a shell."""
    for kind, text in blocks(page):
        if kind in ("bash", "sh", "console", "powershell"):
            for line in text.replace("\\\n", " ").splitlines():
                for call in re.split(r"&&|\|\||;|\|(?= )", line):
                    words = _words(call)
                    if words and words[0] == "sightline":
                        yield words[1:]


def _words(call: str) -> list[str]:
    if "sightline" not in call:
        return []
    words = shlex.split(call, comments=True)
    return words[: words.index(">")] if ">" in words else words


def parse(arguments: list[str]) -> None:
    """Have the command line read the arguments, and their values, without running anything."""
    told = json.dumps(["sightline", *arguments], ensure_ascii=False)
    command: click.Command = cli
    context: click.Context | None = None
    try:
        while isinstance(command, click.Group) and arguments and not arguments[0].startswith("-"):
            context = click.Context(command, parent=context, info_name=command.name)
            _, found, arguments = command.resolve_command(context, arguments)
            assert found is not None, told
            command = found
        if "--help" not in arguments and "-h" not in arguments:
            typed_settings(command.make_context(command.name, list(arguments), parent=context))
    except (click.ClickException, SightlineError) as error:
        why = error.format_message() if isinstance(error, click.ClickException) else str(error)
        raise AssertionError(f"{told}: {why}") from error


def shown(page: Path) -> str:
    return str(page.relative_to(ROOT))


def text_of(language: str, *parts: str) -> str:
    return LANGUAGES[language].joinpath(*parts).read_text(encoding="utf-8")


def manual(language: str) -> str:
    """All pages of one language that were written by hand."""
    pages = [page for page in LANGUAGES[language].rglob("*.md") if "reference" not in page.parts]
    mine = [page for page in pages if language == "zh" or LANGUAGES["zh"] not in page.parents]
    return "\n".join(page.read_text(encoding="utf-8") for page in mine)


@pytest.mark.parametrize("path", reference.PAGES, ids=shown)
def test_the_reference_is_what_the_code_says(path: Path) -> None:
    assert path.read_text(encoding="utf-8") == reference.PAGES[path](), "run: python tools/reference.py"


@pytest.mark.parametrize("page", PAGES, ids=shown)
def test_links_lead_somewhere(page: Path) -> None:
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", text):
        if not target.startswith(("http://", "https://")):
            assert (page.parent / target).exists(), f"{page}: {target}"


@pytest.mark.parametrize("page", [page for page in PAGES if "zh" not in page.parts], ids=shown)
def test_every_page_for_users_has_its_chinese(page: Path) -> None:
    if page.parent == ROOT / "docs" / "design" or page.name in FOR_DEVELOPERS:
        pytest.skip("for developers")
    if page == ROOT / "README.md":
        assert (ROOT / "README.zh.md").exists()
    else:
        assert (ROOT / "docs" / "zh" / page.relative_to(ROOT / "docs")).exists()


def test_no_chinese_page_is_left_over() -> None:
    for page in (ROOT / "docs" / "zh").rglob("*.md"):
        assert (ROOT / "docs" / page.relative_to(ROOT / "docs" / "zh")).exists(), page


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_command_is_explained(language: str) -> None:
    text = manual(language)
    for command in (*COMMANDS, *names("commands")):
        assert f"sightline {command}" in text, command


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_metric_has_its_formula(language: str) -> None:
    """A row of the page of metrics that begins with the name and says more than a word."""
    rows = [line.split(" | ") for line in text_of(language, "metrics.md").splitlines() if line.startswith("| `")]
    explained = {name: row for row in rows for name in re.findall(r"`(\w+)`", row[0])}
    for metric in (*names("metrics"), *names("figures"), *names("scorers")):
        assert metric in explained, metric
        assert len(explained[metric][1]) > 5, metric


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("kind", ["suites", "parsers", "scorers", "importers", "exporters", "models"])
def test_every_name_is_documented(language: str, kind: Kind) -> None:
    text = manual(language) + text_of(language, "reference", "names.md")
    for name in names(kind):
        assert f"`{name}`" in text or f"`{name}/" in text, name


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_task_is_on_the_page_of_its_suite(language: str) -> None:
    for suite in names("suites"):
        page = text_of(language, "suites", f"{suite}.md")
        for task in load_suite(suite).tasks():
            assert re.search(rf"(?<!\w){re.escape(task)}(?!\w)", page), f"{suite}: {task}"


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_extra_is_listed_with_its_packages(language: str) -> None:
    rows = [line for line in text_of(language, "install.md").splitlines() if line.startswith("| `")]
    listed = {re.findall(r"`([^`]+)`", line)[0]: line for line in rows}
    for extra, requirements in PYPROJECT["optional-dependencies"].items():
        assert extra in listed, extra
        if extra not in ("dev", "peers"):
            for requirement in requirements:
                package = re.split(r"[<>=\[; ]", requirement)[0]
                assert package in listed[extra], f"{extra}: {package}"


@pytest.mark.parametrize("language", LANGUAGES)
def test_messages_in_the_troubleshooting_are_real(language: str) -> None:
    known = set(CHINESE) if language == "en" else set(CHINESE.values())
    told = re.findall(r"^\| `([^`]+)` \|", text_of(language, "troubleshooting.md"), re.MULTILINE)
    assert len(told) >= 30
    for message in told:
        assert message in known, message


def is_slow(page: Path) -> bool:
    """The Chinese examples are the English ones in the main; those of one page draw all plots."""
    return "zh" in page.parts or page.stem == "remote-sensing"


@pytest.mark.parametrize(
    "page", [pytest.param(page, marks=[pytest.mark.slow] if is_slow(page) else [], id=shown(page)) for page in RUNNING]
)
def test_examples_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(world(tmp_path, page))
    run_page(page, tmp_path, monkeypatch)


@pytest.mark.parametrize("page", COMMANDING, ids=shown)
def test_commands_are_taken_by_the_command_line(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run_page(page, tmp_path, monkeypatch, only_install=True)
    for line in command_lines(page):
        parse(line)


OF_OTHERS = {"--log_samples", "--only-binary", "--platform", "--python-version", "--upgrade"}
"""Flags of other programs that pages speak of."""


def all_flags(command: click.Command, context: click.Context | None = None) -> set[str]:
    """Every flag of a command and of those below it."""
    here = click.Context(command, parent=context, info_name=command.name)
    flags = {flag for option in command.get_params(here) for flag in (*option.opts, *option.secondary_opts)}
    if isinstance(command, click.Group):
        below = [command.get_command(here, name) for name in command.list_commands(here)]
        flags |= {flag for one in below if one is not None for flag in all_flags(one, here)}
    return flags


def test_flags_in_sentences_exist() -> None:
    known = all_flags(cli) | OF_OTHERS
    for page in PAGES:
        if page.parent == ROOT or "design" in page.parts:
            continue
        text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
        for code in re.findall(r"`([^`\n]+)`", text):
            for flag in re.findall(r"(?<![\w-])--[a-z][\w-]*", code):
                assert flag in known, f"{page}: {flag}"


def test_pages_of_the_site_know_their_twins() -> None:
    known = {"tour.md", "zh/tour.md", "design/columns.md"}
    assert site.twin("tour.md", known) == "zh/tour.md" and site.twin("zh/tour.md", known) == "tour.md"
    assert site.twin("design/columns.md", known) == ""


def test_chinese_lines_are_joined_outside_of_code() -> None:
    text = "一行，\n二行\n- 三\nword\n四\n```\n甲\n乙\n```\n"
    assert site.joined(text) == "一行，二行\n- 三\nword\n四\n```\n甲\n乙\n```\n"


def test_an_unknown_flag_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("```bash\nsightline run simulation --data DIR --no-such-flag 3\n```\n")
    with pytest.raises(AssertionError, match="no-such-flag"):
        parse(next(iter(command_lines(page))))


@pytest.mark.slow
def test_the_manual_builds_and_loads_nothing_from_elsewhere(tmp_path: Path) -> None:
    pytest.importorskip("material", reason="mkdocs-material is not installed: pip install 'sightline[docs]'")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path / "site")]
    told = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    )
    assert told.returncode == 0, told.stderr
    index = json.loads((tmp_path / "site" / "search" / "search_index.json").read_bytes())
    assert any("\u200b沙箱\u200b" in entry["text"] for entry in index["docs"]), (
        "Chinese can be searched by words: pip install jieba"
    )
    pages = sorted((tmp_path / "site").rglob("*.html"))
    assert tmp_path / "site" / "zh" / "tour" / "index.html" in pages
    for page in pages:
        html = page.read_text(encoding="utf-8")
        loaded = re.findall(r"<(?:script|img|iframe)[^>]*\ssrc=\"?(https?:[^\s\">]+)", html)
        loaded += [tag for tag in re.findall(r"<link[^>]*>", html) if "http" in tag and "canonical" not in tag]
        assert not loaded, f"{page}: {loaded}"
