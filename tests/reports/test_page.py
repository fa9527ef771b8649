"""The report page: one file that needs nothing, says the same as everything else, in both languages."""

from __future__ import annotations

import io
import json
import re
import shutil
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest
from rich.console import Console

from sightline.core.records import Status
from sightline.core.remarks import Remark
from sightline.i18n import set_language
from sightline.i18n.chinese import CHINESE
from sightline.reports.export import render_runs
from sightline.reports.html import POLICY, STYLE
from sightline.reports.report_page import ReportedRun, report_page
from sightline.reports.sample_cards import MAX_LETTERS, CardOptions
from sightline.reports.sample_selection import notable_samples
from sightline.reports.terminal import print_summary
from sightline.runs.comparison.graded_runs import GradedRun, load_graded_run
from sightline.scoring.summary import Summary
from tests.reports.pages import Page, numbers


def made(run: GradedRun, **wish: Any) -> str:
    return render_runs([run], CardOptions(**wish))


@pytest.fixture(scope="module")
def pages(questions: list[GradedRun], shapes: GradedRun) -> dict[str, str]:
    return {
        "questions": made(questions[0]),
        "shapes": made(shapes),
        "together": render_runs(questions, CardOptions(samples=2)),
        "apart": render_runs([questions[0], shapes], CardOptions(samples=1)),
    }


def latin(text: str) -> set[str]:
    return set(re.findall(r"[A-Za-z]{2,}", text))


KINDS = ["questions", "shapes", "together", "apart"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_page_needs_nothing_beside_itself(pages: dict[str, str], kind: str) -> None:
    page = Page(pages[kind])
    assert not {"script", "link", "iframe", "object", "embed", "form", "base"} & set(page.tags)
    assert not page.handlers and "url(" not in pages[kind] and "@import" not in pages[kind]
    assert all(target.startswith(("#", "data:image/")) for target in page.targets)
    assert f'content="{POLICY}"' in pages[kind] and "script-src" not in POLICY and "default-src 'none'" in POLICY


@pytest.mark.parametrize("kind", KINDS)
def test_addresses_are_unique_and_lead_somewhere(pages: dict[str, str], kind: str) -> None:
    page = Page(pages[kind])
    assert len(page.ids) == len(set(page.ids))
    inside = [target.removeprefix("#") for target in page.targets if target.startswith("#")]
    assert inside and set(inside) <= set(page.ids)


@pytest.mark.parametrize("kind", KINDS)
def test_both_languages_are_whole(
    pages: dict[str, str], kind: str, questions: list[GradedRun], shapes: GradedRun
) -> None:
    """What is Latin in the Chinese part is a name: of the data, of a setting, or one that Chinese texts use as well."""
    page = Page(pages[kind])
    assert page.parts["en"] == page.parts["zh"] > 5
    names = latin(" ".join(CHINESE.values())) | {"SHA"}
    for run in (*questions, shapes):
        names |= latin(msgspec.json.encode(run.manifest).decode()) | latin(str(run.folder.path))
        names |= latin(" ".join(row.name for row in run.summary.rows)) | latin(" ".join(run.summary.baselines))
        names |= latin(" ".join(str(table.rows) for table in run.summary.breakdowns))
        names |= set().union(*(latin(str(row.baseline.name)) for row in run.summary.rows if row.baseline))
    assert not latin("\n".join(page.texts["zh"])) - names
    # and no words of ours stand outside of both languages
    english = {text for text in CHINESE if re.search(r"[a-z] [a-z]", text) and "{" not in text}
    assert not english & {text.strip() for text in page.texts[""]}


def test_the_preferred_language_shows_first(questions: list[GradedRun]) -> None:
    for language in ("en", "zh"):
        set_language(language)
        try:
            page = made(questions[0], samples=0)
        finally:
            set_language("")
        assert f'<html lang="{language}" class="prefers-{language}">' in page
        assert f'id="say-{language}" checked>' in page and page.count("checked>") == 2


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("place", [0, 1, 2])
def test_every_figure_of_the_terminal_is_on_the_page(
    questions: list[GradedRun], shapes: GradedRun, place: int, language: str
) -> None:
    run = [*questions, shapes][place]
    out = Console(file=io.StringIO(), width=400)
    set_language(language)
    try:
        print_summary(run.summary, out)
    finally:
        set_language("")
    told = out.file.getvalue()  # type: ignore[attr-defined]
    page = Page(made(run, samples=0)).said(language)
    missing = numbers(told) - numbers(page)
    assert len(numbers(told)) > 12 and not missing


def test_the_same_run_gives_the_same_page(shapes: GradedRun) -> None:
    assert made(shapes) == made(shapes)


def test_a_page_without_pictures_is_small(shapes: GradedRun, questions: list[GradedRun]) -> None:
    for run in (shapes, *questions):
        assert len(made(run, pictures=False).encode()) < 1_500_000
        assert "data:image/" not in made(run, pictures=False)


def test_every_state_and_task_is_among_the_samples(questions: list[GradedRun], shapes: GradedRun) -> None:
    for run in (questions[0], shapes):
        page = made(run)
        shown = page[page.index('id="samples"') : page.index('id="protocol"')]
        states = {state for state, count in run.summary.statuses.items() if count and state != "invalid"}
        badges = set(re.findall(r'class="badge[^"]*"><span class="en" lang="en">(\w+)<', shown))
        assert states <= badges | {"answered"}
        assert shown.count('class="card"') <= 12
    assert '<g class="truth"' in page and "data:image/jpeg" in page


def hostile(run: GradedRun, place: Path, text: str, position: int | None = None) -> GradedRun:
    """The run with other words in every reply, or in one."""
    shutil.copytree(run.folder.path, place)
    lines = [json.loads(line) for line in (place / "journal.jsonl").read_text(encoding="utf-8").splitlines()]
    for line in lines:
        line["text"] = text if position in (None, line["position"]) else line.get("text", "")
    (place / "journal.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return load_graded_run(place)


EVIL = "<script>alert(1)</script></pre></style>\"'><img src=x onerror=alert(1)>&#0;\x1b[31m\u202egnp.exe\u0000\u2028"


def test_replies_can_do_no_harm(questions: list[GradedRun], tmp_path: Path) -> None:
    text = made(hostile(questions[0], tmp_path / "run", EVIL))
    page = Page(text)
    assert "script" not in page.tags and not page.handlers
    assert "&lt;script&gt;alert(1)" in text
    assert not re.search("[\x00-\x08\x0b-\x1f\u202a-\u202e\u2028\u2066-\u2069]", text)


def test_a_reply_of_five_megabytes_is_cut_and_that_is_said(questions: list[GradedRun], tmp_path: Path) -> None:
    first = notable_samples(questions[0].folder, 1)[0]
    run = hostile(questions[0], tmp_path / "run", "word " * 1_000_000, first["position"])
    text = made(run, samples=1)
    assert len(text.encode()) < 1_500_000
    assert f"Truncated: first {MAX_LETTERS:,} of 5,000,000 characters." in text


def test_names_of_the_report_can_do_no_harm(questions: list[GradedRun]) -> None:
    run = questions[0]
    summary = Summary(
        suite=EVIL,
        title=EVIL,
        model=EVIL,
        rows=[
            msgspec.structs.replace(row, name=EVIL, metric=EVIL, title=EVIL, english=EVIL) for row in run.summary.rows
        ],
        notes=[Remark("{x.__class__}", {"x": EVIL}), Remark("{x}", {"x": EVIL})],
        deviations=[Remark(EVIL)],
        breakdowns=run.summary.breakdowns,
    )
    # half a character can't be written as UTF-8
    summary.model += "\ud800"
    manifest = msgspec.structs.replace(run.manifest, data=EVIL, config={EVIL: EVIL, "x": [EVIL]}, options={"y": EVIL})
    text = report_page([ReportedRun(summary=summary, manifest=manifest)] * 2)
    page = Page(text.encode("utf-8").decode())
    assert "script" not in page.tags and "img" not in page.tags and not page.handlers
    assert "\u202e" not in page.said("en")


def test_missing_data_are_said_and_replies_still_shown(questions: list[GradedRun], tmp_path: Path) -> None:
    run = hostile(questions[0], tmp_path / "run", "My reply is here.")
    run = msgspec.structs.replace(run, manifest=msgspec.structs.replace(run.manifest, data=str(tmp_path / "gone")))
    page = Page(made(run, samples=3))
    assert "The data set of the run does not exist at" in page.said("en") and "My reply is here." in page.said("en")
    assert "运行的数据集不在" in page.said("zh") or "数据集" in page.said("zh")


@pytest.mark.parametrize("torn", [b"PAR1 torn", None])
def test_torn_and_missing_grades_are_said(questions: list[GradedRun], tmp_path: Path, torn: bytes | None) -> None:
    run = hostile(questions[0], tmp_path / "run", "x")
    run.folder.grades.unlink()
    if torn is not None:
        run.folder.grades.write_bytes(torn)
    page = Page(made(run))
    assert "Cannot show samples" in page.said("en") and "无法展示样本" in page.said("zh")


def test_a_suite_that_is_gone_is_said(questions: list[GradedRun]) -> None:
    run = questions[0]
    old = msgspec.structs.replace(run, manifest=msgspec.structs.replace(run.manifest, suite="os:system"))
    assert "&#x27;os:system&#x27; is not installed" in made(old)


def test_a_run_that_is_going_on_is_marked(questions: list[GradedRun]) -> None:
    run = questions[0]
    going = msgspec.structs.replace(run.manifest, state="running")
    page = Page(report_page([ReportedRun(summary=run.summary, manifest=going)]))
    assert "still running when graded" in page.said("en")


def test_runs_of_other_data_stand_beside_each_other(pages: dict[str, str]) -> None:
    told = Page(pages["apart"])
    assert "Not compared by sample" in told.said("en") and "未逐样本比较" in told.said("zh")
    assert "--force" not in told.said("en")
    compared = Page(pages["together"]).said("en")
    assert "Agreement table" in compared and "Not compared" not in compared


def test_every_status_has_its_colour() -> None:
    for status in (*get_args(Status), "pending"):
        assert f"--{status}:" in STYLE, status
