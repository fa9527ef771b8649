"""Outputs are paired with the question they answer where several questions are about one picture."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from sightline import score
from tests.scoring.files.worlds import Line, write_lines

TRUTHS = {"计数": "3", "VQA1": "Yes", "图片分类": "harbour"}


def world(folder: Path, order: list[int], *, names: dict[str, str] | None = None, drop: int = 0, **more: Any) -> Any:
    """Three questions per picture; a perfect model answers in another order."""
    names = names or {}
    rows: list[Line] = [
        {"gt": truth, "task": task, "source": f"{picture}.png"}
        for picture in range(4)
        for task, truth in TRUTHS.items()
    ]
    replies = [
        {"model_output": row["gt"], "task": names.get(row["task"], row["task"]), "source": row["source"]}
        for row in (rows[k] for k in order[drop:])
    ]
    write_lines(folder / "anno/a.txt", rows)
    write_lines(folder / "out/a_output.txt", [{k: v for k, v in row.items() if k not in more} for row in replies])
    return score(folder / "anno", folder / "out", output_dir=str(folder / "r"))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("names", [{}, {"计数": "counting", "VQA1": "presence question"}])
def test_a_perfect_model_is_perfect_in_any_order(tmp_path: Path, seed: int, names: dict[str, str]) -> None:
    order = list(range(12))
    random.Random(seed).shuffle(order)
    report = world(tmp_path, order, names=names)
    assert [report.value(task, "accuracy") for task in TRUTHS] == [1, 1, 1]
    assert report.summary.statuses == {"answered": 12}


def test_missing_outputs_cost_their_own_question_only(tmp_path: Path) -> None:
    report = world(tmp_path, [11, 0, 1, 2, 3, 5, 4, 8, 6, 7, 9, 10], drop=1)
    assert [report.value(task, "accuracy") for task in TRUTHS] == [1, 1, 0.75]


def test_questions_of_one_task_about_one_picture_are_told_as_ambiguous(tmp_path: Path) -> None:
    rows = [{"gt": str(k), "task": "计数", "source": "a.png"} for k in range(3)]
    rows.append({"gt": "9", "task": "计数", "source": "b.png"})
    write_lines(tmp_path / "anno/a.txt", rows)
    outputs = [{"model_output": row["gt"], "task": "counting", "source": row["source"]} for row in rows]
    write_lines(tmp_path / "out/a_output.txt", [outputs[3], *outputs[:3]])
    report = score(tmp_path / "anno", tmp_path / "out", output_dir=str(tmp_path / "r"))
    assert report.value("计数", "accuracy") == 1
    told = [str(note) for note in report.summary.notes]
    assert any("paired in the order of lines" in note and note.endswith(": 3") for note in told), told


def test_a_task_name_that_nobody_else_uses_does_not_decide(tmp_path: Path) -> None:
    """A tool that writes one task for all lines: the names say nothing about which question is meant."""
    report = world(tmp_path, list(range(12)), names=dict.fromkeys(TRUTHS, "实例分割"))
    assert [report.value(task, "accuracy") for task in TRUTHS] == [1, 1, 1]


def test_repeated_ids_are_told_apart_by_task(tmp_path: Path) -> None:
    rows = [{"gt": truth, "task": task, "sample_id": "a"} for task, truth in TRUTHS.items()]
    write_lines(tmp_path / "anno/a.txt", rows)
    outputs = [{"model_output": row["gt"], "task": row["task"], "sample_id": "a"} for row in rows]
    write_lines(tmp_path / "out/a_output.txt", outputs[::-1])
    report = score(tmp_path / "anno", tmp_path / "out", output_dir=str(tmp_path / "r"))
    assert [report.value(task, "accuracy") for task in TRUTHS] == [1, 1, 1]


@pytest.mark.parametrize("first", [0, 1])
def test_ids_that_are_the_files_name_and_a_row_number(tmp_path: Path, first: int) -> None:
    """As other tools of this format write them: `stem__index`."""
    rows = [{"gt": str(k), "task": "计数", "source": "a.png"} for k in range(5)]
    write_lines(tmp_path / "anno/count.txt", rows)
    outputs = [{"model_output": str(k), "sample_id": f"count__{k + first}"} for k in range(5)]
    write_lines(tmp_path / "out/count_output.txt", [outputs[k] for k in (3, 0, 4, 1, 2)])
    report = score(tmp_path / "anno", tmp_path / "out", output_dir=str(tmp_path / "r"))
    assert report.value("计数", "accuracy") == 1
    write_lines(tmp_path / "out/count_output.txt", [outputs[k] for k in ((3, 0, 2) if first == 0 else (4, 3, 2))])
    report = score(tmp_path / "anno", tmp_path / "out", output_dir=str(tmp_path / "r2"))
    assert report.value("计数", "accuracy") == 0.6
