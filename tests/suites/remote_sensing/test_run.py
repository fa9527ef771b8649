"""Asking a model about annotation files: pictures by reference, replies graded in columns."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import duckdb
import pytest

from sightline import evaluate, generate, load_run, score, score_one
from sightline.core.records import Sample
from sightline.core.registry import load_suite
from sightline.data.media import data_uri, load_bytes
from tests.scoring.files.worlds import annotations, write_lines


@pytest.fixture(scope="module")
def scenes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return generate("remote-sensing", tmp_path_factory.mktemp("scenes") / "data", count=2, seed=3)


def test_the_perfect_model_is_perfect_on_every_task(scenes: Path, tmp_path: Path) -> None:
    result = evaluate("remote-sensing", data=str(scenes), model="baseline/oracle", output_dir=str(tmp_path))
    summary = result.summary
    assert summary.score is not None and summary.score.value == 1
    assert summary.statuses == {"answered": 38}
    heads = {
        row.name: row.estimate.value for row in summary.rows_of("task") if row.metric in ("accuracy", "ap50", "miou")
    }
    assert len(heads) == 15 and set(heads.values()) == {1.0}
    assert load_run(result.folder).summary.samples == 38
    shared = duckdb.sql(f"SELECT DISTINCT cluster FROM '{result.folder}/grades.parquet'").fetchall()
    assert {cluster.split("/")[0] for (cluster,) in shared} == {"scenes"}, "samples on one picture are one cluster"


def test_asking_and_scoring_files_give_the_same_figures(scenes: Path, tmp_path: Path) -> None:
    run = evaluate(
        "remote-sensing", data=str(scenes), model="baseline/perturbed:0.5", output_dir=str(tmp_path / "runs")
    )
    suite, out = load_suite("remote-sensing"), tmp_path / "out"
    said = {}
    for line in (run.folder / "journal.jsonl").read_text(encoding="utf-8").splitlines():
        answer = json.loads(line)
        said[answer["sample"]] = answer.get("text", "")
    files: dict[str, list[dict[str, str]]] = {}
    for sample in suite.dataset(scenes):
        assert isinstance(sample, Sample)
        name = Path(sample.source.rpartition(":")[0]).stem
        files.setdefault(name, []).append({"sample_id": sample.id, "model_output": said[sample.id]})
    for name, rows in files.items():
        write_lines(out / f"{name}_output.txt", rows)
    scored = score(scenes / "anno", out, output_dir=str(tmp_path / "r")).summary
    theirs = {(row.name, row.metric): row.estimate for row in scored.rows}
    for row in run.summary.rows:
        assert theirs[row.name, row.metric].value == row.estimate.value, (row.name, row.metric)


def test_pictures_are_found_where_they_lie(tmp_path: Path) -> None:
    one, two = base64.b64encode(b"\x89PNG first").decode(), base64.b64encode(b"\x89PNG second").decode()
    rows = annotations("计数", ["1", "2", "3", "4"])
    for row, frames in zip(rows, (one, [one, two], f"data:image/webp;base64,{two}", []), strict=True):
        row["frames"] = frames
    path = write_lines(tmp_path / "a.txt", rows)
    path.write_text(path.read_text().replace(one, one.replace("/", "\\/"), 1))  # some writers escape the slash
    *samples, last = load_suite("remote-sensing").dataset(tmp_path)
    loaded = [[load_bytes(media) for media in sample.media] for sample in samples if isinstance(sample, Sample)]
    assert loaded == [[b"\x89PNG first"], [b"\x89PNG first", b"\x89PNG second"], [b"\x89PNG second"]]
    assert isinstance(samples[2], Sample)
    assert data_uri(samples[2].media[0]).startswith(b"data:image/webp;base64,")
    assert not isinstance(last, Sample) and "no picture" in last.reason


def test_one_sample_by_itself() -> None:
    figures = score_one(
        gt="2 <box><0><0><9><9></box><box><20><20><40><40></box>",
        output="1 <box><0><0><9><9></box>",
        task="水平区域检测",
    )
    assert figures["recall50"] == 0.5 and figures["precision50"] == 1 and figures["count_mae"] == 1
    assert score_one(gt="36", output="36 cars", task="counting") == {
        "accuracy": 0.0,
        "mae": None,
        "rmse": None,
        "score": 0.0,
        "error": "not a number",
        "lenient_score": 1.0,
        "deviation": "number in a sentence",
    }
    assert score_one(gt="car", output="Vehicle", task="像素分类", label_mapping="default")["accuracy"] == 1
