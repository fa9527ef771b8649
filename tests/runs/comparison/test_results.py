"""`sightline.compare` and `sightline.leaderboard` for people who program."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

import sightline
from sightline.cli.compare import command as compare_command
from sightline.cli.leaderboard import command as leaderboard_command
from sightline.core.errors import DataError
from tests.runs.comparison.test_compare import FIRST, SECOND
from tests.runs.comparison.worlds import graded, make_run
from tests.support.peers import Peer

pd = Peer("pandas")


@pytest.fixture
def runs(tmp_path: Path) -> list[Path]:
    folder = tmp_path / "runs"
    return [make_run(folder / name, graded(run, tasks=2)) for name, run in (("a", FIRST), ("b", SECOND))]


def test_a_comparison_is_what_the_command_writes(runs: list[Path], tmp_path: Path) -> None:
    out = tmp_path / "out"
    CliRunner().invoke(compare_command, [*map(str, runs), "--out", str(out)], standalone_mode=False)
    found = sightline.compare(*runs)
    assert json.loads(json.dumps(found.to_dict())) == json.loads((out / "comparison.json").read_bytes())
    frame = found.to_dataframe()
    with (out / "comparison.csv").open(encoding="utf-8-sig", newline="") as file:
        written = list(csv.DictReader(file))
    assert list(frame["scope"]) == [row["scope"] for row in written]
    assert set(written[0]) == set(frame.columns)
    assert list(frame["difference"]) == pytest.approx([float(row["difference"]) for row in written])
    assert found.worse() == ("B",) and found.worse(0.5) == ()


def test_a_leaderboard_is_what_the_command_writes(runs: list[Path], tmp_path: Path) -> None:
    out = tmp_path / "out"
    folder = runs[0].parent
    CliRunner().invoke(leaderboard_command, [str(folder), "--out", str(out)], standalone_mode=False)
    found = sightline.leaderboard(folder)
    assert json.loads(json.dumps(found.to_dict())) == json.loads((out / "leaderboard.json").read_bytes())
    frame = found.to_dataframe()
    assert isinstance(frame, pd.DataFrame)
    assert list(frame["model"]) == ["a", "b"] and list(frame["rank"]) == [1, 2]
    assert {"group", "setting", "value", "low", "high", "best_rank", "worst_rank"} <= set(frame.columns)


def test_runs_of_other_data_are_refused_here_too(runs: list[Path], tmp_path: Path) -> None:
    other = make_run(tmp_path / "other", graded(SECOND, tasks=2), data_sha256="e" * 64)
    with pytest.raises(DataError, match="data set"):
        sightline.compare(runs[0], other)
    assert sightline.compare(runs[0], other, force=True).to_dict()["differences"]


def test_without_pandas_it_is_said(runs: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(sightline.core.errors.UsageError, match="pandas"):
        sightline.compare(*runs).to_dataframe()


def test_the_names_are_public_and_cost_nothing_until_used() -> None:
    assert {"compare", "leaderboard"} <= set(sightline.__all__)
    code = "import sightline, sys; assert 'numpy' not in sys.modules; sightline.compare; sightline.leaderboard"
    subprocess.run([sys.executable, "-c", code], check=True)
