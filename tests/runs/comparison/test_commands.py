"""`sightline compare` and `sightline leaderboard` as a user calls them."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from msgspec.structs import replace

from sightline.cli.compare import command as compare_command
from sightline.cli.leaderboard import command as leaderboard_command
from sightline.core.errors import DataError
from sightline.i18n import set_language
from sightline.i18n.chinese import CHINESE
from sightline.i18n.printable import printable
from sightline.reports.comparison_pages import format_p, format_points, printable_name
from sightline.runs.comparison.compare import compare_runs
from tests.runs.comparison.test_compare import FIRST, SECOND
from tests.runs.comparison.worlds import graded, make_run
from tests.support.worlds import environment

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
    assert "<h1>Comparison</h1>" in page and f"<h1>{CHINESE['Comparison']}</h1>" in page
    rows = list(csv.DictReader(io.StringIO((out / "comparison.csv").read_text(encoding="utf-8-sig"))))
    assert [row["measure"] for row in rows[:2]] == ["accuracy", "mean_score"]
    clean_tag = printable(HOSTILE, keep_lines=True)
    assert clean_tag.isprintable() and clean_tag.startswith("<script>")
    assert {row["scope"] for row in rows} == {"overall", "task", clean_tag}
    assert all(row["name"].startswith("'=") for row in rows if row["scope"] == clean_tag)
    flips = list(csv.DictReader(io.StringIO((out / "flips.csv").read_text(encoding="utf-8-sig"))))
    assert len(flips) == 20 and {row["run"] for row in flips} == {"B"}
    assert flips[0]["sample"] == f"'{FORMULA}s80" and flips[0]["score_first"] == "1.0"
    stored = json.loads((out / "comparison.json").read_bytes())
    assert float(rows[0]["difference"]) == stored["versus"][0]["accuracy"]["value"] == pytest.approx(-0.10)


def test_json_is_all_that_is_printed(runs: list[Path]) -> None:
    told = call(compare_command, *runs, "--json")
    assert "\u202e" not in told.stdout, "a terminal would turn the direction of writing"
    found = json.loads(told.stdout)
    assert [side["letter"] for side in found["sides"]] == ["A", "B"]
    assert len(found["versus"][0]["flips"]) == 15


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


def test_exit_codes_as_a_pipeline_sees_them(runs: list[Path], tmp_path: Path) -> None:
    other = make_run(tmp_path / "other", graded(FIRST), data_sha256="e" * 64)
    for args, code in (
        ([*runs, "--fail-if-worse"], 1),
        ([*reversed(runs), "--fail-if-worse"], 0),
        ([runs[0], other], 2),
    ):
        command = [sys.executable, "-m", "sightline", "compare", *map(str, args)]
        done = subprocess.run(command, capture_output=True, env=environment(), encoding="utf-8", check=False)
        assert done.returncode == code, done.stderr
    assert "data set: dddddddddddd… and eeeeeeeeeeee…" in done.stderr and "--force" in done.stderr


def test_refusal_is_an_error(runs: list[Path], tmp_path: Path) -> None:
    other = make_run(tmp_path / "other", graded(FIRST), data_sha256="e" * 64)
    refused = call(compare_command, runs[0], other)
    assert isinstance(refused.exception, DataError)
    alike = make_run(tmp_path / "alike", graded(SECOND))
    forced = call(compare_command, other, alike, "--force")
    assert forced.return_value == 0 and "Compared despite" in forced.output


@pytest.mark.parametrize("width", ["80", "120"])
def test_the_terminal_keeps_figures_whole(tmp_path: Path, width: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", width)
    runs = [make_run(tmp_path / name, graded(run, tasks=3)) for name, run in (("a", FIRST), ("b", SECOND))]
    told = call(compare_command, *runs).output
    assert max(map(len, told.splitlines())) <= int(width)
    assert "-10.00" in told and "100 samples are paired." in told


@pytest.mark.parametrize("width", ["80", "130", "200"])
def test_everything_that_counts_is_shown_at_every_width(
    tmp_path: Path, width: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Cost, time, the least detectable difference, and samples that changed either way, with their ids."""
    monkeypatch.setenv("COLUMNS", width)
    runs = [make_run(tmp_path / name, graded(run)) for name, run in (("a", FIRST), ("b", SECOND))]
    told = call(compare_command, *runs, "--out", tmp_path / "out").output
    least = f"{100 * (compare_runs(runs).versus[0].main.least or 0):.2f}"
    written = [(tmp_path / "out" / f"comparison.{kind}").read_text(encoding="utf-8") for kind in ("md", "html")]
    for text in (told, *written):
        flat = " ".join(text.replace("\\#", "#").split())
        for wanted in ("0.75", "12.5 s", "1,234", least, "s80", "s95", "data.json#95", "detectable", "Cost"):
            assert wanted in flat, wanted
    assert "exact McNemar" in " ".join(told.split())


@pytest.mark.parametrize("width", ["80", "100", "130"])
def test_no_column_of_a_leaderboard_is_dropped(tmp_path: Path, width: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", width)
    for place in range(6):
        for model in ("a-model-of-some-length", "another"):
            make_run(tmp_path / f"{place}{model}", graded(FIRST), suite=f"suite-{place}", model=model)
    told = call(leaderboard_command, tmp_path, "--out", tmp_path / "out")
    assert told.return_value == 0, told.exception
    overview = told.output.partition("suite-0: ")[0]
    # where the results are may be as long as it likes
    assert max(len(line) for line in told.output.splitlines() if not line.startswith("Results")) <= int(width)
    for place in range(6):
        assert f"suite-{place}" in overview
    assert overview.count("75.00 %") == 12
    for kind in ("md", "html"):
        assert (tmp_path / "out" / f"leaderboard.{kind}").read_text(encoding="utf-8").count("suite-5") >= 2


def test_names_too_long_for_a_terminal_are_folded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    runs = [make_run(tmp_path / name, graded(FIRST), model=name * 90) for name in "ab"]
    for told in (call(compare_command, *runs), call(leaderboard_command, tmp_path)):
        assert told.return_value == 0 and max(map(len, told.output.splitlines())) <= 80
        assert told.output.count("a") >= 90 and "75.00 %" in told.output


def test_known_tags_have_chinese_names(tmp_path: Path) -> None:
    first = []
    for k, grade in enumerate(graded(FIRST)):
        known = {"law": f"L{k % 2}", "qid": f"q{k % 3}", "modality": "m" * (1 + k % 4), "difficulty": str(k % 5)}
        first.append(replace(grade, tags={**known, "my tag": str(k % 7)}))
    second = [replace(grade, score=score) for grade, score in zip(first, SECOND, strict=True)]
    runs = [make_run(tmp_path / "a", first), make_run(tmp_path / "b", second)]
    english = call(compare_command, *runs).output
    assert "By physical law" in english and "By my tag" in english
    set_language("zh")
    try:
        chinese = call(compare_command, *runs).output
    finally:
        set_language("")
    for name in ("按物理定律", "按问题编号", "按模态", "按难度", "按my tag"):
        assert name in chinese
    assert "qid" not in chinese and "modality" not in chinese


def test_a_leaderboard_is_written_and_harmless(runs: list[Path], tmp_path: Path) -> None:
    out = tmp_path / "out"
    told = call(leaderboard_command, runs[0].parent, "--out", out)
    assert told.return_value == 0, told.exception
    page = (out / "leaderboard.html").read_text(encoding="utf-8")
    assert_harmless(page, (out / "leaderboard.md").read_text(encoding="utf-8"), told.output)
    stored = json.loads((out / "leaderboard.json").read_bytes())
    shown = call(leaderboard_command, runs[0].parent, "--json").stdout
    assert "\u202e" not in shown
    printed = json.loads(shown)
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
    assert [format_points(x) for x in (None, 0.0, -0.00001, 0.1234, -1.0)] == ["–", "0.00", "0.00", "+12.34", "-100.00"]
    assert [format_p(p) for p in (None, 1.0, 0.05, 1e-9)] == ["–", "1.0000", "0.0500", "< 0.0001"]
    assert printable_name("a\x1b\nb\u202ec é 中") == "a··b·c é 中"


def test_figures_with_weights_are_called_weighted(tmp_path: Path) -> None:
    """`show` lists the share of right samples without weights: 50 % and 70 % must not both be called accuracy."""
    first = [replace(grade, weight=weight) for grade, weight in zip(graded([1, 0, 1, 0]), (6, 2, 1, 1), strict=True)]
    second = [replace(grade, score=0.0) for grade in first]
    weighted = [make_run(tmp_path / name, grades) for name, grades in (("a", first), ("b", second))]
    equal = [make_run(tmp_path / name, graded(scores)) for name, scores in (("c", [1, 0, 1, 0]), ("d", [0, 0, 1, 0]))]
    told = call(compare_command, *weighted).output
    assert "Weighted accuracy" in told and "70.00 %" in told
    assert "Weighted" not in call(compare_command, *equal).output
