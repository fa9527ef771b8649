"""The matrix suite the user's way: fresh cells, perfect and blind models, sampling, judge, digest."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import duckdb
import pytest

from sightline import evaluate, generate
from sightline.core.interfaces import Figures
from sightline.core.records import Answer, Attempt, Estimate, Grade, Invalid, Sample
from sightline.core.registry import find, load_suite, names
from sightline.core.remarks import format_remark
from sightline.i18n import set_language
from sightline.scoring.sample_scorer import grade_attempt
from sightline.scoring.scorers import Question
from sightline.suites.matrix.generator.recipe import DIMENSIONS, LEVELS
from sightline.suites.matrix.metrics import summarize
from sightline.suites.matrix.sandbox import find_isolation


@pytest.fixture(scope="module")
def cells(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return generate("matrix", tmp_path_factory.mktemp("matrix") / "data", count=96, seed=5)


@pytest.mark.slow
def test_the_perfect_model_is_perfect_in_every_cell(cells: Path, tmp_path: Path) -> None:
    if not find_isolation().method:
        pytest.skip("code can't be run in isolation here")
    summary = evaluate("matrix", data=str(cells), model="baseline/oracle", output_dir=str(tmp_path)).summary
    scores = {row.name: row.estimate.value for row in summary.rows_of("cell") if row.metric == "accuracy"}
    assert scores == {f"{dimension} {level.upper()}": 1.0 for dimension in DIMENSIONS for level in LEVELS}
    digest = summary.digest
    assert (digest["overall_accuracy"], digest["total_samples"]) == (1.0, 96)
    assert {name: one["level"] for name, one in digest["boundary"].items()} == dict.fromkeys(DIMENSIONS, 4.0)
    assert "perception holds up to L4 (95 %: 4.00 – 4.00)." in map(str, summary.notes)


@pytest.mark.parametrize(
    ("model", "levels", "said"),
    [
        ("oracle", ["l1"], "perception: half or more up to L1, the highest level that was asked (95 %: 1.02 – 4.00)."),
        ("constant:zzz", ["l4"], "perception: below half at L4, the lowest level that was asked (95 %: 0.00 – 3.98)."),
        ("constant:zzz", ["l1"], "perception is below half at L1 already (95 %: 0.00 – 0.00)."),
    ],
)
def test_what_was_not_asked_is_not_told(cells: Path, tmp_path: Path, model: str, levels: list[str], said: str) -> None:
    settings = {"data": str(cells), "level": levels, "dimension": "perception", "output_dir": str(tmp_path)}
    summary = evaluate("matrix", model=f"baseline/{model}", **settings).summary
    notes = [str(note) for note in summary.notes if "95 %" in str(note)]
    assert notes == [said]
    known = summary.digest["boundary"]["perception"]
    assert known["level"] == (0 if "already" in said else None) and known["n"] == 6
    set_language("zh")
    try:
        assert not re.search("[a-z]{2}", " ".join(str(note) for note in summary.notes if "95 %" in str(note)))
    finally:
        set_language("")


def figure(value: float | None, low: float = 0, high: float = 4) -> Figures:
    """A boundary of perception with L1 and L4 asked."""
    found = {("overall", "", "boundary_perception"): Estimate(value=value, low=low, high=high, n=9)}
    return found | {("cell", f"perception {level}", "mean_score"): Estimate(value=0.5, n=9) for level in ("L1", "L4")}


@pytest.mark.parametrize(
    ("figures", "said"),
    [
        (
            figure(4, 3.9),
            "perception is at half or more up to L4, but the samples don't settle it (95 %: 3.90 – 4.00).",
        ),
        (figure(0), "perception is below half at L1, but the samples don't settle it (95 %: 0.00 – 4.00)."),
        (
            figure(2.5, 1.2, 3.8),
            "perception falls to half between L1 and L4, with no level between them asked (95 %: 1.20 – 3.80).",
        ),
    ],
)
def test_no_sentence_says_more_than_its_interval(figures: Figures, said: str) -> None:
    assert [str(remark) for remark in summarize(figures)[1]] == [said]


def test_a_decision_without_a_readable_turn_is_unparsed(cells: Path) -> None:
    suite = load_suite("matrix")
    sample = next(one for one in suite.dataset(cells) if one.task == "interactive_decision")
    assert isinstance(sample, Sample)

    def graded(*texts: str) -> Grade:
        return grade_attempt(
            suite, sample, Attempt([Answer(position=0, sample=sample.id, text=text) for text in texts])
        )

    lost = graded("I see a maze.", "<think>up</think>")
    assert (lost.status, lost.score, lost.message) == ("unparsed", 0, "no turn holds a move that could be read")
    assert (graded("hm", "up").status, graded("hm", "up").message) == ("answered", "")
    assert graded("hm", f"I will go {suite.oracle_reply(sample)}.").score == 1


def test_a_constant_answer_stays_at_chance(cells: Path, tmp_path: Path) -> None:
    summary = evaluate("matrix", data=str(cells), model="baseline/constant:A", output_dir=str(tmp_path)).summary
    overall = next(row for row in summary.rows_of("overall") if row.metric == "mean_score")
    assert overall.estimate.value is not None and overall.estimate.value < 0.2


@pytest.mark.slow
def test_no_cell_leaks_its_answer(tmp_path: Path) -> None:
    """960 fresh samples: whatever a model says without looking, it earns no more than chance in any cell and kind."""
    data = generate("matrix", tmp_path / "data", count=960, seed=11)
    suite = load_suite("matrix")
    by_kind: dict[tuple[str, str], list[Sample]] = {}
    for sample in suite.dataset(data):
        assert isinstance(sample, Sample)
        by_kind.setdefault((sample.task, sample.tags["difficulty"]), []).append(sample)
    assert len(by_kind) == 48 and {len(samples) for samples in by_kind.values()} == {20}
    for (kind, level), samples in by_kind.items():
        if samples[0].target["metric"] in ("execution", "success", "bleu"):
            continue  # no constant words can be right for two of them
        said = Counter(suite.oracle_reply(sample) for sample in samples)
        chance = max(1 / max(len(s.target["options"]), 1) if s.target["options"] else 0.1 for s in samples)
        # two and a half standard deviations above chance, of 20 draws
        most = 20 * chance + 2.5 * (20 * chance * (1 - chance)) ** 0.5
        assert said.most_common(1)[0][1] <= most, (kind, level, said.most_common(3))


def test_a_fair_sample_is_weighted_back(cells: Path, tmp_path: Path) -> None:
    result = evaluate(
        "matrix",
        data=str(cells),
        model="baseline/perturbed:0.5",
        output_dir=str(tmp_path),
        sample=32,
        stratify="dimension,difficulty",
    )
    assert result.summary.samples == 32
    query = f"SELECT tags['cell'], count(*), sum(weight) FROM '{result.folder}/grades.parquet' GROUP BY 1"
    assert {(count, weight) for _, count, weight in duckdb.sql(query).fetchall()} == {(2, 6.0)}


def test_bad_rows_are_told_and_skipped(tmp_path: Path) -> None:
    good = {
        "id": "a",
        "dimension": "perception",
        "difficulty": "L1",
        "task_type": "spatial_relation",
        "question": "?",
        "options": ["x", "y"],
        "ground_truth": "x",
        "metric": "accuracy",
    }
    rows = [
        good,
        good,
        good | {"id": "b", "dimension": "smell"},
        good | {"id": "c", "metric": "acuracy"},
        good | {"id": "d", "image_path": "gone.png"},
        good | {"id": "e", "ground_truth": None},
        good | {"id": "f", "question": ""},
        good | {"id": "g", "metric": "success", "ground_truth": {"world": {"kind": "maze"}, "most_turns": 2}},
    ]
    text = "".join(json.dumps(row) + "\n" for row in rows) + json.dumps(good)[:40]
    (tmp_path / "samples.jsonl").write_text(text)
    read = list(load_suite("matrix").dataset(tmp_path))
    assert [sample.id for sample in read if isinstance(sample, Sample)] == ["a"]
    told = sorted(format_remark(sample.reason) for sample in read if isinstance(sample, Invalid))
    assert told == [
        "dimension must be one of perception, understanding, reasoning, action, not 'smell'",
        "duplicate id 'a'",
        "ground_truth is missing",
        "ground_truth is not a valid world: Object missing required field `rows`",
        "missing media: gone.png",
        "question must be a text",
        "torn last line",
        "unknown metric 'acuracy'; did you mean 'accuracy'?",
    ]
    assert all(sample.source.startswith(str(tmp_path)) for sample in read)


def test_a_judge_is_auxiliary_and_journaled(cells: Path, tmp_path: Path) -> None:
    result = evaluate(
        "matrix",
        data=str(cells),
        model="baseline/perturbed:0.5",
        kind="image_description",
        judge="baseline/constant:equal",
        output_dir=str(tmp_path),
    )
    note = next(str(note) for note in result.summary.notes if "Judge" in str(note))
    assert "100.0 % of" in note
    manifest = json.loads((result.folder / "judge" / "manifest.json").read_text())
    assert manifest["model"] == "baseline/constant:equal" and manifest["prompt_sha256"]
    lines = (result.folder / "judge" / "journal.jsonl").read_text().splitlines()
    assert len(lines) % 2 == 0 and 0 < len(lines) <= 2 * result.summary.samples
    assert result.summary.headline == "accuracy"


@pytest.mark.parametrize("name", names("scorers"))
def test_every_marker_accepts_and_refuses_its_own_examples(name: str) -> None:
    kind = find("scorers", name)
    if name == "execution":
        pytest.skip("needs a sandbox: see tests/scoring/scorers")
    marker = kind()
    assert kind.accepts and kind.refuses
    for examples, full in ((kind.accepts, True), (kind.refuses, False)):
        for target, reply in examples:
            asked = target if isinstance(target, Question) else Question(target=target)
            assert (marker.score(reply, asked).value >= 1) is full, (target, reply)


def test_a_run_stopped_between_two_turns_goes_on_with_the_next(cells: Path, tmp_path: Path) -> None:
    settings = {"data": str(cells), "model": "baseline/constant:up", "kind": "interactive_decision"}
    whole = evaluate("matrix", output_dir=str(tmp_path), **settings)
    journal, manifest = whole.folder / "journal.jsonl", whole.folder / "manifest.json"
    lines = journal.read_bytes().splitlines(keepends=True)
    turns = [json.loads(line).get("turn", 1) for line in lines]
    assert max(turns) > 2
    kept = lines[: turns.index(2) + 1]  # the first turn of some samples, and the second of one
    journal.write_bytes(b"".join(kept))
    manifest.write_text(manifest.read_text().replace('"state": "finished"', '"state": "partial"'))
    again = evaluate("matrix", output_dir=str(tmp_path), **settings)
    assert again.folder == whole.folder
    after = journal.read_bytes().splitlines(keepends=True)
    assert after[: len(kept)] == kept, "what was asked stays as it was"
    asked = sorted((answer["sample"], answer.get("turn", 1)) for answer in map(json.loads, after))
    assert asked == sorted((answer["sample"], answer.get("turn", 1)) for answer in map(json.loads, lines))
    assert again.summary.rows == whole.summary.rows
