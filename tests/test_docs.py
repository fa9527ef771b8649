"""The documents say what the code does."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from sightline.cli import COMMANDS
from sightline.registry import names
from tests.support.worlds import ROOT

sys.path.insert(0, str(ROOT / "tools"))
import reference

PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_reference_is_what_the_code_says(language: str) -> None:
    assert reference.PAGES[language].read_text(encoding="utf-8") == reference.page(language), (
        "run: python tools/reference.py"
    )


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
        if not target.startswith(("http://", "https://")):
            assert (page.parent / target).exists(), f"{page}: {target}"


@pytest.mark.parametrize("folder", ["docs", "docs/zh"])
def test_every_command_metric_and_suite_is_documented(folder: str) -> None:
    own = [
        p for p in (ROOT / folder).rglob("*.md") if folder != "docs" or "zh" not in p.relative_to(ROOT / "docs").parts
    ]
    text = "\n".join(page.read_text(encoding="utf-8") for page in own)
    for command in COMMANDS:
        assert f"sightline {command}" in text, command
    for metric in (*names("metrics"), *names("figures")):
        assert f"`{metric}`" in text, metric


@pytest.mark.parametrize(
    "page", [p for p in PAGES if "zh" not in p.parts], ids=lambda page: str(page.relative_to(ROOT))
)
def test_every_page_for_users_has_its_chinese(page: Path) -> None:
    if page.parent == ROOT / "docs" / "design" or page.name in ("CHANGELOG.md", "CONTRIBUTING.md", "README.zh.md"):
        pytest.skip("for developers")
    if page == ROOT / "README.md":
        assert (ROOT / "README.zh.md").exists()
    else:
        assert (ROOT / "docs" / "zh" / page.relative_to(ROOT / "docs")).exists()


def test_the_suite_in_the_contributing_guide_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The example is a suite that runs, grades and reports as any other."""
    code = re.search(
        r"```python\n# my_package/colours\.py\n(.*?)```", (ROOT / "CONTRIBUTING.md").read_text(), re.DOTALL
    )
    assert code is not None
    (tmp_path / "colours.py").write_text(code.group(1))
    monkeypatch.syspath_prepend(tmp_path)
    from sightline.config import RunConfig
    from sightline.evaluation import run
    from sightline.execution import Progress
    from sightline.registry import find

    suite_type = find("suites", "colours:Colours")
    suite = suite_type(suite_type.options_type())
    suite.generate(tmp_path / "data.txt", 5, 0)
    config = RunConfig(model="baseline/oracle", data=str(tmp_path / "data.txt"), output_dir=str(tmp_path / "runs"))
    result = run(suite, config, Progress())
    assert result.complete
    assert result.summary.score is not None and result.summary.score.value == 1
    assert result.summary.score.method == "wilson"
