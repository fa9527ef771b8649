"""Scoring into the same folder again, and the table for spreadsheets."""

from __future__ import annotations

import csv
from pathlib import Path

from sightline import score
from tests.scoring.files.worlds import annotations, outputs, write_lines, write_world


def test_nothing_of_an_earlier_scoring_stays_among_the_new_files(tmp_path: Path) -> None:
    anno, out = write_world(tmp_path, {"计数": [("3", "3"), ("4", "5")], "VQA1": [("Yes", "yes"), ("No", "yes")]})
    folder = tmp_path / "r"
    score(anno, out, output_dir=str(folder), task="计数", collect_sample_details=True, vis=True)
    assert (folder / "grades.csv").exists() and list((folder / "plots").glob("*.png"))
    (folder / "notes.txt").write_text("mine")
    score(anno, out, output_dir=str(folder), task="VQA1")
    assert not (folder / "grades.csv").exists() and not list((folder / "plots").glob("*.p*"))
    assert (folder / "notes.txt").read_text() == "mine"


def test_a_reply_is_no_formula_in_a_spreadsheet(tmp_path: Path) -> None:
    replies = ["=cmd|' /C calc'!A0", "+1", "plain, with a comma", "第3张"]
    write_lines(tmp_path / "anno" / "a.txt", annotations("计数", ["1"] * 4))
    write_lines(tmp_path / "out" / "a_output.txt", outputs(replies))
    score(tmp_path / "anno", tmp_path / "out", output_dir=str(tmp_path / "r"), collect_sample_details=True)
    data = (tmp_path / "r" / "grades.csv").read_bytes()
    assert data.startswith(b"\xef\xbb\xbf")
    rows = list(csv.DictReader(data.decode("utf-8-sig").splitlines()))
    assert [row["reply"] for row in rows] == ["'=cmd|' /C calc'!A0", "'+1", *replies[2:]]
    assert [row["position"] for row in rows] == ["0", "1", "2", "3"]
