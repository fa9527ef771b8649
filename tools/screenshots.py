"""Writes docs/images/viewer-*.png: pages of the viewer over a fresh demo, as a browser shows them.

python tools/screenshots.py [OUT]      needs playwright and Chromium
"""

from __future__ import annotations

import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from PIL import Image

import sightline

ROOT = Path(__file__).resolve().parents[1]
IMAGES = ROOT / "docs" / "images"
CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
CARELESS = "baseline/perturbed:0.9"
"""A model that is wrong so often that there is something to see."""
RUNS = (
    ("structural", CARELESS),
    ("simulation", "baseline/perturbed:0.2"),
    ("simulation", "baseline/random"),
)
WIDTH, MOST_BYTES, COLOURS = 1280, 250_000, 256
_SERVE = (
    "import sys, pathlib; from sightline.web.viewer.server import serve; serve(pathlib.Path(sys.argv[1]), 0, False)"
)


def main(out: Path = IMAGES) -> None:
    """Make a demo, serve it, take the pictures."""
    from playwright.sync_api import sync_playwright

    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        demo = Path(scratch) / "demo"
        command = [sys.executable, "-m", "sightline", "demo", "--out", str(demo)]
        subprocess.run(command, check=True, env=_environment())  # noqa: S603  # our own program
        data, runs = demo / "data" / "structural", demo / "runs"
        sightline.evaluate("structural", data=str(data), model=CARELESS, output_dir=str(runs))
        with serving(runs) as address, sync_playwright() as driver:
            browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
            page = browser.new_page(viewport={"width": WIDTH, "height": 800}, color_scheme="light")
            page.goto(address)
            for name, (path, height) in pages(page).items():
                page.goto(address.partition("/?")[0] + path)
                keep(
                    page.screenshot(clip={"x": 0, "y": 0, "width": WIDTH, "height": height}, full_page=True), out / name
                )
            browser.close()


def pages(page: Any) -> dict[str, tuple[str, int]]:
    """By the picture's name: the address of a page, and how much of it is shown. The list of runs must be open."""
    home = page.url.partition("?")[0].rstrip("/")
    structural, simulation, random = (run_of(page, suite, model) for suite, model in RUNS)
    page.goto(f"{home}/run/{structural}?state=ok&task=frame&sort=score")
    sample = page.locator("a.open").first.get_attribute("href")
    return {
        "viewer-runs.png": ("/", 830),
        "viewer-run.png": (f"/run/{simulation}", 1100),
        "viewer-sample.png": (sample, 1640),
        "viewer-compare.png": (f"/compare?run={simulation}&run={random}", 800),
    }


def run_of(page: Any, suite: str, model: str) -> str:
    """The id of a run in the list."""
    row = page.locator(f"tr[data-run]:has(td:text-is('{suite}')):has(a:text-is('{model}'))").first
    return str(row.get_attribute("data-run"))


@contextmanager
def serving(runs: Path) -> Iterator[str]:
    """A server process; yields its address with the token."""
    command = [sys.executable, "-u", "-c", _SERVE, str(runs)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT, env=_environment())  # noqa: S603
    assert process.stdout is not None
    try:
        yield process.stdout.readline().rpartition(" ")[2].strip()
    finally:
        process.terminate()
        process.wait()


def keep(png: bytes, path: Path) -> None:
    """Save with few colours, the rare ones too (a red support is a few pixels), and say how large it is."""
    with Image.open(io.BytesIO(png)) as picture:
        picture.convert("RGB").quantize(COLOURS, Image.Quantize.MAXCOVERAGE).save(path, optimize=True)
    size = path.stat().st_size
    print(f"{path.name}: {size / 1000:.0f} kB")
    if size > MOST_BYTES:
        raise SystemExit(f"{path.name} is larger than {MOST_BYTES / 1000:.0f} kB")


def _environment() -> dict[str, str]:
    return {**{k: v for k, v in os.environ.items() if not re.match("SIGHTLINE_|LANG|LC_", k)}, "SIGHTLINE_LANG": "en"}


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:2]))
