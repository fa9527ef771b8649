"""Several references: a list of texts as `gt` in files, in Python, over HTTP and in runs; for other tasks invalid."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import sightline
from sightline.scoring.score_one import score_one
from sightline.scoring.summary import Summary
from sightline.web.service.worker import JobRequest, handle_job
from tests.scoring.files import worlds
from tests.scoring.metrics.caption_texts import official_scores

CAPTION = "简洁图片描述"
REFERENCES = [
    ["a large airport with many planes", "an airport with 12 planes", "many planes are parked", "planes", "an airport"],
    ["a river beside a road", "a well-kept road near the river"],
    ["two ships"],
]
REPLIES = ["an airport with many planes", "a road near the river", "three ships"]


def write_files(folder: Path, task: str, truths: list[Any], replies: list[str]) -> tuple[Path, Path]:
    worlds.write_lines(folder / "anno" / "t0.txt", worlds.annotations(task, truths))
    worlds.write_lines(folder / "out" / "t0_output.txt", worlds.outputs(replies))
    return folder / "anno", folder / "out"


def score_files(anno: Path, out: Path, folder: Path) -> Summary:
    (summary,) = sightline.score(str(anno), str(out), output_dir=str(folder)).summaries.values()
    return summary


def figures_of(summary: Summary) -> dict[str, float | None]:
    return {row.metric: row.estimate.value for row in summary.rows if row.scope == "task"}


def test_files_and_python_and_http_score_lists_by_the_official_rules(tmp_path: Path) -> None:
    pytest.importorskip("pycocoevalcap")
    official = official_scores(REFERENCES, REPLIES)
    anno, out = write_files(tmp_path, CAPTION, REFERENCES, REPLIES)
    summary = score_files(anno, out, tmp_path / "r")
    found = figures_of(summary)
    for name in ("cider", "rouge_l", "bleu1", "bleu2", "bleu3", "bleu4"):
        assert found[name] == pytest.approx(official[name][0], abs=1e-9)
    for row, (references, reply) in enumerate(zip(REFERENCES, REPLIES, strict=True)):
        alone = score_one(references, reply, CAPTION)
        assert alone["score"] == pytest.approx(official["rouge_l"][1][row], abs=1e-9)
        body = {"task": CAPTION, "gt": references, "output": reply}
        answer = json.loads(handle_job(JobRequest("/v1/score", "en", json.dumps(body).encode())).body)
        assert answer["score"] == pytest.approx(alone["score"], abs=1e-9)


def test_a_list_of_one_is_that_text() -> None:
    assert score_one(["a red road"], "a road", CAPTION) == score_one("a red road", "a road", CAPTION)
    assert score_one('["a red road"]', "a road", CAPTION) == score_one("a red road", "a road", CAPTION)


@pytest.mark.parametrize("text", ["[a road] by a river", "[", '["a" road]', "[1, 2]"])
def test_a_text_that_only_looks_like_a_list_is_a_text(text: str) -> None:
    assert score_one(text, text, CAPTION)["score"] == 1.0


@pytest.mark.parametrize("truth", [[], ["", " "], ["a road", 3], ["a road", ["a river"]], ["a road", None]])
def test_lists_of_anything_but_texts_are_invalid(truth: list[Any]) -> None:
    found = score_one(truth, "a road", CAPTION)
    assert found["score"] is None
    assert found["error"] == "bad gt: a list of references must have texts only, at least one that is not blank"


@pytest.mark.parametrize(("task", "reply"), [("计数", "3"), ("图片分类", "ship"), ("VQA1", "yes"), ("视觉定位", "0")])
def test_other_tasks_take_no_list_of_texts(task: str, reply: str) -> None:
    found = score_one([reply, "4"], reply, task)
    assert found["score"] is None
    assert found["error"] == "bad gt: a list of texts: only captions have several references"


def test_an_invalid_list_names_its_reason_and_leaves_the_others(tmp_path: Path) -> None:
    anno, out = write_files(tmp_path, "计数", ["3", ["3", "4"], "5"], ["3", "3", "5"])
    summary = score_files(anno, out, tmp_path / "r")
    assert figures_of(summary)["accuracy"] == 1.0
    assert "only captions have several references" in next((tmp_path / "r").rglob("invalid_sample_log.txt")).read_text(
        encoding="utf-8"
    )


def test_the_report_shows_the_most_frequent_caption_as_blind_baseline(tmp_path: Path) -> None:
    truths = [["a red road", "a road"], "a red road", "a red road", "two ships", ["a field", "a red road"]]
    anno, out = write_files(tmp_path, CAPTION, truths, ["a red road", "a road", "ships", "two ships", "a field"])
    summary = score_files(anno, out, tmp_path / "r")
    (headline,) = (row for row in summary.rows if row.scope == "task" and row.metric == "cider")
    constant = write_files(tmp_path / "constant", CAPTION, truths, ["a red road"] * 5)
    blind = figures_of(score_files(*constant, tmp_path / "c"))
    assert headline.baseline is not None and headline.baseline.name == "the most frequent caption"
    assert headline.baseline.value == pytest.approx(blind["cider"])
    value, skill = headline.estimate.value, headline.baseline.skill
    assert value is not None and skill == pytest.approx(
        (value - headline.baseline.value) / (10 - headline.baseline.value)
    )
