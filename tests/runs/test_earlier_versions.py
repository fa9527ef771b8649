"""Run folders of version 1 open in this one: their reports, comparisons, exports and pages."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import duckdb
import pytest

from sightline import evaluate, load_run
from sightline.core.legacy import upgrade_record
from sightline.runs.comparison.grades_database import grades_table, open_database
from sightline.runs.folder import RunFolder
from sightline.web.viewer.grades import GradesDatabase, SampleFilter
from tests.support.worlds import write_questions

OLD_KEYS = {"statuses": "states", "baselines": "controls", "baseline": "control", "reason": "why"}


def downgrade(value: Any) -> Any:
    """A record as version 1 wrote it."""
    if isinstance(value, list):
        return [downgrade(item) for item in value]
    if not isinstance(value, dict):
        return value
    if value.keys() == {"text", "args"}:
        return {"text": value["text"], "facts": value["args"]}
    if "statuses" in value:
        counts = {"ok" if name == "answered" else name: count for name, count in value["statuses"].items()}
        value = {**value, "statuses": counts}
    return {OLD_KEYS.get(name, name): downgrade(item) for name, item in value.items()}


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The same run twice: as it is, and as version 1 would have written it."""
    folder = tmp_path_factory.mktemp("runs")
    data = write_questions(folder / "data", 30)
    flags: dict[str, Any] = {"data": str(data), "model": "baseline/perturbed:0.4"}
    new, old = (evaluate("simulation", output_dir=str(folder / name), **flags).folder for name in ("new", "old"))
    for name in ("report.json", "manifest.json"):
        path = old / name
        path.write_text(json.dumps(downgrade(json.loads(path.read_text(encoding="utf-8")))), encoding="utf-8")
    grades, moved = old / "grades.parquet", old / "moved.parquet"
    grades.rename(moved)
    duckdb.execute(
        "COPY (SELECT * EXCLUDE (status, message, remark), message AS note, "
        "CASE status WHEN 'answered' THEN 'ok' ELSE status END AS state "
        f"FROM '{moved}') TO '{grades}' (FORMAT parquet)"
    )
    moved.unlink()
    return new, old


def test_upgrading_undoes_downgrading(runs: tuple[Path, Path]) -> None:
    report = json.loads((runs[0] / "report.json").read_text(encoding="utf-8"))
    assert upgrade_record(downgrade(report)) == report
    assert upgrade_record(report) == report


def test_the_summary_is_that_of_the_same_run(runs: tuple[Path, Path]) -> None:
    new, old = (load_run(run).summary for run in runs)
    assert new.statuses == old.statuses and new.baselines == old.baselines and new.rows == old.rows
    assert [*map(str, new.notes)] == [*map(str, old.notes)]


def test_grades_are_compared(runs: tuple[Path, Path]) -> None:
    with open_database() as base:
        tables = [grades_table(base, RunFolder(run)) for run in runs]
        rows = [
            base.execute(f"SELECT sample, status, score FROM {table} ORDER BY sample").fetchall() for table in tables
        ]
    assert rows[0] == rows[1] and {row[1] for row in rows[0]} >= {"answered"}


def test_the_viewer_lists_them(runs: tuple[Path, Path]) -> None:
    database = GradesDatabase()
    try:
        paths = [run / "grades.parquet" for run in runs]
        facets = [database.facets(path) for path in paths]
        assert facets[0].statuses == facets[1].statuses
        wanted = SampleFilter(status="answered")
        found = [database.page(path, database.apply_filter(path, wanted), 1) for path in paths]
        assert [row["sample"] for row in found[0]] == [row["sample"] for row in found[1]]
        assert database.row(paths[1], found[1][0]["position"])["message"] is not None  # type: ignore[index]
    finally:
        database.close()
