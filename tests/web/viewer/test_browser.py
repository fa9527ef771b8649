"""The pages in a real browser: Debian's Chromium, driven by Playwright. Skips where either is missing.

axe-core looks for faults of accessibility where the package that carries it is installed.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.support.browser import CHROMIUM, NO_AXE, NO_CHROMIUM, find_axe, running_browser
from tests.support.worlds import ROOT, environment

pytest.importorskip("playwright.sync_api", reason="browser tests need playwright: pip install playwright")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not CHROMIUM, reason=NO_CHROMIUM),
]
AXE = find_axe()
_SERVE = (
    "import sys, pathlib; from sightline.web.viewer.server import serve; serve(pathlib.Path(sys.argv[1]), 0, False)"
)

Page = Any
Opened = Callable[..., Page]


@pytest.fixture(scope="module")
def address(questions: Path, shapes: Path, models: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server over all runs, as the command starts it; its address with the token."""
    runs = tmp_path_factory.mktemp("viewed")
    for source in (*questions.iterdir(), *shapes.iterdir(), *models.iterdir()):
        shutil.copytree(source, runs / source.name)
    with serving(runs) as served:
        yield served


@contextmanager
def serving(runs: Path) -> Iterator[str]:
    """A server process; yields its address with the token."""
    command = [sys.executable, "-u", "-c", _SERVE, str(runs)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT, env=environment())
    assert process.stdout is not None
    try:
        yield process.stdout.readline().rpartition(" ")[2].strip()
    finally:
        process.terminate()
        process.wait()
        process.stdout.close()


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    yield from running_browser()


@pytest.fixture
def opened(browser: Any, address: str) -> Iterator[Opened]:
    """Opens the list of runs; afterwards no page may have complained, nor asked anybody but our server."""
    faults: list[str] = []
    contexts: list[Any] = []

    def start(**options: Any) -> Page:
        context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **options})
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: faults.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("request", lambda request: faults.append(request.url) if not _own(request.url, address) else None)
        page.goto(address)
        return page

    yield start
    for context in contexts:
        context.close()
    assert not faults


def _own(url: str, address: str) -> bool:
    return url.startswith((address.partition("?")[0], "data:"))


def open_run(page: Page, suite: str, place: int = 0) -> None:
    page.locator(f"tr:has(td:text-is('{suite}')) a.open").nth(place).click()
    page.wait_for_url("**/run/*")


def test_the_token_is_gone_from_the_address(opened: Opened) -> None:
    page = opened()
    assert "token" not in page.url
    assert page.locator("h1").inner_text().startswith("Runs")
    assert page.evaluate("document.cookie") == ""


def test_filter_page_and_open_a_sample(opened: Opened) -> None:
    page = opened()
    open_run(page, "simulation")
    page.get_by_role("link", name="Next").click()
    page.wait_for_url("**page=2*")
    page.get_by_label("Text in id, note or source").fill("File_2/q1")
    page.get_by_role("button", name="Apply").click()
    page.wait_for_url("**text=File_2*")
    assert "status=" not in page.url and "page=" not in page.url
    assert page.locator("a.open").count() == 11
    page.locator("a.open").nth(1).click()
    page.wait_for_url("**/sample/*")
    assert "2 / 11" in page.locator("main").inner_text()
    assert page.locator("img").evaluate("image => image.complete && image.naturalWidth") > 0
    deep = page.url
    page.goto(deep)
    assert "2 / 11" in page.locator("main").inner_text()


def test_the_overlay_lies_on_the_picture(opened: Opened) -> None:
    page = opened()
    open_run(page, "remote-sensing")
    page.locator("a.open").first.click()
    page.wait_for_url("**/sample/*")
    picture, overlay = (page.locator(f".sheet {part}").first.bounding_box() for part in ("img", "svg.overlay"))
    assert picture == overlay
    assert page.locator(".overlay .truth polygon").count() > 0
    style = page.locator(".overlay .reply polygon").first.evaluate("shape => getComputedStyle(shape).strokeDasharray")
    assert style != "none"
    page.locator("label.reply input").first.uncheck()
    assert not page.locator(".overlay .reply").first.is_visible()
    page.get_by_role("button", name="Zoom in").first.click()
    larger = page.locator(".sheet img").first.bounding_box()
    assert larger["width"] > 1.4 * picture["width"]


@pytest.mark.parametrize("width", [1280, 390])
def test_drawings_lie_side_by_side_where_there_is_room(opened: Opened, width: int) -> None:
    page = opened(viewport={"width": width, "height": 800}, color_scheme="dark")
    open_run(page, "structural")
    page.locator("a.open").first.click()
    page.wait_for_url("**/sample/*")
    truth, reply = (page.get_by_role("img", name=name, exact=True) for name in ("The true model", "The reply's model"))
    for image in (truth, reply):
        assert image.evaluate("image => image.complete && image.naturalWidth") > 300
        paper = image.locator("xpath=..").evaluate("plate => getComputedStyle(plate).backgroundColor")
        assert paper == "rgb(255, 255, 255)"
    left, right = truth.bounding_box(), reply.bounding_box()
    assert (right["x"] > left["x"] + left["width"]) == (width > 720)
    assert (right["y"] > left["y"] + left["height"]) == (width <= 720)
    described = page.locator(f"#{reply.get_attribute('aria-describedby')}").inner_text()
    assert "should be" in described
    page.get_by_role("link", name="中文").click()
    page.get_by_role("img", name="回复中的模型").wait_for()


def test_paper_is_white_and_shows_all(opened: Opened) -> None:
    page = opened(color_scheme="dark")
    open_run(page, "structural")
    page.locator("a.open").first.click()
    page.wait_for_url("**/sample/*")
    page.emulate_media(media="print")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert not page.locator("header").is_visible() and not page.locator(".zoom").first.is_visible()
    assert page.locator("pre").evaluate_all("all => all.every(one => one.scrollHeight <= one.clientHeight + 1)")


def test_keys(opened: Opened) -> None:
    page = opened()
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    page.wait_for_url("**/run/*")
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.id") == "text"
    page.keyboard.type("jk?/")
    assert page.locator("#text").input_value() == "jk?/"
    page.locator("#text").fill("")
    page.locator("h1").click()
    for key in ("j", "j", "k", "j", "Enter"):
        page.keyboard.press(key)
    page.wait_for_url("**/sample/*")
    second = page.url
    page.keyboard.press("j")
    page.wait_for_url(lambda url: url != second and "/sample/" in url)
    page.keyboard.press("k")
    page.wait_for_url(second)
    page.keyboard.press("?")
    assert page.locator("dialog").is_visible()
    page.keyboard.press("Escape")
    assert not page.locator("dialog").is_visible()
    page.keyboard.press("u")
    page.wait_for_url("**/run/*#samples")


def test_compare_two_runs(opened: Opened) -> None:
    page = opened()
    button = page.get_by_role("button", name="Compare selected")
    assert button.is_disabled()
    for place in (0, 1):
        page.locator("tr:has(td:text-is('simulation')) input[type=checkbox]").nth(place).check()
    button.click()
    page.wait_for_url("**/compare?*")
    assert page.locator("td.up, td.down").count() > 0
    page.get_by_role("link", name=re.compile("^equal")).click()
    page.wait_for_url("**show=same*")
    assert page.locator("td.up, td.down").count() == 0


def test_the_language_stays(opened: Opened) -> None:
    page = opened()
    page.get_by_role("link", name="中文").click()
    page.wait_for_url("**lang=zh*")
    open_run(page, "simulation")
    assert page.locator("html").get_attribute("lang") == "zh-CN"
    assert "准确率" in page.locator("main").inner_text()


@pytest.mark.parametrize("width", [360, 1280])
def test_nothing_is_wider_than_the_screen(opened: Opened, width: int) -> None:
    page = opened(viewport={"width": width, "height": 740})
    for path in walk(page):
        page.goto(path)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, path


def test_a_run_that_is_going_on_is_followed(browser: Any, questions: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    shutil.copytree(next(questions.glob("*0.3")), run)
    manifest = (run / "manifest.json").read_text()
    (run / "manifest.json").write_text(re.sub('"state": ?"finished"', '"state": "running"', manifest))
    (run / "grades.parquet").rename(tmp_path / "grades.parquet")
    lines = (run / "journal.jsonl").read_bytes().splitlines(keepends=True)
    (run / "journal.jsonl").write_bytes(b"".join(lines[:5]))
    with serving(tmp_path) as address, browser.new_context() as context:
        page = context.new_page()
        page.goto(address)
        page.locator("a.open").click()
        assert "5 answered" in page.locator(".progress").inner_text()
        (run / "journal.jsonl").write_bytes(b"".join(lines))
        page.get_by_text(f"{len(lines)} answered").wait_for()
        (tmp_path / "grades.parquet").rename(run / "grades.parquet")
        (run / "manifest.json").write_text(manifest)
        page.locator("#samples").wait_for()


def test_pages_work_without_scripts(opened: Opened) -> None:
    page = opened(java_script_enabled=False)
    open_run(page, "simulation")
    page.get_by_label("Status").select_option("answered")
    page.get_by_role("button", name="Apply").click()
    page.locator("a.open").first.click()
    page.wait_for_url("**/sample/*status=answered*")


@pytest.mark.skipif(AXE is None, reason=NO_AXE)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_serious_fault(opened: Opened, scheme: str) -> None:
    page = opened(color_scheme=scheme)
    found = []
    for path in walk(page):
        page.goto(path)
        page.evaluate(AXE.read_text(encoding="utf-8"))
        for fault in page.evaluate("axe.run()")["violations"]:
            where = [node["target"] for node in fault["nodes"]][:3]
            found.append((path, fault["impact"], fault["id"], where))
    assert not [fault for fault in found if fault[1] in ("serious", "critical")], found


def walk(page: Page) -> list[str]:
    """One page of every kind."""
    home = page.url
    by_suite = {
        suite: page.locator(f"tr:has(td:text-is('{suite}')) a.open").first.get_attribute("href")
        for suite in ("simulation", "remote-sensing", "structural")
    }
    runs = [page.locator("tr[data-run]:has(td:text-is('simulation'))").nth(k).get_attribute("data-run") for k in (0, 1)]
    paths = [f"/compare?run={runs[0]}&run={runs[1]}"]
    for run in by_suite.values():
        page.goto(home.rstrip("/") + run)
        paths += [run, page.locator("a.open").first.get_attribute("href")]
    return [home, *(home.rstrip("/") + path for path in paths), home + "compare"]
