"""A live run of a column suite: the figures of scoring the same replies from files, with weights and failures."""

from __future__ import annotations

import json
from pathlib import Path

import duckdb
import pytest
from msgspec import UNSET
from msgspec.structs import replace

from sightline import evaluate, generate, score, score_one
from sightline.api.evaluation import Result
from sightline.core.remarks import Remark
from sightline.scoring.summary import Row, Summary
from sightline.suites.remote_sensing import RemoteSensingSuite
from tests.scoring.files.live import Ending, lines, run_live, write_outputs
from tests.scoring.files.worlds import write_lines

BOX = "<box><10><10><110><60></box>"


def row(result: Result, scope: str, name: str, metric: str) -> Row:
    return next(one for one in result.summary.rows if (one.scope, one.name, one.metric) == (scope, name, metric))


def grades(folder: Path) -> list[dict[str, object]]:
    found = duckdb.sql(f"SELECT * FROM '{(folder / 'grades.parquet').as_posix()}' ORDER BY task, sample")
    return [dict(zip(found.columns, one, strict=True)) for one in found.fetchall()]


# ---- weights


def test_a_stratified_sample_is_weighted_back(tmp_path: Path) -> None:
    anno = write_lines(tmp_path / "anno" / "a.txt", lines("VQA2", ["1"] * 900, "r") + lines("计数", ["2"] * 100, "w"))
    replies = write_lines(tmp_path / "replies.jsonl", [{"sample": f"a:{k}", "text": "1"} for k in range(1, 1001)])
    result = evaluate(
        "remote-sensing",
        data=str(anno.parent),
        model=f"replay/{replies}",
        output_dir=str(tmp_path / "runs"),
        sample=20,
        stratify=("task",),
    )
    assert result.summary.samples == 20
    overall = row(result, "overall", "", "mean_score").estimate
    assert overall.value == pytest.approx(0.9)
    assert overall.low is not None and overall.high is not None and overall.low < 0.9 < overall.high
    assert row(result, "task", "VQA2", "accuracy").estimate.value == 1
    assert row(result, "task", "计数", "accuracy").estimate.value == 0
    assert {one["weight"] for one in grades(result.folder)} == {90.0, 10.0}


def test_weights_that_differ_within_a_task_enter_its_figures(tmp_path: Path) -> None:
    """Strata are pictures' folders here: 30 right ones of one, 10 wrong ones of another."""
    rows = lines("计数", ["1"] * 30, "many") + lines("计数", ["2"] * 10, "few")
    write_lines(tmp_path / "anno" / "a.txt", rows[:30])
    write_lines(tmp_path / "anno" / "b.txt", rows[30:])
    replies = [
        {"sample": f"{name}:{k}", "text": "1"} for name, count in (("a", 30), ("b", 10)) for k in range(1, count + 1)
    ]
    saved = write_lines(tmp_path / "replies.jsonl", replies)
    result = evaluate(
        "remote-sensing",
        data=str(tmp_path / "anno"),
        model=f"replay/{saved}",
        output_dir=str(tmp_path / "runs"),
        sample=10,
        stratify=("file",),
    )
    found = row(result, "task", "计数", "accuracy")
    assert found.estimate.value == pytest.approx(0.75) and found.estimate.n == 10
    assert row(result, "task", "计数", "mae").estimate.value == pytest.approx(0.25)
    assert found.baseline is not None and found.baseline.value == pytest.approx(0.75)
    assert any("weight" in str(note) for note in result.summary.notes), "tables count the samples as they are"


# ---- failures


def test_failed_requests_stand_in_every_row_and_bound_it(tmp_path: Path) -> None:
    write_lines(tmp_path / "anno" / "a.txt", lines("计数", ["1"] * 8))
    write_lines(tmp_path / "anno" / "b.txt", lines("水平区域检测", [f"1 {BOX}"] * 3, "d"))
    endings: dict[str, Ending] = {f"question s{k}.": ("1", "stop") for k in range(8)}
    endings |= {"question s5.": ("", "fail"), "question s6.": ("", "fail"), "question s7.": ("dunno", "stop")}
    endings |= {f"question d{k}.": (f"1 {BOX}", "stop") for k in range(3)}
    endings |= {"question d2.": ("", "fail")}
    result = run_live(tmp_path / "anno", endings, tmp_path / "runs")
    assert result.summary.statuses == {"answered": 7, "unparsed": 1, "failed": 3}
    found = row(result, "task", "计数", "accuracy").estimate
    assert (found.value, found.n, found.failed, found.unparsed) == (5 / 6, 6, 2, 1)
    assert (found.floor, found.ceiling) == (pytest.approx(5 / 8), pytest.approx(1.0))
    overall = row(result, "overall", "", "mean_score").estimate
    assert (overall.failed, overall.n) == (3, 8)
    assert (overall.floor, overall.ceiling) == (pytest.approx(7 / 11), pytest.approx(1.0))
    assert {one.estimate.failed for one in result.summary.rows_of("task") if one.name == "计数"} == {2}
    assert {one.estimate.failed for one in result.summary.rows_of("task") if one.name != "计数"} == {1}


def test_a_task_whose_requests_all_failed_has_no_figure(tmp_path: Path) -> None:
    write_lines(tmp_path / "anno" / "a.txt", lines("计数", ["1"] * 4) + lines("图片分类", ["ship"] * 3, "c"))
    endings: dict[str, Ending] = {f"question s{k}.": ("1", "stop") for k in range(4)}
    endings |= {f"question c{k}.": ("", "fail") for k in range(3)}
    result = run_live(tmp_path / "anno", endings, tmp_path / "runs")
    found = row(result, "task", "图片分类", "accuracy").estimate
    assert (found.value, found.n, found.failed) == (None, 0, 3)


# ---- picture sizes


def test_coordinates_are_converted_by_the_size_of_the_picture(tmp_path: Path) -> None:
    write_lines(tmp_path / "anno" / "a.txt", lines("水平区域检测", [f"1 {BOX}"] * 2))
    said = "1 <box><50><100><550><600></box>"  # thousandths of 200 × 100 pixels
    endings: dict[str, Ending] = {f"question s{k}.": (said, "stop") for k in range(2)}
    result = run_live(tmp_path / "anno", endings, tmp_path / "runs", coords="0-1000")
    assert result.summary.statuses == {"answered": 2}
    assert row(result, "task", "水平区域检测", "ap50").estimate.value == pytest.approx(1)
    out = write_outputs(tmp_path / "anno", endings, tmp_path / "out")
    scored = score(tmp_path / "anno", out, output_dir=str(tmp_path / "scored"), coords="0-1000")
    assert scored.summary.rows == result.summary.rows
    figures = score_one(gt=f"1 {BOX}", output=said, task="水平区域检测", coords="0-1000", size=(200, 100))
    assert figures["ap50"] == pytest.approx(1) and "error" not in figures


def test_a_sample_whose_picture_has_no_known_size_is_not_asked(tmp_path: Path) -> None:
    rows = lines("水平区域检测", [f"1 {BOX}"] * 2, frames="bm8gcGljdHVyZQ==") + lines(
        "计数", ["1"], "n", "bm8gcGljdHVyZQ=="
    )
    write_lines(tmp_path / "anno" / "a.txt", [*rows, *lines("水平区域检测", [f"1 {BOX}"], "k")])
    endings: dict[str, Ending] = {"question n0.": ("1", "stop"), "question k0.": (f"1 {BOX}", "stop")}
    asked: list[str] = []
    result = run_live(tmp_path / "anno", endings, tmp_path / "runs", asked, coords="0-1000")
    assert asked == ["question k0."], "what is no picture is not sent either"
    assert result.summary.statuses == {"answered": 1, "failed": 1, "invalid": 2}
    assert row(result, "task", "水平区域检测", "ap50").estimate.invalid == 2
    assert any("size is unknown" in str(note) for note in result.summary.notes)


def test_samples_that_cannot_be_asked_are_told_before_the_first_request(tmp_path: Path) -> None:
    from sightline.api.evaluation import run
    from sightline.core.config import resolve
    from sightline.core.registry import find
    from sightline.runs.run import Progress
    from tests.scoring.files.live import replying

    told: list[str] = []

    class Listening(Progress):
        def warning(self, remark: Remark) -> None:
            told.append(f"{len(asked)}: {remark}")

    rows = lines("水平区域检测", [f"1 {BOX}"] * 2, frames="bm8gcGljdHVyZQ==")
    write_lines(tmp_path / "anno" / "a.txt", [*rows, *lines("水平区域检测", [f"1 {BOX}"], "k")])
    asked: list[str] = []
    with replying({"question k0.": ("0", "stop")}, asked) as address:
        flags = {"data": str(tmp_path / "anno"), "model": "m", "api_base": (address,), "api_key": ("none",)}
        flags |= {"output_dir": str(tmp_path / "runs"), "coords": "0-1000"}
        config, options = resolve("remote-sensing", environment={}, flags=flags)
        run(find("suites", "remote-sensing")(options), config, Listening())
    assert len(told) == 1 and told[0].startswith("0: ") and "not asked: 2 " in told[0] and "size is unknown" in told[0]


# ---- where samples come from


def test_grades_and_logs_name_the_picture_as_scoring_files_does(tmp_path: Path) -> None:
    write_lines(tmp_path / "anno" / "a.txt", [*lines("计数", ["1", "2", "x"]), *lines("计数", ["3"], "t")])
    write_lines(tmp_path / "anno" / "b.txt", lines("计数", ["4"], "u"))
    endings: dict[str, Ending] = {f"question s{k}.": ("1", "stop") for k in range(2)}
    endings |= {"question t0.": ("dunno", "stop"), "question u0.": ("4", "stop"), "question s2.": ("", "stop")}
    live = run_live(tmp_path / "anno", endings, tmp_path / "runs").folder
    out = write_outputs(tmp_path / "anno", endings, tmp_path / "out")
    scored = score(tmp_path / "anno", out, output_dir=str(tmp_path / "scored")).folder
    assert grades(live) == grades(scored)
    assert grades(live)[0]["source"] == "img/s0.png"
    for log in ("error_log.txt", "invalid_sample_log.txt"):
        mine, theirs = (sorted((folder / log).read_text(encoding="utf-8").splitlines()) for folder in (live, scored))
        assert mine == theirs and len(mine) == 2


# ---- what a suite concludes


def test_a_column_suite_concludes_and_has_panels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = {}

    def summarize(self: object, figures: dict[tuple[str, str, str], object]) -> tuple[dict[str, int], list[Remark]]:
        seen.update(figures)
        return {"ends": 1}, [Remark("user-defined tasks")]

    monkeypatch.setattr(RemoteSensingSuite, "summarize", summarize)
    monkeypatch.setattr(RemoteSensingSuite, "plot_tables", lambda self, figures: {"mine": (("a",), [(1,)])})
    write_lines(tmp_path / "anno" / "a.txt", lines("计数", ["1"]))
    endings: dict[str, Ending] = {"question s0.": ("1", "stop")}
    live = run_live(tmp_path / "anno", endings, tmp_path / "runs").summary
    out = write_outputs(tmp_path / "anno", endings, tmp_path / "out")
    scored = score(tmp_path / "anno", out, output_dir=str(tmp_path / "scored")).summary
    for summary in (live, scored):
        assert summary.digest == {"ends": 1} and str(summary.notes[0]) == "user-defined tasks"
        assert [table.rows for table in summary.breakdowns if table.name == "mine"] == [((1,),)]
        assert any(table.task == "计数" for table in summary.breakdowns)
    assert ("task", "计数", "accuracy") in seen


# ---- one evaluator


@pytest.fixture(scope="module")
def scenes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Annotations of all nineteen tasks, whose questions differ."""
    made = generate("remote-sensing", tmp_path_factory.mktemp("scenes") / "data", count=4, seed=5) / "anno"
    for path in sorted(made.glob("*.txt")):
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        write_lines(path, [{**one, "prompt": f"{path.stem} {number}"} for number, one in enumerate(rows)])
    return made


def replies_to(scenes: Path) -> dict[str, tuple[str, str, Ending]]:
    """Task, truth and ending by question: right, of another sample, unreadable, empty, cut off, refused."""
    found = {}
    for path in sorted(scenes.glob("*.txt")):
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        for number, one in enumerate(rows):
            other = rows[(number + 1) % len(rows)]["gt"]
            ways: list[Ending] = [
                (one["gt"], "stop"),
                (other, "stop"),
                ("<box><1><2></box> ???", "stop"),
                ("", "stop"),
                (one["gt"], "length"),
                (one["gt"], "content_filter"),
            ]
            found[one["prompt"]] = one["task"], one["gt"], ways[len(found) % len(ways)]
    return found


def _strict_rows(summary: Summary) -> list[Row]:
    return [replace(row, lenient=UNSET) for row in summary.rows]


@pytest.mark.slow
def test_all_nineteen_tasks_have_the_same_figures_live_from_files_and_one_by_one(scenes: Path, tmp_path: Path) -> None:
    replies = replies_to(scenes)
    assert len({task for task, _, _ in replies.values()}) == 19
    endings = {question: ending for question, (_, _, ending) in replies.items()}
    live = run_live(scenes, endings, tmp_path / "runs")
    out = write_outputs(scenes, endings, tmp_path / "out")
    scored = score(scenes, out, output_dir=str(tmp_path / "scored"))
    assert {"truncated", "refused", "empty", "unparsed", "answered"} == set(live.summary.statuses)
    # the lenient reading also reads lists that were cut off, which these files do not hold
    assert _strict_rows(live.summary) == _strict_rows(scored.summary)
    assert live.summary.breakdowns == scored.summary.breakdowns
    # files have no limit, no tokens and no lists that were cut off
    of_requests = ("--max-tokens", "did not count the tokens", "Format is not sight")
    notes = [str(note) for note in live.summary.notes if not any(part in str(note) for part in of_requests)]
    assert notes == [str(note) for note in scored.summary.notes]
    scores = {one["sample"]: one["score"] for one in grades(live.folder)}
    assert scores == {one["sample"]: one["score"] for one in grades(scored.folder)}
    assert len(scores) == len(replies)
    by_question = {}
    for path in sorted(scenes.glob("*.txt")):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            one = json.loads(line)
            by_question[one["prompt"]] = one.get("sample_id") or f"{path.stem}:{number}"
    for question, (task, truth, (text, stop)) in replies.items():
        alone = score_one(gt=truth, output=text if stop == "stop" else "", task=task)
        assert alone["score"] == scores[by_question[question]], question


def test_one_sample_has_the_figures_of_a_run_over_it(scenes: Path, tmp_path: Path) -> None:
    firsts: dict[str, tuple[Path, int]] = {}
    for path in sorted(scenes.glob("*.txt")):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines()):
            firsts.setdefault(json.loads(line)["task"], (path, number))
    for place, (path, number) in enumerate(firsts.values()):
        one = json.loads(path.read_text(encoding="utf-8").splitlines()[number])
        write_lines(tmp_path / "anno" / f"{place}.txt", [one])
        write_lines(tmp_path / "out" / f"{place}_output.txt", [{"model_output": one["gt"]}])
    report = score(tmp_path / "anno", tmp_path / "out", output_dir=str(tmp_path / "scored"))
    assert len(report.summary.rows_of("task")) > 19
    for path in sorted((tmp_path / "anno").glob("*.txt")):
        one = json.loads(path.read_text(encoding="utf-8"))
        figures = score_one(gt=one["gt"], output=one["gt"], task=one["task"])
        theirs = {
            each.metric: each.estimate.value for each in report.summary.rows_of("task") if each.name == one["task"]
        }
        assert {name: figures[name] for name in theirs} == theirs, one["task"]


def test_failed_samples_leave_the_figures_of_the_others_as_they_are(scenes: Path, tmp_path: Path) -> None:
    replies = replies_to(scenes)
    failing = {question for number, question in enumerate(replies) if number % 4 == 1}
    endings: dict[str, Ending] = {
        question: ("", "fail") if question in failing else ending for question, (_, _, ending) in replies.items()
    }
    live = run_live(scenes, endings, tmp_path / "runs")
    for path in sorted(scenes.glob("*.txt")):
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        write_lines(tmp_path / "anno" / path.name, [one for one in rows if one["prompt"] not in failing])
    out = write_outputs(tmp_path / "anno", endings, tmp_path / "out")
    scored = score(tmp_path / "anno", out, output_dir=str(tmp_path / "scored"))
    theirs = {(one.scope, one.name, one.metric): one for one in scored.summary.rows}
    corpus = {"cider"}  # its document frequencies are those of all references, also of samples that failed
    lost = 0
    for mine in live.summary.rows:
        other = theirs[mine.scope, mine.name, mine.metric].estimate
        if mine.metric not in corpus:
            assert (mine.estimate.value, mine.estimate.n, mine.estimate.unparsed) == (
                other.value,
                other.n,
                other.unparsed,
            )
        lost += mine.estimate.failed if mine.scope == "overall" else 0
        if other.floor is not None and other.ceiling is not None and mine.estimate.failed:
            assert mine.estimate.floor is not None and mine.estimate.floor <= other.floor
            assert mine.estimate.ceiling is not None and mine.estimate.ceiling >= other.ceiling
    assert lost == len(failing)
