"""Runs to report on: questions with feedback, shapes over pictures."""

from __future__ import annotations

from pathlib import Path

import pytest

from sightline import evaluate, generate
from sightline.runs.comparison.graded_runs import GradedRun, load_graded_run
from tests.support.worlds import write_questions


@pytest.fixture(scope="session")
def questions(tmp_path_factory: pytest.TempPathFactory) -> list[GradedRun]:
    """Two runs over the same true/false questions, with unreadable and empty replies among them."""
    place = tmp_path_factory.mktemp("questions")
    data = write_questions(place / "data", 30, simulations=4)
    made = [
        evaluate("simulation", data=str(data), model=f"baseline/perturbed:{rate}", output_dir=str(place / "runs"))
        for rate in ("0.3", "0.6")
    ]
    return [load_graded_run(run.folder) for run in made]


@pytest.fixture(scope="session")
def shapes(tmp_path_factory: pytest.TempPathFactory) -> GradedRun:
    """Detection and counting on generated scenes, a part of the replies spoiled."""
    place = tmp_path_factory.mktemp("shapes")
    generate("remote-sensing", place / "data", count=1)
    run = evaluate(
        "remote-sensing",
        data=str(place / "data"),
        model="baseline/perturbed:0.8",
        output_dir=str(place / "runs"),
        task=("水平区域检测", "计数", "图片分类"),
    )
    return load_graded_run(Path(run.folder))
