"""Sweeps over pixel budgets against a server that sees only what is large enough."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace
from PIL import Image

from sightline import sweep
from sightline.api.sweep import parse_budgets
from sightline.core.errors import ConfigError, UsageError
from sightline.runs.comparison.records import Difference
from sightline.runs.comparison.sweep import SweepPoint, describe_notes, find_knee
from sightline.scoring.summary import Usage
from sightline.stats.paired import independent_shares
from tests import support
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
    assert (found.sweep.knee, found.knee) == (3, 15_000), "the same images as in the original size"
    assert any("6,000 pixels: undecided." in str(note) for note in found.sweep.notes), "100 samples, 2 points"
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
    assert report["points"][report["knee"]]["max_pixels"] == 15_000
    text = (found.folder / "report.md").read_text(encoding="utf-8")
    assert "| 15,000 | knee | 80.00 % |" in text and "| original size | largest | 80.00 % |" in text
    assert "lies above −2 points" in text
    assert (found.folder / "sweep.png").read_bytes().startswith(b"\x89PNG")
    assert "<svg" in (found.folder / "sweep.svg").read_text(encoding="utf-8")
    table = found.to_dataframe()
    assert table["is_knee"].tolist() == [False, False, False, True, False]

    again = sweep("simulation", max_pixels=budgets, price_in=1000.0, **world)
    assert count(tmp_path) == 5 * 100, "finished runs send no request"
    assert again.sweep == found.sweep
    loose = sweep("simulation", max_pixels=budgets, price_in=1000.0, margin=0.25, **world)
    assert loose.sweep is not None and loose.knee == 6000
    assert any("1,500 pixels: undecided." in str(note) for note in loose.sweep.notes)
    looser = sweep("simulation", max_pixels=budgets, price_in=1000.0, margin=0.4, out=tmp_path / "loose", **world)
    assert looser.sweep is not None and looser.knee == 1500
    text = (tmp_path / "loose" / "report.md").read_text(encoding="utf-8")
    assert "Knee: 1,500 pixels, with 38 % of the prompt tokens of the largest budget, original size." in text
    assert count(tmp_path) == 5 * 100, "finished runs send no request"
    more = sweep("simulation", max_pixels=["1.5k", "6k", "10k"], **world)
    assert count(tmp_path) == 6 * 100, "one budget is new"
    assert more.knee == 10_000, "the largest of these"


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
    assert dry.stdout.count("No request was sent.") == 1 and count(tmp_path) == sent
    wrong = sightline_here("sweep", "simulation", *flags, "--max-pixels", "4k", cwd=tmp_path)
    assert wrong.returncode == 2 and "two pixel budgets" in wrong.stderr


ORACLE = ["--model", "baseline/oracle", "--max-pixels", "1k,6k,none", "--limit", "8"]


def test_a_dry_run_prints_one_document_with_a_total(data: Path, tmp_path: Path) -> None:
    call = ["sweep", "simulation", "--data", str(data), *ORACLE, "--price-in", "1000", "--dry-run"]
    estimate = json.loads(sightline_here(*call, "--json", cwd=tmp_path).stdout)
    assert [row["max_pixels"] for row in estimate["budgets"]] == [1000, 6000, None]
    for name in ("requests", "tokens_in", "tokens_out", "cost"):
        assert estimate["total"][name] == pytest.approx(sum(row[name] for row in estimate["budgets"]))
    assert estimate["total"]["requests"] == 24
    shown = sightline_here(*call, cwd=tmp_path, COLUMNS="80").stdout
    assert "Total" in shown and shown.count("No request was sent.") == 1


def test_the_table_fits_80_columns(data: Path, tmp_path: Path) -> None:
    call = ["sweep", "simulation", "--data", str(data), *ORACLE]
    done = sightline_here(*call, cwd=tmp_path, COLUMNS="80")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("Max.") == 2, "scores, and tokens with cost"
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert "original size" in done.stdout and "100.0 %" in done.stdout


@pytest.mark.slow
def test_reports_of_other_sweeps_are_not_overwritten(data: Path, tmp_path: Path) -> None:
    given: dict[str, Any] = {"data": str(data), "model": "baseline/oracle", "limit": 8}
    given |= {"output_dir": str(tmp_path / "runs"), "max_pixels": ["1k", "6k"]}
    first, again, other = (sweep("simulation", margin=margin, **given).folder for margin in (0.02, 0.02, 0.1))
    assert first is not None and again == first
    assert other == first.with_name("sweep-2") and json.loads((first / "report.json").read_text())["margin"] == 0.02
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "report.json").write_text('{"margin": "mine"}')
    with pytest.raises(UsageError, match="already exists and is not empty"):
        sweep("simulation", out=tmp_path / "notes", **given)
    named = sweep("simulation", out=tmp_path / "out", **given).folder
    more = sweep("simulation", out=tmp_path / "out", **{**given, "max_pixels": ["1k", "6k", "7k"]}).folder
    assert named == more == tmp_path / "out", "a sweep with more budgets includes the report"
    assert sweep("simulation", out=tmp_path / "out", **given).folder == tmp_path / "out-2"


def test_budgets_that_do_not_fit_are_refused_before_the_first_run(data: Path, tmp_path: Path) -> None:
    call = ["sweep", "simulation", "--data", str(data), *ORACLE, "--pixel-multiple", "50"]
    done = sightline_here(*call, cwd=tmp_path)
    assert done.returncode == 2 and "--pixel-multiple" in done.stderr and not (tmp_path / "runs").exists()


def test_one_server_for_all_budgets(data: Path, tmp_path: Path) -> None:
    serve = shlex.join([sys.executable, str(Path(support.__file__).with_name("loopback.py")), "--port", "{port}"])
    call = ["sweep", "simulation", "--data", str(data), "--model", "m", "--max-pixels", "1k,6k", "--limit", "4"]
    done = sightline_here(*call, "--launch", serve, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("Starting the server") == 1
    assert len(list((tmp_path / "runs").glob("*/server.log"))) == 1


def point(budget: int, low: float | None, value: float = 0.0, p_holm: float | None = None) -> SweepPoint:
    difference = Difference(
        measure="accuracy", first=0.5, second=0.5 + value, value=value, low=low, high=value + 0.01, p_holm=p_holm
    )
    return SweepPoint(
        max_pixels=budget, folder="", complete=True, samples=9, score=None, difference=difference, usage=Usage()
    )


LARGEST = SweepPoint(max_pixels=9, folder="", complete=True, samples=9, score=None, usage=Usage())


def test_the_knee_is_the_last_budget_before_the_first_that_is_not_shown_to_be_as_good() -> None:
    assert find_knee([point(1, -0.3), point(2, -0.019), LARGEST], 0.02) == 1
    assert find_knee([point(1, -0.3), point(2, -0.021), LARGEST], 0.02) == 2
    assert find_knee([point(1, -0.01), point(2, -0.021), point(3, -0.01), LARGEST], 0.02) == 2, "none is skipped"
    assert find_knee([point(1, None), LARGEST], 0.02) == 1, "no interval shows nothing"
    assert find_knee([point(1, -0.3), replace(point(2, -0.3), same_images=True), LARGEST], 0.02) == 1
    assert find_knee([point(1, -0.3), point(2, -0.021), LARGEST], 0.5) == 0


def test_budgets_that_beat_the_largest_are_named() -> None:
    points = [point(1, 0.1, 0.2, 0.01), point(2, -0.1, 0.1, 0.3), point(3, -0.3, -0.2, 0.01), LARGEST]
    assert [one.is_better() for one in points] == [True, False, False, False]
    notes = list(map(str, describe_notes(points, 3, 0.02)))
    assert any("Significantly better than the largest budget: 1." in note for note in notes)


def simulate_knees(
    rng: np.random.Generator, n: int, truths: Sequence[float], noise: float, margin: float, trials: int
) -> Iterator[int]:
    """The knee of each trial, as an index: questions of differing difficulty, and replies that are partly chance.

    A share `noise` of the replies is drawn anew at each budget; the others follow one threshold per question.
    """
    for _ in range(trials):
        difficulty = rng.random(n)
        drawn = np.where(rng.random((len(truths), n)) < noise, rng.random((len(truths), n)), difficulty)
        right = drawn < np.array(truths)[:, None]
        points = []
        for row in right[:-1]:
            spread = independent_shares(int((right[-1] & ~row).sum()), int((row & ~right[-1]).sum()), n)
            points.append(point(1, spread.low))
        yield find_knee([*points, LARGEST], margin)


@pytest.mark.slow
@pytest.mark.parametrize("noise", [0.0, 0.1, 0.5])
@pytest.mark.parametrize("n", [100, 400])
@pytest.mark.parametrize(
    "truths",
    [
        [0.649, 0.649, 0.649, 0.649, 0.7],  # all lose just more than the margin
        [0.4, 0.649, 0.69, 0.7, 0.7],
        [0.649, 0.72, 0.7, 0.7],  # smaller images help at first
        [0.5, 0.6, 0.649, 0.66, 0.68, 0.7],
    ],
)
def test_the_knee_loses_more_than_the_margin_in_at_most_5_percent(truths: list[float], n: int, noise: float) -> None:
    """The margin is 5 points; the bound holds for one test at 2.5 %, and so for the whole procedure."""
    trials, margin = 1500, 0.05
    rng = np.random.default_rng(n)
    knees = simulate_knees(rng, n, truths, noise, margin, trials)
    wrong = np.mean([truths[-1] - truths[knee] > margin for knee in knees])
    assert wrong <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / trials)


@pytest.mark.slow
def test_the_knee_is_found_where_there_are_enough_samples() -> None:
    """The three largest budgets are equally good and the next loses 20 points: 1,000 samples show it, 30 can't."""
    truths, rng = [0.3, 0.5, 0.7, 0.7, 0.7], np.random.default_rng(1)
    many = list(simulate_knees(rng, 1000, truths, 0.1, 0.05, 400))
    assert np.mean([knee == 2 for knee in many]) > 0.9
    few = list(simulate_knees(rng, 30, truths, 0.1, 0.05, 400))
    assert np.mean([knee == 4 for knee in few]) > 0.9


def test_budgets_are_parsed() -> None:
    assert parse_budgets(["400k,100k", "1.5M", "none", 5]) == [5, 100_000, 400_000, 1_500_000, None]
    for wrong in ("0", "many", "-4", "1.5"):
        with pytest.raises(ConfigError, match="not a number of pixels"):
            parse_budgets([wrong, "100k"])
    with pytest.raises(UsageError, match="two pixel budgets"):
        parse_budgets(["100k", 100_000])
