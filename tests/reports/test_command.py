"""`sightline report` as a user calls it: one file from runs of any kind, and clear words where it can't be."""

from __future__ import annotations

import csv
import io
import json
import shutil
from pathlib import Path

import pytest
from PIL import Image

from sightline import score
from sightline.cli.report import command
from sightline.core.errors import DataError, SightlineError, UsageError
from sightline.i18n import set_language
from sightline.reports.plots.data import VisConfig
from sightline.runs.comparison.graded_runs import GradedRun
from tests.reports.pages import Page
from tests.support.worlds import sightline


def call(*args: str | Path) -> int:
    try:
        code: int = command.main([str(arg) for arg in args], standalone_mode=False)
    finally:
        set_language("")
    return code


def test_the_page_goes_into_the_run(questions: list[GradedRun], tmp_path: Path) -> None:
    run = tmp_path / "run"
    shutil.copytree(questions[0].folder.path, run)
    quick = (run / "report.html").read_text(encoding="utf-8")
    assert 'id="samples"' not in quick
    told = sightline("report", "run", "--samples", "3", cwd=tmp_path)
    assert told.returncode == 0 and "Report: run/report.html" in told.stdout and not told.stderr
    page = (run / "report.html").read_text(encoding="utf-8")
    assert page.count('class="card"') == 3
    assert not list(run.glob("*.part"))
    # the same builder made both: all but the samples is the same
    assert Page(quick).texts["zh"][-20:] == Page(page).texts["zh"][-20:]


def test_the_ending_says_what_is_written(questions: list[GradedRun], tmp_path: Path) -> None:
    runs = [run.folder.path for run in questions]
    assert call(runs[0], "--out", tmp_path / "deep" / "a.md") == 0
    assert (tmp_path / "deep" / "a.md").read_text(encoding="utf-8") == (runs[0] / "report.md").read_text(
        encoding="utf-8"
    )
    assert call(*runs, "--out", tmp_path / "a.csv") == 0
    rows = list(csv.DictReader(io.StringIO((tmp_path / "a.csv").read_text(encoding="utf-8-sig"))))
    assert {row["model"] for row in rows} == {run.summary.model for run in questions}
    assert call(runs[0], "--out", tmp_path / "a.json") == 0
    assert json.loads((tmp_path / "a.json").read_bytes()) == json.loads((runs[0] / "report.json").read_bytes())
    with pytest.raises(UsageError, match=r"Supported: \.html"):
        call(runs[0], "--out", tmp_path / "a.docx")


def test_chinese_first_and_no_pictures(shapes: GradedRun, tmp_path: Path) -> None:
    out = tmp_path / "zh.html"
    assert call(shapes.folder.path, "--out", out, "--lang", "zh", "--no-pictures") == 0
    page = out.read_text(encoding="utf-8")
    assert '<html lang="zh"' in page and "data:image/" not in page and 'class="card"' in page


def test_a_folder_of_runs_stands_for_all_of_them(questions: list[GradedRun], tmp_path: Path) -> None:
    assert call(questions[0].folder.path.parent, "--out", tmp_path / "all.html", "--samples", "0") == 0
    page = (tmp_path / "all.html").read_text(encoding="utf-8")
    assert page.count("<article>") == 2 and 'id="a-figures"' in page and 'id="b-figures"' in page


@pytest.mark.slow
def test_plots_as_files(shapes: GradedRun, tmp_path: Path) -> None:
    assert call(shapes.folder.path, "--out", tmp_path / "a.html", "--plots", tmp_path / "plots") == 0
    files = list((tmp_path / "plots").iterdir())
    assert {file.suffix for file in files} == {".png", ".pdf"}
    assert any(file.name.startswith("calibration_") for file in files)
    for file in files:
        if file.suffix == ".png":
            with Image.open(file) as picture:
                assert picture.width >= VisConfig().width and picture.height >= VisConfig().height


def test_faults_are_told_in_words(questions: list[GradedRun], tmp_path: Path) -> None:
    with pytest.raises(DataError, match="No run matches"):
        call(tmp_path / "nothing")
    run = tmp_path / "run"
    shutil.copytree(questions[0].folder.path, run)
    (run / "report.json").write_bytes(b'{"suite": "simul')
    with pytest.raises(DataError, match="Cannot read"):
        call(run)
    (run / "report.json").unlink()
    with pytest.raises(DataError, match="has no metrics yet"):
        call(run)
    (run / "manifest.json").write_bytes(b"{")
    with pytest.raises(DataError, match="Cannot read"):
        call(run)
    (tmp_path / "file").write_text("")
    with pytest.raises(SightlineError, match="Cannot write"):
        call(questions[0].folder.path, "--samples", "0", "--out", tmp_path / "file" / "a.html")


def test_scored_files_have_the_same_page(tmp_path: Path) -> None:
    lines = [{"gt": str(n % 5), "task": "计数", "source": f"{n}.png", "prompt": "How many?"} for n in range(20)]
    (tmp_path / "anno").mkdir()
    (tmp_path / "anno" / "a.txt").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    for model, step in (("A", 7), ("B", 5)):
        (tmp_path / model).mkdir()
        replies = [{"model_output": str(n % step)} for n in range(20)]
        (tmp_path / model / "a_output.txt").write_text("".join(json.dumps(line) + "\n" for line in replies))
    score(
        tmp_path / "anno",
        {"A": tmp_path / "A", "B": tmp_path / "B"},
        output_dir=str(tmp_path / "out"),
        collect_sample_details=True,
    )
    assert call(tmp_path / "out", "--out", tmp_path / "report.html") == 0
    page = Page((tmp_path / "report.html").read_text(encoding="utf-8"))
    assert "Count calibration: counting" in page.said("en") and "计数校准" in page.said("zh")
    assert "No reply was stored" not in page.said("en")
