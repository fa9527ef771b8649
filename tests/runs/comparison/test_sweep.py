"""Sweeps over pixel budgets against a server that sees only what is large enough."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from sightline import sweep
from sightline.api.sweep import parse_budgets
from sightline.core.errors import ConfigError, UsageError
from sightline.runs.comparison.records import Difference
from sightline.runs.comparison.sweep import SweepPoint, find_knee
from sightline.scoring.summary import Usage
from tests.data.test_pictures import encoded
from tests.support.worlds import server, sightline_here, write_questions

NEEDED = ("0", "1250", "1250", "5000", "1000000000")
"""Pixels that the questions need: the last is beyond all."""


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    scene = Image.fromarray(np.random.default_rng(1).integers(0, 256, (100, 150, 3), dtype=np.uint8))
    folder = write_questions(tmp_path_factory.mktemp("sweep") / "data", 5, 20, encoded(scene, "PNG"))
    path = folder / "benchmark" / "questions.json"
    content = json.loads(path.read_text())
    files = content["structural"]["files"]
    content["structural"]["files"] = dict.fromkeys(files, files["File_1"])  # the server knows these answers
    path.write_text(json.dumps(content))
    return folder


@pytest.fixture
def world(data: Path, tmp_path: Path) -> Iterator[dict[str, Any]]:
    log = tmp_path / "log"
    log.write_text("")
    with server("--log", log, "--needed", *NEEDED, program="picture_server.py") as base:
        yield {"data": str(data), "model": "m", "api_base": base, "output_dir": str(tmp_path / "runs")}


def count(tmp_path: Path) -> int:
    return len((tmp_path / "log").read_text().splitlines())


@pytest.mark.slow
def test_a_sweep_finds_the_knee(world: dict[str, Any], tmp_path: Path) -> None:
    budgets = ["15k", "1k", "1.5k", "6k", None]
    found = sweep("simulation", max_pixels=budgets, price_in=1000.0, **world)
    assert found.complete and found.sweep is not None and found.folder is not None
    assert count(tmp_path) == 5 * 100
    points = found.sweep.points
    assert [point.max_pixels for point in points] == [1000, 1500, 6000, 15_000, None]
    assert [point.score.value for point in points if point.score] == pytest.approx([0.2, 0.6, 0.8, 0.8, 0.8])
    assert (found.sweep.best, found.sweep.knee, found.knee) == (2, 2, 6000)
    first = points[0].difference
    assert first is not None and first.value == pytest.approx(-0.6) and first.high is not None and first.high < -0.3
    assert [point.images for point in points] == [100] * 5
    sizes = [38 * 25, 47 * 31, 94 * 63, 15_000, 15_000]
    assert [point.mean_pixels for point in points] == pytest.approx(sizes, rel=0.03)
    assert all(point.mean_pixels <= point.max_pixels for point in points[:4] if point.mean_pixels)
    tokens = [point.tokens_per_request for point in points]
    assert tokens == [10 + round(point.mean_pixels or 0) // 784 for point in points]
    assert points[0].usage.cost == pytest.approx(100 * (tokens[0] or 0) * 1000 / 1e6)
    assert any("all budgets sent the same images" in str(note) for note in found.sweep.notes)

    report = json.loads((found.folder / "report.json").read_text(encoding="utf-8"))
    assert report["points"][report["knee"]]["max_pixels"] == 6000
    text = (found.folder / "report.md").read_text(encoding="utf-8")
    assert "| 6,000 | best · knee | 80.00 % |" in text
    assert "lies above −2 points" in text
    assert (found.folder / "sweep.png").read_bytes().startswith(b"\x89PNG")
    assert "<svg" in (found.folder / "sweep.svg").read_text(encoding="utf-8")
    table = found.to_dataframe()
    assert table["is_knee"].tolist() == [False, False, True, False, False]

    again = sweep("simulation", max_pixels=budgets, price_in=1000.0, **world)
    assert count(tmp_path) == 5 * 100, "finished runs send no request"
    assert again.sweep == found.sweep
    loose = sweep("simulation", max_pixels=budgets, price_in=1000.0, margin=0.25, **world)
    assert loose.sweep is not None and loose.knee == 6000
    assert any("Undecided: 1,500." in str(note) for note in loose.sweep.notes)
    looser = sweep("simulation", max_pixels=budgets, price_in=1000.0, margin=0.4, out=tmp_path / "loose", **world)
    assert looser.sweep is not None and (looser.sweep.best, looser.knee) == (2, 1500)
    text = (tmp_path / "loose" / "report.md").read_text(encoding="utf-8")
    assert "Knee: 1,500 pixels, with 65 % of the prompt tokens of the best budget, 6,000 pixels." in text
    assert count(tmp_path) == 5 * 100, "finished runs send no request"
    more = sweep("simulation", max_pixels=["1.5k", "6k", "10k"], **world)
    assert count(tmp_path) == 6 * 100, "one budget is new"
    assert more.knee == 6000


def test_a_stopped_sweep_is_resumed(world: dict[str, Any], tmp_path: Path) -> None:
    given: dict[str, Any] = {"max_pixels": ["1k", "1.5k"], "limit": 20, "concurrency": 1, **world}
    first = sweep("simulation", max_requests=15, **given)
    assert first.stopped is not None and first.sweep is None and not first.complete
    assert count(tmp_path) == 15
    second = sweep("simulation", **given)
    assert second.complete and count(tmp_path) == 40
    assert second.runs[1000].folder == first.runs[1000].folder


@pytest.mark.slow
def test_the_command_in_both_languages(world: dict[str, Any], tmp_path: Path) -> None:
    flags = [f"--{name.replace('_', '-')}={value}" for name, value in world.items()]
    call = ["sweep", "simulation", *flags, "--max-pixels", "1k,6k", "--max-pixels", "1.5k", "--sample", "50"]
    done = sightline_here(*call, "--out", str(tmp_path / "en"), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "Knee: " in done.stdout or "The knee is" in done.stdout
    assert "Budget 3 of 3: 6,000" in done.stderr
    sent = count(tmp_path)
    assert sent == 150
    chinese = sightline_here(*call, "--out", str(tmp_path / "zh"), "--lang", "zh", cwd=tmp_path)
    assert chinese.returncode == 0 and count(tmp_path) == sent
    assert "拐点" in chinese.stdout and "拐点" in (tmp_path / "zh" / "report.md").read_text(encoding="utf-8")
    printed = sightline_here(*call, "--json", cwd=tmp_path)
    assert json.loads(printed.stdout)["margin"] == 0.02
    dry = sightline_here(*call, "--dry-run", cwd=tmp_path)
    assert dry.stdout.count("No request was sent.") == 3 and count(tmp_path) == sent
    wrong = sightline_here("sweep", "simulation", *flags, "--max-pixels", "4k", cwd=tmp_path)
    assert wrong.returncode == 2 and "two pixel budgets" in wrong.stderr


def point(budget: int, low: float | None, value: float = 0.0) -> SweepPoint:
    difference = Difference(measure="accuracy", first=0.5, second=0.5 + value, value=value, low=low, high=value + 0.01)
    return SweepPoint(
        max_pixels=budget, folder="", complete=True, samples=9, score=None, difference=difference, usage=Usage()
    )


def test_the_knee_is_the_smallest_budget_shown_to_be_as_good() -> None:
    best = SweepPoint(max_pixels=9, folder="", complete=True, samples=9, score=None, usage=Usage())
    assert find_knee([point(1, -0.3), point(2, -0.019), best], 0.02) == 1
    assert find_knee([point(1, -0.3), point(2, -0.021), best], 0.02) == 2
    assert find_knee([point(1, None), best, point(20, -0.5)], 0.02) == 1, "no interval shows nothing"
    assert find_knee([point(1, -0.3), point(2, -0.021), best], 0.5) == 0


def test_budgets_are_parsed() -> None:
    assert parse_budgets(["400k,100k", "1.5M", "none", 5]) == [5, 100_000, 400_000, 1_500_000, None]
    for wrong in ("0", "many", "-4", "1.5"):
        with pytest.raises(ConfigError, match="not a number of pixels"):
            parse_budgets([wrong, "100k"])
    with pytest.raises(UsageError, match="two pixel budgets"):
        parse_budgets(["100k", 100_000])
