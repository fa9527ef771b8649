"""Reports: no figure without what it rests on, the same figures everywhere, nothing from outside trusted."""

from __future__ import annotations

import asyncio
import csv
import io
import json
from pathlib import Path

import duckdb
import pytest
from msgspec.structs import replace
from rich.console import Console

import sightline
from sightline import evaluate, load_run
from sightline.api.evaluation import Result
from sightline.core.records import Estimate, Grade
from sightline.core.registry import load_suite
from sightline.core.remarks import Remark
from sightline.reports.formatting import format_cost, format_interval, format_skill, format_value
from sightline.reports.markdown import to_markdown
from sightline.reports.report_page import ReportedRun, report_page
from sightline.reports.terminal import print_summary
from sightline.runs.folder import RunFolder
from sightline.scoring.evaluator import Evaluator
from sightline.scoring.summary import Summary
from sightline.scoring.task_evaluator import MOST_SLICES
from tests.support.worlds import write_questions


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> Result:
    folder = tmp_path_factory.mktemp("reports")
    data = write_questions(folder / "data", 30, simulations=4)
    return evaluate(
        "simulation", data=str(data), model="baseline/perturbed:0.4", output_dir=str(folder / "runs"), params="7B"
    )


def test_figures_are_written_one_way() -> None:
    assert format_value(0.529166) == "52.92 %"
    assert format_value(0.4123, "number") == "0.41"
    assert format_value(None) == "no data"
    assert format_interval(Estimate(value=0.5)) == "–"
    assert format_interval(Estimate(value=0.5, low=0.4, high=0.6)) == "40.00 – 60.00"
    assert [format_skill(x) for x in (None, 0.0, -0.0001, 0.5, -0.25)] == ["–", "0.000", "0.000", "+0.500", "-0.250"]


def terminal(summary: Summary, width: int) -> str:
    out = Console(file=io.StringIO(), width=width)
    print_summary(summary, out)
    told = out.file.getvalue()  # type: ignore[attr-defined]
    assert isinstance(told, str)
    return told


def test_all_reports_say_the_same(result: Result) -> None:
    head = result.summary.score
    assert head is not None
    folder = RunFolder(result.folder)
    texts = {
        "terminal": terminal(result.summary, 140),
        "markdown": folder.report_md.read_text(encoding="utf-8"),
        "page": folder.report_html.read_text(encoding="utf-8"),
    }
    for name, text in texts.items():
        for expected in (format_value(head.value), format_interval(head), "always", "7B", "baseline/perturbed:0.4"):
            assert expected in text.replace("\\", ""), (name, expected)
    rows = list(csv.DictReader(io.StringIO(folder.report_csv.read_text(encoding="utf-8-sig"))))
    first = next(row for row in rows if row["metric"] == "accuracy" and row["scope"] == "overall")
    stored = json.loads(folder.report_json.read_bytes())["rows"][0]["estimate"]
    assert float(first["value"]) == stored["value"] == head.value
    assert int(first["n"]) == head.n == 120


def test_the_terminal_shows_no_tables_where_nothing_was_graded(result: Result) -> None:
    summary = replace(result.summary, statuses={"failed": 3})
    assert "─" in terminal(result.summary, 140)
    assert "─" not in terminal(summary, 140)


@pytest.mark.parametrize("width", [60, 80, 100, 200])
def test_the_terminal_never_folds_a_figure(result: Result, width: int) -> None:
    told = terminal(result.summary, width)
    assert max(map(len, told.splitlines())) <= width
    head = result.summary.score
    assert head is not None and format_value(head.value) in told


def test_the_parquet_file_holds_every_grade(result: Result) -> None:
    path = RunFolder(result.folder).grades
    rows = duckdb.sql(f"SELECT status, count(*), avg(score) FROM '{path}' GROUP BY status").fetchall()
    assert sum(row[1] for row in rows) == 120
    tagged = duckdb.sql(f"SELECT count(*) FROM '{path}' WHERE tags['file'] = 'File_2'").fetchall()
    assert tagged == [(30,)]
    mean = duckdb.sql(f"SELECT avg(score) FROM '{path}'").fetchall()
    assert result.summary.score is not None
    assert mean[0][0] == result.summary.score.value


def test_a_run_can_be_loaded_and_told(result: Result) -> None:
    again = load_run(result.folder)
    assert again.summary.rows == result.summary.rows
    assert again.to_dict()["samples"] == 120
    assert "Accuracy" in str(again)


def test_names_from_outside_can_not_become_markup(result: Result) -> None:
    evil = "<script>alert(1)</script>|*x*`y`[link](http://x)"
    summary = Summary(suite=evil, title=evil, model=evil, params=evil, notes=[Remark("{x}", {"x": evil})])
    page = report_page([ReportedRun(summary=summary, manifest=RunFolder(result.folder).load_manifest())])
    assert "<script" not in page
    assert (
        "<" not in to_markdown(summary)
        and "&lt;script&gt;" in to_markdown(summary)
        and "\\[link\\]" in to_markdown(summary)
    )
    assert evil in terminal(summary, 300)


def test_a_breakdown_that_outgrows_its_limit_goes_as_a_whole() -> None:
    evaluator = Evaluator(load_suite("simulation"))
    for k in range(MOST_SLICES + 5):
        grade = Grade(
            sample=str(k),
            task="fluid",
            status="answered",
            score=1.0,
            tags={"file": f"f{k}", "modality": "text"},
            values={"target": True, "predicted": True},
        )
        evaluator.add_grades([grade], [{"True": 1.0, "False": 0.0}])
    assert evaluator.crowded == {"file"}
    assert {row.scope for row in evaluator.rows()} == {"overall", "task", "modality"}


def test_evaluators_merge_to_the_evaluator_over_both() -> None:
    whole, one, other = (Evaluator(load_suite("simulation")) for _ in range(3))
    for k in range(60):
        grade = Grade(
            sample=str(k),
            task=("fluid", "structural")[k % 2],
            status="answered",
            score=float(k % 3 == 0),
            tags={"file": f"f{k % 5}", "modality": "text"},
            values={"target": k % 3 == 0, "predicted": True},
            cluster=f"c{k % 5}",
        )
        scores = {"True": float(k % 3 == 0), "False": float(k % 3 != 0)}
        whole.add_grades([grade], [scores])
        (one if k % 7 < 3 else other).add_grades([grade], [scores])
    other.merge(one)
    assert other.rows() == whole.rows()
    assert other.baselines() == whole.baselines()


def test_it_works_inside_a_running_loop(tmp_path: Path) -> None:
    """As in a notebook."""
    data = write_questions(tmp_path / "data", 5)

    async def cell() -> Result:
        return sightline.evaluate("simulation", data=str(data), model="baseline/oracle", output_dir=str(tmp_path / "r"))

    assert asyncio.run(cell()).complete


@pytest.mark.parametrize(
    ("cost", "text"), [(1234.5, "1,234.50"), (0.1, "0.10"), (0.0123, "0.012"), (0.00072, "0.00072"), (0.0, "0.00")]
)
def test_a_small_cost_does_not_look_free(cost: float, text: str) -> None:
    assert format_cost(cost) == text
