"""The configuration that other tools of this file format ship is accepted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sightline import score
from sightline.core.errors import ConfigError
from sightline.core.score_config import resolve_score
from tests.scoring.files.live import lines, run_live
from tests.scoring.files.worlds import write_lines, write_world
from tests.support.worlds import sightline_here

TABLE = [
    {"name": "目标计数", "level": "image", "core_metrics": ["Acc"], "aux_metrics": ["MAE"], "description": "how many"},
    {"task": "HBB Detect", "output_type": "hbb", "core_metric": "AP@0.5", "aux_metrics": ["AP@0.75", "Count MAE"]},
    {"task_name": "ship length", "format": "number", "metrics": ["accuracy"], "alias": "length"},
    {"name": "图像检索", "core": ["accuracy"], "aux": ["Recall", "F1"]},
    "semantic segmentation",
]


@pytest.mark.parametrize("form", [TABLE, {"tasks": TABLE}])
def test_a_list_of_tasks(tmp_path: Path, form: Any) -> None:
    (tmp_path / "task_metric.json").write_text(json.dumps(form, ensure_ascii=False), encoding="utf-8")
    box = "1 <box><1><1><9><9></box>"
    world = {
        "count": [("3", "3"), ("4", "6")],
        "HBB Detect": [(box, box)],
        "length": [("12", "12")],
        "image retrieval": [("1,2", "2,1")],
    }
    report = score(
        *write_world(tmp_path, world), output_dir=str(tmp_path / "r"), task_config=str(tmp_path / "task_metric.json")
    )
    assert report.value("计数", "accuracy") == 0.5 and report.value("计数", "mae") == 1
    assert report.value("水平区域检测", "ap50") == 1 and report.value("水平区域检测", "count_mae") == 0
    assert report.value("ship length", "accuracy") == 1
    assert report.value("图片检索", "retrieval_recall") == 1
    report = score(tmp_path / "anno", tmp_path / "out", output_dir=str(tmp_path / "r2"), defaults=str(tmp_path))
    assert report.value("计数", "mae") == 1


def test_what_is_not_understood_is_refused(tmp_path: Path) -> None:
    for entry, told in (
        ({"name": "x", "parser": "nubmer", "core": ["accuracy"]}, "number"),
        ({"name": "计数", "core": ["accurracy"]}, "accuracy"),
        ({"name": "计数", "colour": "red"}, "colour"),
        (7, "#1"),
    ):
        (tmp_path / "t.json").write_text(json.dumps([entry]))
        with pytest.raises(ConfigError, match=told):
            score(*write_world(tmp_path, {"计数": [("1", "1")]}), task_config=str(tmp_path / "t.json"))


def test_keys_of_single_files(tmp_path: Path) -> None:
    write_lines(tmp_path / "ships.txt", [{"gt": "1", "task": "计数", "source": "a"}])
    write_lines(tmp_path / "answers.txt", [{"model_output": "1", "sample_id": "ships__0", "task": "计数"}])
    settings = {"annotation_file": "ships.txt", "model_output_file": "answers.txt", "annotation_dir": None}
    (tmp_path / "config.json").write_text(json.dumps(settings))
    done = sightline_here("score", "--config", "config.json", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    figures = next(iter(json.loads(done.stdout)["models"].values()))["tasks"]["计数"]["metrics"]
    assert figures["accuracy"]["value"] == 1
    (tmp_path / "config.json").write_text(json.dumps({"annotation_file": "a", "annotation_dir": "b"}))
    with pytest.raises(ConfigError, match="anno_path"):
        resolve_score(file=tmp_path / "config.json")


def test_config_init_writes_files_that_give_the_same_figures(tmp_path: Path) -> None:
    write_world(tmp_path, {"计数": [("3", "3"), ("4", "6")], "图片分类": [("a;b", "a")]})
    done = sightline_here("config", "init", "conf", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    written = {path.name for path in (tmp_path / "conf").iterdir()}
    assert written == {"task_metric.json", "field_mapping.json", "label_mapping.json", "vis_config.json", "score.toml"}
    common = ("score", "--anno-path", "anno", "--model-result-path", "out", "--json")
    plain = sightline_here(*common, cwd=tmp_path)
    again = sightline_here(*common, "--config", "conf/score.toml", "--defaults", "conf", "--vis", cwd=tmp_path)
    assert again.returncode == 0, again.stderr
    tasks = [json.loads(run.stdout)["models"]["out"]["tasks"] for run in (plain, again)]
    assert tasks[0] == tasks[1]
    again = sightline_here("config", "init", "conf", cwd=tmp_path)
    assert again.returncode == 2 and "task_metric.json" in again.stderr


def test_a_run_and_its_export_write_output_files_that_score_the_same(tmp_path: Path) -> None:
    truths = {"a": ["1", "2", "3"], "b": ["4"]}
    for name, numbers in truths.items():
        write_lines(tmp_path / f"anno/{name}.txt", lines("计数", numbers, name))
    text = (tmp_path / "anno/a.txt").read_text()
    (tmp_path / "anno/a.txt").write_text("\n\n" + text.replace("\n", "\n\n"))  # rows are not lines
    questions = [json.loads(line)["prompt"] for line in text.splitlines()]
    endings = {question: (str(k + 1 if k < 2 else 9), "stop") for k, question in enumerate(questions)}
    endings |= {json.loads((tmp_path / "anno/b.txt").read_text())["prompt"]: ("4", "stop")}
    result = run_live(tmp_path / "anno", endings, tmp_path / "runs")
    files = sorted(path.name for path in (result.folder / "outputs").iterdir())
    assert files == ["a_output.txt", "b_output.txt"]
    rows = [json.loads(line) for line in (result.folder / "outputs/a_output.txt").read_text().splitlines()]
    assert [row["sample_id"] for row in rows] == ["a__0", "a__1", "a__2"]
    assert [row["model_output"] for row in rows] == ["1", "2", "9"] and rows[0]["task"] == "计数"
    report = score(tmp_path / "anno", result.folder / "outputs", output_dir=str(tmp_path / "r"))
    assert report.value("计数", "accuracy") == 0.75
    done = sightline_here("export", "outputs", result.folder, "--out", "exported", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    for name in files:
        assert (tmp_path / "exported" / name).read_text() == (result.folder / "outputs" / name).read_text()
