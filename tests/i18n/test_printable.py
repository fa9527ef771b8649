"""Whatever data sets and shared folders say, a terminal and a text log are told nothing that they would obey."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sightline import evaluate
from sightline.core.errors import DataError
from sightline.core.remarks import Remark
from sightline.i18n import set_language, tr
from sightline.i18n.printable import printable, printable_json
from sightline.reports.markdown import markdown_safe
from tests.scoring.files.worlds import write_lines
from tests.support.worlds import PIXEL, sightline

HOSTILE = "\x1b[31mred\x1b]0;title\x07\x9b5m\u202eturned\x7f\u2066"
OBEYED = re.compile("[\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
CHINESE = "图片分类：第\u3000一张，“舰船”。"


@given(st.text())
def test_nothing_is_left_that_a_terminal_obeys(text: str) -> None:
    for made in (printable(text + HOSTILE), printable(HOSTILE + text, keep_lines=True)):
        assert not OBEYED.search(made)
    assert printable(text).isprintable() and len(printable(text, 10)) <= 10
    whole = json.dumps({"x": text}, ensure_ascii=False)
    assert not OBEYED.search(printable_json(whole))


@given(st.text(st.characters(max_codepoint=0xFFFF, exclude_categories=["Cs"])))
def test_json_keeps_its_values(text: str) -> None:
    assert json.loads(printable_json(json.dumps(text, ensure_ascii=False))) == text


def test_chinese_and_lines_of_our_own_stay() -> None:
    assert printable(CHINESE, keep_lines=True) == CHINESE and printable("图片\n分类") == "图片 分类"
    assert tr("{x}\nnext", x=CHINESE) == f"{CHINESE}\nnext"
    assert f"{tr('{count:,} of them', count=1234)}" == "1,234 of them"


@pytest.mark.parametrize("language", ["en", "zh"])
def test_sentences_and_errors_are_clean(language: str) -> None:
    set_language(language)
    try:
        told = [
            tr("Cannot read {path}: {why}", path=Path(f"a{HOSTILE}"), why=OSError(HOSTILE)),
            str(Remark("Note: " + HOSTILE, {"what": HOSTILE})),
            str(DataError("Cannot read {path}: {why}", hint="Do {why}", path=HOSTILE, why=DataError(HOSTILE))),
        ]
    finally:
        set_language("")
    for text in told:
        assert not OBEYED.search(text) and "turned" in text


def test_markdown_holds_no_html() -> None:
    made = markdown_safe("<img src=x onerror=alert(1)> &lt;b&gt; a|b *c*")
    assert made == "&lt;img src=x onerror=alert(1)&gt; &amp;lt;b&amp;gt; a\\|b \\*c\\*"


def test_a_hostile_data_set_and_a_hostile_folder(tmp_path: Path) -> None:
    row = {"dimension": "action", "difficulty": "L1", "question": "?", "ground_truth": "a", "image_path": "a.png"}
    rows = [
        row | {"id": f"good{HOSTILE}", "task_type": f"kind{HOSTILE}", "metric": "exact_match"},
        row | {"id": f"bad{HOSTILE}", "task_type": f"kind{HOSTILE}", "metric": f"unheard{HOSTILE}"},
    ]
    data = tmp_path / "data"
    write_lines(data / "a.jsonl", rows)
    (data / "a.png").write_bytes(PIXEL)
    made = evaluate("matrix", data=str(data), model="baseline/constant:b", output_dir=str(tmp_path / "runs"))
    for name in ("error_log.txt", "invalid_sample_log.txt", "report.csv", "report.md"):
        text = (made.folder / name).read_text(encoding="utf-8-sig").replace("\r\n", "\n")
        assert not OBEYED.search(text), name
    report = json.loads((made.folder / "report.json").read_text(encoding="utf-8"))
    report |= {"model": f"m{HOSTILE}", "notes": [{"text": f"n{HOSTILE}"}], "deviations": [{"text": f"d{HOSTILE}"}]}
    for one in report["rows"]:
        one["name"] += HOSTILE
    (made.folder / "report.json").write_text(json.dumps(report), encoding="utf-8")
    (data / f"new{HOSTILE.replace('/', '')}.jsonl").write_text("{}")
    for args in (("show", made.folder), ("show", made.folder, "--json"), ("regrade", made.folder)):
        told = sightline(*args, cwd=tmp_path)
        assert not OBEYED.search(told.stdout + told.stderr), args
    assert told.returncode == 2 and "added: new" in told.stderr
