"""Runs with repeats on pages, in reports and in exports: every repeat can be seen, and each question is found once."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest

from sightline import evaluate, generate
from sightline.interop.exporting import export_run
from sightline.reports.sample_cards import CardOptions, sample_cards
from sightline.runs.comparison.graded_runs import load_graded_run
from tests.support.worlds import write_questions
from tests.web.viewer.visits import Visit

Visits = Callable[[Path], Visit]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("repeats")
    data = write_questions(place / "data", 8, simulations=2)
    for repeats, rate in ((3, "0.5"), (1, "0.2")):
        model = f"baseline/perturbed:{rate}"
        evaluate("simulation", data=str(data), model=model, repeats=repeats, output_dir=str(place / "runs"))
    return place / "runs"


def repeated(runs: Path) -> Path:
    return next(runs.glob("*perturbed-0.5"))


def test_a_sample_page_shows_each_repeat(runs: Path, visit: Visits) -> None:
    visitor, run = visit(runs), repeated(runs)
    name = next(
        name for name in visitor.runs() if name in visitor.page("/") and run.name in visitor.page(f"/run/{name}")
    )
    table = duckdb.sql(f"SELECT repeat, score, values->>'predicted' FROM '{run}/grades.parquet' WHERE position = 2")
    journal = [json.loads(line) for line in (run / "journal.jsonl").read_text().splitlines()]
    for repeat, score, _ in table.fetchall():
        page = visitor.page(f"/run/{name}/sample/2", **({"repeat": str(repeat)} if repeat > 1 else {}))
        tabs = re.findall(r"Repeat (\d): ([\d.]+)</a>", page)
        assert [int(number) for number, _ in tabs] == [1, 2, 3] and float(tabs[repeat - 1][1]) == score
        text = next(row.get("text", "") for row in journal if (row["position"], row.get("repeat", 1)) == (2, repeat))
        assert not text or f">{text}</pre>" in page
    assert "Repeat" not in visitor.page(f"/run/{next(one for one in visitor.runs() if one != name)}/sample/2")


def test_the_neighbour_of_a_sample_is_another_sample(runs: Path, visit: Visits) -> None:
    visitor = visit(runs)
    name = next(name for name in visitor.runs() if "perturbed:0.5" in visitor.page(f"/run/{name}"))
    for sort in ("position", "score"):
        page, seen = visitor.page(f"/run/{name}", sort=sort), []
        found = re.search(rf"/run/{name}/sample/(\d+)", page)
        while found is not None and len(seen) < 20:
            seen.append(int(found[1]))
            page = visitor.page(f"/run/{name}/sample/{found[1]}", sort=sort)
            found = re.search(rf'rel="next" href="/run/{name}/sample/(\d+)', page)
        assert sorted(seen) == list(range(16)), sort
    assert "/ 16" in page


def test_cards_show_the_worst_repeat_of_a_question_once(runs: Path) -> None:
    html = sample_cards(load_graded_run(repeated(runs)), CardOptions(samples=12))
    titles = re.findall(r'<div class="card"><h3>(.*?)</h3>', html)
    assert len(titles) == len(set(titles)) > 3
    assert re.search(r"</span> [123]</span>", html), "the badge with the number of the repeat"


def test_exports_have_every_repeat(runs: Path, tmp_path: Path) -> None:
    run = repeated(runs)
    export_run("csv", run, tmp_path / "grades.csv")
    lines = (tmp_path / "grades.csv").read_text(encoding="utf-8-sig").splitlines()
    assert "repeat" in lines[0].split(",") and len(lines) == 1 + 48
    export_run("inspect", run, tmp_path / "log.json")
    log = json.loads((tmp_path / "log.json").read_text())
    assert [sample["epoch"] for sample in log["samples"]] == [1, 2, 3] * 16
    assert (log["eval"]["config"], log["results"]["total_samples"]) == ({"epochs": 3}, 48)
    texts = {
        (row["sample"], row.get("repeat", 1)): row.get("text", "")
        for row in map(json.loads, (run / "journal.jsonl").read_text().splitlines())
    }
    for sample in log["samples"]:
        assert sample["output"]["choices"][0]["message"]["content"] == texts[sample["id"], sample["epoch"]]


def test_suites_that_are_scored_in_columns_have_repeats_too(tmp_path: Path) -> None:
    generate("remote-sensing", tmp_path / "data", count=1)
    given = {"data": str(tmp_path / "data"), "model": "baseline/perturbed:0.5", "output_dir": str(tmp_path / "runs")}
    result = evaluate("remote-sensing", repeats=3, pass_threshold=0.5, **given)
    folder = result.folder
    table = f"'{folder}/grades.parquet'"
    counted = f"FROM {table} WHERE status NOT IN ('failed', 'invalid')"
    best = duckdb.sql(f"SELECT avg(best) FROM (SELECT max((score >= 0.5)::INT) AS best {counted} GROUP BY position)")
    worst = duckdb.sql(f"SELECT avg(worst) FROM (SELECT min(score) AS worst {counted} GROUP BY position)")
    figures = {row.metric: row.estimate.value for row in result.summary.rows_of("overall")}
    assert figures["pass@3"] == pytest.approx(best.fetchall()[0][0])
    assert figures["worst_repeat"] == pytest.approx(worst.fetchall()[0][0])
    assert 0 < (figures["consistency"] or 0) < 1
    scopes = {row.name for row in result.summary.rows if row.metric == "pass@3"}
    assert scopes == {"", *(row.name for row in result.summary.rows_of("task"))}


def test_pairs_of_questions_are_made_within_a_repeat(tmp_path: Path) -> None:
    """Where a half fails, the other must not be joined with one of another repeat."""
    from sightline.core.records import Grade
    from sightline.scoring.batch import batch_grades
    from sightline.suites.simulation.metrics import OpposedPairs

    def half(side: int, repeat: int, predicted: bool) -> Grade:
        values = {"pair": "p", "side": side, "predicted": predicted, "target": True}
        return Grade(sample=f"s{side}", task="t", status="answered", values=values, position=side, repeat=repeat)

    state = OpposedPairs()
    state.update(batch_grades([half(0, 1, True), half(0, 2, True), half(1, 2, False), half(0, 3, False)]))
    assert state.compute().n == 1 and state.compute().value == 1
