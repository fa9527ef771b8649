"""What the pages on comparing show is what happens."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.runs.comparison.test_compare import FIRST, SECOND
from tests.runs.comparison.worlds import graded, make_run
from tests.support.worlds import ROOT


@pytest.mark.parametrize("page", ["docs/comparing.md", "docs/zh/comparing.md"])
def test_the_python_on_the_page_runs(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    make_run(tmp_path / "runs" / "A", graded(FIRST, tasks=2))
    make_run(tmp_path / "runs" / "B", graded(SECOND, tasks=2))
    monkeypatch.chdir(tmp_path)
    programs = re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(encoding="utf-8"), re.DOTALL)
    assert len(programs) == 1
    exec(compile(programs[0], page, "exec"), {})  # our own page
    told = capsys.readouterr().out
    assert told.startswith("-0.1") and "('B',)" in told and "worst_rank" in told


def test_the_measured_tables_are_those_that_the_script_makes() -> None:
    """The script's exact lines, which take no time, stand in the page as it prints them."""
    from tests.stats.simulations import pairs_of_samples, share_of_samples

    page = (ROOT / "docs" / "design" / "statistics.md").read_text(encoding="utf-8")
    shares = " | ".join(f"{100 * share_of_samples(50, level):.1f}" for level in (0.5, 0.8, 0.9, 0.95))
    assert f"| 50 | {shares} |" in page
    pairs = " | ".join(f"{100 * pairs_of_samples(50, 10, won):.1f}" for won in (0.5, 0.8, 1.0))
    assert f"| 50 | 10 | {pairs} |" in page
