"""Every page shows what the run folder holds, and says so in two languages."""

from __future__ import annotations

import base64
import json
import re
import shutil
from collections.abc import Callable
from html import unescape
from pathlib import Path

import duckdb
import pytest

from sightline import evaluate, generate, load_run, score
from sightline.core.records import Answer
from sightline.reports.formatting import format_interval, format_value
from sightline.suites.structural.figures.plots import WRONG
from tests.web.viewer.visits import Visit, append, attribute, edit_journal

Visits = Callable[[Path], Visit]
_OWN = ("/", "#", "data:,", "data:image/svg+xml;base64,")


def grades(runs: Path, model: str) -> list[tuple[int, str, float]]:
    path = next(runs.glob(f"*{model}")) / "grades.parquet"
    found = duckdb.sql(f"SELECT position, status, score FROM '{path}' ORDER BY position").fetchall()
    return [(int(row[0]), str(row[1]), float(row[2])) for row in found]


def test_the_list_tells_score_interval_control_and_coverage(questions: Path, visit: Visits) -> None:
    page = visit(questions).page("/")
    for run in questions.iterdir():
        summary = load_run(run).summary
        assert summary.head is not None and summary.best_baseline is not None
        for told in (
            format_value(summary.head.estimate.value),
            format_interval(summary.head.estimate),
            format_value(summary.best_baseline.value),
            format_value(summary.coverage),
        ):
            assert told in page
    assert page.count('class="state finished"') == 2


def test_the_list_can_be_filtered_by_a_word(questions: Path, visit: Visits) -> None:
    visitor = visit(questions)
    assert "perturbed:0.6" not in visitor.page("/", text="PERTURBED:0.3")
    assert "No matches." in visitor.page("/", text="nobody")


def test_an_empty_folder_says_what_to_do(tmp_path: Path, visit: Visits) -> None:
    assert "sightline demo" in visit(tmp_path).page("/")


def test_a_run_folder_itself_can_be_viewed(questions: Path, visit: Visits) -> None:
    assert len(visit(next(questions.iterdir())).runs()) == 1


def test_runs_one_folder_deeper_are_found(questions: Path, tmp_path: Path, visit: Visits) -> None:
    shutil.copytree(next(questions.iterdir()), tmp_path / "several models" / "A")
    assert len(visit(tmp_path).runs()) == 1


def test_a_run_shows_the_tables_of_its_report(questions: Path, visit: Visits) -> None:
    visitor = visit(questions)
    page = visitor.page(f"/run/{visitor.runs()[0]}")
    for title in ("All samples", "By file", "Blind baselines", "Deviations from the standard protocol"):
        assert title in page


def test_samples_come_in_pages_of_fifty(questions: Path, visit: Visits) -> None:
    visitor = visit(questions)
    run = visitor.runs()[0]
    pages = [visitor.listed(run, page=number) for number in (1, 2, 3)]
    assert [len(page) for page in pages] == [50, 50, 20]
    assert [position for page in pages for position in page] == list(range(120))
    assert visitor.listed(run, page=99) == pages[2]


@pytest.mark.parametrize(
    ("query", "keeps"),
    [
        ({"status": "unparsed"}, lambda row: row[1] == "unparsed"),
        ({"low": "0.5"}, lambda row: row[2] >= 0.5),
        ({"high": "0.5"}, lambda row: row[2] <= 0.5),
        ({"tag": "file=File_2"}, lambda row: 30 <= row[0] < 60),
        ({"tag": "file=nothing"}, lambda row: False),
        ({"text": "FILE_3/Q7"}, lambda row: row[0] == 67),
        ({"text": "File_3/q7"}, lambda row: row[0] == 67),
        ({"text": "q7"}, lambda row: row[0] % 30 == 7),
        ({"status": "answered", "low": "1", "tag": "file=File_1"}, lambda row: row[2] == 1 and row[0] < 30),
        ({"task": "fluid"}, lambda row: False),
        ({"status": "' OR 1=1 --"}, lambda row: False),
        ({"low": "much", "sort": "; DROP TABLE", "tag": "no equals sign", "page": "-1"}, lambda row: True),
    ],
)
def test_a_filter_finds_what_a_plain_look_finds(
    questions: Path, visit: Visits, query: dict[str, str], keeps: Callable[[tuple[int, str, float]], bool]
) -> None:
    visitor = visit(questions)
    expected = [row[0] for row in grades(questions, "0.6") if keeps(row)]
    run = next(run for run in visitor.runs() if "perturbed:0.6" in visitor.page(f"/run/{run}").split("</h1>")[0])
    assert visitor.listed(run, **query) == expected[:50]


def test_samples_are_sorted_by_score(questions: Path, visit: Visits) -> None:
    visitor = visit(questions)
    scores = {position: score for position, _, score in grades(questions, "0.6")}
    run = next(run for run in visitor.runs() if "perturbed:0.6" in visitor.page(f"/run/{run}").split("</h1>")[0])
    for sort, sign in (("score", 1), ("-score", -1)):
        expected = sorted(scores, key=lambda position: (sign * scores[position], position))
        assert visitor.listed(run, sort=sort) == expected[:50]


def test_a_sample_leads_to_its_neighbours_within_the_filter(questions: Path, visit: Visits) -> None:
    visitor = visit(questions)
    run = visitor.runs()[0]
    found = visitor.listed(run, tag="file=File_2", sort="-score")
    page = visitor.page(f"/run/{run}/sample/{found[4]}", tag="file=File_2", sort="-score")
    back, on = (re.search(rf'rel="{rel}" href="/run/\w+/sample/(\d+)\?([^"]*)"', page) for rel in ("prev", "next"))
    assert back is not None and on is not None
    assert (int(back[1]), int(on[1])) == (found[3], found[5])
    assert "sort=-score" in on[2] and "tag=file%3DFile_2" in on[2]
    assert "5 / 30" in page


def test_a_sample_shows_prompt_picture_reply_and_grade(questions: Path, visit: Visits) -> None:
    visitor = visit(questions)
    run = visitor.runs()[0]
    page = visitor.page(f"/run/{run}/sample/3")
    assert "Is statement 3 right?" in page
    assert "questions.json#structural/File_1/q3" in page
    assert "&#34;predicted&#34;" in page
    source = next(found for found in attribute(page, "src") if "media" in found)
    picture = visitor.client.get(source)
    assert picture.headers["content-type"] == "image/png"
    assert picture.content.startswith(b"\x89PNG")


def test_shapes_are_drawn_over_the_picture(shapes: Path, visit: Visits) -> None:
    visitor = visit(shapes)
    run = visitor.runs()[0]
    drawn = [page for p in visitor.listed(run) if "<polygon" in (page := visitor.page(f"/run/{run}/sample/{p}"))]
    assert len(drawn) == 3
    for page in drawn:
        truth, reply = (re.search(rf'<g class="{name}"[^>]*>(.*?)</g>', page, re.S) for name in ("truth", "reply"))
        assert truth is not None and reply is not None
        assert truth[1] == reply[1] and "polygon" in truth[1]
    assert "Horizontal" in visitor.page(f"/run/{run}", lang="en") or "水平区域检测" in visitor.page(f"/run/{run}")


def test_a_run_scored_from_files_is_drawn_too(tmp_path: Path, visit: Visits, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    generate("remote-sensing", "data", count=2)
    score("data/anno", "data/output", output_dir="runs", task=("旋转区域检测",), collect_sample_details=True)
    monkeypatch.chdir("/")
    visitor = visit(tmp_path / "runs")
    run = visitor.runs()[0]
    page = visitor.page(f"/run/{run}/sample/{visitor.listed(run, status='answered', sort='-score')[0]}")
    for name in ("truth", "reply"):
        assert re.search(rf'<g class="{name}"[^>]*><polygon', page)
    assert "No reply" not in page
    source = next(found for found in attribute(page, "src") if "media" in found)
    assert visitor.client.get(source).headers["content-type"].startswith("image/")


def test_a_reply_beside_its_truth_line_by_line(tmp_path: Path, visit: Visits) -> None:
    generate("structural", tmp_path / "data", count=3)
    evaluate("structural", data=str(tmp_path / "data"), model="baseline/oracle", output_dir=str(tmp_path / "runs"))
    run = next((tmp_path / "runs").iterdir())
    line = next(line for line in (run / "journal.jsonl").read_text().splitlines() if '"position":1' in line)
    text = re.search(r'"kind\\":\s*\\"(pin|roller|fixed)\\"', line)
    assert text is not None
    edit_journal(run, 1, text=json.loads(line)["text"].replace(f'"{text[1]}"', '"slider"', 1))
    visitor = visit(tmp_path / "runs")
    name = visitor.runs()[0]
    assert 'class="differs"' not in visitor.page(f"/run/{name}/sample/0")
    assert visitor.page(f"/run/{name}/sample/1").count('class="differs"') == 1


def drawn(page: str) -> list[tuple[str, str]]:
    """The drawings of a page: what each is called, and its SVG."""
    found = re.findall(r'<img src="data:image/svg\+xml;base64,([^"]+)" alt="([^"]*)"', page)
    return [(unescape(title), base64.b64decode(data).decode()) for data, title in found]


def test_models_are_drawn_beside_each_other(models: Path, visit: Visits) -> None:
    visitor = visit(models)
    run = visitor.runs()[0]
    page = visitor.page(f"/run/{run}/sample/0")
    titles = [title for title, _ in drawn(page)]
    assert titles == [
        "The true model",
        "The reply's model",
        "True bending moments in kN·m",
        "The reply's bending moments in kN·m",
        "True deflected shape",
        "The reply's deflected shape",
    ]
    truth, reply = drawn(page)[0][1], drawn(page)[1][1]
    assert WRONG in reply and WRONG not in truth
    assert "should be" in page.partition('id="drawn"')[2] and "Red: wrong." in page
    assert WRONG not in "".join(svg for _, svg in drawn(visitor.page(f"/run/{run}/sample/2")))


def test_a_reply_that_is_no_model_is_said_in_words(models: Path, visit: Visits) -> None:
    visitor = visit(models)
    run = visitor.runs()[0]
    page = visitor.page(f"/run/{run}/sample/1")
    assert [title for title, _ in drawn(page)][:1] == ["The true model"]
    assert "The reply&#39;s model" in page and "No model can be read from the reply: no JSON object" in page
    chinese = visitor.page(f"/run/{run}/sample/1", lang="zh")
    assert "无法从回复中读出模型：没有 JSON 对象" in chinese
    assert [title for title, _ in drawn(chinese)][:1] == ["真值模型"]


def _verdict(page: str) -> str:
    """The part of a sample's page that states its score."""
    return page.partition('<section class="score"')[2].partition("</section>")[0]


def test_each_attempt_can_be_looked_at(tmp_path: Path, visit: Visits) -> None:
    generate("structural", tmp_path / "data", count=2, seed=3)
    evaluate("structural", data=str(tmp_path / "data"), model="baseline/oracle", output_dir=str(tmp_path / "runs"))
    run = next((tmp_path / "runs").iterdir())
    append(run / "journal.jsonl", Answer(position=0, sample="beam_001", attempt=2, text="second thoughts"))
    visitor = visit(tmp_path / "runs")
    address = f"/run/{visitor.runs()[0]}/sample/0"
    assert len(drawn(visitor.page(address))) == 6
    second = visitor.page(address, attempt=2)
    assert "1.000" in _verdict(visitor.page(address)) and "1.000" not in _verdict(second)
    assert "No model can be read" in second and 'attempt=2" aria-current="true"' in second
    assert visitor.page(address, attempt=99) == second.replace("attempt=2&", "attempt=99&")
    for odd in ("0", "-1", "x", "٣", "9" * 400):
        assert len(drawn(visitor.page(address, attempt=odd))) == 6


def test_two_runs_side_by_side_flipped_samples_first(questions: Path, visit: Visits) -> None:
    visitor = visit(questions)
    second, first = visitor.runs()
    one, other = ({p: s for p, _, s in grades(questions, rate)} for rate in ("0.3", "0.6"))
    flipped = [p for p in one if one[p] != other[p]]
    page = visitor.page(f"/compare?run={first}&run={second}")
    listed = [
        int(found) for found in re.findall(rf'class="open" href="/run/{first}/sample/(\d+)\?beside={second}"', page)
    ]
    assert listed[: len(flipped)] == flipped[:50]
    better, worse = (visitor.page(f"/compare?run={first}&run={second}&show={show}") for show in ("better", "worse"))
    counted = [len(re.findall('class="open"', page)) for page in (better, worse)]
    gained = sum(other[p] > one[p] for p in one)
    assert sorted(counted) == sorted([min(50, gained), min(50, len(flipped) - gained)])
    assert "different data" not in page
    beside = visitor.page(f"/run/{first}/sample/0", beside=second)
    assert "Other run" in beside and "perturbed:0.3" in beside and "perturbed:0.6" in beside
    assert "Other run" not in visitor.page(f"/run/{first}/sample/0", beside="../..")
    assert "Select two runs" in visitor.page(f"/compare?run={first}")


def test_the_language_is_switched_and_kept(questions: Path, visit: Visits) -> None:
    visitor = visit(questions)
    assert 'lang="en"' in visitor.page("/")
    assert '<html lang="zh-CN">' in visitor.page("/", lang="zh")
    assert "模型" in visitor.page("/")
    assert "Model" in visitor.page("/", lang="en")


def test_a_run_without_its_data_still_shows_replies(questions: Path, tmp_path: Path, visit: Visits) -> None:
    run = tmp_path / "run"
    shutil.copytree(next(questions.glob("*0.6")), run)
    manifest = run / "manifest.json"
    data = re.search(r'"data":\s*"([^"]+)"', manifest.read_text())
    assert data is not None
    manifest.write_text(manifest.read_text().replace(data[1], str(tmp_path / "gone")))
    visitor = visit(tmp_path)
    page = visitor.page(f"/run/{visitor.runs()[0]}/sample/0")
    assert "The data set of the run does not exist at" in page
    assert "Attempt 1" in page


def test_no_page_holds_a_script_or_style_of_its_own(questions: Path, shapes: Path, models: Path, visit: Visits) -> None:
    for runs in (questions, shapes, models):
        visitor = visit(runs)
        run = visitor.runs()[0]
        for path in ("/", f"/run/{run}", f"/run/{run}/sample/{visitor.listed(run)[0]}"):
            page = visitor.page(path)
            assert not re.search(r"<style|\sstyle=|\son\w+=|<script(?! src=\"/static/)", page)
            assert not [link for link in attribute(page, "(?:href|src)") if not link.startswith(_OWN)]


def test_thinking_is_collapsed_above_the_reply_and_escaped(questions: Path, visit: Visits, tmp_path: Path) -> None:
    shutil.copytree(questions, tmp_path / "runs")
    thought = "<script>alert(1)</script> is it so?"
    for run in (tmp_path / "runs").iterdir():
        edit_journal(run, 0, reasoning=thought, tokens_reasoning=7)
    visitor = visit(tmp_path / "runs")
    page = visitor.page(f"/run/{visitor.runs()[0]}/sample/0")
    assert "<script>alert" not in page
    folded = re.findall(r'<details class="thinking">(.*?)</details>', page, re.DOTALL)
    assert len(folded) == 2 and all(thought in unescape(text) for text in folded)
    assert "Reasoning tokens: 7" in page
