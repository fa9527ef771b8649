"""Ranks: within what may be compared, and no surer than the data."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from sightline import evaluate
from sightline.core.errors import DataError
from sightline.core.remarks import Remark
from sightline.reports.comparison_pages import leaderboard_notes, leaderboard_tables
from sightline.runs.comparison.leaderboard import Leaderboard, build_leaderboard
from sightline.runs.folder import RunFolder
from tests.runs.comparison.worlds import graded, make_run
from tests.support.worlds import write_questions


def scores(right: int, total: int = 200) -> list[float]:
    return [1.0] * right + [0.0] * (total - right)


def ranks(board: Leaderboard, group: int = 0) -> dict[str, tuple[int | None, int | None, int | None]]:
    return {entry.model: (entry.rank, entry.best_rank, entry.worst_rank) for entry in board.groups[group].entries}


def test_ranks_are_as_sure_as_paired_samples_make_them(tmp_path: Path) -> None:
    """b loses eight of a's samples and wins none: sure when paired, though the intervals overlap by far."""
    for name, right in (("a", 120), ("b", 112), ("c", 111), ("d", 20)):
        make_run(tmp_path / name, graded(scores(right)))
    board = build_leaderboard(tmp_path)
    assert board.groups[0].paired
    assert ranks(board) == {"a": (1, 1, 1), "b": (2, 2, 3), "c": (3, 2, 3), "d": (4, 4, 4)}


def test_on_other_samples_intervals_decide(tmp_path: Path) -> None:
    for name, right in (("a", 120), ("b", 112), ("d", 20)):
        run = graded(scores(right))
        run[ord(name) % 7] = replace(run[ord(name) % 7], status="failed")
        make_run(tmp_path / name, run)
    board = build_leaderboard(tmp_path)
    assert not board.groups[0].paired
    assert ranks(board) == {"a": (1, 1, 2), "b": (2, 1, 2), "d": (3, 3, 3)}
    assert not any(entry.complete for entry in board.groups[0].entries)


def test_equal_runs_share_a_rank(tmp_path: Path) -> None:
    for name in "abc":
        make_run(tmp_path / name, graded(scores(100)))
    assert set(ranks(build_leaderboard(tmp_path)).values()) == {(1, 1, 3)}


def test_the_range_holds_the_rank(tmp_path: Path) -> None:
    rng = np.random.default_rng(8)
    hard = rng.random(150)
    for place in range(8):
        run = (hard + rng.random(150) < 0.8 + 0.04 * place).astype(float).tolist()
        make_run(tmp_path / f"m{place}", graded(run, clusters=30))
    found = ranks(build_leaderboard(tmp_path))
    for rank, best, worst in found.values():
        assert rank is not None and best is not None and worst is not None and 1 <= best <= rank <= worst <= 8
    assert any(best != worst for _, best, worst in found.values())


@pytest.mark.parametrize(
    "about",
    [
        {"data_sha256": "e" * 64},
        {"suite_version": "2"},
        {"config": {"limit": 5}},
        {"options": {"modality": ["text"]}},
        {"suite": "structural"},
    ],
)
def test_what_may_not_be_compared_is_never_ranked_together(tmp_path: Path, about: dict[str, Any]) -> None:
    make_run(tmp_path / "a", graded(scores(120)))
    make_run(tmp_path / "b", graded(scores(20)), **about)
    board = build_leaderboard(tmp_path)
    assert [len(group.entries) for group in board.groups] == [1, 1]
    assert {ranks(board, place).popitem()[1] for place in (0, 1)} == {(1, 1, 1)}
    assert len({group.name for group in board.groups}) == 2
    overview = leaderboard_tables(board)[0]
    assert len(overview.rows) == 2 and len(overview.head) == 4


def test_one_row_a_model_and_setting(tmp_path: Path) -> None:
    make_run(tmp_path / "old", graded(scores(90)), model="m", started="2026-01-01")
    make_run(tmp_path / "new", graded(scores(100)), model="m", started="2026-02-01")
    make_run(tmp_path / "broken", graded(scores(10)), model="m", started="2026-03-01", state="partial")
    warm = [Remark("temperature {value}", {"value": 0.7})]
    make_run(tmp_path / "warm", graded(scores(80)), model="m", deviations=warm)
    make_run(tmp_path / "deep", graded(scores(70)), model="m", config={"model_args": {"effort": "high"}})
    board = build_leaderboard(tmp_path)
    told = {entry.setting: (Path(entry.folder).name, entry.earlier) for entry in board.groups[0].entries}
    assert told == {"": ("new", 2), "temperature 0.7": ("warm", 0), "effort=high": ("deep", 0)}
    assert "2 other runs" in leaderboard_tables(board)[0].note


def test_incomplete_runs_are_marked(tmp_path: Path) -> None:
    make_run(tmp_path / "a", graded(scores(100)), state="partial")
    table = leaderboard_tables(build_leaderboard(tmp_path))[0]
    assert table.rows[0][1] == "a *" and "* incomplete" in table.note


def test_what_can_not_be_read_is_told(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no graded run"):
        build_leaderboard(tmp_path)
    make_run(tmp_path / "deep" / "down" / "a", graded(scores(100)))
    make_run(tmp_path / "a" / "judge", graded(scores(100)), suite="judge")
    RunFolder(make_run(tmp_path / "b", graded(scores(100)))).report_json.unlink()
    RunFolder(make_run(tmp_path / "c", graded(scores(100)))).manifest.write_text("{")
    RunFolder(tmp_path / "a" / "judge").manifest.rename(tmp_path / "a" / "manifest.json")
    RunFolder(tmp_path / "a" / "judge").manifest.write_bytes((tmp_path / "a" / "manifest.json").read_bytes())
    board = build_leaderboard(tmp_path)
    assert [entry.model for group in board.groups for entry in group.entries] == ["a"]
    assert len(leaderboard_notes(board)) == 3


def test_without_grades_intervals_decide(tmp_path: Path) -> None:
    for name, right in (("a", 120), ("b", 112)):
        RunFolder(make_run(tmp_path / name, graded(scores(right)))).grades.unlink()
    assert ranks(build_leaderboard(tmp_path)) == {"a": (1, 1, 2), "b": (2, 1, 2)}


def test_real_runs_are_ranked(tmp_path: Path) -> None:
    data = write_questions(tmp_path / "data", 20, simulations=6)
    for model in ("oracle", "perturbed:0.4", "random"):
        evaluate("simulation", data=str(data), model=f"baseline/{model}", output_dir=str(tmp_path / "runs"))
    (group,) = build_leaderboard(tmp_path / "runs").groups
    assert group.metric == "accuracy" and group.paired
    assert [entry.rank for entry in group.entries] == [1, 2, 3]
    assert group.entries[0].model == "baseline/oracle" and group.entries[0].skill == 1
