"""Runs out to other tools: what they read back is what we wrote, and they count the same."""

from __future__ import annotations

import asyncio
import csv
import json
import shlex
import zipfile
from pathlib import Path
from typing import Any

import duckdb
import pytest

from sightline.api.evaluation import evaluate, generate, score
from sightline.cli import cli
from sightline.core.errors import DataError, UnknownNameError, UsageError
from sightline.interop.exporting import export_run
from sightline.interop.importing import ImportRequest, import_files
from tests.interop.coco_world import official, write_coco
from tests.support.worlds import write_questions


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with a journal: half of 20 questions right."""
    folder = tmp_path_factory.mktemp("asked")
    data = write_questions(folder / "data", questions=10, simulations=2)
    result = evaluate("simulation", model="baseline/constant:True", data=str(data), output_dir=str(folder / "runs"))
    return result.folder


@pytest.fixture(scope="module")
def detected(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A detection set that was scored from files, with details."""
    folder = tmp_path_factory.mktemp("detected")
    instances, results = write_coco(folder)
    import_files(ImportRequest(format="coco", source=instances, results=results, out=folder / "in"))
    score(
        folder / "in" / "anno",
        folder / "in" / "output",
        output_dir=str(folder / "scored"),
        task_config=str(folder / "in" / "tasks.json"),
        collect_sample_details=True,
    )
    return folder


def test_coco_results_come_back_as_they_went_in(detected: Path, tmp_path: Path) -> None:
    assert export_run("coco", detected / "scored", tmp_path / "results.json") == []
    ours, theirs = (json.loads(path.read_text()) for path in (tmp_path / "results.json", detected / "results.json"))

    def known(entries: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
        return sorted((e["image_id"], e["category_id"], e["score"], *e["bbox"]) for e in entries)

    assert known(ours) == known(theirs)
    instances = detected / "instances.json"
    assert official(instances, tmp_path / "results.json") == official(instances, detected / "results.json")


def test_coco_without_replies_says_what_to_do(asked: Path, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="--collect-sample-details"):
        export_run("coco", asked, tmp_path / "results.json")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["run.eval", "run.json"])
def test_inspect_reads_the_log_of_a_run(asked: Path, tmp_path: Path, name: str) -> None:
    log_of = pytest.importorskip("inspect_ai.log")
    export_run("inspect", asked, tmp_path / name)
    log = asyncio.run(log_of.read_eval_log_async(str(tmp_path / name)))
    assert log.status == "success" and log.eval.task == "sightline/simulation"
    assert len(log.samples) == log.results.total_samples == 20
    report = json.loads((asked / "report.json").read_text())
    figures = {row["metric"]: row["estimate"]["value"] for row in report["rows"] if row["scope"] == "overall"}
    told = {key: metric.value for key, metric in log.results.scores[0].metrics.items()}
    assert all(told[key] == value for key, value in figures.items() if value is not None)
    values = [sample.scores["sightline"].value for sample in log.samples]
    assert sum(values) / len(values) == figures["accuracy"] == 0.5
    assert all("statement" in sample.input and sample.output.completion for sample in log.samples)
    header = asyncio.run(log_of.read_eval_log_async(str(tmp_path / name), header_only=True))
    assert header.eval.metadata["data_sha256"] == json.loads((asked / "manifest.json").read_text())["data_sha256"]


def test_an_exported_log_imports_as_the_same_replies(asked: Path, tmp_path: Path) -> None:
    for name in ("run.eval", "run.json"):
        export_run("inspect", asked, tmp_path / name)
        source = tmp_path / name
        import_files(ImportRequest(format="inspect", source=source, suite="simulation", out=tmp_path / f"in-{name}"))
    lines = [(tmp_path / f"in-{name}" / "replies.jsonl").read_text() for name in ("run.eval", "run.json")]
    assert lines[0] == lines[1] and lines[0].count("\n") == 20
    journal = [json.loads(line) for line in (asked / "journal.jsonl").read_text().splitlines()]
    replies = {row["sample_id"]: row["model_output"] for row in map(json.loads, lines[0].splitlines())}
    assert replies == {row["sample"]: row["text"] for row in journal}


def test_scored_files_go_to_inspect_too(detected: Path, tmp_path: Path) -> None:
    log_of = pytest.importorskip("inspect_ai.log")
    (told,) = export_run("inspect", detected / "scored", tmp_path / "scored.eval")
    assert "questions are omitted" in str(told)
    log = asyncio.run(log_of.read_eval_log_async(str(tmp_path / "scored.eval")))
    truths = [json.loads(line) for line in (detected / "in" / "anno" / "instances.txt").read_text().splitlines()]
    assert {sample.id: sample.target for sample in log.samples} == {row["sample_id"]: row["gt"] for row in truths}


def test_replies_that_were_not_kept_are_told(detected: Path, tmp_path: Path) -> None:
    places = (detected / "in" / "anno", detected / "in" / "output")
    tasks = str(detected / "in" / "tasks.json")
    score(*places, output_dir=str(tmp_path / "scored"), task_config=tasks)
    told = export_run("inspect", tmp_path / "scored", tmp_path / "scored.eval")
    assert "Replies were not kept" in str(told[-1])


def test_ids_that_lead_elsewhere_stay_inside_the_archive(tmp_path: Path) -> None:
    (tmp_path / "anno").mkdir()
    (tmp_path / "out").mkdir()
    names = ["../../x", "/etc/x", "a\\..\\b", "fine/one", "C:x"]
    truths = [{"gt": "Yes", "task": "VQA1", "source": f"{n}.png", "sample_id": name} for n, name in enumerate(names)]
    (tmp_path / "anno" / "a.txt").write_text("\n".join(map(json.dumps, truths)))
    replies = [{"model_output": "Yes", "sample_id": name} for name in names]
    (tmp_path / "out" / "a_output.txt").write_text("\n".join(map(json.dumps, replies)))
    score(tmp_path / "anno", tmp_path / "out", output_dir=str(tmp_path / "scored"), collect_sample_details=True)
    export_run("inspect", tmp_path / "scored", tmp_path / "log.eval")
    with zipfile.ZipFile(tmp_path / "log.eval") as archive:
        members = [name for name in archive.namelist() if name.startswith("samples/")]
        assert [json.loads(archive.read(name))["id"] for name in members] == names
    assert "samples/fine/one_epoch_1.json" in members
    assert not any(".." in name.split("/") or "\\" in name or ":" in name or "//" in name for name in members)


def test_grades_as_tables(asked: Path, tmp_path: Path) -> None:
    export_run("csv", asked, tmp_path / "grades.csv")
    export_run("parquet", asked, tmp_path / "grades.parquet")
    with (tmp_path / "grades.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    found = duckdb.sql(f"SELECT sample, score FROM '{tmp_path / 'grades.parquet'}' ORDER BY position").fetchall()
    assert [(row["sample"], float(row["score"])) for row in rows] == found
    assert {row["reply"] for row in rows} == {"True"}


def test_no_cell_of_a_table_is_a_formula(tmp_path: Path) -> None:
    (tmp_path / "anno").mkdir()
    (tmp_path / "out").mkdir()
    evil = '=HYPERLINK("http://x","y")'
    (tmp_path / "anno" / "a.txt").write_text(
        json.dumps({"gt": "Yes", "task": "VQA1", "source": evil, "sample_id": "@s"})
    )
    (tmp_path / "out" / "a_output.txt").write_text(json.dumps({"model_output": f"{evil}\nYes", "sample_id": "@s"}))
    score(tmp_path / "anno", tmp_path / "out", output_dir=str(tmp_path / "scored"), collect_sample_details=True)
    export_run("csv", tmp_path / "scored", tmp_path / "grades.csv")
    with (tmp_path / "grades.csv").open(encoding="utf-8-sig", newline="") as file:
        cells = [cell for row in csv.reader(file) for cell in row]
    assert any(evil in cell for cell in cells) and not any(cell.startswith(("=", "@", "+", "-")) for cell in cells)


def test_a_model_card_has_all_that_a_figure_rests_on(asked: Path, tmp_path: Path) -> None:
    export_run("model-card", asked, tmp_path / "card.md")
    card = (tmp_path / "card.md").read_text(encoding="utf-8")
    manifest = json.loads((asked / "manifest.json").read_text())
    for wanted in (
        "50.00 %",
        "95 % interval",
        "Best blind baseline",
        "Coverage",
        manifest["data_sha256"],
        "20 samples",
    ):
        assert wanted in card, wanted
    command = card.split("```bash\n")[1].split("\n```")[0]
    words = shlex.split(command)
    assert words[:3] == ["sightline", "run", "simulation"]
    cli.main([*words[1:], "--output-dir", str(tmp_path / "again")], standalone_mode=False)
    (again,) = (tmp_path / "again").glob("*/report.json")
    assert json.loads(again.read_text())["rows"] == json.loads((asked / "report.json").read_text())["rows"]


def test_a_model_card_of_scored_files(detected: Path, tmp_path: Path) -> None:
    export_run("model-card", detected / "scored", tmp_path / "card.md")
    card = (tmp_path / "card.md").read_text(encoding="utf-8")
    assert "detect plane" in card and "sightline score --anno-path" in card


def test_names_from_outside_bring_no_markup(asked: Path, tmp_path: Path) -> None:
    copy = tmp_path / "run"
    copy.mkdir()
    for name in ("manifest.json", "report.json", "grades.parquet"):
        (copy / name).write_bytes(
            (asked / name).read_bytes().replace(b'"baseline/constant:True"', b'"<img src=x>|**m**"')
        )
    export_run("model-card", copy, tmp_path / "card.md")
    text = (tmp_path / "card.md").read_text(encoding="utf-8").split("```bash")[0]
    assert "<img" not in text.replace("\\<", "") and "**m**" not in text


def test_what_can_not_be_exported_is_told(asked: Path, tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'inspect'"):
        export_run("inspct", asked, tmp_path / "x.eval")
    with pytest.raises(UsageError, match=r"uses \.eval, \.json"):
        export_run("inspect", asked, tmp_path / "x.txt")
    with pytest.raises(DataError, match="not a run folder"):
        export_run("csv", tmp_path, tmp_path / "x.csv")


def test_failed_and_unfinished_samples_are_no_wrong_answers(tmp_path: Path) -> None:
    """A reply is missing for half of the samples: these are errors in the log, and have no score."""
    log_of = pytest.importorskip("inspect_ai.log")
    data = generate("structural", tmp_path / "data", count=2)
    (tmp_path / "r.jsonl").write_text('{"id": "beam_001", "text": "{}"}\n')
    run = evaluate(
        "structural", model=f"replay/{tmp_path / 'r.jsonl'}", data=str(data), output_dir=str(tmp_path / "runs")
    )
    export_run("inspect", run.folder, tmp_path / "run.eval")
    log = asyncio.run(log_of.read_eval_log_async(str(tmp_path / "run.eval")))
    scored = {sample.id: sample.scores for sample in log.samples}
    assert log.status == "error" and scored["beam_001"] and not scored["beam_002"]
    assert log.results.completed_samples == 1
