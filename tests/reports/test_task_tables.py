"""A task's own figures are in the tables, however many tasks there are."""

from __future__ import annotations

from pathlib import Path

import pytest

from sightline import score
from sightline.reports.tables import tables
from tests.scoring.files.worlds import ALL_TASKS, write_world


@pytest.mark.parametrize("names", [("计数",), ("计数", "VQA1"), ("计数", "图片检索")])
def test_every_figure_of_a_task_is_in_a_table(tmp_path: Path, names: tuple[str, ...]) -> None:
    anno, out = write_world(tmp_path, {name: ALL_TASKS[name] for name in names})
    summary = score(anno, out, output_dir=str(tmp_path / "r")).summary
    shown = " ".join(cell for table in tables(summary) for row in table.rows for cell in row)
    for title in ("Mean score", "Accuracy", "MAE", "RMSE"):
        assert title in shown
