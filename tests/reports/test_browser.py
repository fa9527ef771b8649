"""The page opened by double click: Debian's Chromium, driven by Playwright. Skips where either is missing.

axe-core looks for faults of accessibility where the package that carries it is installed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from sightline.reports.export import render_runs
from sightline.reports.sample_cards import CardOptions
from sightline.runs.comparison.graded_runs import GradedRun
from tests.support.browser import CHROMIUM, NO_AXE, NO_CHROMIUM, find_axe, running_browser

pytest.importorskip("playwright.sync_api", reason="browser tests need playwright: pip install playwright")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not CHROMIUM, reason=NO_CHROMIUM),
]
AXE = find_axe()
Opened = Callable[..., Any]


@pytest.fixture(scope="module")
def files(questions: list[GradedRun], shapes: GradedRun, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    place = tmp_path_factory.mktemp("pages")
    made = {
        "shapes": render_runs([shapes], CardOptions(samples=4)),
        "together": render_runs(questions, CardOptions(samples=2)),
    }
    for name, text in made.items():
        (place / f"{name}.html").write_text(text, encoding="utf-8")
    return {name: place / f"{name}.html" for name in made}


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    yield from running_browser()


@pytest.fixture
def opened(browser: Any, files: dict[str, Path]) -> Iterator[Opened]:
    """Opens a page; afterwards none may have complained, nor asked for anything beside itself."""
    faults: list[str] = []
    contexts: list[Any] = []

    def start(name: str, **options: Any) -> Any:
        context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **options})
        contexts.append(context)
        page = context.new_page()
        address = files[name].as_uri()
        page.on("console", lambda message: faults.append(message.text))
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on(
            "request",
            lambda request: (
                faults.append(request.url)
                if request.url.partition("#")[0] != address and not request.url.startswith("data:")
                else None
            ),
        )
        page.goto(address)
        return page

    yield start
    for context in contexts:
        context.close()
    assert not faults


@pytest.mark.parametrize("script", [True, False])
def test_the_language_switch_needs_no_script(opened: Opened, script: bool) -> None:
    page = opened("shapes", java_script_enabled=script)
    assert page.get_by_role("heading", name="Metrics", exact=True).is_visible()
    assert not page.get_by_role("heading", name="指标", exact=True).is_visible()
    page.get_by_text("中文", exact=True).click()
    assert page.get_by_role("heading", name="指标", exact=True).is_visible()
    assert not page.get_by_role("heading", name="Metrics", exact=True).is_visible()
    page.get_by_text("English", exact=True).click()
    assert page.get_by_role("heading", name="Metrics", exact=True).is_visible()


def test_keys_reach_the_switch(opened: Opened) -> None:
    page = opened("shapes")
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowRight")
    assert page.get_by_role("heading", name="指标", exact=True).is_visible()


def test_light_and_dark(opened: Opened) -> None:
    page = opened("shapes", color_scheme="dark")

    def paper() -> Any:
        return page.evaluate("getComputedStyle(document.body).backgroundColor")

    assert paper() == "rgb(20, 25, 32)"
    page.locator("label[for=look-light]").click()
    assert paper() == "rgb(255, 255, 255)"
    page.locator("label[for=look-dark]").click()
    page.emulate_media(media="print")
    assert paper() == "rgb(255, 255, 255)" and not page.locator(".switch").first.is_visible()


@pytest.mark.parametrize("name", ["shapes", "together"])
@pytest.mark.parametrize("width", [360, 390, 1280])
def test_nothing_is_wider_than_the_screen(opened: Opened, name: str, width: int) -> None:
    page = opened(name, viewport={"width": width, "height": 740})
    for language in ("en", "zh"):
        page.locator(f"label[for=say-{language}]").click()
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_the_overlay_lies_on_the_picture(opened: Opened) -> None:
    page = opened("shapes")
    sheet = page.locator(".picture:has(svg.overlay)").first
    picture, overlay = (sheet.locator(part).bounding_box() for part in ("img", "svg.overlay"))
    assert picture == pytest.approx(overlay, abs=1)
    assert page.locator(".picture img").evaluate_all("all => all.every(one => one.complete && one.naturalWidth > 0)")


def test_it_prints(opened: Opened) -> None:
    page = opened("together")
    assert page.pdf(prefer_css_page_size=True).startswith(b"%PDF")


@pytest.mark.skipif(AXE is None, reason=NO_AXE)
@pytest.mark.parametrize(("name", "look"), [("shapes", "light"), ("shapes", "dark"), ("together", "light")])
def test_axe_finds_no_fault(opened: Opened, name: str, look: str) -> None:
    page = opened(name)
    page.locator(f"label[for=look-{look}]").click()
    found = []
    for language in ("en", "zh"):
        page.locator(f"label[for=say-{language}]").click()
        page.evaluate(AXE.read_text(encoding="utf-8"))
        for fault in page.evaluate("axe.run()")["violations"]:
            found.append((fault["impact"], fault["id"], [node["target"] for node in fault["nodes"]][:3]))
    assert not found
