"""What is read from a data set that is not to be trusted: only its own pictures leave it, and no row ends a run."""

from __future__ import annotations

import base64
import json
import os
from pathlib import Path
from typing import Any

import pytest

from sightline import evaluate, generate, grade_again
from sightline.core.errors import DataError
from sightline.core.records import Invalid, Sample
from sightline.core.registry import load_suite
from sightline.core.remarks import Explanation, format_remark
from sightline.data.media import data_uri, detect_format
from sightline.i18n import set_language

PNG = b"\x89PNG\r\n\x1a\n" + bytes(40)
ROW = {
    "dimension": "perception",
    "difficulty": "l1",
    "task_type": "spatial_relation",
    "question": "?",
    "options": ["x", "y"],
    "ground_truth": "x",
    "metric": "accuracy",
}
LEAVES = "the path '{}' is outside the image folder"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A data set with a picture in a folder, and a secret beside it."""
    (tmp_path / "secret.png").write_bytes(PNG)
    folder = tmp_path / "data"
    (folder / "images").mkdir(parents=True)
    (folder / "images" / "a.png").write_bytes(PNG)
    (folder / "notes.md").write_text("the password is swordfish")
    return folder


def read(folder: Path, *rows: dict[str, Any], **options: Any) -> list[Sample | Invalid]:
    lines = [json.dumps({"id": f"s{number}", **ROW, **row}) for number, row in enumerate(rows)]
    (folder / "samples.jsonl").write_text("\n".join(lines) + "\n")
    return list(load_suite("matrix", **options).dataset(folder))


def reason(folder: Path, **row: Any) -> str:
    return format_remark(invalid_reason(folder, **row))


def invalid_reason(folder: Path, **row: Any) -> Explanation:
    [found] = read(folder, row)
    assert isinstance(found, Invalid), "it would be sent"
    return found.reason


@pytest.mark.parametrize(
    "name", ["../secret.png", "images/../../secret.png", "/etc/passwd", "..\\secret.png", "C:\\secret.png", "\\a.png"]
)
def test_no_path_leaves_the_folder(data: Path, name: str) -> None:
    assert reason(data, image_path=name) == LEAVES.format(name)
    assert reason(data, image_path=["images/a.png", name]) == LEAVES.format(name)
    truth = {"metric": "execution", "options": None, "ground_truth": {"picture": name}}
    assert reason(data, **truth) == LEAVES.format(name)


def test_no_link_leaves_the_folder(data: Path) -> None:
    (data / "images" / "out.png").symlink_to(data.parent / "secret.png")
    (data / "beyond").symlink_to(data.parent)
    (data / "round.png").symlink_to(data / "round.png")
    (data / "within.png").symlink_to(data / "images" / "a.png")
    for name in ("images/out.png", "beyond/secret.png"):
        assert reason(data, image_path=name) == LEAVES.format(name)
    assert reason(data, image_path="round.png") == "missing media: round.png"
    [sample] = read(data, {"image_path": "within.png"})
    assert isinstance(sample, Sample)


def test_a_folder_may_be_reached_by_a_link(data: Path) -> None:
    (data.parent / "link").symlink_to(data)
    [sample] = read(data.parent / "link", {"image_path": "images/a.png"})
    assert isinstance(sample, Sample) and base64.b64decode(data_uri(sample.media[0]).partition(b",")[2]) == PNG


def test_only_pictures_are_sent(data: Path) -> None:
    os.mkfifo(data / "pipe.png")
    assert reason(data, image_path="notes.md") == "'notes.md' is not an image"
    assert reason(data, image_path="pipe.png") == "missing media: pipe.png"
    for name in ("images", "gone.png", "a\0.png", "x" * 300):
        assert reason(data, image_path=name).startswith("missing media: ")
    assert reason(data, image_base64="!!!!") == "the image is not valid base64"
    assert reason(data, image_base64=base64.b64encode(b"swordfish").decode()) == "not a supported image"
    text = base64.b64encode(PNG).decode()
    for form in (text, f"data:image/jpeg;base64,{text}", f"{text[:20]}\n{text[20:]}"):
        [sample] = read(data, {"image_base64": form})
        assert isinstance(sample, Sample) and sample.media[0].data == f"data:image/png;base64,{text}"


@pytest.mark.parametrize(
    ("head", "kind"),
    [
        (b"\xff\xd8\xff\xe0", "jpeg"),
        (b"GIF89a", "gif"),
        (b"RIFF\x10\0\0\0WEBPVP8 ", "webp"),
        (b"BM\x36\x10\0\0\0\0\0\0", "bmp"),
        (b"II*\0", "tiff"),
        (b"MM\0*", "tiff"),
        (b"\0\0\0\x1cftypavif", "avif"),
        (b"RIFF\x10\0\0\0WAVEfmt ", ""),
        (b"BMW is a car maker", ""),
        (b"root:x:0:0:", ""),
        (b"", ""),
    ],
)
def test_a_picture_is_known_by_its_first_bytes(head: bytes, kind: str) -> None:
    assert detect_format(head) == kind


def test_a_picture_of_another_truth_is_no_path(data: Path) -> None:
    [sample] = read(data, {"metric": "chart_f1", "options": None, "ground_truth": {"picture": "5"}})
    assert isinstance(sample, Sample) and sample.target["truth"] == {"picture": "5"}


@pytest.mark.parametrize("value", ["NaN", "-Infinity", "[" * 5000 + "]" * 5000])
def test_a_value_that_is_no_json_spoils_its_row_alone(data: Path, value: str) -> None:
    rows = [{"id": name, **ROW, "metadata": {"tolerance": 0.1}} for name in "abc"]
    lines = [json.dumps(row) for row in rows]
    lines[1] = lines[1].replace("0.1", value)
    (data / "samples.jsonl").write_text("\n".join(lines) + "\n")
    first, bad, last = load_suite("matrix").dataset(data)
    assert isinstance(first, Sample) and isinstance(last, Sample) and isinstance(bad, Invalid)
    assert format_remark(bad.reason).startswith("metadata holds no JSON: ") and bad.task == "spatial_relation"


def test_a_metric_like_no_other_is_told_with_the_list(data: Path) -> None:
    told = reason(data, metric="zzzzzz")
    assert told.startswith("unknown metric 'zzzzzz'; known: accuracy, ") and "''" not in told


def test_reasons_have_their_chinese(data: Path) -> None:
    kept = invalid_reason(data, image_path="../secret.png")
    set_language("zh")
    try:
        assert reason(data, question="") == "question 必须是文本"
        assert format_remark(kept) == "路径“../secret.png”不在图片文件夹内"
    finally:
        set_language("")


def test_what_the_plain_rules_cannot_mark_is_not_asked(data: Path, tmp_path: Path) -> None:
    rows = [{}, {"metric": "vqa_accuracy", "options": None, "task_type": "visual_question", "difficulty": "l2"}]
    asked, other = read(data, *rows, metric_rules="seed")
    assert isinstance(asked, Sample) and isinstance(other, Invalid)
    assert (other.id, format_remark(other.reason)) == ("s1", "--metric-rules seed has no rule for 'vqa_accuracy'")
    assert [one.id for one in read(data, *rows, metric_rules="seed", level=("l1",))] == ["s0"]
    result = evaluate(
        "matrix",
        data=str(data),
        model="baseline/oracle",
        kind="visual_question",
        metric_rules="seed",
        output_dir=str(tmp_path / "runs"),
    )
    assert result.summary.statuses == {"invalid": 1} and result.summary.usage.requests == 0
    assert "has no rule for 'vqa_accuracy'" in " ".join(map(str, result.summary.notes))


def test_a_journal_of_other_samples_is_told_from_one_that_is_hardly_begun(tmp_path: Path) -> None:
    cells = generate("matrix", tmp_path / "cells", count=48, seed=3)
    settings = {"data": str(cells), "kind": "interactive_decision", "output_dir": str(tmp_path / "runs")}
    result = evaluate("matrix", model="baseline/constant:up", **settings)
    journal = result.folder / "journal.jsonl"
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(lines[0])  # one turn of a maze that takes several: nothing is over
    assert grade_again(result.folder).summary.pending == result.summary.samples
    journal.write_bytes(lines[0].replace(b"interactive", b"another"))
    with pytest.raises(DataError, match="does not match the samples"):
        grade_again(result.folder)
