"""`sightline compare` and `sightline leaderboard` as a user calls them."""

from __future__ import annotations

import csv
import io
import json
from html.parser import HTMLParser
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from msgspec.structs import replace

from sightline.cli.compare import command as compare_command
from sightline.cli.leaderboard import command as leaderboard_command
from sightline.errors import DataError
from sightline.language import set_language
from sightline.reports.comparison_page import chance, clean, points
from tests.comparing.test_compare import FIRST, SECOND
from tests.comparing.worlds import graded, make_run

HOSTILE = '<script>alert(1)</script>|`[x](http://e)\x1b[31m\u202e"&'
FORMULA = "=cmd|' /C calc'!A0"


def call(command: object, *args: object) -> Result:
    return CliRunner().invoke(command, [str(arg) for arg in args], standalone_mode=False)  # type: ignore[arg-type]


@pytest.fixture
def runs(tmp_path: Path) -> list[Path]:
    """Two runs whose names and samples mean harm."""
    first = [
        replace(
            grade,
            sample=f"{FORMULA}{grade.sample}",
            task=f"{HOSTILE}{grade.task}",
            tags={HOSTILE: f"{FORMULA}{grade.position % 3}"},
            source=HOSTILE,
        )
        for grade in graded(FIRST, tasks=2)
    ]
    second = [replace(grade, score=score) for grade, score in zip(first, SECOND, strict=True)]
    return [
        make_run(tmp_path / "runs" / "a", first, model=HOSTILE, params=HOSTILE),
        make_run(tmp_path / "runs" / "b", second, model=FORMULA),
    ]


class Tags(HTMLParser):
    """The elements of a page, and where they point to."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.outside: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.add(tag)
        self.outside += [name for name, _ in attrs if name in ("src", "href") or name.startswith("on")]


def assert_harmless(page: str, markdown: str, terminal: str) -> None:
    tags = Tags(page)
    assert "script" not in tags.names and not tags.outside and "table" in tags.names
    for text in (page, markdown, terminal):
        assert "\x1b[31m" not in text and "\u202e" not in text
    assert "<script>" not in markdown.replace("\\<", "")
    assert "\\|" in markdown
    for block in markdown.split("\n\n"):
        if block.startswith("| "):
            assert len({line.replace("\\|", "").count("|") for line in block.splitlines()}) == 1


def test_all_files_are_written_and_harmless(runs: list[Path], tmp_path: Path) -> None:
    out = tmp_path / "out"
    told = call(compare_command, *runs, "--out", out)
    assert told.return_value == 0, told.exception
    page = (out / "comparison.html").read_text(encoding="utf-8")
    assert_harmless(page, (out / "comparison.md").read_text(encoding="utf-8"), told.output)
    rows = list(csv.DictReader(io.StringIO((out / "comparison.csv").read_text(encoding="utf-8-sig"))))
    assert [row["measure"] for row in rows[:2]] == ["accuracy", "mean_score"]
    assert {row["scope"] for row in rows} == {"overall", "task", HOSTILE}
    assert all(row["name"].startswith("'=") for row in rows if row["scope"] == HOSTILE)
    flips = list(csv.DictReader(io.StringIO((out / "flips.csv").read_text(encoding="utf-8-sig"))))
    assert len(flips) == 20 and {row["run"] for row in flips} == {"B"}
    assert flips[0]["sample"] == f"'{FORMULA}s80" and flips[0]["score_first"] == "1.0"
    stored = json.loads((out / "comparison.json").read_bytes())
    assert float(rows[0]["difference"]) == stored["versus"][0]["accuracy"]["value"] == pytest.approx(-0.10)


def test_json_is_all_that_is_printed(runs: list[Path]) -> None:
    told = call(compare_command, *runs, "--json")
    found = json.loads(told.stdout)
    assert [side["letter"] for side in found["sides"]] == ["A", "B"]
    assert len(found["versus"][0]["flips"]) == 10


@pytest.mark.parametrize(
    ("gate", "code"),
    [
        ([], 0),
        (["--fail-if-worse"], 1),
        (["--fail-if-worse", "0.005"], 1),
        (["--fail-if-worse=0.05"], 0),
        (["--fail-if-worse", "0.05"], 0),
    ],
)
def test_the_gate(runs: list[Path], gate: list[str], code: int) -> None:
    assert call(compare_command, *gate, *runs).return_value == code
    assert call(compare_command, *runs, *gate).return_value == code
    if code:
        assert "B." in call(compare_command, *runs, *gate).stderr
        assert call(compare_command, *reversed(runs), *gate).return_value == 0


def test_refusal_is_an_error(runs: list[Path], tmp_path: Path) -> None:
    other = make_run(tmp_path / "other", graded(FIRST), data_sha256="e" * 64)
    refused = call(compare_command, runs[0], other)
    assert isinstance(refused.exception, DataError)
    alike = make_run(tmp_path / "alike", graded(SECOND))
    forced = call(compare_command, other, alike, "--force")
    assert forced.return_value == 0 and "Compared all the same" in forced.output


@pytest.mark.parametrize("width", ["80", "120"])
def test_the_terminal_keeps_figures_whole(tmp_path: Path, width: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", width)
    runs = [make_run(tmp_path / name, graded(run, tasks=3)) for name, run in (("a", FIRST), ("b", SECOND))]
    told = call(compare_command, *runs).output
    assert max(map(len, told.splitlines())) <= int(width)
    assert "-10.00" in told and "100 samples are paired." in told


def test_a_leaderboard_is_written_and_harmless(runs: list[Path], tmp_path: Path) -> None:
    out = tmp_path / "out"
    told = call(leaderboard_command, runs[0].parent, "--out", out)
    assert told.return_value == 0, told.exception
    page = (out / "leaderboard.html").read_text(encoding="utf-8")
    assert_harmless(page, (out / "leaderboard.md").read_text(encoding="utf-8"), told.output)
    stored = json.loads((out / "leaderboard.json").read_bytes())
    printed = json.loads(call(leaderboard_command, runs[0].parent, "--json").stdout)
    assert stored == printed and len(stored["groups"][0]["entries"]) == 2


def test_both_speak_chinese(runs: list[Path]) -> None:
    """Every text has its place in the table of Chinese; here, that nothing breaks on the way."""
    set_language("zh")
    try:
        assert call(compare_command, *runs).return_value == 0
        assert call(leaderboard_command, runs[0].parent).return_value == 0
    finally:
        set_language("")


def test_how_figures_are_written() -> None:
    assert [points(x) for x in (None, 0.0, -0.00001, 0.1234, -1.0)] == ["–", "0.00", "0.00", "+12.34", "-100.00"]
    assert [chance(p) for p in (None, 1.0, 0.05, 1e-9)] == ["–", "1.0000", "0.0500", "< 0.0001"]
    assert clean("a\x1b\nb\u202ec é 中") == "a··b·c é 中"
