"""A run reads its data once, solves each truth once, and grades each reply once."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from sightline import evaluate, generate, load_suite
from sightline.suites.structural import StructuralSuite, dataset, scorer
from sightline.suites.structural.framecalc import analysis


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("once") / "data"
    generate("structural", out, count=9, seed=5)
    return out


@pytest.fixture
def counts(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often files are read, models solved and replies graded."""
    counted: Counter[str] = Counter()

    def count(owner: Any, name: str, kind: str) -> None:
        real = getattr(owner, name)

        def counting(*given: Any, **named: Any) -> Any:
            counted[kind] += 1
            return real(*given, **named)

        monkeypatch.setattr(owner, name, counting)

    dataset.clear_rating_cache()
    count(dataset, "read_json_file", "files read")
    count(analysis, "solve_model", "solved")
    count(scorer, "diagnose_raw", "graded")
    return counted


@pytest.mark.parametrize("settings", [{}, {"limit": 5}, {"filter": ("beam",)}, {"sample": 4}, {"max_retries": 1}])
def test_each_truth_is_read_and_solved_once(
    data: Path, tmp_path: Path, counts: Counter[str], settings: dict[str, Any]
) -> None:
    result = evaluate("structural", data=str(data), model="baseline/oracle", output_dir=str(tmp_path), **settings)
    truths = len(list((data / "raw_models").glob("*.json")))
    assert truths == 9 and result.summary.samples
    assert counts["solved"] <= truths
    assert counts["files read"] <= 2 * truths, "a model and its metadata"
    assert counts["graded"] == result.summary.samples
    if not settings:
        assert (counts["solved"], counts["files read"]) == (truths, 2 * truths)


def test_a_limit_reads_no_more_than_it_asks(data: Path, tmp_path: Path, counts: Counter[str]) -> None:
    evaluate("structural", data=str(data), model="baseline/oracle", output_dir=str(tmp_path), limit=2)
    assert counts["solved"] == 2


def test_wrong_replies_with_feedback_are_graded_once_each(data: Path, tmp_path: Path, counts: Counter[str]) -> None:
    model = "baseline/perturbed:1"
    result = evaluate("structural", data=str(data), model=model, output_dir=str(tmp_path), max_retries=1)
    lines = next(tmp_path.glob("*/journal.jsonl")).read_text(encoding="utf-8").splitlines()
    assert result.summary.samples < len(lines)
    assert counts["graded"] <= len(lines)


def test_a_truth_that_was_changed_is_solved_again(data: Path, tmp_path: Path, counts: Counter[str]) -> None:
    suite = load_suite("structural")
    assert isinstance(suite, StructuralSuite)
    first = list(suite.dataset(data))
    path = data / "raw_models" / f"{first[0].id}.json"
    before, stamp = path.read_bytes(), counts["solved"]
    try:
        path.write_text(json.dumps({**json.loads(before), "comment": "edited"}), encoding="utf-8")
        list(suite.dataset(data))
        assert counts["solved"] == stamp + 1
        path.write_bytes(b"{}")
        assert type(suite.dataset(data)[0]) is not type(first[0])
    finally:
        path.write_bytes(before)
    assert list(suite.dataset(data)) == first


def test_a_sample_is_read_by_its_position_alone(data: Path, counts: Counter[str]) -> None:
    suite = load_suite("structural")
    assert isinstance(suite, StructuralSuite)
    samples = suite.dataset(data)
    assert samples[7].id == samples[samples.find(samples[7].id) or 0].id
    assert counts["solved"] == 1
    every = list(suite.dataset(data))
    assert [samples[position] for position in range(len(every))] == every


def test_the_figures_are_those_of_grading_again(data: Path, tmp_path: Path) -> None:
    from sightline import grade_again

    result = evaluate("structural", data=str(data), model="baseline/perturbed:0.7", output_dir=str(tmp_path))
    kept = (result.folder / "grades.parquet").read_bytes(), (result.folder / "report.json").read_bytes()
    grade_again(result.folder)
    assert ((result.folder / "grades.parquet").read_bytes(), (result.folder / "report.json").read_bytes()) == kept
