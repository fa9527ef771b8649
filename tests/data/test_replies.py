"""Replies saved in a file: no answer is an empty one, and what is odd about the file is told."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sightline import evaluate
from sightline.api.evaluation import Result, score_replies
from tests.support.worlds import write_questions

IDS = [f"image/structural/File_1/q{k}" for k in range(6)]
RIGHT = ["False", "True"] * 3


def scored(tmp_path: Path, lines: list[str]) -> Result:
    data = tmp_path / "data"
    if not data.exists():
        write_questions(data, 6)
    (tmp_path / "r.jsonl").write_text("\n".join(lines), encoding="utf-8")
    return score_replies(
        "simulation", str(tmp_path / "r.jsonl"), data=str(data), output_dir=str(tmp_path / "runs"), fresh=True
    )


def rows(replies: list[Any], **more: Any) -> list[str]:
    return [json.dumps({"id": name, "reply": reply, **more}) for name, reply in zip(IDS, replies, strict=True)]


def accuracy(result: Result) -> float | None:
    return next(row for row in result.summary.rows if row.metric == "accuracy").estimate.value


@pytest.mark.parametrize("nothing", [None, ""])
def test_no_answer_does_not_raise_a_score(tmp_path: Path, nothing: str | None) -> None:
    result = scored(tmp_path, rows([*RIGHT[:4], nothing, nothing]))
    assert result.summary.statuses == {"answered": 4, "empty": 2}
    assert accuracy(result) == pytest.approx(4 / 6) and not result.summary.facts[1:]


def test_replaying_a_journal_gives_the_score_of_its_run(tmp_path: Path) -> None:
    first = scored(tmp_path, rows([*RIGHT[:3], "maybe", "", ""]))
    journal = (first.folder / "journal.jsonl").read_text(encoding="utf-8").splitlines()
    again = scored(tmp_path, journal)
    assert again.summary.statuses == first.summary.statuses and accuracy(again) == accuracy(first)


def test_oddities_of_the_file_are_reported(tmp_path: Path) -> None:
    odd = ["{broken", '{"id": "nobody", "reply": "True"}', '{"reply": "True"}', rows(RIGHT)[0], "7"]
    result = scored(tmp_path, [*rows(RIGHT), *odd])
    assert accuracy(result) == 1
    told = [str(fact) for fact in result.summary.facts]
    assert told[-3:] == [
        "3 lines of r.jsonl contain no reply: 7, 9, 11",
        "1 lines of r.jsonl are overridden by a later line with the same id.",
        "1 ids in r.jsonl do not match any sample of the run.",
    ]
    assert "contain no reply" in (result.folder / "report.md").read_text(encoding="utf-8")


def test_failures_in_a_journal_are_no_faults_of_the_file(tmp_path: Path) -> None:
    first = scored(tmp_path, rows(RIGHT)[:4])
    assert first.summary.statuses == {"answered": 4, "failed": 2}
    journal = (first.folder / "journal.jsonl").read_text(encoding="utf-8").splitlines()
    again = scored(tmp_path, journal)
    assert again.summary.statuses == first.summary.statuses
    assert not any("contain no reply" in str(fact) for fact in again.summary.facts)


def test_a_run_that_goes_on_tells_it_once(tmp_path: Path) -> None:
    data = write_questions(tmp_path / "data", 6)
    (tmp_path / "r.jsonl").write_text("\n".join([*rows(RIGHT), "{"]), encoding="utf-8")
    settings = {"model": f"replay/{tmp_path / 'r.jsonl'}", "data": str(data), "output_dir": str(tmp_path / "runs")}
    for _ in range(2):
        result = evaluate("simulation", **settings)
    assert [str(fact) for fact in result.summary.facts].count("1 lines of r.jsonl contain no reply: 7") == 1
