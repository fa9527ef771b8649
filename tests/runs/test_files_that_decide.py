"""Every file that decides what is asked or how it is graded belongs to the fingerprint of a run."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from sightline import evaluate, grade_again
from sightline.core.errors import DataError
from tests.scoring.files.worlds import annotations, write_lines
from tests.support.worlds import PIXEL, write_questions

RULE = {"图片分类": {"parser": "labels", "core": ["accuracy"]}}
FILES = {
    "task_config": ("task_metric.json", RULE, {"x": RULE["图片分类"], **RULE}),
    "label_mapping": ("labels.json", {}, {"ship": "car"}),
    "field_mapping": ("fields.json", {"truth": "gt"}, {"truths": "gt"}),
    "defaults": ("field_mapping.json", {"truth": "gt"}, {"truths": "gt"}),
}


@pytest.mark.parametrize("option", FILES)
def test_a_changed_file_of_rules_is_refused(option: str, tmp_path: Path) -> None:
    write_lines(tmp_path / "data" / "anno" / "a.txt", annotations("图片分类", ["car", "ship"]))
    name, before, after = FILES[option]
    (tmp_path / "rules").mkdir()
    file = tmp_path / "rules" / name
    file.write_text(json.dumps(before), encoding="utf-8")
    given = {option: str(file.parent if option == "defaults" else file)}
    run = evaluate(
        "remote-sensing",
        data=str(tmp_path / "data"),
        model="baseline/constant:car",
        output_dir=str(tmp_path / "runs"),
        **given,
    ).folder
    assert grade_again(run).summary.score.value == 0.5  # type: ignore[union-attr]
    file.write_text(json.dumps(after), encoding="utf-8")
    with pytest.raises(DataError, match=f"changed: --{option.replace('_', '-')}"):
        grade_again(run)
    assert "Graded on a different data set" in str(grade_again(run, accept_changed_data=True).summary.notes[0])
    shutil.move(file, tmp_path / name)
    (tmp_path / name).write_text(json.dumps(before), encoding="utf-8")
    elsewhere = {option: str(tmp_path if option == "defaults" else tmp_path / name)}
    assert not grade_again(run, **elsewhere).summary.notes, "the same rules elsewhere are the same"


def test_a_folder_that_looks_like_a_run_is_data_where_it_is_read(tmp_path: Path) -> None:
    planted = tmp_path / "data" / "20260101-000000_x"
    write_lines(planted / "a.txt", annotations("图片分类", ["car", "ship"]))
    (planted / "manifest.json").write_text("{}")
    run = evaluate(
        "remote-sensing",
        data=str(tmp_path / "data"),
        model="baseline/constant:car",
        output_dir=str(tmp_path / "data" / "runs"),
        recursive=True,
        pattern="a.txt",
    ).folder
    grade_again(run)
    write_lines(planted / "a.txt", annotations("图片分类", ["car", "car"]))
    with pytest.raises(DataError, match=r"changed: 20260101-000000_x/a\.txt"):
        grade_again(run)


def test_pictures_beside_a_single_file_of_samples_count(tmp_path: Path) -> None:
    rows = [
        {
            "id": f"q{number}",
            "dimension": "action",
            "difficulty": "L1",
            "task_type": "ui_to_code",
            "question": "Draw it.",
            "image_path": "images/asked.png",
            "ground_truth": {"picture": "images/q_target.png"},
            "metric": "execution",
        }
        for number in range(2)
    ]
    file = write_lines(tmp_path / "data" / "exec.jsonl", rows)
    (file.parent / "images").mkdir()
    for name in ("asked", "q_target"):
        (file.parent / "images" / f"{name}.png").write_bytes(PIXEL)
    settings = {"model": "baseline/constant:x", "output_dir": str(tmp_path / "runs")}
    run = evaluate("matrix", data=str(file), **settings).folder
    grade_again(run)
    for name in ("asked", "q_target"):
        (file.parent / "images" / f"{name}.png").write_bytes(PIXEL + b"x")
        with pytest.raises(DataError, match=rf"changed: images/{name}\.png"):
            grade_again(run)
        (file.parent / "images" / f"{name}.png").write_bytes(PIXEL)


def test_pictures_of_a_single_question_file_count(tmp_path: Path) -> None:
    data = write_questions(tmp_path / "data", 2)
    file = data / "benchmark" / "questions.json"
    run = evaluate("simulation", data=str(file), model="baseline/constant:True", output_dir=str(tmp_path / "r")).folder
    grade_again(run)
    (data / "data" / "structural" / "images" / "File_1.png").write_bytes(PIXEL + b"x")
    with pytest.raises(DataError, match=r"File_1\.png"):
        grade_again(run)
