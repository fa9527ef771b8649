"""A picture or report that is none is the data set's fault, not the model's."""

from __future__ import annotations

from pathlib import Path

import pytest

from sightline import evaluate
from sightline.data.media import detect_format
from tests.support.worlds import write_questions


@pytest.mark.parametrize("content", [b"", b"junk", b"<svg/>", "图".encode("gbk")])
def test_a_file_that_is_no_picture_is_invalid(tmp_path: Path, content: bytes) -> None:
    data = write_questions(tmp_path / "data", 4, simulations=2)
    (data / "data" / "structural" / "images" / "File_1.png").write_bytes(content)
    summary = evaluate("simulation", data=str(data), model="baseline/oracle", output_dir=str(tmp_path / "runs")).summary
    assert summary.statuses == {"answered": 4, "invalid": 4}
    assert any("not an image: structural/images/File_1" in str(note) for note in summary.notes)


@pytest.mark.parametrize(
    ("content", "reason"), [(b" \n", "empty report"), ("报告".encode("gbk"), "the report is not UTF-8")]
)
def test_a_report_that_says_nothing_is_invalid(tmp_path: Path, content: bytes, reason: str) -> None:
    data = write_questions(tmp_path / "data", 4)
    texts = data / "data" / "structural" / "text"
    texts.mkdir()
    (texts / "File_1.txt").write_bytes(content)
    settings = {"data": str(data), "model": "baseline/oracle", "output_dir": str(tmp_path / "runs")}
    summary = evaluate("simulation", modality="text", **settings).summary
    assert summary.statuses == {"invalid": 4} and reason in str(summary.notes[0])


def test_pictures_are_known_by_their_first_bytes() -> None:
    heads = {
        "png": b"\x89PNG\r\n\x1a\n____",
        "jpeg": b"\xff\xd8\xff\xe0",
        "gif": b"GIF89a",
        "webp": b"RIFF\x01\x02\x03\x04WEBP",
        "bmp": b"BM\x01\x02\x03\x04\0\0\0\0",
        "tiff": b"II*\0",
        "": b"%PDF-1.7",
    }
    assert {detect_format(head): head for head in heads.values()} == heads
