"""Results in a notebook: shown by themselves, as data frames, with progress in plain lines."""

from __future__ import annotations

import math
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

import sightline
from sightline.api.evaluation import Result
from sightline.api.line_progress import LineProgress
from sightline.api.score_files import ScoreReport
from sightline.api.sweep import SweepResult
from sightline.core.errors import UsageError
from sightline.core.records import Estimate
from sightline.inference.run_progress import RunProgress
from sightline.scoring.dataframes import MOST_ROWS, html_rows, safe_html
from sightline.scoring.files.progress import LineStages
from sightline.scoring.summary import Row, Summary
from sightline.stats.blind_baselines import BlindBaseline
from tests.runs.comparison.test_compare import FIRST, SECOND
from tests.runs.comparison.worlds import graded, make_run
from tests.support.peers import Peer
from tests.support.worlds import write_questions

pd = Peer("pandas")

HOSTILE = '<script src="//evil.example/x.js"></script><img src=x onerror=alert(1)>\u202e"\'&'
ALLOWED = {"div", "p", "strong", "table", "thead", "tbody", "tr", "th", "td"}


class Seen(HTMLParser):
    """Every tag with its attributes, and all text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.words: list[str] = []
        self.feed(html)
        self.close()
        assert not self.open, "every tag is closed"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(self.words)


def summary(model: str, task: str = "task") -> Summary:
    estimate = Estimate(value=0.5292, low=0.4875, high=0.575, n=240, method="wilson")
    control = BlindBaseline("always True", 0.5292, 0.0)
    about = {"metric": "accuracy", "title": "Accuracy", "core": True, "estimate": estimate}
    rows = [Row(scope="overall", name="", baseline=control, **about)]
    rows += [Row(scope="task", name=f"{task}{k}", **about) for k in range(2)]
    states = {"answered": 240}
    return Summary(
        suite="s", title="A suite", model=model, headline="accuracy", samples=240, statuses=states, rows=rows
    )


def shows(tmp_path: Path) -> list[Any]:
    runs = [
        make_run(tmp_path / name, graded(run, tasks=2), model=HOSTILE) for name, run in (("a", FIRST), ("b", SECOND))
    ]
    one, other = summary(HOSTILE, HOSTILE), summary("plain", HOSTILE)
    return [
        Result(folder=tmp_path, summary=one),
        ScoreReport(folder=tmp_path, summaries={HOSTILE: one}),
        ScoreReport(folder=tmp_path, summaries={HOSTILE: one, "plain": other}),
        sightline.compare(*runs),
        sightline.leaderboard(tmp_path),
    ]


def test_names_of_others_are_text_and_nothing_is_loaded(tmp_path: Path) -> None:
    for result in shows(tmp_path):
        seen = Seen(result._repr_html_())
        assert {tag for tag, _ in seen.tags} <= ALLOWED
        assert {name for _, attributes in seen.tags for name in attributes} <= {"style", "scope"}
        assert not any("url(" in (attributes.get("style") or "") for _, attributes in seen.tags)
        assert "<script" in seen.text, "the name is shown as it was written"
        assert "\u202e" not in seen.text


def test_a_result_shows_what_everybody_should_read(tmp_path: Path) -> None:
    text = Seen(Result(folder=tmp_path, summary=summary("m"))._repr_html_()).text
    for told in ("52.92 %", "48.75 – 57.50", "always True", "0.000", "100.00 %", "task1"):
        assert told in text, told


def test_it_is_said_in_chinese_too(tmp_path: Path) -> None:
    sightline.set_language("zh")
    try:
        assert "准确率" in Result(folder=tmp_path, summary=summary("m"))._repr_html_()
    finally:
        sightline.set_language("")


def test_long_tables_are_cut_and_say_so() -> None:
    seen = Seen(html_rows(["name", "n"], [[f"row {k}", k] for k in range(MOST_ROWS + 7)]))
    assert sum(tag == "tr" for tag, _ in seen.tags) == MOST_ROWS + 1
    assert "7 more rows" in seen.text
    assert len(safe_html("x" * 100_000)) < 200


@pytest.mark.parametrize(
    ("value", "told"), [(None, "–"), (0.123456, "0.1235"), (1.0, "1"), (12, "12"), ("a<b", "a&lt;b")]
)
def test_cells(value: object, told: str) -> None:
    assert safe_html(value) == told


def test_frames_have_a_row_a_figure(tmp_path: Path) -> None:
    result = Result(folder=tmp_path, summary=summary("m"))
    frame = result.to_dataframe()
    assert isinstance(frame, pd.DataFrame)
    assert list(frame["scope"]) == ["overall", "task", "task"]
    assert frame["value"].tolist() == [row.estimate.value for row in result.summary.rows]
    assert frame["skill"][0] == 0 and math.isnan(frame["skill"][1])
    both = ScoreReport(folder=tmp_path, summaries={"a": summary("a"), "b": summary("b")}).to_dataframe()
    assert list(both["model"]) == ["a"] * 3 + ["b"] * 3 and list(both.columns) == list(frame.columns)


def test_polars_has_the_same_as_pandas(tmp_path: Path) -> None:
    polars = pytest.importorskip("polars")
    for result in shows(tmp_path):
        table, frame = result.to_polars(), result.to_dataframe()
        assert isinstance(table, polars.DataFrame)
        assert (table.height, table.columns) == (len(frame), list(frame.columns))
        column = "difference" if "difference" in table.columns else "value"
        assert table[column].to_list() == pytest.approx(frame[column].tolist())


def test_without_the_library_it_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for result in (Result(folder=tmp_path, summary=summary("m")), SweepResult(runs={})):
        for library, call in (("pandas", result.to_dataframe), ("polars", result.to_polars)):
            monkeypatch.setitem(sys.modules, library, None)
            with pytest.raises(UsageError, match=f"pip install {library}"):
                call()


def test_progress_is_a_few_plain_lines(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = write_questions(tmp_path / "data", questions=40)
    made = {"data": str(data), "model": "baseline/oracle", "output_dir": str(tmp_path / "runs"), "seed": 1}
    result = sightline.evaluate("simulation", **made, progress=True)
    told = capsys.readouterr()
    assert told.err == "" and "\r" not in told.out and "\x1b" not in told.out
    first, *_, last = told.out.splitlines()
    assert str(result.folder) in first
    assert last == "40 / 40 · score 100.0 %"
    sightline.evaluate("simulation", **made, fresh=True)
    assert capsys.readouterr().out == ""


def test_lines_come_at_most_as_often_as_asked() -> None:
    lines: list[str] = []
    often, seldom = LineProgress(every=0, out=lines.append), LineProgress(every=3600, out=lines.append)
    stages = LineStages(every=0, out=lines.append), LineStages(every=3600, out=lines.append)
    for progress, stage in zip((often, seldom), stages, strict=True):
        progress.counted(1000)
        for done in range(5):
            progress.inference_updated(RunProgress(answered=done))
            progress.grading(done)
            stage("grading", done, 5)
    assert len(lines) == 15
    assert lines[0] == "0 / 1,000"
