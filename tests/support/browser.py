"""The browser that pages are walked through with, and what finds faults of accessibility in them."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
NO_CHROMIUM = "browser tests need chromium: apt-get install chromium"
QUIET = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"]
NO_AXE = "no axe-core: pip install axe-playwright-python"


def find_axe() -> Path | None:
    """axe-core, out of the package that carries it."""
    spec = find_spec("axe_playwright_python")
    found = Path(spec.origin).with_name("axe.min.js") if spec and spec.origin else None
    return found if found and found.is_file() else None


def running_browser() -> Iterator[Any]:
    """Chromium under Playwright, for a fixture."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=CHROMIUM, args=QUIET)
        yield started
        started.close()
